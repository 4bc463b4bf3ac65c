//! A clone of a transposed array kept its layout, so a reshape of it was a view or a copy depending on whether it was of
//! all of a store. A clone is NumPy's copy: row-major, and every reshape of it a view.

use darray::{DArray, s};

/// An array with elements of which sums depend on the order.
fn numbers() -> DArray<f64> {
    (DArray::<f64>::arange(1080) * 0.7).sin().reshape((40, 27)).copy()
}

/// All of its store in other orders, in its own and under other shapes, and parts.
fn views(x: &DArray<f64>) -> Vec<DArray<f64>> {
    vec![
        x.t(),
        x.flip(0),
        x.flip([0, 1]).t(),
        x.alias(),
        x.reshape((27, 40)),
        x.reshape((5, 8, 27)).permute(&[1, 0, 2]),
        x.reshape((5, 8, 27)).permute(&[2, 0, 1]),
        x.slice(s![4..]),
        x.slice(s![4.., ..;-2]).t(),
    ]
}

#[test]
fn every_reshape_of_a_clone_is_a_view_of_it() {
    for view in views(&numbers()) {
        let before = view.to_vec();
        let clone = view.clone();
        clone.reshape(-1).slice(s![1..]).assign(2.0);
        let mut expected = vec![2.0; before.len()];
        expected[0] = before[0];
        assert_eq!(clone.to_vec(), expected, "{:?}", view.shape());
        assert_eq!(view.to_vec(), before, "the original is another array");
        // As in NumPy, what the order of the clone cannot express is a copy.
        clone.t().reshape(-1).assign(3.0);
        assert_eq!(clone.to_vec(), expected);
    }
}

#[test]
fn sums_of_a_clone_are_those_of_a_row_major_copy() {
    for view in views(&numbers()) {
        let shape: Vec<usize> = view.shape().to_vec();
        let copy = DArray::from_shape_vec(&shape[..], view.to_vec());
        let clone = view.clone();
        let bits = |x: &DArray<f64>| x.to_vec().into_iter().map(f64::to_bits).collect::<Vec<_>>();
        assert_eq!(clone.sum(..).item().to_bits(), copy.sum(..).item().to_bits());
        for axis in 0..shape.len() as isize {
            assert_eq!(bits(&clone.sum(axis)), bits(&copy.sum(axis)), "{shape:?}");
        }
        assert_eq!(bits(&clone.cumsum(..)), bits(&copy.cumsum(..)));
    }
}

#[test]
fn a_clone_in_row_major_order_costs_nothing() {
    let runtime = darray::Runtime::builder().build().unwrap();
    runtime.scope(|| {
        let x = numbers();
        runtime.sync();
        runtime.reset_stats();
        let clones = [x.clone(), x.reshape((27, 40)).clone(), x.clone().reshape(-1).clone()];
        runtime.sync();
        assert_eq!(runtime.stats().tasks, 0);
        clones[1].assign(1.0);
        assert_ne!(x.to_vec()[0], 1.0);
        assert_eq!(clones[2].to_vec(), x.to_vec());
    });
}
