//! Small nests that are launched together: what they compute, and how many launches they are.

use darray::testing::Testing;
use darray::{CudaLaunch, DArray, Mode, Runtime, s};
use darray_suite::fake_or_skip;
use darray_testkit::tiny;

fn runtime(devices: usize, threads: usize, mode: Mode) -> Runtime {
    let testing = Testing { isolate: true, least_parallel: Some(0), ..Testing::default() };
    let builder = Runtime::builder().cpu_devices(devices).threads(threads).mode(mode);
    builder.testing(testing).build().expect("a runtime")
}

/// Steps of heat in a square whose edges are made of what lies beside them, and of the mean of an edge.
fn heat(n: usize, steps: usize) -> Vec<u64> {
    let t = DArray::<f64>::linspace(-1.0, 1.0, n * n).reshape((n, n)).copy();
    for _ in 0..steps {
        let rows = t.slice(s![..-2, 1..-1]) + t.slice(s![2.., 1..-1]);
        let columns = t.slice(s![1..-1, ..-2]) + t.slice(s![1..-1, 2..]);
        t.slice(s![1..-1, 1..-1]).assign((rows + columns) * 0.25);
        t.slice(s![.., 0]).assign(t.slice(s![.., 1]));
        t.slice(s![.., -1]).assign(t.slice(s![.., -2]));
        let mean = t.slice(s![1, ..]).mean(..);
        t.slice(s![0, ..]).assign(t.slice(s![1, ..]) - &mean);
        t.slice(s![-1, ..]).assign(t.slice(s![-2, ..]) * (mean + 1.0));
    }
    t.to_vec().into_iter().map(f64::to_bits).collect()
}

#[test]
fn edges_are_the_same_bits_in_one_launch_and_in_many() {
    for n in [3, 4, 20, 70] {
        let expected = runtime(1, 1, Mode::Unfused).scope(|| heat(n, 7));
        for (devices, threads) in [(1, 1), (1, 3), (2, 1), (3, 2)] {
            for mode in [Mode::Fused, Mode::Task] {
                let found = runtime(devices, threads, mode).scope(|| heat(n, 7));
                assert_eq!(
                    found, expected,
                    "n = {n}, {devices} devices, {threads} threads, {mode:?}"
                );
            }
        }
    }
}

#[test]
fn small_nests_are_one_launch() {
    let launches = |n: usize, devices: usize| {
        let runtime = runtime(devices, 1, Mode::Fused);
        let before = runtime.scope(|| {
            heat(n, 1);
            runtime.stats()
        });
        runtime.scope(|| heat(n, 9));
        let after = runtime.stats();
        after.kernels - before.kernels
    };
    // All of it is small: 9 steps in a few launches. Of larger squares the inner part is a launch of its own.
    let (small, large, apart) = (launches(20, 1), launches(100, 1), launches(100, 3));
    println!("{small} {large} {apart}");
    assert!(small <= 9, "{small} launches");
    assert!((10..=3 * 9 + 4).contains(&large), "{large} launches");
    assert!(apart >= 2 * large, "{apart} launches");
}

/// One block runs small nests up to what folds: the driver gets fewer launches than there are nests.
#[test]
fn a_gpu_runs_small_nests_in_turn() {
    let Some(fake) = fake_or_skip(env!("CARGO_TARGET_TMPDIR")) else { return };
    for (n, most) in [(12, 4), (60, 7)] {
        let cpu = Runtime::builder().cpu_devices(1).mode(Mode::Unfused).testing(tiny());
        let expected = cpu.build().expect("a runtime").scope(|| heat(n, 4));
        fake.start("devices=1 races=on");
        let builder = fake.devices(Runtime::builder(), &[0]).window(1000);
        let testing = Testing { largest_in_turn: None, ..tiny() };
        let builder = builder.testing(testing).cuda_launch(CudaLaunch::Streams);
        let runtime = builder.build().expect("a runtime");
        runtime.scope(|| heat(n, 4));
        fake.reset_counts();
        assert_eq!(runtime.scope(|| heat(n, 4)), expected, "n = {n}");
        let launches = fake.count("launches");
        println!("n = {n}: {launches} launches");
        assert!(launches <= 4 * most, "n = {n}: {launches} launches");
        drop(runtime);
        assert_eq!(fake.error(), "", "n = {n}");
    }
}
