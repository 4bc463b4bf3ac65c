//! Several devices: what is copied between them, and that results do not depend on them.

#[path = "../../crates/darray/examples/stencil.rs"]
#[allow(dead_code)]
mod stencil;

use darray::testing::Testing;
use darray::{DArray, PadMode, Runtime, default_rng, s};
use darray_testkit::tiny;

fn runtime(devices: usize, grid: &[u32]) -> Runtime {
    let builder = Runtime::builder().cpu_devices(devices).grid(grid).threads(1);
    builder.testing(Testing { isolate: true, ..tiny() }).build().expect("a runtime")
}

/// Bytes copied by a window of four iterations of the stencil, and by so many more iterations in one.
fn stencil_bytes(runtime: &Runtime, n: usize, iterations: u64) -> [u64; 2] {
    runtime.scope(|| {
        let grid = stencil::init_grid::<f64>(n);
        let run = |iterations: u64| {
            for _ in 0..iterations {
                stencil::step(&grid);
            }
            runtime.sync();
            runtime.stats().bytes_copied
        };
        let bytes = [3, 4, 4, 4 + iterations].map(run);
        let few = bytes[2] - bytes[1];
        [few, bytes[3] - bytes[2] - few]
    })
}

/// Pairs of points of a grid of points that share a side, with the length of that side summed up:
/// each cut across an axis is `n` long.
fn cuts(n: usize, grid: &[u32]) -> usize {
    grid.iter().map(|points| (*points as usize - 1) * n).sum()
}

#[test]
fn the_stencil_exchanges_its_borders_and_nothing_else() {
    for (devices, grid) in [(1, &[1][..]), (2, &[2]), (4, &[4, 1]), (4, &[2, 2]), (3, &[3])] {
        // 16 and 32 divide; the others leave tiles of unequal sizes.
        for n in [16, 32, 17, 19, 30, 37] {
            let iterations = 6;
            let [few, more] = stencil_bytes(&runtime(devices, grid), n, iterations);
            let both = 2 * (cuts(n, grid) * size_of::<f64>()) as u64;
            assert_eq!(more, both * iterations, "n = {n} on {grid:?}");
            // The second buffer of a window is filled once.
            assert!((4 * both..=5 * both + 64).contains(&few), "{few}: n = {n} on {grid:?}");
        }
    }
}

#[test]
fn the_stencil_gives_the_same_bits_on_any_grid_of_devices() {
    for n in [1, 2, 16, 17, 37] {
        let run = |devices: usize, grid: &[u32]| {
            runtime(devices, grid).scope(|| {
                let grid = stencil::init_grid::<f64>(n);
                (0..7).for_each(|_| stencil::step(&grid));
                grid.to_vec()
            })
        };
        let expected = run(1, &[1]);
        for (devices, grid) in [(2, &[2][..]), (3, &[3]), (4, &[4, 1]), (4, &[2, 2]), (4, &[1, 4])]
        {
            assert_eq!(run(devices, grid), expected, "n = {n} on {grid:?}");
        }
    }
}

#[test]
fn products_of_matrices_have_the_same_bits_on_1_to_4_devices() {
    for n in [1, 3, 17, 257] {
        let run = |devices: usize| {
            let isolated = Testing { isolate: true, ..Testing::default() };
            let builder = Runtime::builder().cpu_devices(devices).threads(1);
            builder.testing(isolated).build().expect("a runtime").scope(|| {
                let mut random = default_rng(n as u64);
                let (a, b) = (random.random((n, n)), random.random((n, n)));
                let x = random.random(n);
                let product = a.dot(&b);
                (product.to_vec(), a.dot(&x).to_vec(), a.t().dot(&product).to_vec())
            })
        };
        let expected = run(1);
        let exact: f64 = expected.0.iter().sum();
        assert!(exact.is_finite() && exact > 0.0);
        for devices in 2..=4 {
            assert!(run(devices) == expected, "n = {n} on {devices} devices");
        }
    }
}

#[test]
fn a_small_operand_is_replicated_once() {
    let runtime = runtime(4, &[4]);
    runtime.scope(|| {
        let (a, b) = (DArray::<f64>::ones((64, 8)), DArray::<f64>::arange(8));
        let first = (&a * &b).sum(..).item();
        let copied = runtime.stats().bytes_copied;
        assert_eq!((&a + &b).sum(..).item(), 64.0 * (8.0 + 28.0));
        assert_eq!(first, 64.0 * 28.0);
        // The second use finds the replicas of the first; sums move their partial results only.
        let partials = runtime.stats().bytes_copied - copied;
        assert!(partials < 64 * 8, "{partials} bytes");
    });
}

#[test]
fn views_that_cross_tiles_read_what_others_wrote() {
    let run = |devices: usize| {
        runtime(devices, &[devices as u32]).scope(|| {
            let a = DArray::<f64>::arange(40).reshape((5, 8));
            a.slice(s![1..;2, ..;-3]).assign(-1.0);
            a.slice(s![..-1, ..]).assign(a.slice(s![1.., ..]));
            let turned = a.t().slice(s![..;-1, ..]) + a.slice(s![0, ..]).reshape((8, 1));
            (a.to_vec(), turned.to_vec())
        })
    };
    let expected = run(1);
    for devices in 2..=4 {
        assert_eq!(run(devices), expected, "{devices} devices");
    }
}

#[test]
fn copies_between_devices_are_as_small_as_they_can_be() {
    let builder = Runtime::builder().cpu_devices(2).threads(1).grid(&[2]);
    let runtime = builder.testing(tiny()).build().unwrap();
    let n = 1024;
    runtime.scope(|| {
        let x = DArray::<f64>::arange(n);
        let y = DArray::<f64>::ones(n);
        let bytes = |f: &dyn Fn() -> DArray| {
            runtime.sync();
            runtime.reset_stats();
            // The result is read where its elements are needed next.
            let next = f() + 1.0;
            runtime.sync();
            drop(next);
            runtime.stats().bytes_copied
        };
        let shift = 10;
        let rolled = bytes(&|| x.roll(shift, 0));
        assert_eq!(rolled, 2 * 8 * shift as u64, "across the middle and around the end");
        let flipped = bytes(&|| x.flip(0));
        let all = 8 * n as u64;
        assert!(
            (all - 8 * 16..=all).contains(&flipped),
            "{flipped} bytes: all but the middle block"
        );
        let padded = bytes(&|| x.pad(2, PadMode::Edge));
        assert!(padded <= 8 * 16, "{padded} bytes for two elements at each end");
        let joined = bytes(&|| DArray::concatenate([&x, &y], 0));
        assert!(
            joined <= 8 * n as u64,
            "{joined} bytes: each half of each array moves at most once"
        );
        let rows = DArray::<f64>::ones((64, 8));
        let repeated = bytes(&|| rows.repeat(3, 1));
        assert_eq!(repeated, 0, "rows stay where they are");
        assert_eq!(bytes(&|| rows.repeat(3, 0)), 0, "repeated rows too");
        assert_eq!(bytes(&|| DArray::hstack([&rows, &rows])), 0, "and rows that grow");
        assert_eq!(bytes(&|| rows.pad([(0, 0), (2, 2)], PadMode::Reflect)), 0);
        assert_eq!(bytes(&|| rows.roll(3, 1)), 0);
    });
}
