//! Views write through, clones are values, overlapping writes read first.

use crate::devices::everywhere;
use darray::{DArray, Fallible, NewAxis, s};

#[test]
fn views_write_through_and_clones_do_not() {
    everywhere(|_| {
        let mut a = DArray::<f64>::zeros((3, 4));
        let v = a.slice(s![1.., ..;2]);
        let c = a.clone();
        v.assign(7.0);
        a += 1.0;
        let mut row = a.slice(s![0, ..]);
        row += &DArray::<f64>::arange(4);
        assert_eq!(a.to_vec(), [1., 2., 3., 4., 8., 1., 8., 1., 8., 1., 8., 1.]);
        assert_eq!(v.to_vec(), [8.; 4], "a view follows a covering write");
        assert_eq!(c.to_vec(), [0.; 12]);
        a.t().slice(s![0, ..]).assign(0.0);
        assert_eq!(a.slice(s![.., 0]).to_vec(), [0.; 3]);
        a.reshape(12).slice(s![-1]).assign(9.0);
        assert_eq!(a.slice(s![2, 3]).item(), 9.0);
        a.alias().assign(3.0);
        assert_eq!(a.sum(..).item(), 36.0);
    });
}

#[test]
fn a_clone_and_its_source_are_independent_either_way() {
    everywhere(|_| {
        let a = DArray::<i64>::arange(5);
        let b = a.clone();
        b.slice(s![1..3]).assign(-1);
        let c = b.clone();
        b.slice(s![0]).assign(100);
        a.slice(s![4]).assign(50);
        let part = a.slice(s![3..]).clone();
        part.slice(s![0]).assign(8);
        let turned = a.slice(s![..;-1]).clone();
        turned.slice(s![0]).assign(6);
        assert_eq!(a.to_vec(), [0, 1, 2, 3, 50]);
        assert_eq!(b.to_vec(), [100, -1, -1, 3, 4]);
        assert_eq!(c.to_vec(), [0, -1, -1, 3, 4]);
        assert_eq!(part.to_vec(), [8, 50]);
        assert_eq!(turned.to_vec(), [6, 3, 2, 1, 0]);
    });
}

#[test]
fn a_clone_is_not_copied_before_a_partial_write() {
    let rt = darray::Runtime::builder().threads(1).build().unwrap();
    rt.scope(|| {
        let mut a = DArray::<f64>::ones(8);
        rt.sync();
        rt.reset_stats();
        let b = a.clone();
        a += 1.0;
        rt.sync();
        assert_eq!(rt.stats().tasks, 1, "a covering write needs no copy");
        let c = b.clone();
        c.slice(s![0]).assign(0.0);
        rt.sync();
        assert_eq!(rt.stats().tasks, 3, "a partial one does");
        c.slice(s![1]).assign(0.0);
        rt.sync();
        assert_eq!(rt.stats().tasks, 4, "once");
        assert_eq!((a.sum(..).item(), b.sum(..).item(), c.sum(..).item()), (16.0, 8.0, 6.0));
    });
}

/// What NumPy's "read all, then write" gives, on plain vectors.
fn shifted(
    values: &[i64],
    to: impl Iterator<Item = usize>,
    from: impl Iterator<Item = usize>,
) -> Vec<i64> {
    let mut result = values.to_vec();
    for (to, from) in to.zip(from) {
        result[to] = values[from];
    }
    result
}

#[test]
fn overlapping_assignments_read_before_they_write() {
    everywhere(|_| {
        let values: Vec<i64> = (0..9).collect();
        let new = || DArray::from_vec(values.clone());
        let a = new();
        a.slice(s![1..]).assign(a.slice(s![..-1]));
        assert_eq!(a.to_vec(), shifted(&values, 1..9, 0..8));
        let a = new();
        a.slice(s![..-1]).assign(a.slice(s![1..]));
        assert_eq!(a.to_vec(), shifted(&values, 0..8, 1..9));
        let a = new();
        a.slice(s![..;-1]).assign(&a);
        assert_eq!(a.to_vec(), shifted(&values, (0..9).rev(), 0..9));
        let a = new();
        a.slice(s![1..6]).assign(a.slice(s![8..3;-1]));
        assert_eq!(a.to_vec(), shifted(&values, 1..6, (4..9).rev()));
        let a = new();
        a.slice(s![..;2]).assign(a.slice(s![..5]));
        assert_eq!(a.to_vec(), shifted(&values, (0..9).step_by(2), 0..5));
        let a = new();
        a.slice(s![1..;2]).assign(a.slice(s![..8;2]));
        assert_eq!(a.to_vec(), shifted(&values, (1..9).step_by(2), (0..8).step_by(2)));

        let square = DArray::<i64>::arange(9).reshape((3, 3));
        square.slice(s![.., ..]).assign(square.t());
        assert_eq!(square.to_vec(), [0, 3, 6, 1, 4, 7, 2, 5, 8]);
        let mut square = DArray::<i64>::arange(9).reshape((3, 3));
        let turned = square.t();
        square += &turned;
        assert_eq!(square.to_vec(), [0, 4, 8, 4, 8, 12, 8, 12, 16]);
        let square = DArray::<i64>::arange(9).reshape((3, 3));
        let mut tail = square.slice(s![1.., 1..]);
        tail += square.slice(s![..2, ..2]);
        assert_eq!(square.to_vec(), [0, 1, 2, 3, 4, 6, 6, 10, 12]);
        let mut first = square.slice(s![0, NewAxis, ..]);
        first += square.slice(s![1, ..]);
        assert_eq!(square.slice(s![0]).to_vec(), [3, 5, 8]);
    });
}

#[test]
fn overlapping_writes_through_a_reshape_are_seen() {
    everywhere(|_| {
        let a = DArray::<i64>::arange(6).reshape((2, 3));
        let flat = a.reshape(6);
        flat.slice(s![1..]).assign(a.reshape(6).slice(s![..-1]));
        assert_eq!(a.to_vec(), [0, 0, 1, 2, 3, 4]);
        a.slice(s![1, ..]).assign(flat.slice(s![..3]));
        assert_eq!(a.to_vec(), [0, 0, 1, 0, 0, 1]);
        let copied = a.t().reshape(6);
        copied.assign(5);
        assert_eq!(a.to_vec(), [0, 0, 1, 0, 0, 1], "a reshape without strides is a copy");
    });
}

#[test]
fn disjoint_writes_need_no_copy() {
    let rt = darray::Runtime::builder().threads(1).build().unwrap();
    rt.scope(|| {
        let a = DArray::<i64>::arange(8);
        rt.sync();
        rt.reset_stats();
        a.slice(s![..;2]).assign(a.slice(s![1..;2]));
        a.slice(s![..4]).assign(a.slice(s![4..]));
        let mut part = a.slice(s![..4]);
        part += 1;
        rt.sync();
        assert_eq!(rt.stats().tasks, 3);
        assert_eq!(a.to_vec(), [6, 6, 8, 8, 5, 5, 7, 7]);
    });
}

/// Two views of other columns and shifted rows are written by one kernel: on several devices, the rectangles around what each
/// writes overlap.
#[test]
fn shifted_writes_to_other_columns_go_together() {
    everywhere(|_| {
        for (rows, shift, columns, step) in
            [(64, 3, 6, 2), (64, 3, 99, 3), (1000, 1, 4, 2), (40, 40, 5, 3)]
        {
            let numbers = (0..((rows + shift) * columns) as i64).collect::<Vec<_>>();
            let a = DArray::<i64>::from_shape_vec((rows + shift, columns), numbers.clone());
            let first = a.slice(s![..rows, 0..;step]);
            // As many columns.
            let second = a.slice(s![shift.., 1..;step]);
            let both = first.shape()[1].min(second.shape()[1]);
            let (first, second) = (first.slice(s![.., ..both]), second.slice(s![.., ..both]));
            second.assign(&second * 10);
            first.assign(&first + &second);
            let found = a.to_vec();
            let mut expected = numbers;
            for row in 0..rows {
                for column in 0..both {
                    let at = (row + shift) * columns + 1 + column * step;
                    expected[at] *= 10;
                    expected[row * columns + column * step] += expected[at];
                }
            }
            assert_eq!(found, expected, "{rows} {shift} {columns} {step}");
        }
    });
}

#[test]
fn writes_into_nothing_are_nothing() {
    everywhere(|_| {
        let a = DArray::<i64>::arange(3);
        a.slice(s![2..1]).assign(7);
        let mut none = a.slice(s![3..]);
        none += 1;
        assert_eq!(a.to_vec(), [0, 1, 2]);
        assert_eq!(none.to_vec(), Vec::<i64>::new());
    });
}

/// `a[...] = np.ones((1, 1, 3, 4))` for `a` of shape (3, 4), and no other extents in front, and not `a += ..`.
#[test]
fn assigned_values_may_have_axes_of_extent_1_in_front() {
    everywhere(|_| {
        let x = DArray::<f64>::zeros((3, 4));
        let y = DArray::<f64>::arange(12).reshape((1, 1, 3, 4));
        x.assign(&y);
        assert_eq!(x.to_vec(), y.to_vec());
        x.slice(s![1, ..;2]).assign(DArray::from_vec(vec![7.0, 8.0]).reshape((1, 1, 2)));
        assert_eq!(x.slice(s![1]).to_vec(), [7.0, 5.0, 8.0, 7.0]);
        x.slice(s![0, 0]).assign(DArray::from_vec(vec![3.0]));
        assert_eq!(x.slice(s![0]).to_vec(), [3.0, 1.0, 2.0, 3.0]);
        // Its own elements, read before they are written.
        x.slice(s![1..]).assign(x.slice(s![..-1]).expand_dims(0));
        assert_eq!(x.slice(s![2]).to_vec(), [7.0, 5.0, 8.0, 7.0]);
        assert!(x.try_assign(DArray::<f64>::ones((2, 3, 4))).is_err());
        let z = x.slice(s![..]);
        assert!(z.try_add_assign(DArray::<f64>::ones((1, 3, 4))).is_err());
    });
}
