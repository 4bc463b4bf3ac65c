//! A step that used one array by a reshaped and by a plain view moved the array's data on a device
//! where several points run, and the reshaped view lost its place there.

use darray::{DArray, Mode, NewAxis, Runtime, s};
use darray_testkit::tiny;

fn runtime(devices: usize, points: &[u32], mode: Mode) -> Runtime {
    let builder = Runtime::builder().cpu_devices(devices).threads(1).grid(points).mode(mode);
    builder.testing(tiny()).build().expect("a runtime")
}

const MODES: [Mode; 3] = [Mode::Fused, Mode::Task, Mode::Unfused];

#[test]
fn a_sum_of_an_array_and_its_reshape() {
    for mode in MODES {
        for (devices, points) in [(5, &[2, 3, 2][..]), (2, &[4, 4]), (3, &[1, 5])] {
            runtime(devices, points, mode).scope(|| {
                let x = DArray::from_shape_vec((3, 5), (0..15i64).collect());
                let sum = x.reshape(15) + x.slice(s![..;-2, NewAxis, 1]);
                let expected = [11, 1].iter().flat_map(|first| (0..15).map(move |i| i + first));
                assert_eq!(sum.to_vec(), expected.collect::<Vec<i64>>(), "{mode:?} {points:?}");
            });
        }
    }
}

#[test]
fn a_product_of_an_array_and_its_reshape() {
    for mode in MODES {
        for (devices, points) in [(5, &[2, 3, 2][..]), (2, &[4, 4]), (4, &[4])] {
            runtime(devices, points, mode).scope(|| {
                for (rows, columns) in [(2, 5), (5, 2), (3, 4), (7, 9)] {
                    let elements = (0..rows * columns).map(|i| i as i64).collect();
                    let x = DArray::from_shape_vec((rows, columns), elements);
                    let product = x.reshape((columns, rows)).dot(&x).to_vec();
                    for i in 0..columns {
                        for j in 0..columns {
                            let terms = (0..rows).map(|k| (i * rows + k) * (k * columns + j));
                            let expected = terms.sum::<usize>() as i64;
                            assert_eq!(product[i * columns + j], expected, "{mode:?} {points:?}");
                        }
                    }
                }
            });
        }
    }
}

#[test]
fn a_strided_write_into_an_array_read_by_its_reshape() {
    for mode in MODES {
        for (devices, points) in [(5, &[2, 3, 2][..]), (4, &[4]), (4, &[2, 2])] {
            runtime(devices, points, mode).scope(|| {
                let x = DArray::<i64>::arange(24).reshape((4, 6)).copy();
                let mut pairs = x.reshape((12, 2));
                pairs += x.slice(s![0, 1..3]);
                let expected = (0..24).map(|i| i + [1, 2][i as usize % 2]);
                assert_eq!(x.to_vec(), expected.collect::<Vec<i64>>(), "{mode:?} {points:?}");
            });
        }
    }
}
