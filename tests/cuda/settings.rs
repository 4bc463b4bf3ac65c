//! What the settings of CUDA devices change, over the fake driver.

use darray::{CudaLaunch, CudaMath, DArray, Runtime, RuntimeBuilder};
use darray_device::GraphStats;
use darray_suite::{Turn, fake_or_skip};
use darray_testkit::tiny;

/// The fake driver of two GPUs.
fn fake() -> Option<Turn> {
    let fake = fake_or_skip(env!("CARGO_TARGET_TMPDIR"))?;
    fake.start("devices=2 sched=random:1 races=on");
    Some(fake)
}

fn scope<R>(builder: RuntimeBuilder, program: impl FnOnce() -> R) -> R {
    builder.testing(tiny()).build().expect("a runtime").scope(program)
}

fn bits(array: DArray<f64>) -> Vec<u64> {
    array.to_vec().into_iter().map(f64::to_bits).collect()
}

#[test]
fn elementary_functions_are_darrays_or_cudas() {
    let Some(fake) = fake() else { return };
    let exponentials = || {
        let x = DArray::<f64>::arange(2000) * 0.01 - 10.0;
        bits(x.exp() + x.sin())
    };
    let expected = scope(Runtime::builder(), exponentials);
    let of = |math| scope(fake.devices(Runtime::builder(), &[0]).cuda_math(math), exponentials);
    assert!(of(CudaMath::Darray) == expected);
    assert!(scope(fake.devices(Runtime::builder(), &[0]), exponentials) == expected);
    let found = of(CudaMath::Libdevice);
    let differ = expected.iter().zip(&found).filter(|(a, b)| a != b).count();
    assert!(differ > 0, "these are darray's own functions");
    for (a, b) in
        expected.into_iter().zip(found).map(|(a, b)| (f64::from_bits(a), f64::from_bits(b)))
    {
        // What the sine is off by counts where the sum nearly vanishes.
        assert!((a - b).abs() <= 4.0 * f64::EPSILON * a.abs().max(1.0), "{a} {b}");
    }
}

/// The default of the setting; see docs/decisions/0012-graphs.md.
#[test]
fn plans_that_repeat_are_launched_as_graphs_unless_asked_otherwise() {
    let Some(fake) = fake() else { return };
    let graphs = |builder: RuntimeBuilder| {
        let runtime = fake.devices(builder, &[0]).build().expect("a runtime");
        runtime.scope(|| {
            let mut x = DArray::<f64>::zeros(100);
            for _ in 0..10 {
                x = x * 0.5 + 1.0;
                runtime.flush();
            }
            assert_eq!(x.to_vec()[0], 2.0 - 2f64.powi(-9));
        });
        runtime.stats().graphs
    };
    let default = graphs(Runtime::builder());
    assert!(default.replayed + default.variants >= 5, "{default:?}");
    assert_eq!(graphs(Runtime::builder().cuda_launch(CudaLaunch::Graphs)), default);
    let streams = graphs(Runtime::builder().cuda_launch(CudaLaunch::Streams));
    assert_eq!(streams, GraphStats::default());
}
