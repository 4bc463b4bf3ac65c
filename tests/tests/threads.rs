//! Worker threads of a device share out loops; no result depends on how many there are.

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
        c.sum(),
        c.sum_axis(0),
        c.sum_axis(1),
        c.t().sum_axis(0),
        c.max_axis(1),
        wide.sum(),
        (&wide * &wide).sum(),
        (&wide + &wide.slice(s![..;-1])).min(),
        c.dot(&b.t().slice(s![.., ..40])).sum_axis(0),
        narrow.sum_axis(0).cast(),
        narrow.exp().sum().cast(),
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
fn several_threads_of_the_program_emit_into_one_runtime() {
    let runtime = Runtime::builder().threads(2).build().expect("a runtime");
    let sums: Vec<f64> = std::thread::scope(|scope| {
        let work = |k: usize| {
            let runtime = &runtime;
            move || {
                runtime.scope(|| {
                    let x = DArray::<f64>::full(10_000, k as f64);
                    (0..20).fold(x, |x, _| &x + 1.0).sum().item()
                })
            }
        };
        let threads: Vec<_> = (0..4).map(|k| scope.spawn(work(k))).collect();
        threads.into_iter().map(|t| t.join().expect("no panic")).collect()
    });
    assert_eq!(sums, [200_000.0, 210_000.0, 220_000.0, 230_000.0]);
}
