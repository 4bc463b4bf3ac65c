//! Runtimes: scopes, threads, statistics, synchronous operation.

use darray::task::Task;
use darray::{DArray, Fallible, Mode, NewAxis, Runtime, s};
use std::cell::RefCell;
use std::sync::Arc;

#[test]
fn arrays_belong_to_the_runtime_of_their_scope() {
    let rt = Runtime::builder().threads(1).window(1000).build().unwrap();
    let y = rt.scope(|| DArray::<f64>::ones(4) + 1.0);
    assert!(y.runtime() == &rt && rt != Runtime::current());
    assert_eq!((rt.stats().tasks, rt.stats().flushes), (0, 0), "nothing ran");
    assert_eq!(y.to_vec(), [2.0; 4]);
    assert_eq!((rt.stats().tasks, rt.stats().flushes), (2, 1));
    let z = (&y * 2.0).sum(..);
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
    let z = std::thread::spawn(move || (&y * 2.0).sum(..)).join().unwrap();
    assert_eq!(z.item(), 8.0);
    let x = DArray::<f64>::ones(1000);
    std::thread::scope(|scope| {
        let sums: Vec<_> = (0..4)
            .map(|k| {
                scope.spawn({
                    let x = &x;
                    move || (x * k as f64).sum(..).item()
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
    assert_eq!(DArray::<f64>::ones(100).sum(..).item(), 100.0);
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
    let message = "runtime: DARRAY_MODE=\"fast\": accepted: fused, task, unfused\n";
    assert!(!success && text.contains(message), "{text}");
    let misspelt = concat!("DARRAY", "_WINDOWS");
    let (text, success) = with_settings(&[(misspelt, "5")]);
    let warning = "darray: no setting is called DARRAY";
    assert!(success && text.contains(warning) && text.contains("did you mean"), "{text}");
}

/// One thread's operations fail while the other's do not: each gets its own failures, and all of them.
#[test]
fn synchronous_operations_give_their_own_failures() {
    let rt = Runtime::builder().threads(1).synchronous(true).build().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            rt.scope(|| {
                let (x, beyond) = (DArray::<f64>::ones(4), DArray::from_vec(vec![9i64]));
                for _ in 0..3000 {
                    let error = x.try_take(&beyond, ..).unwrap_err();
                    assert!(error.to_string().contains("index 9"), "{error}");
                }
            });
        });
        scope.spawn(|| {
            rt.scope(|| {
                let mut y = DArray::<f64>::zeros(4);
                (0..3000).for_each(|_| y = y.try_add(1.0).unwrap());
                assert_eq!(y.to_vec(), [3000.0; 4]);
            });
        });
    });
    assert!(rt.try_sync().is_ok(), "each failure is given once");
}

/// A task that reads what another runtime's task has not made yet, which needs the first one's runtime.
#[test]
fn a_task_that_comes_back_to_its_runtime_through_another_one_fails() {
    let runtime = || Runtime::builder().threads(1).build().unwrap();
    let (near, far) = (runtime(), runtime());
    let values = Arc::new(near.scope(|| DArray::<f64>::ones(3) + 1.0));
    let reads = |array: Arc<DArray<f64>>| {
        Task::new("reads", move |point| {
            let found = array.to_vec();
            point.split().0[0].set(&[0], found[0]);
            Ok(())
        })
    };
    let back = reads(values);
    let made = Arc::new(far.scope(|| back.launch().create::<f64>(1)));
    let first = reads(made);
    let error = near.scope(|| first.launch().create::<f64>(1)).try_to_vec().unwrap_err();
    assert!(error.to_string().contains("a task uses the runtime that carries it out"), "{error}");
}

/// What is larger than any memory of the host is refused, and other arrays stay as they are.
#[test]
fn what_the_host_has_no_memory_for_is_an_error() {
    let wide = DArray::from_vec(vec![1.5]).broadcast_to(1usize << 44);
    let error = wide.try_to_vec().unwrap_err().to_string();
    assert!(error.contains("out of memory on the host: 140737488355328 bytes"), "{error}");
    assert!(error.contains("runtimes.rs"), "{error}");
    assert_eq!(wide.slice(s![..2]).to_vec(), [1.5; 2]);
    let tiles = Runtime::builder().cpu_devices(2).build().unwrap();
    let far = tiles.scope(|| {
        DArray::<f64>::arange(10).slice(s![NewAxis, ..]).broadcast_to((1usize << 40, 10))
    });
    let error = far.try_to_vec().unwrap_err().to_string();
    assert!(error.contains("out of memory on the host"), "{error}");
    assert_eq!(far.slice(s![0, -1]).item(), 9.0);
}

/// Arrays live in a variable of the thread until it ends, where its scopes are gone already.
#[test]
fn arrays_may_be_made_while_a_thread_ends() {
    struct Last(std::sync::mpsc::Sender<Vec<f64>>);
    impl Drop for Last {
        fn drop(&mut self) {
            let (a, b) = (DArray::<f64>::ones((70, 70)), DArray::<f64>::ones((70, 70)));
            let _ = self.0.send(((a.dot(&b) + 1.0).sum(0) / 71.0).to_vec());
        }
    }
    thread_local! {
        static KEPT: RefCell<Option<Last>> = const { RefCell::new(None) };
    }
    let (send, received) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        KEPT.set(Some(Last(send)));
        let _entered = Runtime::builder().threads(1).build().unwrap().enter();
        assert_eq!(DArray::<f64>::ones(2).sum(..).item(), 2.0);
    });
    thread.join().unwrap();
    assert_eq!(received.recv().unwrap(), [70.0; 70]);
}
