//! What the rows are about.

#[cfg(test)]
use darray::{Complex, DArray};

/// The arrays, for tests, with NumPy's expressions of them.
macro_rules! given {
    ($($name:ident: $t:ty = $value:expr => $numpy:literal;)+) => {
        #[cfg(test)]
        pub struct Given {
            $(pub $name: DArray<$t>,)+
        }

        #[cfg(test)]
        impl Given {
            pub fn new() -> Given {
                Given { $($name: $value,)+ }
            }
        }
    };
}

given! {
    x: f64 = DArray::from([[1.0, -2.0, 3.5], [0.5, 4.0, -1.0]]) => "np.array([[1, -2, 3.5], [0.5, 4, -1]])";
    y: f64 = DArray::from([[2.0, 1.0, 0.5], [3.0, -1.0, 4.0]]) => "np.array([[2, 1, 0.5], [3, -1, 4]])";
    a: f64 = DArray::from([[2.0, 1.0], [1.0, 3.0]]) => "np.array([[2., 1], [1, 3]])";
    b: f64 = DArray::from([[1.0, 0.0], [2.0, -1.0]]) => "np.array([[1., 0], [2, -1]])";
    v: f64 = DArray::from([3.0, 1.0, 2.0, 1.0]) => "np.array([3., 1, 2, 1])";
    u: f64 = DArray::from([0.0, 0.5, -0.25, 0.75]) => "np.array([0, 0.5, -0.25, 0.75])";
    s: f64 = DArray::from([0.0, 1.0, 2.0, 4.0]) => "np.array([0., 1, 2, 4])";
    w: f64 = DArray::from([1.0, f64::NAN, 3.0, f64::NEG_INFINITY]) => "np.array([1, np.nan, 3, -np.inf])";
    n: i64 = DArray::from([3i64, 1, 2, 1, 7]) => "np.array([3, 1, 2, 1, 7])";
    k: i64 = DArray::from([1i64, 2, 0, 1, 3]) => "np.array([1, 2, 0, 1, 3])";
    m: bool = DArray::from([true, false, true, false, true]) => "np.array([True, False, True, False, True])";
    z: Complex<f64> = DArray::from_vec(vec![Complex::new(1.0, 2.0), Complex::new(-0.5, 0.0), Complex::new(0.0, -1.0)]) => "np.array([1+2j, -0.5, -1j])";
}
