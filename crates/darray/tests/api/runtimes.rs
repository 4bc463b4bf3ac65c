//! Runtimes: scopes, threads, statistics, synchronous operation.

use darray::{DArray, Mode, Runtime, s};

#[test]
fn arrays_belong_to_the_runtime_of_their_scope() {
    let rt = Runtime::builder().threads(1).window(1000).build().unwrap();
    let y = rt.scope(|| DArray::<f64>::ones(4) + 1.0);
    assert!(y.runtime() == &rt && rt != Runtime::current());
    assert_eq!((rt.stats().tasks, rt.stats().flushes), (0, 0), "nothing ran");
    assert_eq!(y.to_vec(), [2.0; 4]);
    assert_eq!((rt.stats().tasks, rt.stats().flushes), (2, 1));
    let z = (&y * 2.0).sum();
    assert!(z.runtime() == &rt, "operations run where their operands are");
    let inner = Runtime::builder().build().unwrap();
    rt.scope(|| {
        let _entered = inner.enter();
        assert!(Runtime::current() == inner);
    });
}

#[test]
fn arrays_move_between_threads() {
    let y = DArray::<f64>::ones(4);
    let z = std::thread::spawn(move || (&y * 2.0).sum()).join().unwrap();
    assert_eq!(z.item(), 8.0);
    let x = DArray::<f64>::ones(1000);
    std::thread::scope(|scope| {
        let sums: Vec<_> = (0..4)
            .map(|k| {
                scope.spawn({
                    let x = &x;
                    move || (x * k as f64).sum().item()
                })
            })
            .collect();
        let sums: Vec<f64> = sums.into_iter().map(|s| s.join().unwrap()).collect();
        assert_eq!(sums, [0.0, 1000.0, 2000.0, 3000.0]);
    });
}

#[test]
fn chains_fuse_and_modes_say_how_far() {
    for (mode, fused_tasks, kernels) in
        [(Mode::Fused, 1, 1), (Mode::Task, 1, 4), (Mode::Unfused, 4, 4)]
    {
        let rt = Runtime::builder().threads(1).mode(mode).build().unwrap();
        rt.scope(|| {
            let x = DArray::<f64>::ones(64);
            rt.sync();
            rt.reset_stats();
            let y = (2.0 * &x + 1.0).sqrt() - &x;
            rt.sync();
            let stats = rt.stats();
            assert_eq!((stats.tasks, stats.fused_tasks, stats.kernels), (4, fused_tasks, kernels));
            assert_eq!(y.slice(s![0]).item(), 3.0f64.sqrt() - 1.0);
        });
    }
}

#[test]
fn synchronous_runtimes_run_each_operation_at_once() {
    let rt = Runtime::builder().threads(1).synchronous(true).build().unwrap();
    rt.scope(|| {
        let x = DArray::<f64>::ones(3) * 2.0;
        assert_eq!((rt.stats().tasks, rt.stats().flushes), (2, 2));
        drop(x);
    });
}

#[test]
fn a_steady_loop_plans_nothing_new() {
    let rt = Runtime::builder().threads(1).build().unwrap();
    rt.scope(|| {
        let mut x = DArray::<f64>::ones(100);
        let mut step = || {
            x = 0.5 * (&x + 2.0 / &x);
            x.slice(s![..1]).assign(1.0);
            rt.sync();
        };
        (0..5).for_each(|_| step());
        let before = rt.stats();
        (0..50).for_each(|_| step());
        let after = rt.stats();
        assert_eq!(after.memo_misses, before.memo_misses);
        assert_eq!(after.bytes_in_use, before.bytes_in_use);
        assert_eq!(after.compiled, before.compiled);
    });
}

/// Prints what the global runtime is; run by itself it checks the defaults, as no setting is set.
#[test]
fn the_global_runtime_is_made_from_the_settings() {
    let engine = Runtime::current().engine().clone();
    let options = engine.options();
    let names = engine.device_names().join(" ");
    println!("[{names}] {:?} {:?}", options.mode, options.window);
    assert_eq!(DArray::<f64>::ones(100).sum().item(), 100.0);
}

/// Output and success of the test above in a process with these settings.
fn with_settings(settings: &[(&str, &str)]) -> (String, bool) {
    let test = "runtimes::the_global_runtime_is_made_from_the_settings";
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .envs(settings.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (text.into_owned(), output.status.success())
}

#[test]
fn settings_reach_the_global_runtime_and_bad_ones_are_named() {
    let settings = [
        ("DARRAY_DEVICES", "cpu:3"),
        ("DARRAY_MODE", "unfused"),
        ("DARRAY_WINDOW", "5"),
        ("DARRAY_CPU_LEVEL", "baseline"),
    ];
    let (text, success) = with_settings(&settings);
    let line = "[cpu:0 (baseline) cpu:1 (baseline) cpu:2 (baseline)] Unfused Fixed(5)";
    assert!(success && text.contains(line), "{text}");
    let (text, success) = with_settings(&[("DARRAY_MODE", "fast")]);
    let message = "runtime: DARRAY_MODE=\"fast\": accepted: fused, task, unfused (at ";
    assert!(!success && text.contains(message), "{text}");
    let misspelt = concat!("DARRAY", "_WINDOWS");
    let (text, success) = with_settings(&[(misspelt, "5")]);
    let warning = "darray: no setting is called DARRAY";
    assert!(success && text.contains(warning) && text.contains("did you mean"), "{text}");
}
