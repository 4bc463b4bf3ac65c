//! Writes into complex arrays, and what is no view of them.

use crate::complex::{assert_same, c};
use crate::devices::everywhere;
use darray::{Complex, DArray, Fallible, Runtime, s};

#[test]
fn compound_assignments_write_through_views() {
    everywhere(|_| {
        let z = DArray::<Complex<f64>>::zeros((2, 2));
        let before = z.clone();
        let mut row = z.slice(s![1]);
        row += c(1.0, 2.0);
        row *= c(0.0, 1.0);
        row -= 1;
        row /= 2.0;
        assert_same(&row.to_vec(), &[c(-1.5, 0.5); 2]);
        let mut all = z.alias();
        all *= &z;
        assert_same(&z.to_vec(), &[c(0., 0.), c(0., 0.), c(2.0, -1.5), c(2.0, -1.5)]);
        assert_same(&before.to_vec(), &[c(0.0, 0.0); 4]);
        let mut x = z.real();
        x += 1.0;
        z.imag().slice(s![0]).assign(7.0);
        assert_same(&z.to_vec(), &[c(1., 7.), c(1., 7.), c(3.0, -1.5), c(3.0, -1.5)]);
    });
}

#[test]
fn a_value_is_read_before_its_target_is_written() {
    everywhere(|_| {
        let z = DArray::from_vec(vec![c(1.0, 2.0), c(3.0, 4.0), c(5.0, 6.0)]);
        z.assign(DArray::from_parts(z.imag(), z.real()));
        assert_same(&z.to_vec(), &[c(2.0, 1.0), c(4.0, 3.0), c(6.0, 5.0)]);
        z.slice(s![1..]).assign(z.slice(s![..-1]));
        assert_same(&z.to_vec(), &[c(2.0, 1.0), c(2.0, 1.0), c(4.0, 3.0)]);
        let mask = DArray::from_vec(vec![true, false, true]);
        z.assign_where(&mask, DArray::from_parts(z.imag(), z.real()));
        assert_same(&z.to_vec(), &[c(1.0, 2.0), c(2.0, 1.0), c(3.0, 4.0)]);
        // A real part that is read as a value while both parts are written.
        z.assign(z.imag());
        assert_same(&z.to_vec(), &[c(2.0, 0.0), c(1.0, 0.0), c(4.0, 0.0)]);
        let mut w = DArray::from_vec(vec![c(1.0, 2.0), c(3.0, 4.0)]);
        w *= w.imag();
        assert_same(&w.to_vec(), &[c(2.0, 4.0), c(12.0, 16.0)]);
        w *= w.conj();
        assert_same(&w.to_vec(), &[c(20.0, 0.0), c(400.0, 0.0)]);
    });
}

#[test]
fn results_are_arrays_of_their_own() {
    everywhere(|_| {
        let z = DArray::from_vec(vec![c(1.0, 2.0), c(3.0, 4.0)]);
        let same = |z: &DArray<Complex<f64>>| assert_same(&z.to_vec(), &[c(1.0, 2.0), c(3.0, 4.0)]);
        let view = z.slice(s![..]);
        for result in [&z + 1.0, &view - 1, 2 - &z, z.conj(), z.powi(1), z.cast(), view.conj()] {
            result.assign(c(7.0, 7.0));
            same(&z);
        }
        let result = &z + 1.0;
        z.imag().slice(s![0]).assign(9.0);
        assert_same(&result.to_vec(), &[c(2.0, 2.0), c(4.0, 4.0)]);
    });
}

#[test]
fn a_part_that_stays_is_not_written() {
    let n = 1000;
    let runtime = Runtime::builder().threads(1).build().unwrap();
    runtime.scope(|| {
        let mut z = DArray::<Complex<f64>>::zeros(n);
        let mut pairs = DArray::from_parts(z.real().copy(), z.imag().copy()).slice(s![1..]);
        runtime.sync();
        let before = runtime.stats().tasks;
        z += 1.5;
        pairs -= 2;
        runtime.sync();
        // A sum and its copy into the real parts, each.
        assert_eq!(runtime.stats().tasks - before, 4);
        assert_same(&z.to_vec(), &vec![c(1.5, 0.0); n]);
        assert_same(&pairs.to_vec(), &vec![c(-2.0, 0.0); n - 1]);
    });
}

#[test]
fn numbers_are_put_at_indices() {
    everywhere(|_| {
        let z = DArray::from_vec(vec![c(1.0, 2.0), c(3.0, 4.0), c(5.0, 6.0)]);
        let indices = DArray::from_vec(vec![2, 0]);
        z.put(&indices, DArray::from_parts(z.imag(), z.real()));
        assert_same(&z.to_vec(), &[c(4.0, 3.0), c(3.0, 4.0), c(2.0, 1.0)]);
        z.put(&indices, -1);
        assert_same(&z.to_vec(), &[c(-1.0, 0.0), c(3.0, 4.0), c(-1.0, 0.0)]);
    });
}

/// As of clones, neither is seen through the other, whichever is written, wholly or in part.
#[test]
fn parts_are_taken_by_value() {
    everywhere(|_| {
        let (re, im) = (DArray::<f64>::arange(4), DArray::<f64>::ones(4));
        let z = DArray::from_parts(re.alias(), im.alias());
        let before = z.to_vec();
        re.slice(s![1..3]).assign(9.0);
        im.assign(7.0);
        assert_same(&z.to_vec(), &before);
        z.slice(s![..2]).assign(c(5.0, 6.0));
        z.imag().slice(s![3]).assign(0.5);
        assert_eq!((re.to_vec(), im.to_vec()), (vec![0.0, 9.0, 9.0, 3.0], vec![7.0; 4]));
        assert_same(&z.to_vec(), &[c(5.0, 6.0), c(5.0, 6.0), c(2.0, 1.0), c(3.0, 0.5)]);
        // Of one array for both, of views, and of a clone.
        let z = DArray::from_parts(re.slice(s![..;-1]), re.slice(s![..;-1]));
        let w = z.clone();
        z.real().assign(1.0);
        assert_same(&z.to_vec(), &[c(1.0, 3.0), c(1.0, 9.0), c(1.0, 9.0), c(1.0, 0.0)]);
        assert_eq!(w.real().to_vec(), w.imag().to_vec());
        assert_eq!(re.to_vec(), [0.0, 9.0, 9.0, 3.0]);
    });
}

#[test]
fn another_shape_is_a_view_of_both_parts() {
    everywhere(|_| {
        let (x, y) = (DArray::<f64>::zeros((2, 3)), DArray::<f64>::zeros((3, 2)));
        for z in [
            DArray::from_parts(x.alias(), y.t()),
            DArray::from_parts(y.t(), x.alias()),
            DArray::from_parts(y.t(), y.t().copy().t().copy().t()),
        ] {
            let line = z.reshape(6);
            line.assign(c(1.0, 2.0));
            assert_same(&z.to_vec(), &[c(1.0, 2.0); 6]);
            assert_eq!((x.sum(..) + y.sum(..)).item(), 0.0);
        }
        let z = DArray::from_parts(x.alias(), y.reshape((2, 3)));
        z.reshape(6).assign(c(1.0, 2.0));
        assert_same(&z.to_vec(), &[c(1.0, 2.0); 6]);
    });
}

#[test]
fn what_cannot_be_written_leaves_both_parts() {
    let row = DArray::<Complex<f64>>::zeros(2);
    let z = row.broadcast_to((2, 2));
    let mask = DArray::<bool>::ones(2);
    let errors = [
        z.try_assign(1.0),
        z.try_add_assign(1.0),
        z.try_assign_where(&mask, 1.0),
        z.try_assign(DArray::<Complex<f64>>::zeros(3)),
        z.try_mul_assign(DArray::<Complex<f64>>::zeros((3, 2, 2))),
    ];
    let texts = errors.map(|error| error.unwrap_err().to_string());
    for (text, start) in texts.iter().zip([
        "assign: the view of shape [2, 2] reaches",
        "add: the view of shape [2, 2] reaches",
        "assign_where: the view of shape [2, 2] reaches",
        "assign: shapes [2, 2] and [3] do not broadcast",
        "multiply: shapes [2, 2] and [3, 2, 2]: expected a result of the shape of what it is",
    ]) {
        assert!(text.starts_with(start), "{text}");
        assert!(text.contains("complex_writes.rs:"), "{text}");
    }
    assert_same(&row.to_vec(), &[c(0.0, 0.0); 2]);
}
