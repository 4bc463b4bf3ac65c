//! Worker threads of a device share out loops; no result depends on how many there are.

use darray::task::Task;
use darray::{CpuLevel, DArray, Runtime, default_rng, s};

/// Bits of element-wise results, sums over each axis and products over arrays that are worth
/// several threads.
fn results() -> Vec<u64> {
    let mut random = default_rng(3);
    let a = random.random((701, 503)) - 0.5;
    let b = random.random((701, 503)) + 0.5;
    let c = (&a / &b).exp() - a.abs().sqrt() * (&b * 3.0).ln();
    let wide = random.random(400_003) - 0.25;
    c.slice(s![1.., ..]).assign(c.slice(s![..-1, ..]));
    let narrow = c.cast::<f32>();
    let mut bits: Vec<u64> = Vec::new();
    for array in [
        c.sum(..),
        c.sum(0),
        c.sum(1),
        c.t().sum(0),
        c.max(1),
        wide.sum(..),
        (&wide * &wide).sum(..),
        (&wide + &wide.slice(s![..;-1])).min(..),
        c.dot(&b.t().slice(s![.., ..40])).sum(0),
        narrow.sum(0).cast(),
        narrow.exp().sum(..).cast(),
        c.slice(s![..;97, ..;13]).reshape(-1i64),
    ] {
        bits.extend(array.to_vec().into_iter().map(f64::to_bits));
    }
    bits
}

#[test]
fn one_thread_and_several_give_the_same_bits() {
    let run = |devices: usize, threads: usize| {
        let builder = Runtime::builder().cpu_devices(devices).threads(threads);
        builder.build().expect("a runtime").scope(results)
    };
    let expected = run(1, 1);
    assert!(expected.len() > 1500);
    for (devices, threads) in [(1, 2), (1, 3), (1, 8), (2, 1), (2, 2), (3, 2)] {
        assert!(run(devices, threads) == expected, "{devices} devices, {threads} threads");
    }
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    // A machine without an instruction set takes the best that it has.
    let run = |level: CpuLevel| {
        let runtime = Runtime::builder().cpu_level(level).threads(1).build().expect("a runtime");
        runtime.scope(results)
    };
    let expected = run(CpuLevel::Baseline);
    for level in [CpuLevel::Avx2, CpuLevel::Avx512] {
        assert!(run(level) == expected, "{level:?}");
    }
}

#[test]
fn small_arrays_wake_no_thread() {
    let runtime = Runtime::builder().threads(2).build().expect("a runtime");
    runtime.scope(|| {
        let small = DArray::<f64>::ones(1000);
        let dot = (&small * 2.0 + 1.0).dot(&small).item();
        assert_eq!((dot, runtime.stats().shared_loops), (3000.0, 0));
        let large = DArray::<f64>::ones(1 << 22);
        assert_eq!((&large * 2.0 + 1.0).sum(..).item(), 3.0 * (1 << 22) as f64);
        assert!(runtime.stats().shared_loops > 0, "the counter counts");
    });
}

#[test]
fn tasks_of_a_thread_run_in_its_order_and_no_update_is_lost() {
    const STEPS: i64 = 300;
    // Windows of a few tasks end in the middle of what a thread does.
    for window in [1, 7, 64] {
        let runtime = Runtime::builder().threads(1).window(window).build().expect("a runtime");
        let count = Task::new("count", |point| {
            let step = point.scalars()[0].to_i64();
            let (written, _) = point.split();
            match written[0].get::<i64>(&[0]) {
                before if before == step => written[0].set(&[0], step + 1),
                before => return Err(format!("step {step} after {before}")),
            }
            Ok(())
        });
        let total = runtime.scope(|| DArray::<i64>::zeros(100));
        let own: Vec<DArray<i64>> = std::thread::scope(|scope| {
            let work = |_| {
                let (runtime, count, mut total) = (&runtime, &count, total.alias());
                move || {
                    runtime.scope(|| {
                        let own = DArray::<i64>::zeros(1);
                        for step in 0..STEPS {
                            count.launch().update(&own).scalar(step).submit();
                            total += 1i64;
                            if step % 50 == 49 {
                                assert_eq!(own.to_vec(), [step + 1]);
                            }
                        }
                        own
                    })
                }
            };
            let threads: Vec<_> = (0..4).map(|k| scope.spawn(work(k))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert_eq!(total.to_vec(), vec![4 * STEPS; 100]);
        for own in own {
            assert_eq!(own.to_vec(), [STEPS]);
        }
    }
}

#[test]
fn several_threads_of_the_program_emit_into_one_runtime() {
    let runtime = Runtime::builder().threads(2).build().expect("a runtime");
    let sums: Vec<f64> = std::thread::scope(|scope| {
        let work = |k: usize| {
            let runtime = &runtime;
            move || {
                runtime.scope(|| {
                    let x = DArray::<f64>::full(10_000, k as f64);
                    (0..20).fold(x, |x, _| &x + 1.0).sum(..).item()
                })
            }
        };
        let threads: Vec<_> = (0..4).map(|k| scope.spawn(work(k))).collect();
        threads.into_iter().map(|t| t.join().expect("no panic")).collect()
    });
    assert_eq!(sums, [200_000.0, 210_000.0, 220_000.0, 230_000.0]);
}
