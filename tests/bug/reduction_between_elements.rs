//! A reduction into a part of an array with elements between its results made those elements count
//! as valid on a device that did not have them.

use darray::{DArray, Mode, Reduction, Runtime, s};
use darray_testkit::tiny;

/// Runs a test on devices whose tiles cut arrays of some elements.
fn on_several_devices(test: impl Fn()) {
    for mode in [Mode::Fused, Mode::Task, Mode::Unfused] {
        for (devices, grid) in [(1, &[1][..]), (2, &[2]), (4, &[4]), (4, &[2, 2])] {
            let builder = Runtime::builder().cpu_devices(devices).threads(1).grid(grid).mode(mode);
            builder.testing(tiny()).build().expect("a runtime").scope(&test);
        }
    }
}

#[test]
fn what_lies_between_the_results_stays() {
    on_several_devices(|| {
        let x = DArray::<i64>::ones((6, 40));
        let y = DArray::<i64>::arange(80);
        x.reduce_into(Reduction::Sum, 0, &y.slice(s![..;2]));
        let expected: Vec<i64> = (0..80).map(|i| if i % 2 == 0 { 6 } else { i }).collect();
        assert_eq!(y.to_vec(), expected);
        let y = DArray::<i64>::arange(1600).reshape((40, 40));
        x.reduce_into(Reduction::Sum, 0, &y.diagonal(0));
        let expected = (0..1600).map(|i| if i % 41 == 0 { 6 } else { i });
        assert_eq!(y.to_vec(), expected.collect::<Vec<i64>>());
    });
}

#[test]
fn results_that_interleave_do_too() {
    on_several_devices(|| {
        let x = DArray::<i64>::ones((40, 5, 3));
        let y = DArray::<i64>::zeros(400);
        let target = y.reshape((10, 40)).t().slice(s![.., ..;2]);
        x.reduce_into(Reduction::Sum, 2, &target);
        let expected = (0..400).map(|i| if i / 40 % 2 == 0 { 3 } else { 0 });
        assert_eq!(y.to_vec(), expected.collect::<Vec<i64>>());
    });
}
