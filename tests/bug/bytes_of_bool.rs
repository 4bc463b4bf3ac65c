//! Bytes other than 0 and 1 came into bool arrays, where `and` took them bit by bit.

use darray::{DArray, DType, DynArray};

#[test]
fn any_byte_but_0_is_true() {
    let x = DynArray::from_bytes(4, DType::Bool, vec![2, 1, 0, 255]).expect("four elements");
    assert_eq!(x.to_bytes().expect("bytes"), [1, 1, 0, 1]);
    let x = DArray::<bool>::try_from(x).expect("bool");
    assert_eq!((&x & DArray::<bool>::ones(4)).to_vec(), [true, true, false, true]);
    assert_eq!((x.sum(..).item(), x.eq(true).sum(..).item()), (3, 3));
}
