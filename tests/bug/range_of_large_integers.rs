//! The length of an integer range was computed in floats, which cannot tell large integers apart.

use darray::DArray;

#[test]
fn integer_ranges_are_exact() {
    let (low, high) = (i64::MIN, i64::MAX);
    assert_eq!(DArray::range(high - 3, high, 1).to_vec(), [high - 3, high - 2, high - 1]);
    assert_eq!(DArray::range(low + 2, low, -1).to_vec(), [low + 2, low + 1]);
    assert_eq!(DArray::range(low, high, high).to_vec(), [low, -1, high - 1]);
    let big = 1i64 << 60;
    assert_eq!(DArray::range(big + 1, big + 6, 2).to_vec(), [big + 1, big + 3, big + 5]);
    for (start, stop, step, expected) in [
        (0, 7, 3, &[0, 3, 6][..]),
        (0, 6, 3, &[0, 3]),
        (7, 0, -3, &[7, 4, 1]),
        (6, 0, -3, &[6, 3]),
        (0, 7, -3, &[]),
        (7, 0, 3, &[]),
        (5, 5, 1, &[]),
        (0, 1, 9, &[0]),
        (0, -1, -9, &[0]),
    ] {
        assert_eq!(DArray::range(start, stop, step).to_vec(), expected, "{start} {stop} {step}");
    }
}
