//! Reductions of arrays whose axes lie in any order, beside plain loops, on every CPU executor.

use darray::testing::Testing;
use darray::{CpuJit, DArray, Element, Runtime, bf16, default_rng, f16};

const EXTENTS: [usize; 3] = [50, 30, 40];

/// Every order of three axes.
const ORDERS: [[isize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Every choice of axes but none.
const CHOICES: [&[isize]; 7] = [&[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]];

/// Threads share every loop, and arrays are isolated.
fn shared() -> Testing {
    Testing { isolate: true, least_parallel: Some(0), ..Testing::default() }
}

/// Small whole numbers, so that sums are exact in any order.
fn element([i, j, k]: [usize; 3]) -> i64 {
    ((i * 1200 + j * 40 + k) * 7919 % 1009) as i64 - 500
}

/// Sums and greatest elements by plain loops, of the array with its axes in this order.
fn plain(order: [isize; 3], axes: &[isize]) -> (Vec<i64>, Vec<i64>) {
    let extents = order.map(|axis| EXTENTS[axis as usize]);
    let kept: Vec<usize> = (0..3).filter(|axis| !axes.contains(&(*axis as isize))).collect();
    let size = kept.iter().map(|&axis| extents[axis]).product();
    let (mut sums, mut greatest) = (vec![0; size], vec![i64::MIN; size]);
    for at in 0..extents.iter().product::<usize>() {
        let index = [at / extents[2] / extents[1], at / extents[2] % extents[1], at % extents[2]];
        let to = kept.iter().fold(0, |to, &axis| to * extents[axis] + index[axis]);
        let mut place = [0; 3];
        order.iter().zip(index).for_each(|(&axis, index)| place[axis as usize] = index);
        sums[to] += element(place);
        greatest[to] = greatest[to].max(element(place));
    }
    (sums, greatest)
}

#[test]
fn axes_in_every_order_are_reduced_as_plain_loops_do() {
    let elements: Vec<i64> = (0..EXTENTS.iter().product::<usize>())
        .map(|at| element([at / 1200, at / 40 % 30, at % 40]))
        .collect();
    let runtimes =
        [(1, 1, CpuJit::Auto), (1, 3, CpuJit::Auto), (2, 1, CpuJit::Auto), (1, 1, CpuJit::Off)];
    for (devices, threads, jit) in runtimes {
        let builder = Runtime::builder().cpu_devices(devices).threads(threads).cpu_jit(jit);
        let runtime = builder.testing(shared()).build().expect("a runtime");
        runtime.scope(|| {
            let whole = DArray::from_shape_vec(EXTENTS, elements.clone());
            for order in ORDERS {
                for axes in CHOICES {
                    let name =
                        format!("{order:?} along {axes:?}, {devices} devices, {threads} threads");
                    let (sums, greatest) = plain(order, axes);
                    let sums_of_floats: Vec<f64> = sums.iter().map(|&sum| sum as f64).collect();
                    let floats = whole.cast::<f64>().permute(&order);
                    let singles = whole.cast::<f32>().permute(&order);
                    let turned = whole.permute(&order);
                    assert_eq!(turned.sum(axes).to_vec(), sums, "i64, {name}");
                    assert_eq!(turned.max(axes).to_vec(), greatest, "i64, {name}");
                    assert_eq!(floats.sum(axes).to_vec(), sums_of_floats, "f64, {name}");
                    // What comes after the fold in the same window.
                    let after = floats.sum(axes) * 2.0 + floats.max(axes);
                    let expected: Vec<f64> =
                        sums.iter().zip(&greatest).map(|(s, g)| (s * 2 + g) as f64).collect();
                    assert_eq!(after.to_vec(), expected, "both, {name}");
                    let single = singles.sum(axes).cast::<f64>().to_vec();
                    assert_eq!(single, sums_of_floats, "f32, {name}");
                }
            }
        });
    }
}

/// The bits of reductions of a transposed array, each beside that of the array along its other axis: a view is summed in the order
/// in which its axes lie in memory.
fn transposed<T: Reduced>(a: &DArray<f64>, what: &str) {
    let in_order = T::of(a);
    let lies_across = in_order.t();
    for axis in [0, 1] {
        let name = format!("{what} {:?}, axis {axis}", a.shape());
        assert_eq!(T::sums(&lies_across, axis), T::sums(&in_order, 1 - axis), "sums, {name}");
        let greatest = [(&lies_across, axis), (&in_order, 1 - axis)]
            .map(|(array, axis)| format!("{:?}", array.max(axis).to_vec()));
        assert_eq!(greatest[0], greatest[1], "greatest, {name}");
    }
    let name = format!("{what} {:?}", a.shape());
    assert_eq!(T::sum(&lies_across), T::sum(&in_order), "sum, {name}");
}

/// Elements of each type, from random numbers, and their sums as text, which tells all bits.
trait Reduced: Element {
    fn of(a: &DArray<f64>) -> DArray<Self>;
    fn sums(array: &DArray<Self>, axis: isize) -> String;
    fn sum(array: &DArray<Self>) -> String;
}

macro_rules! reduced {
    ($($t:ident)*) => { $(
        impl Reduced for $t {
            fn of(a: &DArray<f64>) -> DArray<$t> {
                (a * 100.0 - 20.0).abs().cast::<$t>()
            }
            fn sums(array: &DArray<$t>, axis: isize) -> String {
                format!("{:?}", array.sum(axis).to_vec())
            }
            fn sum(array: &DArray<$t>) -> String {
                format!("{:?}", array.sum(..).item())
            }
        }
    )* };
}

reduced! { bool u8 i32 i64 f16 bf16 f32 f64 }

#[test]
fn transposed_elements_of_every_type_are_reduced_as_they_lie() {
    let runtimes = [(1, CpuJit::Auto), (3, CpuJit::Auto), (1, CpuJit::Avx2), (1, CpuJit::Off)];
    for (threads, jit) in runtimes {
        let builder = Runtime::builder().threads(threads).cpu_jit(jit);
        let builder = builder.testing(Testing { isolate: false, ..shared() });
        let runtime = match builder.build() {
            // This machine has no such instructions.
            Err(_) if jit == CpuJit::Avx2 => continue,
            built => built.expect("a runtime"),
        };
        runtime.scope(|| {
            let mut rng = default_rng(5);
            // Rows of 64 leaves and more, fewer, and of a part of one; few points, a set, and more than a block; long
            // rows of whole leaves, which are folded lane by lane.
            for shape in
                [(5, 600), (9, 600), (20, 600), (40, 605), (300, 1030), (600, 70), (1100, 520)]
            {
                let a: DArray<f64> = rng.random(shape);
                transposed::<bool>(&a, "bool");
                transposed::<u8>(&a, "u8");
                transposed::<i32>(&a, "i32");
                transposed::<i64>(&a, "i64");
                transposed::<f16>(&a, "f16");
                transposed::<bf16>(&a, "bf16");
                transposed::<f32>(&a, "f32");
                transposed::<f64>(&a, "f64");
                // Of operands of several types, of which one does not lie across.
                let (b, row) = (a.cast::<f16>(), a.slice(darray::s![..3, ..]).sum(0));
                let across = a.t() * b.t().cast::<f64>() + row.expand_dims(1);
                let copies = [a.t(), b.cast::<f64>().t()].map(|a| a.flatten().reshape(a.shape()));
                let in_order = &copies[0] * &copies[1] + row.expand_dims(1);
                let sums = [across, in_order].map(|array| array.sum(0).to_vec());
                assert_eq!(sums[0], sums[1], "products {shape:?}, {threads} threads, {jit:?}");
            }
        });
    }
}

/// Rows, so many that an array of any type and number of columns is as many whole pages.
const ROWS: usize = 4096;

/// The bits of reductions of an array whose rows, columns or both go backwards, each beside that of a copy. What surrounds an
/// array cannot be read, and it ends where its page does, or begins there.
fn reversed<T: Reduced>(a: &DArray<f64>, what: &str) {
    for copy in 0..2 {
        let array = T::of(a);
        for axes in [&[0][..], &[1], &[0, 1]] {
            let backwards = array.flip(axes);
            let forward = DArray::from_shape_vec(backwards.shape(), backwards.to_vec());
            for axis in [0, 1] {
                let name = format!("{what} {:?}, flip {axes:?}, axis {axis}, {copy}", a.shape());
                assert_eq!(T::sums(&backwards, axis), T::sums(&forward, axis), "sums, {name}");
                let [found, expected] = [&backwards, &forward].map(|array| {
                    let greatest = array.max(axis).to_vec();
                    (format!("{greatest:?}"), array.argmax(axis).to_vec())
                });
                assert_eq!(found, expected, "greatest and places, {name}");
            }
        }
    }
}

/// The bits of sums of squares of rows that go backwards and of all of them, and of sums of singles in double precision, each beside those
/// of a copy.
fn squares_of_reversed(a: &DArray<f64>) {
    fn copied<T: Element>(a: &DArray<T>) -> DArray<T> {
        DArray::from_shape_vec(a.shape(), a.to_vec())
    }
    fn bits(a: &DArray<f64>, singles: &DArray<f32>) -> Vec<u64> {
        let sums = [(a * a).sum(1), (a * a).sum(..), singles.cast::<f64>().sum(1)];
        sums.iter().flat_map(|sum| sum.to_vec()).map(f64::to_bits).collect()
    }
    let singles = a.cast::<f32>();
    for axes in [&[1][..], &[0, 1]] {
        let (a, singles) = (a.flip(axes), singles.flip(axes));
        let expected = bits(&copied(&a), &copied(&singles));
        assert_eq!(bits(&a, &singles), expected, "{:?}, flip {axes:?}", a.shape());
    }
}

#[test]
fn rows_that_go_backwards_are_reduced_as_those_in_order() {
    let runtimes = [(1, CpuJit::Auto), (3, CpuJit::Auto), (1, CpuJit::Avx2), (1, CpuJit::Off)];
    for (threads, jit) in runtimes {
        let builder = Runtime::builder().cpu_devices(1).threads(threads).cpu_jit(jit);
        let runtime = match builder.testing(shared()).build() {
            // This machine has no such instructions.
            Err(_) if jit == CpuJit::Avx2 => continue,
            built => built.expect("a runtime"),
        };
        runtime.scope(|| {
            let mut rng = default_rng(6);
            let all = [1, 3, 8, 40, 2, 7, 17];
            let some = if cfg!(feature = "long") { 7 } else { 4 };
            for &columns in &all[..some] {
                let a: DArray<f64> = rng.random((ROWS, columns));
                reversed::<bool>(&a, "bool");
                reversed::<u8>(&a, "u8");
                reversed::<i32>(&a, "i32");
                reversed::<i64>(&a, "i64");
                reversed::<f16>(&a, "f16");
                reversed::<bf16>(&a, "bf16");
                reversed::<f32>(&a, "f32");
                reversed::<f64>(&a, "f64");
            }
            // Rounds, what remains of them, and several leaves.
            for columns in [33, 333, 1500] {
                let a: DArray<f64> = rng.random((20, columns));
                reversed::<i32>(&a, "i32");
                reversed::<f32>(&a, "f32");
                reversed::<f64>(&a, "f64");
                squares_of_reversed(&a);
            }
        });
    }
}

#[test]
fn nests_by_rows_are_cut_where_the_leaves_of_all_of_them_begin() {
    // Leaves of all elements have 256 rows of three, those along the rows of eight 32.
    let run = |devices: usize| {
        let runtime = Runtime::builder().cpu_devices(devices).build().unwrap();
        runtime.scope(|| {
            let a: DArray<f64> = default_rng(3).random([1400, 3, 8]);
            let greatest = a.max(2);
            let bits = [greatest.var(..), greatest.sum(..)].map(|x| x.item().to_bits());
            let rows = runtime.stats().rows;
            (bits, rows.alone + rows.shared + rows.apart + rows.unrelated)
        })
    };
    let (expected, _) = run(1);
    for devices in [2, 3, 5] {
        let (bits, by_rows) = run(devices);
        assert_eq!(bits, expected, "{devices} devices");
        assert!(by_rows > 0, "{devices} devices");
    }
}
