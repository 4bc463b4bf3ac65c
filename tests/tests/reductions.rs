//! Reductions of arrays whose axes lie in any order, beside plain loops, on every CPU executor.

use darray::{CpuJit, DArray, Runtime};

const EXTENTS: [usize; 3] = [50, 30, 40];

/// Every order of three axes.
const ORDERS: [[isize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Every choice of axes but none.
const CHOICES: [&[isize]; 7] = [&[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]];

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
        let runtime = builder.least_parallel(0).build().expect("a runtime");
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
                    assert_eq!(turned.sum_axis(axes).to_vec(), sums, "i64, {name}");
                    assert_eq!(turned.max_axis(axes).to_vec(), greatest, "i64, {name}");
                    assert_eq!(floats.sum_axis(axes).to_vec(), sums_of_floats, "f64, {name}");
                    // What comes after the fold in the same window.
                    let after = floats.sum_axis(axes) * 2.0 + floats.max_axis(axes);
                    let expected: Vec<f64> =
                        sums.iter().zip(&greatest).map(|(s, g)| (s * 2 + g) as f64).collect();
                    assert_eq!(after.to_vec(), expected, "both, {name}");
                    let single = singles.sum_axis(axes).cast::<f64>().to_vec();
                    assert_eq!(single, sums_of_floats, "f32, {name}");
                }
            }
        });
    }
}
