//! An update through a view of all of an array in another order made a second array: what fits through the array itself
//! was out of memory through `x.t()`. So did the last task of a full window, and each with synchronous operation.

use darray::{DArray, Mode, Runtime, RuntimeBuilder, Stats, axis, s};

/// 6.4 MB, which a limit of 10 MB has room for, but not twice.
const ROWS: usize = 1000;
const COLUMNS: usize = 800;
const BYTES: u64 = (ROWS * COLUMNS * 8) as u64;

fn numbers() -> Vec<f64> {
    (0..ROWS * COLUMNS).map(|k| (k % 1009) as f64 * 0.37).collect()
}

type Views = [(&'static str, fn(&DArray<f64>) -> DArray<f64>); 11];

const VIEWS: Views = [
    ("x", |x| x.alias()),
    ("reshape(-1)", |x| x.reshape(-1)),
    ("reshape((800, 1000))", |x| x.reshape((COLUMNS, ROWS))),
    ("t()", |x| x.t()),
    ("flip(0)", |x| x.flip(0)),
    ("flip of all axes, t()", |x| x.flip([0, 1]).t()),
    ("permuted reshape", |x| x.reshape((10, 100, 80, 10)).permute(&[3, 0, 2, 1])),
    ("reshape(-1), flip(0)", |x| x.reshape(-1).flip(0)),
    ("[1:, ::-3]", |x| x.slice(s![1.., ..;-3])),
    ("diagonal", |x| x.slice(s![..COLUMNS]).diagonal(0)),
    ("every third of reshape(-1)", |x| x.reshape(-1).slice(s![..;3])),
];

fn updates(mut view: DArray<f64>, steps: usize) {
    for _ in 0..steps {
        view += 1.5;
        let mean = view.mean(..);
        view /= &mean;
        view.assign_where(&view.gt(1.5), 0.5);
    }
}

/// The bytes of the array after updates through a view, and what ran; the limit says whether it was in place.
fn run(
    builder: RuntimeBuilder,
    limit: u64,
    update: impl FnOnce(&DArray<f64>),
) -> (Vec<u64>, Stats) {
    let runtime = builder.memory_limit(limit).build().unwrap();
    runtime.scope(|| {
        let x = DArray::from_shape_vec((ROWS, COLUMNS), numbers());
        runtime.sync();
        runtime.reset_stats();
        update(&x);
        runtime.sync();
        let stats = runtime.stats();
        (x.to_vec().into_iter().map(f64::to_bits).collect(), stats)
    })
}

#[test]
fn every_map_is_updated_in_place() {
    for (name, view) in VIEWS {
        let once = |x: &DArray<f64>| {
            let mut v = view(x);
            v += 1.0;
        };
        let (expected, _) = run(Runtime::builder(), 1 << 30, once);
        for mode in [Mode::Fused, Mode::Task, Mode::Unfused] {
            let (found, stats) = run(Runtime::builder().mode(mode), 10_000_000, once);
            assert!(found == expected, "{name}");
            assert_eq!((stats.kernels, stats.fallbacks_memory), (1, 0), "{name}");
            assert!(stats.bytes_peak < BYTES + 100_000, "{name}: {}", stats.bytes_peak);
        }
    }
}

#[test]
fn updates_of_several_kinds_have_the_bits_that_they_have_with_much_memory() {
    for (name, view) in VIEWS {
        let (expected, _) =
            run(Runtime::builder().mode(Mode::Unfused), 1 << 30, |x| updates(view(x), 3));
        // The mask has a byte an element.
        for builder in [
            Runtime::builder(),
            Runtime::builder().mode(Mode::Unfused),
            Runtime::builder().cpu_devices(1).window(1),
            Runtime::builder().cpu_devices(1).window(3),
            Runtime::builder().synchronous(true),
        ] {
            let (found, stats) = run(builder, 10_000_000, |x| updates(view(x), 3));
            assert!(found == expected, "{name}");
            assert_eq!(stats.fallbacks_memory, 0, "{name}");
        }
    }
}

#[test]
fn an_operand_in_another_order_is_read_beside_it() {
    for (name, view) in VIEWS {
        let update = |x: &DArray<f64>| {
            let mut view = view(x);
            let shape: Vec<usize> = view.shape().to_vec();
            let other = DArray::from_shape_vec(&shape[..], numbers()[..view.len()].to_vec());
            view *= &other;
            view -= &other;
        };
        let (expected, _) = run(Runtime::builder().mode(Mode::Unfused), 1 << 30, update);
        for builder in [Runtime::builder(), Runtime::builder().window(1)] {
            let (found, stats) = run(builder, 13_600_000, update);
            assert!(found == expected, "{name}");
            assert_eq!(stats.fallbacks_memory, 0, "{name}");
        }
    }
}

#[test]
fn rows_that_are_reduced_and_updated_together_fit() {
    let update = |x: &DArray<f64>| {
        let mut x = x.alias();
        let sums = x.sum(axis(1).keepdims());
        x /= &sums;
    };
    let (expected, _) = run(Runtime::builder().mode(Mode::Unfused), 10_000_000, update);
    let (found, _) = run(Runtime::builder(), 10_000_000, update);
    assert!(found == expected);
}

#[test]
fn several_devices_update_with_the_same_bits() {
    for (name, view) in VIEWS {
        let (expected, _) = run(Runtime::builder(), 1 << 30, |x| updates(view(x), 2));
        for devices in [2, 3] {
            let builder = Runtime::builder().cpu_devices(devices);
            let (found, _) = run(builder, 1 << 30, |x| updates(view(x), 2));
            assert!(found == expected, "{name}");
        }
    }
}

#[test]
fn a_task_that_ends_its_window_writes_in_place() {
    for (builder, name) in [
        (Runtime::builder().window(1), "windows of one task"),
        (Runtime::builder().synchronous(true), "synchronous"),
    ] {
        let update = |x: &DArray<f64>| {
            let mut x = x.alias();
            x += 1.0;
            x.assign(2.0);
            x.assign(DArray::<f64>::arange(COLUMNS));
            DArray::<f64>::ones((2, ROWS, COLUMNS)).reduce_into(darray::Reduction::Max, 0, &x);
        };
        let (found, stats) = run(builder, 20_000_000, update);
        assert!(found.iter().all(|&bits| bits == 1f64.to_bits()), "{name}");
        assert!(stats.bytes_peak < 3 * BYTES + 100_000, "{name}: {}", stats.bytes_peak);
    }
}

#[test]
fn what_reads_the_version_before_keeps_it() {
    for mode in [Mode::Fused, Mode::Unfused] {
        let runtime = Runtime::builder().mode(mode).build().unwrap();
        runtime.scope(|| {
            let x = DArray::<f64>::arange(12).reshape((3, 4)).copy();
            let (mut turned, clone) = (x.t(), x.clone());
            let before = &x * 1.0;
            turned += 1.0;
            turned += &x.flip(0).t();
            let numbers: Vec<f64> = (0..12).map(f64::from).collect();
            let after = (0..12).map(|k| numbers[k] + 1.0 + numbers[(2 - k / 4) * 4 + k % 4] + 1.0);
            assert_eq!(x.to_vec(), after.collect::<Vec<_>>());
            assert_eq!((clone.to_vec(), before.to_vec()), (numbers.clone(), numbers));
        });
    }
}
