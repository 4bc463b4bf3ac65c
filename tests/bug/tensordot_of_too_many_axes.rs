//! `tensordot` over more axes than an operand has spoke of an axis given twice.

use darray::DArray;
use darray::Fallible;

#[test]
fn more_axes_than_there_are() {
    let (a, b) = (DArray::<f64>::ones((2, 3)), DArray::<f64>::ones((2, 3, 4)));
    for (x, y, shapes) in [(&a, &a, "[2, 3] and [2, 3]"), (&a, &b, "[2, 3] and [2, 3, 4]")] {
        let error = x.try_tensordot(y, 3).unwrap_err().to_string();
        let expected =
            format!("tensordot: shapes {shapes}: expected at least 3 axes on both sides");
        assert!(error.starts_with(&expected), "{error}");
    }
    let error = a.try_tensordot(&a, usize::MAX).unwrap_err().to_string();
    assert!(error.contains("expected at least 18446744073709551615 axes"), "{error}");
}
