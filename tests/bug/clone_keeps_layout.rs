//! A clone of a transposed array shares its layout, so what reshapes of it alias is what reshapes of
//! the original alias (NumPy's `copy(order="K")`).

use darray::DArray;

#[test]
fn a_reshape_of_a_clone_aliases_where_one_of_the_original_does() {
    let original = DArray::<f64>::zeros((8, 6));
    let turned = original.t();
    let clone = turned.clone();
    for (array, flat) in [(&turned, original.reshape(48)), (&clone, clone.t().reshape(48))] {
        flat.assign(2.0);
        assert_eq!(array.sum().item(), 96.0);
        flat.assign(0.0);
    }
    clone.t().reshape(48).assign(1.0);
    assert_eq!((clone.sum().item(), original.sum().item()), (48.0, 0.0));
}
