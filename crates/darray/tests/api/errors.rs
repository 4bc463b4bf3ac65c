//! Errors name operation, shapes, types and the user's line; nothing else is harmed.

use crate::devices::everywhere;
use crate::panics::shown;
use darray::{Complex, DArray, DynArray, ErrorKind, Fallible, Runtime, attempt, s};

/// Panics at exactly this line of this file with a text that begins so.
#[track_caller]
fn panics_at(line: u32, beginning: &str, f: impl FnOnce()) {
    let text = shown(f);
    assert!(text.starts_with(beginning), "{text}");
    let place = format!("tests/api/errors.rs:{line}:");
    assert!(text.contains(&place), "{text} does not contain {place}");
}

#[test]
fn wrong_shapes_panic_at_the_users_line() {
    let (a, b) = (DArray::<f64>::ones((2, 3)), DArray::<f64>::ones(2));
    panics_at(line!() + 1, "add: shapes [2, 3] and [2] do not broadcast", || {
        let _ = &a + &b;
    });
    panics_at(line!() + 1, "multiply: shapes [2, 3] and [2] do not broadcast", || {
        let _ = 2.0 * &a * &b;
    });
    let mut c = b.clone();
    panics_at(line!() + 1, "subtract: shapes [2] and [2, 3] do not broadcast", || {
        c -= &a;
    });
    panics_at(line!() + 1, "less: shapes", || {
        let _ = a.lt(&b);
    });
    panics_at(line!() + 1, "maximum: shapes", || {
        let _ = a.maximum(&b);
    });
    panics_at(line!() + 1, "where: shapes", || {
        let _ = a.gt(0.0).select(&b, 0.0);
    });
    panics_at(line!() + 1, "assign: shapes [2] and [2, 3] do not broadcast", || {
        b.assign(&a);
    });
    let wide = DArray::<f64>::ones((2, 2));
    let text =
        "shapes [2] and [2, 2]: expected a result of the shape of what it is written to, not";
    panics_at(line!() + 1, &format!("add: {text} [2, 2] (at"), || {
        c += &wide;
    });
    panics_at(line!() + 1, &format!("assign: {text} [2, 2] (at"), || {
        b.assign(&wide);
    });
    let text = "shapes [2, 3] and [2]: expected one inner extent, not 3 and 2 (at";
    panics_at(line!() + 1, &format!("dot: {text}"), || {
        let _ = a.dot(&b);
    });
    panics_at(line!() + 1, &format!("matmul: {text}"), || {
        let _ = a.matmul(&b);
    });
    let text = "matmul: shapes [2, 3] and [2, 3]: expected one inner extent, not 3 and 2";
    panics_at(line!() + 1, text, || {
        let _ = a.matmul(&a);
    });
    let point = DArray::<f64>::ones(());
    panics_at(line!() + 1, "matmul: shapes [2, 3] and []: expected at least 1-d arrays", || {
        let _ = a.matmul(&point);
    });
    let (stack, other) = (DArray::<f64>::ones((2, 2, 2)), DArray::<f64>::ones((3, 2, 2)));
    let text = "matmul: shapes [2, 2, 2] and [3, 2, 2]: expected leading axes that broadcast";
    panics_at(line!() + 1, text, || {
        let _ = stack.matmul(&other);
    });
    panics_at(line!() + 1, "inner: shapes [2, 3] and [2]: expected equal extents", || {
        let _ = a.inner(&b);
    });
    panics_at(line!() + 1, "vdot: shapes [2, 3] and [2]: expected as many elements", || {
        let _ = a.vdot(&b);
    });
    panics_at(line!() + 1, "tensordot: shapes [2, 3] and [2]: expected as many axes", || {
        let _ = a.tensordot(&b, ([0, 1], [0]));
    });
    panics_at(line!() + 1, "tensordot: axis 2 is out of range for shape [2, 3]", || {
        let _ = a.tensordot(&b, ([2], [0]));
    });
    panics_at(line!() + 1, "trace: shapes [2]: expected at least two axes", || {
        let _ = b.trace();
    });
    panics_at(line!() + 1, "diagonal: axis 0 is given twice", || {
        let _ = a.diagonal(darray::Diagonal::new(0).axes(0, 0));
    });
    assert_eq!((&a + 1.0).sum(..).item(), 12.0, "the arrays are as usable as before");
}

#[test]
fn bad_views_panic_at_the_users_line() {
    let a = DArray::<f64>::ones((2, 3));
    panics_at(line!() + 1, "slice: index 2 is out of range for axis 0 of extent 2", || {
        let _ = a.slice(s![2]);
    });
    panics_at(line!() + 1, "slice: 3 indices for 2 axes", || {
        let _ = a.slice(s![0, 0, 0]);
    });
    panics_at(line!() + 1, "reshape: cannot reshape [2, 3] (6 elements) to [4]", || {
        let _ = a.reshape(4);
    });
    panics_at(line!() + 1, "reshape: cannot fill in [4, -1] with 6 elements", || {
        let _ = a.reshape((4, -1));
    });
    panics_at(line!() + 1, "broadcast_to: shapes [2, 3] and [3, 2] do not broadcast", || {
        let _ = a.broadcast_to((3, 2));
    });
    panics_at(line!() + 1, "sum: axis 2 is out of range for shape [2, 3]", || {
        let _ = a.sum(2);
    });
    panics_at(line!() + 1, "max: axis 0 is given twice for shape [2, 3]", || {
        let _ = a.max([0, 0]);
    });
    panics_at(line!() + 1, "max: shapes [0]: expected at least one element", || {
        let _ = a.slice(s![0, 3..]).max(..);
    });
    for (text, f) in [
        ("nanmin: shapes [0]", (|x| drop(x.nanmin(..))) as fn(&DArray<f64>)),
        ("ptp: shapes [0]", |x| drop(x.ptp(..))),
        ("argmin: shapes [0]", |x| drop(x.argmin(..))),
    ] {
        assert!(shown(|| f(&a.slice(s![0, 3..]))).starts_with(text), "{text}");
    }
    panics_at(line!() + 1, "min: shapes [0, 0]: expected at least one element", || {
        let _ = a.slice(s![2.., 3..]).min(0);
    });
    panics_at(line!() + 1, "cumsum: axis 2 is out of range for shape [2, 3]", || {
        let _ = a.cumsum(2);
    });
    panics_at(line!() + 1, "var: axis -3 is out of range for shape [2, 3]", || {
        let _ = a.var(-3);
    });
    panics_at(line!() + 1, "zeros: extent -2 is negative", || {
        let _ = DArray::<f64>::zeros((2, -2));
    });
    panics_at(line!() + 1, "zeros: 9 axes, at most 8", || {
        let _ = DArray::<f64>::zeros([1; 9]);
    });
    panics_at(line!() + 1, "from_shape_vec: shapes [2, 2]: expected 4 elements, not 3", || {
        let _ = DArray::from_shape_vec((2, 2), vec![1, 2, 3]);
    });
    panics_at(line!() + 1, "item: shapes [2, 3]: expected one element", || {
        let _ = a.item();
    });
    panics_at(line!() + 1, "transpose: axis 0 is given twice", || {
        let _ = a.permute(&[0, 0]);
    });
    panics_at(line!() + 1, "arange: no finite range from 0.0 to 1.0 by 0.0", || {
        let _ = DArray::range(0.0, 1.0, 0.0);
    });
}

#[test]
fn what_an_isize_cannot_hold_is_out_of_range() {
    let x = DArray::<f64>::ones((2, 3));
    for large in [usize::MAX, usize::MAX - 1, 1 << 63] {
        panics_at(line!() + 1, "sum: axis 9223372036854775807 or more is out of range", || {
            let _ = x.sum(large);
        });
        panics_at(line!() + 1, "transpose: axis 9223372036854775807 or more is", || {
            let _ = x.transpose([large, 0]);
        });
        panics_at(line!() + 1, "expand_dims: axis 9223372036854775807 or more is", || {
            let _ = x.expand_dims(large);
        });
        panics_at(line!() + 1, "split: shapes [2, 3]: expected an extent along axis 1", || {
            let _ = x.split(large, 1);
        });
        // As bounds of slices, indices beyond the end are no error.
        let parts = x.split([large], 1);
        assert_eq!((parts[0].shape(), parts[1].shape()), (&[2, 3][..], &[2, 0][..]));
        assert_eq!(x.slice(s![.., 1..;large]).shape(), [2, 1]);
        assert_eq!(x.slice(s![..;large, ..;2]).slice(s![.., ..;large]).shape(), [1, 1]);
    }
}

/// What is too large for the host is refused before anything is allocated.
#[test]
fn what_the_host_has_no_memory_for_is_an_error() {
    for count in [1 << 42, isize::MAX as usize / 8] {
        let bytes = format!("from_fn: out of memory on the host: {} bytes", 8 * count as u64);
        let error = DArray::try_from_fn(count, |_| 1.0).unwrap_err();
        assert!(error.to_string().starts_with(&bytes), "{error}");
    }
    let one = ndarray::arr0(Complex::new(1.0, 2.0));
    let many = one.broadcast(1 << 42).unwrap();
    let error = DArray::try_from_ndarray(&many).unwrap_err().to_string();
    assert!(error.starts_with("from_ndarray: out of memory on the host: 70368744177664 bytes"));
    let one = ndarray::arr0(1.0);
    let error = DArray::try_from_ndarray(&one.broadcast(1 << 42).unwrap()).unwrap_err().to_string();
    assert!(error.starts_with("from_ndarray: out of memory on the host: 35184372088832 bytes"));
    let (x, none) = (DArray::<f64>::ones(3), DArray::<f64>::zeros((0, 2)));
    for count in [1 << 42, usize::MAX] {
        let text = format!("split: out of memory on the host: {count} parts");
        let error = x.try_array_split(count, 0).unwrap_err().to_string();
        assert!(error.starts_with(&format!("array_{text}")), "{error}");
        let error = none.try_split(count, 0).unwrap_err().to_string();
        assert!(error.starts_with(&text), "{error}");
    }
    assert_eq!(none.split(1000, 0)[999].shape(), [0, 2]);
    assert_eq!(x.array_split(5, 0).iter().map(|part| part.len()).sum::<usize>(), 3);
}

#[test]
fn lists_of_extents_have_an_end() {
    let cut = |extents: &[i32]| format!("{:?}", &extents[..16]).replace(']', ", ..]");
    let (long, negative) = ((0..20).collect::<Vec<i32>>(), [[1; 18], [-1; 18]].concat());
    let error = DArray::<f64>::try_zeros(&long[..]).unwrap_err().to_string();
    assert!(error.starts_with(&format!("zeros: 20 axes, at most 8 (shape {})", cut(&long))));
    let error = DArray::<f64>::try_zeros(&negative[..]).unwrap_err().to_string();
    assert!(error.contains(&format!("extent -1 is negative (shape {})", cut(&negative))));
    let error = DArray::<f64>::ones(2).try_reshape(&negative[..]).unwrap_err().to_string();
    assert!(error.contains(&format!("cannot fill in {} with 2 elements", cut(&negative))));
}

#[test]
fn views_that_repeat_cannot_be_written() {
    let mut rows = DArray::<f64>::zeros(3).broadcast_to((2, 3));
    let beginning = "the view of shape [2, 3] reaches an element more than once";
    panics_at(line!() + 1, &format!("assign: {beginning}"), || {
        rows.assign(1.0);
    });
    panics_at(line!() + 1, &format!("add: {beginning}"), || {
        rows += 1.0;
    });
    let once = DArray::<f64>::zeros(3).broadcast_to((1, 3));
    once.assign(1.0);
    assert_eq!(once.to_vec(), [1.0; 3], "nothing repeats along an axis of extent 1");
}

#[test]
fn operations_that_a_type_does_not_have() {
    let n = DArray::from_vec(vec![1i64]);
    let mask = DArray::<bool>::ones(2);
    panics_at(line!() + 1, "subtract: element types bool and bool", || {
        let _ = &mask - &mask;
    });
    panics_at(line!() + 1, "ptp: element types bool", || {
        let _ = mask.ptp(..);
    });
    let power = "power: element types i64: expected floats for a negative power";
    panics_at(line!() + 1, power, || {
        let _ = n.powi(-1);
    });
    let n = DynArray::from(n);
    let negative =
        [n.update(darray::Binary::Power, -1), n.binary(darray::Binary::Power, -1).map(drop)];
    for error in negative.map(Result::unwrap_err) {
        assert!(error.to_string().starts_with(power), "{error}");
    }
    let error = n.update(darray::Binary::Div, 2).unwrap_err();
    assert!(
        error.to_string().starts_with(
            "divide: element types i64 and i64: expected a result of type i64, not f64"
        )
    );
    assert!(matches!(n.select(1.0, 0.0).unwrap_err().kind(), ErrorKind::DType { .. }));
}

#[test]
fn two_runtimes_do_not_mix() {
    let (one, two) = (Runtime::builder().build().unwrap(), Runtime::builder().build().unwrap());
    let (x, y) = (one.scope(|| DArray::<f64>::ones(2)), two.scope(|| DArray::<f64>::ones(2)));
    panics_at(line!() + 1, "add: the operands belong to two runtimes", || {
        let _ = &x + &y;
    });
    panics_at(line!() + 1, "assign: the operands belong to two runtimes", || {
        x.assign(&y);
    });
    let (m, n) = (one.scope(|| DArray::<f64>::ones((2, 2))), &y);
    panics_at(line!() + 1, "dot: the operands belong to two runtimes", || {
        let _ = m.dot(n);
    });
    assert_eq!((x + 1.0).to_vec(), [2.0, 2.0]);
}

#[test]
fn try_twins_return_what_the_others_panic_with() {
    let a = DArray::<f64>::ones(3);
    let line = line!() + 1;
    let error = a.try_add(DArray::<f64>::ones(4)).unwrap_err();
    assert_eq!((error.operation(), error.place().line()), ("add", line));
    assert!(error.place().file().ends_with("tests/api/errors.rs"));
    let ErrorKind::Broadcast { shapes } = error.kind() else { panic!("{error}") };
    assert_eq!(shapes.iter().map(|s| s.to_vec()).collect::<Vec<_>>(), [[3], [4]]);
    let b = DArray::<f64>::ones((2, 2));
    assert!(a.try_sub(&b).is_err() && a.try_mul(&b).is_err() && a.try_div(&b).is_err());
    assert!(a.try_rem(&b).is_err() && a.try_minimum(&b).is_err() && a.try_maximum(&b).is_err());
    assert!(a.try_eq(&b).is_err() && a.try_dot(&b).is_err() && a.try_assign(&b).is_err());
    assert!(a.try_sum(1).is_err() && a.try_slice(s![9]).is_err());
    assert!(a.gt(0.0).try_select(&b, 0.0).is_err());
    assert_eq!(a.try_to_vec().unwrap(), [1.0; 3]);
}

#[test]
fn running_out_of_memory_says_where_and_leaves_the_rest_alone() {
    everywhere(|outer| {
        let _ = outer;
        let rt = Runtime::builder().threads(1).memory_limit(1 << 20).build().unwrap();
        rt.scope(|| {
            let small = DArray::<f64>::ones(100);
            let line = line!() + 1;
            let large = DArray::<f64>::ones(1 << 20);
            let error = (&large + 1.0).try_to_vec().unwrap_err();
            let ErrorKind::OutOfMemory { limit, .. } = error.kind() else { panic!("{error}") };
            assert_eq!(*limit, 1 << 20);
            assert!(error.place().line() == line || error.place().line() == line + 1, "{error}");
            assert_eq!((&small + 1.0).sum(..).item(), 200.0);
        });
    });
}

#[test]
fn what_is_attempted_gives_the_first_error() {
    let (x, y) = (DArray::<f64>::ones(2), DArray::<f64>::ones(3));
    let line = line!() + 1;
    let error = attempt(|| ((&x + 1) * &y).sum(..).item() + x.get([7])).unwrap_err();
    assert_eq!(error.operation(), "multiply");
    assert!(error.to_string().contains(&format!("errors.rs:{line}:")), "{error}");
    assert_eq!(attempt(|| (&x + 1).sum(..).item()).unwrap(), 4.0);

    // Where the caller says what happens to the inner one, the outer goes on.
    let outer = attempt(|| {
        let inner = attempt(|| &x + &y);
        assert!(inner.is_err());
        x.get([9])
    });
    assert_eq!(outer.unwrap_err().operation(), "get");

    // Other panics are not errors, and what fails behind an attempt panics again.
    let text = shown(|| drop(attempt(|| -> f64 { panic!("on purpose") })));
    assert!(text.starts_with("on purpose (at "), "{text}");
    panics_at(line!() + 1, "add: shapes [2] and [3] do not broadcast", || {
        let _ = &x + &y;
    });
}

#[test]
fn what_fails_when_it_is_computed_is_an_error_of_the_attempt_that_reads_it() {
    let runtime = Runtime::builder().memory_limit(1 << 20).build().unwrap();
    runtime.scope(|| {
        let line = line!() + 1;
        let large = attempt(|| DArray::<f64>::ones(1 << 20) + 1.0).unwrap();
        let error = attempt(|| large.sum(..).item()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::OutOfMemory { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains("8388608 bytes (8.0 MiB) for shape [1048576] of f64"), "{text}");
        assert!(text.contains(" of 1048576 bytes (1.0 MiB) in use"), "{text}");
        assert!(text.contains(&format!("errors.rs:{line}:")), "{text}");
    });
}
