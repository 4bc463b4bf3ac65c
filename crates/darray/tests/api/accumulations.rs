//! Running results of any operation, grids, slopes along several axes.

use crate::devices::everywhere;
use darray::{Binary, DArray, Fallible, Spacing, np, s};

#[test]
fn any_associative_operation_runs_along_an_axis() {
    everywhere(|runtime| {
        let x = DArray::<i64>::range(1, 40, 1).reshape((3, 13));
        for axis in [0, 1, -1] {
            let sums = x.accumulate(axis, |a, b| a + b);
            assert!(sums.array_equal(&x.cumsum(axis)).item());
        }
        assert!(x.accumulate(.., |a, b| a.maximum(b)).array_equal(&x.cummax(..)).item());
        // Matrices of two rows: an operation that does not commute. Affine maps, a * x + b.
        let maps = DArray::from([[2i64, 1], [3, -1], [1, 5], [-1, 0], [2, 2]]);
        let composed = np::accumulate(maps.t().copy(), 1, |first, then| {
            let factor = first.at(0) * then.at(0);
            let rest = first.at(1) * then.at(0) + then.at(1);
            DArray::stack([&factor, &rest], 0)
        });
        assert_eq!(composed.to_vec(), [2, 6, 6, -6, -12, 1, 2, 7, -7, -12]);
        assert_eq!(np::bitwise_xor::accumulate(x.at(0), 0).slice(s![..4]).to_vec(), [1, 3, 0, 4]);
        // One task for each call of the operation, and those that put halves together.
        runtime.sync();
        let calls = std::cell::Cell::new(0);
        let long = DArray::<f64>::ones(1000);
        let last = long.accumulate(0, |a, b| {
            calls.set(calls.get() + 1);
            a * b
        });
        assert_eq!(last.get(999), 1.0);
        assert!(calls.get() <= 20, "{}", calls.get());
    });
    let error = DArray::from([1, 2]).as_dyn().accumulate(0, |a, b| a.binary(Binary::Div, b));
    let error = error.unwrap_err().to_string();
    assert!(
        error.starts_with("accumulate: element types i32 and f64: expected a result"),
        "{error}"
    );
}

#[test]
#[allow(clippy::single_range_in_vec_init, clippy::reversed_empty_ranges)]
fn grids_are_numpys() {
    everywhere(|_| {
        let grid = np::mgrid([0..2, 5..8]);
        assert_eq!(grid.shape(), [2, 2, 3]);
        assert_eq!(grid.to_vec(), [0, 0, 0, 1, 1, 1, 5, 6, 7, 5, 6, 7]);
        assert_eq!(np::mgrid([(0.0, 1.0, 0.25)]).to_vec(), [0.0, 0.25, 0.5, 0.75]);
        assert_eq!(np::mgrid([3..1]).shape(), [1, 0]);
        let [x, y] = np::ogrid([0.0..2.0, 0.0..3.0]);
        assert_eq!((&x * 10.0 + &y).to_vec(), [0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
        assert_eq!(DArray::indices(()).shape(), [0]);
    });
}

#[test]
fn slopes_take_spacings_coordinates_and_axes() {
    everywhere(|_| {
        let places = DArray::from([0.0, 1.0, 3.0, 3.5]);
        // A quadratic function: differences of the second order are exact.
        let squares = &places * &places;
        let slopes = squares.gradient(Spacing::new(&places).edge_order(2), 0);
        assert!(slopes.allclose(&(2.0 * &places)).item(), "{slopes}");
        let plane = DArray::from([[0.0, 1.0, 2.0], [5.0, 6.0, 7.0]]);
        let [down, along] = <[_; 2]>::try_from(plane.gradients(1.0, ..)).unwrap();
        assert_eq!((down.to_vec(), along.to_vec()), (vec![5.0; 6], vec![1.0; 6]));
    });
    let x = DArray::<f64>::ones((2, 3));
    for (found, expected) in [
        (x.try_gradient(&DArray::<f64>::ones(2), 1), "a coordinate for each element"),
        (x.try_gradient(&DArray::<f64>::ones(()), 1), "or a distance as a number, `h.item()`"),
        (x.try_gradient(Spacing::new(1.0).edge_order(2), 0), "3 elements or more along the axis"),
        (x.try_gradient(Spacing::new(1.0).edge_order(3), 0), "differences of order 3"),
    ] {
        let found = found.unwrap_err().to_string();
        assert!(found.starts_with("gradient: ") && found.contains(expected), "{found}");
    }
}

#[test]
fn observations_lie_along_either_axis() {
    let x = DArray::from([[1.0, 3.0, 2.0], [5.0, 1.0, 0.0]]);
    assert!(x.cov(..).array_equal(&x.t().cov(0)).item());
    assert!(x.cov(darray::axis(-1).ddof(0)).allclose(&(x.cov(-1) * (2.0 / 3.0))).item());
    let error = x.try_cov(darray::axes([0, 1])).unwrap_err().to_string();
    assert!(error.starts_with("cov: observations lie along one axis"), "{error}");
}
