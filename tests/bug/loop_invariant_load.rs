//! A 0-d operand is loaded once in front of the loop; the loop read something else where the other
//! operand had to be cast.

use darray::{DArray, Runtime};

#[test]
fn a_0d_array_times_an_array_of_another_type() {
    for devices in [1, 2] {
        let runtime = Runtime::builder().cpu_devices(devices).build().expect("a runtime");
        runtime.scope(|| {
            let factor = DArray::<f64>::from_shape_vec((), vec![2.0]);
            let numbers = DArray::<f32>::from_vec(vec![1.0, 2.0, 3.0, 4.0, 5.0]);
            assert_eq!((&factor * &numbers).to_vec(), [2.0, 4.0, 6.0, 8.0, 10.0]);
        });
    }
}
