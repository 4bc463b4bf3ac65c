//! Kernels by rows: what they compute, on any number of devices and threads, and that they run.

#[path = "../../../crates/darray/examples/logistic_regression.rs"]
#[allow(dead_code)]
mod logistic_regression;

use darray::testing::Testing;
use darray::{DArray, Float, Mode, Number, Promote, Runtime, default_rng, s};
use darray_device::RowStats;
use darray_kernel::tree::TreeRule;
use darray_suite::cuda_or_skip;
use darray_testkit::tiny;

/// What surrounds arrays, and other devices' memory, cannot be read.
fn isolated() -> Testing {
    Testing { isolate: true, ..Testing::default() }
}

/// One device and thread, then several of each, each isolated, with threads that share large loops or all.
fn runtimes(mode: Mode) -> Vec<Runtime> {
    const LARGE: usize = 1 << 19;
    let shapes = [(1, 1, LARGE), (1, 2, LARGE), (1, 3, 0), (2, 1, LARGE), (2, 2, 0), (4, 1, LARGE)];
    let runtime = |(devices, threads, least)| {
        let builder = Runtime::builder().cpu_devices(devices).threads(threads).mode(mode);
        builder
            .testing(Testing { least_parallel: Some(least), ..isolated() })
            .build()
            .expect("a runtime")
    };
    shapes.into_iter().map(runtime).collect()
}

/// The results of a program on every runtime, unfused and fused, are the same bits.
#[track_caller]
fn same<R: PartialEq + std::fmt::Debug>(what: &str, program: impl Fn() -> R) {
    let expected = runtimes(Mode::Unfused)[0].scope(&program);
    for mode in [Mode::Unfused, Mode::Fused] {
        for (number, runtime) in runtimes(mode).iter().enumerate() {
            let found = runtime.scope(&program);
            assert_eq!(found, expected, "{what}, {mode:?}, runtime {number}");
        }
    }
}

fn bits<T: Float>(array: &DArray<T>) -> Vec<u64> {
    array.cast::<f64>().to_vec().into_iter().map(f64::to_bits).collect()
}

/// A step of logistic regression on `n` samples of `k` features, and the loss.
fn regression<T: Float>(n: usize, k: usize) -> Vec<Vec<u64>> {
    let mut random = default_rng((n * 31 + k) as u64);
    let x: DArray<T> = (random.random((n, k)) - 0.5).cast();
    let y: DArray<T> = random.random(n).ge(0.5).cast();
    let mut w: DArray<T> = DArray::zeros(k);
    let mut losses = Vec::new();
    for _ in 0..2 {
        let e = &y - 1 / (1 + (-x.dot(&w)).exp());
        losses.push((&e * &e).sum(..));
        let rate = T::from(0.01);
        w = &w + rate * x.t().dot(&e) + rate * e.dot(&x);
    }
    losses.iter().map(bits).chain([bits(&w)]).collect()
}

#[test]
fn regressions_have_the_same_bits_everywhere() {
    for (n, k) in [(1, 5), (5, 1), (3, 3), (40, 32), (1100, 7), (2500, 33), (1030, 70), (9000, 40)]
    {
        same(&format!("f64 {n} {k}"), || regression::<f64>(n, k));
        same(&format!("f32 {n} {k}"), || regression::<f32>(n, k));
    }
}

/// Rows whose sums, maxima and places of maxima other nests use.
#[test]
fn other_reductions_of_rows_have_the_same_bits_everywhere() {
    for (n, k) in [(3, 4), (70, 65), (1500, 3), (7, 1200)] {
        same(&format!("softmax {n} {k}"), || {
            let x = default_rng(n as u64).random((n, k)) * 4.0;
            let e = (&x - x.max(1).reshape((n, 1))).exp();
            let softmax = &e / e.sum(1).reshape((n, 1));
            (bits(&softmax), bits(&softmax.sum(0)), x.argmax(1).to_vec())
        });
        same(&format!("views {n} {k}"), || {
            let x = default_rng(k as u64).random((n, k));
            let w = default_rng(1).random(k);
            let s = x.slice(s![..;-1, ..]).dot(&w.slice(s![..;-1]));
            let r = &s * x.slice(s![.., 0]) + s.slice(s![..;-1]);
            (bits(&r), bits(&x.slice(s![..;-1, ..]).t().dot(&r)), bits(&x.t().sum(1)))
        });
    }
}

#[test]
fn a_step_of_logistic_regression_is_two_kernels() {
    let builder = Runtime::builder().cpu_devices(1).threads(1).testing(isolated());
    let runtime = builder.build().expect("one");
    runtime.scope(|| {
        let (x, y) = logistic_regression::samples::<f64>(3000);
        let mut w = DArray::zeros(logistic_regression::FEATURES);
        let mut step = || {
            w = logistic_regression::step(&x, &y, &w, 1e-5);
            runtime.sync();
            runtime.stats()
        };
        let before = (0..3).map(|_| step()).last().expect("three");
        let after = step();
        // One by rows, which reads the samples once; one for the weights.
        assert_eq!(after.kernels - before.kernels, 2);
        assert_eq!(after.builtins, before.builtins);
        // What the kernel keeps of a row between its nests, it writes first.
        assert_eq!(after.bytes_cleared, 0);
        assert_eq!(after.whole - before.whole, 2);
        assert_eq!(after.fallbacks_memory + after.fallbacks_compile + after.fallbacks_poison, 0);
    });
}

/// How the nests of the kernels by rows of some steps ran, on so many devices and threads.
fn row_stats(samples: usize, devices: usize, threads: usize) -> RowStats {
    let builder = Runtime::builder().cpu_devices(devices).threads(threads);
    let runtime = builder.testing(isolated()).build().expect("a runtime");
    runtime.scope(|| {
        let (x, y) = logistic_regression::samples::<f64>(samples);
        let mut w = DArray::zeros(logistic_regression::FEATURES);
        runtime.sync();
        runtime.reset_stats();
        for _ in 0..3 {
            w = logistic_regression::step(&x, &y, &w, 1e-5);
            runtime.sync();
        }
    });
    runtime.stats().rows
}

#[test]
fn a_step_of_logistic_regression_reads_its_samples_once_on_any_number_of_threads() {
    let none = RowStats::default();
    let alone = |alone| RowStats { alone, ..none };
    let shared = |shared| RowStats { shared, ..none };
    assert_eq!(row_stats(20_000, 1, 1), alone(3));
    for threads in [2, 3, 4] {
        assert_eq!(row_stats(20_000, 1, threads), shared(3), "{threads} threads");
    }
    assert_eq!(row_stats(60_000, 2, 2), shared(6));
    // Less than a second-level cache keeps; 313 leaves of 64 rows for 16 threads.
    assert_eq!(row_stats(500, 1, 2), RowStats { unrelated: 3, ..none });
    assert_eq!(row_stats(20_000, 1, 16), shared(3));
}

/// The nests of a kernel by rows run one after the other there.
#[test]
fn cuda_devices_give_the_bits_of_the_cpu() {
    let Some(cuda) = cuda_or_skip(env!("CARGO_TARGET_TMPDIR")) else { return };
    for (n, k) in [(5, 3), (1, 4), (40, 9)] {
        let plain = Runtime::builder().threads(1).testing(tiny()).build();
        let expected = plain.expect("a runtime").scope(|| regression::<f64>(n, k));
        for (seed, gpus) in [&[0][..], &[0, 1], &[0, 1, 1, 0]].into_iter().enumerate() {
            cuda.start(&format!("devices=2 sched=random:{seed}"));
            let builder = cuda.devices(Runtime::builder(), gpus).window(64);
            let runtime = builder.testing(tiny()).build().expect("a runtime");
            assert_eq!(runtime.scope(|| regression::<f64>(n, k)), expected, "{n} {k} on {gpus:?}");
            runtime.sync();
        }
    }
}

/// A vector product is its products, summed in the order of a reduction.
#[test]
fn products_of_a_matrix_and_a_vector_are_sums_of_products() {
    for tree_rule in [TreeRule::STANDARD, TreeRule::TINY] {
        let testing = Testing { tree_rule, ..isolated() };
        let runtime = Runtime::builder().cpu_devices(1).testing(testing).build();
        runtime.expect("a runtime").scope(|| {
            for (n, k) in [(1, 1), (1, 40), (40, 1), (33, 70), (100, 3000)] {
                let mut random = default_rng((n + k) as u64);
                let (a, x, y) = (random.random((n, k)), random.random(k), random.random(n));
                let column = y.reshape((n, 1));
                assert_eq!(bits(&a.dot(&x)), bits(&(&a * &x).sum(1)), "{n} {k}");
                assert_eq!(bits(&y.dot(&a)), bits(&(&a * &column).sum(0)), "{n} {k}");
                // A transposed view is summed as it lies.
                let across = a.t();
                assert_eq!(bits(&across.dot(&y)), bits(&y.dot(&a)), "{n} {k}");
                assert_eq!(bits(&x.dot(&across)), bits(&a.dot(&x)), "{n} {k}");
            }
        });
    }
}

/// Integers wrap in the type of the operands, whatever the sums are made in, and their products with vectors
/// are kernels as those of floats are: the element-wise work on both sides is theirs.
#[test]
fn integers_times_vectors_are_kernels_that_wrap() {
    fn product<T: Number + Promote<T, Output = T>>() -> (Vec<T>, Vec<T>) {
        let n = 300;
        let matrix = ((DArray::<i64>::arange(n * 40) * 7919) % 251).cast::<T>().reshape((n, 40));
        let (x, y) = (DArray::<i64>::arange(40).cast::<T>(), DArray::<i64>::arange(n).cast::<T>());
        (matrix.dot(&x).to_vec(), y.dot(&matrix).to_vec())
    }
    let element = |row: usize, column: usize| (row * 40 + column) as i64 * 7919 % 251;
    let rows: Vec<i64> =
        (0..300).map(|row| (0..40).map(|c| element(row, c) * c as i64).sum()).collect();
    let columns: Vec<i64> =
        (0..40).map(|c| (0..300).map(|row| element(row, c) * row as i64).sum()).collect();
    same("i64", product::<i64>);
    same("i32", product::<i32>);
    same("u8", product::<u8>);
    assert_eq!(product::<i64>(), (rows.clone(), columns.clone()));
    let low = |sums: &[i64]| sums.iter().map(|&sum| sum as u8).collect::<Vec<u8>>();
    // 0..300 wraps when it is made u8, which the low bits of sums do not see.
    assert_eq!(product::<u8>(), (low(&rows), low(&columns)));

    let runtime = Runtime::builder().cpu_devices(1).build().expect("a runtime");
    runtime.scope(|| {
        let (matrix, x) = (DArray::<i64>::ones((300, 40)), DArray::<i64>::arange(40));
        let square = |x: &DArray<i64>| x * x;
        runtime.flush();
        runtime.reset_stats();
        assert_eq!(square(&matrix.dot(&x)).to_vec(), [780 * 780; 300]);
        let stats = runtime.stats();
        assert_eq!((stats.builtins, stats.kernels), (0, 1), "{stats:?}");
    });
}
