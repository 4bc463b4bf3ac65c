//! An integer bound that the element type cannot hold was refused where it bounds nothing, as NumPy 2
//! takes it for none.

use darray::{DArray, Fallible, np};

#[test]
fn bounds_beyond_the_type_bound_nothing() {
    let x = DArray::from_vec(vec![0u8, 100, 255]);
    assert_eq!(np::clip(&x, 0, 300).to_vec(), [0, 100, 255]);
    assert_eq!(np::clip(&x, -5, 300).to_vec(), [0, 100, 255]);
    assert_eq!(np::clip(&x, -5, 3).to_vec(), [0, 3, 3]);
    assert_eq!(np::clip(&x, 7, 300).to_vec(), [7, 100, 255]);
    assert_eq!(np::clip(&x, (), 300).to_vec(), [0, 100, 255]);
    assert_eq!(np::clip(&x, -1, ()).to_vec(), [0, 100, 255]);
    let x = DArray::from_vec(vec![i32::MIN, 0, i32::MAX]);
    assert_eq!(np::clip(&x, i64::MIN, 1i64 << 31).to_vec(), [i32::MIN, 0, i32::MAX]);
    let y = np::clip(&x, i64::MIN, i64::MAX);
    y.assign(0);
    assert_eq!(x.to_vec(), [i32::MIN, 0, i32::MAX], "a copy in any case");
    let wide = np::clip(DArray::from_vec(vec![9u8]), DArray::from_vec(vec![1000i64]), 300);
    assert_eq!(wide.to_vec(), [300], "of what the first bound makes");
}

#[test]
fn bounds_beyond_every_element_are_refused_as_in_numpy() {
    let x = DArray::from_vec(vec![0u8, 100, 255]);
    for (error, value) in [
        (x.try_clip(300, 400).unwrap_err(), 300),
        (x.try_clip(0, -1).unwrap_err(), -1),
        (x.try_clip(256, ()).unwrap_err(), 256),
    ] {
        let expected = format!("clip: the integer {value} is out of bounds for u8");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}
