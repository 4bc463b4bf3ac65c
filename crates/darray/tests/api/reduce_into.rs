//! Reductions into existing arrays.

use crate::devices::everywhere;
use darray::{DArray, DynArray, Fallible, Mode, Reduction, axis, s};

#[test]
fn results_land_in_rows_columns_and_reshapes_of_a_table() {
    everywhere(|_| {
        let x = DArray::<f64>::arange(12).reshape((3, 4));
        let table = DArray::<f64>::zeros((4, 4));
        x.reduce_into(Reduction::Sum, 0, &table.slice(s![1]));
        x.reduce_into(Reduction::Max, 1, &table.slice(s![1.., 0]));
        x.reduce_into(Reduction::Min, .., &table.slice(s![0, -1]));
        x.reduce_into(Reduction::Sum, axis(1).keepdims(), &table.slice(s![..3, 1..2]));
        let expected = [
            [0.0, 6.0, 0.0, 0.0],
            [3.0, 22.0, 18.0, 21.0],
            [7.0, 38.0, 0.0, 0.0],
            [11.0, 0.0, 0.0, 0.0],
        ];
        assert_eq!(table.to_vec(), expected.concat());
        let flat = table.reshape(16);
        (-&x).reduce_into(Reduction::Prod, 0, &flat.slice(s![..8;2]));
        assert_eq!(table.slice(s![..2]).to_vec(), [0., 6., -45., 0., -120., 22., -231., 21.]);
    });
}

#[test]
fn later_reductions_into_one_place_win() {
    everywhere(|_| {
        let x = DArray::<i64>::arange(40).reshape((4, 10));
        let y = -&x;
        let t = DArray::<i64>::zeros(12);
        x.reduce_into(Reduction::Sum, 0, &t.slice(s![..10]));
        y.reduce_into(Reduction::Sum, 0, &t.slice(s![1..11]));
        x.reduce_into(Reduction::Sum, 0, &t.slice(s![2..]));
        let sums: Vec<i64> = (0..10).map(|j| 60 + 4 * j).collect();
        let mut expected = vec![sums[0], -sums[0]];
        expected.extend(&sums);
        assert_eq!(t.to_vec(), expected);
    });
}

#[test]
fn clones_keep_their_values_and_casts_means_and_own_arrays_are_reduced_first() {
    everywhere(|_| {
        let t = DArray::<f64>::ones((3, 2));
        let before = t.clone();
        t.reduce_into(Reduction::Sum, 0, &t.slice(s![0]));
        DArray::<i64>::arange(3).reduce_into(Reduction::Mean, .., &t.slice(s![1, 0]));
        DArray::<i64>::arange(3).reduce_into(Reduction::ArgMax, .., &t.slice(s![2, 1]));
        assert_eq!(t.to_vec(), [3.0, 3.0, 1.0, 1.0, 1.0, 2.0]);
        assert_eq!(before.to_vec(), [1.0; 6]);
        let total = DArray::<f64>::zeros(());
        t.reduce_into(Reduction::Sum, .., &total);
        assert_eq!(total.item(), 11.0);
    });
}

#[test]
fn two_reductions_of_one_array_are_two_groups_and_nothing_is_copied() {
    let runtime = darray::Runtime::builder().threads(1).mode(Mode::Fused).build().unwrap();
    runtime.scope(|| {
        let (x, table) = (DArray::<f64>::ones((64, 64)), DArray::<f64>::zeros((2, 64)));
        runtime.flush();
        runtime.reset_stats();
        x.reduce_into(Reduction::Sum, 0, &table.slice(s![0]));
        x.reduce_into(Reduction::Max, 0, &table.slice(s![1]));
        runtime.flush();
        let stats = runtime.stats();
        assert_eq!((stats.tasks, stats.kernels, stats.fused_tasks), (2, 2, 2));
    });
}

#[test]
fn what_does_not_fit_is_an_error_at_the_callers_line() {
    let x = DArray::<f64>::ones((2, 3));
    let wide = DArray::<f64>::zeros(()).broadcast_to(3);
    let empty = DArray::<f64>::zeros((0, 3));
    let text = |array: &DArray, target: &DArray, reduction| {
        let error = array.try_reduce_into(reduction, 0, target).unwrap_err().to_string();
        assert!(error.contains("reduce_into.rs:"), "{error}");
        error.split(" (at").next().unwrap().to_string()
    };
    assert_eq!(
        text(&x, &DArray::zeros(2), Reduction::Sum),
        "sum: shapes [2, 3] and [2]: expected a target of shape [3]"
    );
    assert!(text(&x, &wide, Reduction::Max).starts_with("max: "));
    assert!(text(&x, &wide, Reduction::Mean).starts_with("mean: the view of shape [3] reaches"));
    assert!(text(&empty, &DArray::zeros(3), Reduction::Max).contains("at least one element"));
    let other = darray::Runtime::builder().build().unwrap();
    let foreign = other.scope(|| DynArray::from(DArray::<f64>::zeros(3)));
    let error = DynArray::from(x).reduce_into(Reduction::Sum, 0, &foreign).unwrap_err();
    assert!(error.to_string().starts_with("sum: the operands belong to two runtimes"), "{error}");
}
