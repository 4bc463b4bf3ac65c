//! The Mandelbrot set in array style: every point of the plane takes part in every step. With a path the
//! picture of the steps is written there.

use darray::image::Colormap;
use darray::{DArray, Float, NewAxis, s};

/// Complex numbers: their real and their imaginary parts.
pub type Pair<T> = (DArray<T>, DArray<T>);

/// The part of the plane that is looked at: a row of real parts and a column of imaginary parts.
pub fn plane<T: Float>(n: usize) -> Pair<T> {
    let re = DArray::linspace(-2.25, 0.75, n);
    let im = DArray::linspace(-1.25, 1.25, n);
    (re.cast(), im.slice(s![.., NewAxis]).cast())
}

/// One step from z to z² + c of the points that have not escaped, and their count of steps.
pub fn step<T: Float>(c: &Pair<T>, z: &Pair<T>, steps: &DArray<i64>) -> (Pair<T>, DArray<i64>) {
    let (x, y) = z;
    let (x2, y2) = (x * x, y * y);
    let inside = (&x2 + &y2).lt(4);
    let steps = steps + &inside;
    let next = (x2 - y2 + &c.0, 2 * x * y + &c.1);
    ((inside.select(next.0, x), inside.select(next.1, y)), steps)
}

#[allow(dead_code)]
fn main() {
    let n = 300;
    let c = plane::<f64>(n);
    let mut z = (DArray::zeros((n, n)), DArray::zeros((n, n)));
    let mut steps = DArray::zeros((n, n));
    for _ in 0..100 {
        (z, steps) = step(&c, &z, &steps);
    }
    if let Some(path) = std::env::args().nth(1) {
        steps.log1p().save_png(path, Colormap::Viridis).expect("a picture");
    }
    let area = steps.eq(100).cast::<f64>().mean(..).item() * 3.0 * 2.5;
    println!("area of the set about {area:.4}");

    // The area is 1.5066, and points close outside take more than 100 steps to escape.
    assert!(area > 1.5 && area < 1.6);
}
