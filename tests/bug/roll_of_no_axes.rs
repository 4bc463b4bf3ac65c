//! A roll along an empty list of axes, which moves nothing, subtracted one from the number of axes.

use darray::DArray;
use darray::Fallible;

#[test]
fn a_roll_along_no_axes_or_by_no_shifts_is_a_copy() {
    let none: [isize; 0] = [];
    let x = DArray::<i64>::arange(4).reshape((2, 2));
    for rolled in [x.roll(1, none), x.roll(none, 0), x.roll(none, none)] {
        assert_eq!((rolled.shape(), rolled.to_vec()), (&[2, 2][..], vec![0, 1, 2, 3]));
        rolled.assign(7);
    }
    assert_eq!(x.to_vec(), [0, 1, 2, 3]);
    assert_eq!(DArray::<f64>::ones(()).roll(3, none).item(), 1.0);
    let error = x.try_roll([1, 2], none).unwrap_err().to_string();
    assert!(error.starts_with("roll: 2 shifts for 0 axes"), "{error}");
}
