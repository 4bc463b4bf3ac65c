//! Errors of creations named another function than was called, and printed a negative extent as 0.

use darray::{DArray, DType, DynArray, Error, Fallible};

fn says(error: Error, expected: &str) {
    let text = error.to_string();
    assert!(text.starts_with(&format!("{expected} (at {}:", file!())), "{text}");
}

#[test]
fn creations_name_themselves_and_the_shape_as_written() {
    let negative = |name: &str| format!("{name}: extent -1 is negative (shape [2, -1])");
    says(DArray::<f64>::try_zeros((2, -1)).unwrap_err(), &negative("zeros"));
    says(DArray::<f64>::try_ones((2, -1)).unwrap_err(), &negative("ones"));
    says(DArray::<f64>::try_full((2, -1), 0.5).unwrap_err(), &negative("full"));
    says(DArray::<f64>::try_empty((2, -1)).unwrap_err(), &negative("empty"));
    says(DArray::try_from_fn((2, -1), |_| 0.5).unwrap_err(), &negative("from_fn"));
    says(DArray::try_from_shape_vec((2, -1), vec![1.0]).unwrap_err(), &negative("from_shape_vec"));
    says(DynArray::full((2, -1), DType::F32, 1.0).unwrap_err(), &negative("full"));
    says(DynArray::from_bytes((2, -1), DType::U8, vec![]).unwrap_err(), &negative("from_bytes"));
}

#[test]
fn data_of_a_wrong_length_are_counted_in_what_was_given() {
    says(
        DArray::try_from_shape_vec((2, 2), vec![1, 2, 3]).unwrap_err(),
        "from_shape_vec: shapes [2, 2]: expected 4 elements, not 3",
    );
    says(
        DynArray::from_bytes(4, DType::F64, vec![0; 31]).unwrap_err(),
        "from_bytes: shapes [4]: expected 32 bytes for f64, not 31",
    );
}

#[test]
fn likes_name_themselves() {
    let runtime = darray::Runtime::builder().memory_limit(1 << 10).build().unwrap();
    let x = runtime.scope(|| DArray::<f64>::empty(1000));
    let name = |x: DArray<f64>| x.as_dyn().to_bytes().unwrap_err().operation();
    assert_eq!(name(x.zeros_like()), "zeros_like");
    assert_eq!(name(x.ones_like()), "ones_like");
    assert_eq!(name(x.full_like(0.5)), "full_like");
    runtime.scope(|| {
        assert_eq!(name(DArray::zeros(1000)), "zeros");
        assert_eq!(DArray::try_from_vec(vec![0.5; 1000]).unwrap_err().operation(), "from_vec");
        assert_eq!(DArray::try_from_fn(1000, |_| 0.5).unwrap_err().operation(), "from_fn");
    });
}

#[test]
fn an_extent_beyond_isize_is_too_large_and_not_negative() {
    let error = DArray::<u8>::try_zeros(usize::MAX).unwrap_err();
    says(error, "zeros: too many elements (shape [9223372036854775807])");
    let x = DArray::<f64>::ones((2, 3));
    assert!(x.try_reshape(usize::MAX).is_err(), "usize::MAX is not -1");
}
