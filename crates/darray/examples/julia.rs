//! A Julia set with complex arrays: which points of the plane stay where they are sent, again and again, from z
//! to z² + c. With a path the picture of the steps is written there.

use darray::image::Colormap;
use darray::{Complex, ComplexNumber, ComplexPart, DArray, NewAxis, s};

/// What is added in every step.
pub const C: Complex<f64> = Complex::new(-0.8, 0.156);

/// The points that are looked at.
pub fn plane<T: ComplexPart>(n: usize) -> DArray<T::WithComplex> {
    let re = DArray::linspace(-1.6, 1.6, n).cast::<T>().broadcast_to((n, n));
    let im = DArray::linspace(-1.0, 1.0, n).slice(s![.., NewAxis]).cast().broadcast_to((n, n));
    DArray::from_parts(re, im)
}

/// A number in the type of the plane's points.
pub fn constant<T: ComplexPart>(z: Complex<f64>) -> T::WithComplex {
    T::WithComplex::of_parts(T::from(z.re), T::from(z.im))
}

/// One step of the points that have not escaped, and their count of steps: one kernel.
pub fn step<T: ComplexPart>(
    z: &DArray<T::WithComplex>,
    steps: &DArray<i64>,
) -> (DArray<T::WithComplex>, DArray<i64>) {
    let inside = z.norm_sqr().lt(4);
    (inside.select(&(z * z + constant::<T>(C)), z), steps + &inside)
}

#[allow(dead_code)]
fn main() {
    let n = 300;
    let mut z = plane::<f64>(n);
    let mut steps = DArray::zeros((n, n));
    for _ in 0..200 {
        (z, steps) = step::<f64>(&z, &steps);
    }
    let slow = steps.ge(50).cast::<f64>().mean(..).item();
    println!("{:.1} % of the points take 50 steps or more", 100.0 * slow);
    if let Some(path) = std::env::args().nth(1) {
        steps.log1p().save_png(path, Colormap::Inferno).expect("a picture");
    }
    let (around, back) = (steps.to_vec(), steps.flip(..).to_vec());

    // The set is its own image turned by half a turn.
    let equal = around.iter().zip(&back).filter(|(a, b)| a == b).count();
    assert!(slow > 0.1 && slow < 0.5 && equal as f64 > 0.95 * around.len() as f64);
}
