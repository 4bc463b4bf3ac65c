//! Minus the least offset overflowed, so that everything lay below a diagonal far above.

use darray::DArray;
use darray::Fallible;

#[test]
fn offsets_beyond_every_element() {
    let x = DArray::<i64>::ones((2, 3));
    assert_eq!(x.tril(isize::MIN).to_vec(), [0; 6]);
    assert_eq!(x.triu(isize::MIN).to_vec(), [1; 6]);
    assert_eq!(x.tril(isize::MAX).to_vec(), [1; 6]);
    assert_eq!(x.triu(isize::MAX).to_vec(), [0; 6]);
    assert_eq!(DArray::<i64>::tri(2, 3, isize::MIN).to_vec(), [0; 6]);
    assert_eq!(DArray::<i64>::tri(2, 3, isize::MAX).to_vec(), [1; 6]);
    for offset in [isize::MIN, isize::MIN + 1, isize::MAX] {
        assert_eq!(DArray::<i64>::eye(2, 3, offset).to_vec(), [0; 6]);
        assert_eq!(x.diag(offset).shape(), [0]);
        assert_eq!(x.diagonal(offset).shape(), [0]);
        let error = DArray::<i64>::arange(2).try_diag(offset).unwrap_err().to_string();
        assert!(error.starts_with("diag: too many elements"), "{error}");
    }
}
