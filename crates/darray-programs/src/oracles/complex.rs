//! Programs with complex numbers.

use super::{Float, real, sum};
use darray::{Complex, ComplexNumber};

/// The steps that all points take together.
pub(crate) fn julia<T: Float>(
    points: &[T::WithComplex],
    c: Complex<f64>,
    iterations: usize,
) -> f64 {
    let c = Complex::new(real::<T>(c.re), real::<T>(c.im));
    let mut steps = 0;
    for &start in points {
        let mut z = complex(start);
        for _ in 0..iterations {
            if z.re * z.re + z.im * z.im >= real(4.0) {
                break;
            }
            z = z * z + c;
            steps += 1;
        }
    }
    steps as f64
}

/// The sums of both parts of `z * w + c`.
pub(crate) fn complex_product<T: Float>(
    z: &[T::WithComplex],
    w: &[T::WithComplex],
    c: &[T::WithComplex],
) -> Vec<f64> {
    let elements =
        z.iter().zip(w).zip(c).map(|((&z, &w), &c)| complex(z) * complex(w) + complex(c));
    let (re, im): (Vec<T>, Vec<T>) = elements.map(|z| (z.re, z.im)).unzip();
    vec![sum(&re), sum(&im)]
}

/// A number as the host computes with it.
fn complex<Z: ComplexNumber>(z: Z) -> Complex<Z::Part> {
    let [re, im] = z.parts();
    Complex::new(re, im)
}
