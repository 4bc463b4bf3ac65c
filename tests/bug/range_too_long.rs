//! A range that is only too long was called not finite.

use darray::DArray;
use darray::Fallible;

#[test]
fn a_long_range_has_too_many_elements() {
    let too_many = |error: darray::Error| {
        assert!(error.to_string().starts_with("arange: too many elements"), "{error}");
    };
    too_many(DArray::<i64>::try_range(0, i64::MAX, 1).unwrap_err());
    too_many(DArray::<i64>::try_range(i64::MIN, i64::MAX, 1).unwrap_err());
    too_many(DArray::try_range(0.0, 1e300, 1.0).unwrap_err());
    for (start, stop, step) in [(0.0, 1.0, 0.0), (0.0, f64::INFINITY, 1.0), (f64::NAN, 1.0, 1.0)] {
        let error = DArray::try_range(start, stop, step).unwrap_err().to_string();
        assert!(error.starts_with("arange: no finite range from "), "{error}");
    }
}
