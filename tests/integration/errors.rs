//! Errors say what, with which shapes and where; they crash nothing, and other arrays stay usable.

use darray::{Binary, DArray, DType, DynArray, Error, ErrorKind, Fallible, Ix, Runtime, Unary, s};
use darray_suite::shown;
use darray_testkit::faulty_cpus;

/// `text` names `line` of this file as the user's place.
fn names_line(text: &str, line: u32) {
    let place = format!("{}:{line}:", file!());
    assert!(text.contains(&place), "no {place} in: {text}");
}

#[test]
fn shapes_that_do_not_broadcast() {
    let (a, b) = (DArray::<f64>::ones(3), DArray::<f64>::ones(4));
    let line = line!() + 1;
    let text = shown(|| drop(&a + &b));
    assert!(text.contains("add: shapes [3] and [4] do not broadcast"), "{text}");
    names_line(&text, line);

    let line = line!() + 1;
    let error = a.try_add(&b).expect_err("shapes differ");
    names_line(&error.to_string(), line);
    assert!(matches!(error.kind(), ErrorKind::Broadcast { shapes } if shapes.len() == 2));

    let text = shown(|| {
        let mut c = DArray::<f64>::ones(3);
        c += &b;
    });
    assert!(text.contains("[3]") && text.contains("[4]"), "{text}");
    assert_eq!((&a + &a).to_vec(), [2.0; 3]);
}

#[test]
fn element_types_that_do_not_fit() {
    let mask = DynArray::from(DArray::from_vec(vec![true, false]));
    let numbers = DynArray::from(DArray::<f64>::ones(2));
    let line = line!() + 1;
    let error = mask.unary(Unary::Neg).expect_err("no sign");
    assert!(error.to_string().starts_with("negative: element types bool"), "{error}");
    names_line(&error.to_string(), line);
    assert!(matches!(error.kind(), ErrorKind::DType { found, .. } if found == &[DType::Bool]));

    let integers = DynArray::from(DArray::<i64>::ones(2));
    let error = integers.update(Binary::Add, &numbers).expect_err("does not fit into i64");
    assert!(error.to_string().contains("i64") && error.to_string().contains("f64"), "{error}");
    let error = numbers.select(1.0, 2.0).expect_err("no mask");
    assert!(error.to_string().contains("bool"), "{error}");
}

#[test]
fn bad_slices() {
    let a = DArray::<f64>::ones((2, 3));
    let line = line!() + 1;
    let text = shown(|| drop(a.slice(s![5, ..])));
    assert!(text.contains('5') && text.contains("[2, 3]"), "{text}");
    names_line(&text, line);
    for items in [
        vec![Ix::At(-3)],
        vec![Ix::At(0); 3],
        vec![Ix::Range { start: None, end: None, step: 0 }],
        vec![Ix::Ellipsis, Ix::Ellipsis],
    ] {
        let error = a.try_slice(&items).expect_err("a bad slice");
        assert!(matches!(error.kind(), ErrorKind::Index { .. }), "{error}");
        assert!(error.to_string().contains("[2, 3]"), "{error}");
    }
    assert_eq!(a.slice(s![9.., ..]).shape(), [0, 3]);
}

#[test]
fn bad_reshapes_axes_and_products() {
    let a = DArray::<f64>::ones((2, 3));
    let line = line!() + 1;
    let text = shown(|| drop(a.reshape((4, 2))));
    assert!(text.contains("[2, 3]") && text.contains("[4, 2]"), "{text}");
    names_line(&text, line);
    let error = a.try_sum(2).expect_err("no such axis");
    assert!(matches!(error.kind(), ErrorKind::Axis { axis: 2, .. }), "{error}");
    let error = a.try_sum([0, -2]).expect_err("twice the same");
    assert!(matches!(error.kind(), ErrorKind::Axis { repeated: true, .. }), "{error}");
    let error = a.try_dot(&a).expect_err("3 is not 2");
    assert!(error.to_string().starts_with("dot: shapes [2, 3] and [2, 3]"), "{error}");
    let error = DArray::<f64>::ones(0).try_max(0).expect_err("nothing has no maximum");
    assert!(error.to_string().starts_with("max"), "{error}");
}

#[test]
fn more_elements_than_can_be_counted() {
    let huge = 1usize << 40;
    let one = DArray::<f64>::ones(1);
    let line = line!() + 1;
    let text = shown(|| drop(DArray::<f64>::zeros((huge, huge))));
    assert!(text.contains("too many elements (shape [1099511627776, 1099511627776])"), "{text}");
    names_line(&text, line);
    // Views cost nothing, so the product of two of them is where it shows.
    let (row, column) = (one.broadcast_to(huge), one.broadcast_to((huge, 1)));
    let error = row.try_add(&column).expect_err("too many");
    assert!(error.to_string().contains("too many elements"), "{error}");
    let error = column.try_dot(&row.reshape((1, huge))).expect_err("too many");
    assert!(error.to_string().contains("too many elements"), "{error}");
    assert!(one.try_broadcast_to((huge, huge)).is_err());
    assert_eq!((&one + 1.0).item(), 2.0);
}

#[test]
fn writing_through_a_view_that_repeats_elements() {
    let a = DArray::<f64>::ones((1, 3));
    let wide = a.broadcast_to((2, 3));
    let error = wide.try_assign(0.0).expect_err("each element twice");
    assert!(matches!(error.kind(), ErrorKind::Overlap { .. }), "{error}");
    assert_eq!(a.to_vec(), [1.0; 3]);
}

/// Every way of reading `array` gives an error of this kind; nothing panics.
fn poisoned(array: &DArray<f64>) -> Error {
    let error = array.try_to_vec().expect_err("the array has no value");
    let again = array.sum(..).try_item().expect_err("what depends on it has none either");
    assert_eq!(error.kind(), again.kind());
    assert_eq!(error.to_string(), again.to_string());
    error
}

#[test]
fn a_full_device() {
    for devices in [1, 4] {
        let runtime = Runtime::builder().cpu_devices(devices).memory_limit(1 << 20).build();
        runtime.expect("a runtime").scope(|| {
            let small = DArray::<f64>::ones(1000);
            let line = line!() + 1;
            let large = DArray::<f64>::ones((1000, 1000));
            let sum = &large + 1.0;
            let error = poisoned(&sum);
            assert!(matches!(error.kind(), ErrorKind::OutOfMemory { .. }), "{error}");
            let text = error.to_string();
            // The shape is that of the tile that found no room.
            assert!(text.contains(", 1000] of f64, "), "{text}");
            let place = format!("{}:", file!());
            assert!(text.contains(&place) && error.place().line() >= line, "{text}");
            drop((large, sum));
            // What was there before, and what comes after, is as ever.
            assert_eq!((&small + &small).sum(..).item(), 2000.0);
        });
    }
}

#[test]
fn a_builtin_that_fails() {
    for devices in [1, 3] {
        let faulty = faulty_cpus(devices);
        let runtime = Runtime::builder().devices(faulty.devices()).build().expect("a runtime");
        runtime.scope(|| {
            let a = DArray::<f64>::ones((6, 6));
            let before = a.dot(&a);
            assert_eq!(before.sum(..).item(), 216.0);
            faulty.fail("matmul", "the pivot is zero");
            let line = line!() + 1;
            let product = a.dot(&a);
            let beside = &a * 3.0;
            let dependent = &product + &beside;
            let error = poisoned(&dependent);
            assert!(matches!(error.kind(), ErrorKind::Execution { .. }), "{error}");
            let text = error.to_string();
            assert!(text.contains("the pivot is zero") && text.contains("[6, 6]"), "{text}");
            assert_eq!(error.operation(), "dot", "{text}");
            names_line(&text, line);
            assert_eq!(beside.sum(..).item(), 108.0);
            faulty.repair();
            assert_eq!(a.dot(&a).sum(..).item(), 216.0);
        });
    }
}
