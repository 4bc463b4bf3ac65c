//! What the programs come to, by plain loops over elements: written without arrays, views or fusion, in
//! the program's element type; sums for a checksum are in f64.

mod complex;
mod grids;
mod images;
mod points;
mod systems;

pub(crate) use complex::{complex_product, julia};
pub(crate) use grids::{heat3d, stencil, stencil27};
pub(crate) use images::{linear_filter, sepia};
pub(crate) use points::{black_scholes, kmeans, logistic_regression, mandelbrot, nbody, product};
pub(crate) use systems::{conjugate_gradients, jacobi};

use darray::ComplexPart;

/// An element type of the programs, with the functions of numbers that they need.
pub trait Float: ComplexPart {
    /// `e^self`.
    fn exp(self) -> Self;
    /// The natural logarithm.
    fn ln(self) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
    /// Without its sign.
    fn abs(self) -> Self;
}

macro_rules! floats {
    ($($t:ident)*) => { $(
        impl Float for $t {
            fn exp(self) -> $t {
                self.exp()
            }

            fn ln(self) -> $t {
                self.ln()
            }

            fn sqrt(self) -> $t {
                self.sqrt()
            }

            fn abs(self) -> $t {
                self.abs()
            }
        }
    )* };
}

floats!(f32 f64);

/// A constant in the element type.
fn real<T: Float>(value: f64) -> T {
    T::from(value)
}

/// An element as f64.
fn wide<T: Float>(value: T) -> f64 {
    value.into_scalar().to_f64()
}

/// The sum in f64.
fn sum<T: Float>(values: &[T]) -> f64 {
    values.iter().map(|&v| wide(v)).sum()
}

/// The sum of the squares in f64.
fn square_sum<T: Float>(values: &[T]) -> f64 {
    values.iter().map(|&v| wide(v) * wide(v)).sum()
}
