//! What the programs come to, by plain loops over elements: written without arrays, views or fusion, in
//! the program's element type; sums for a checksum are in f64.

mod complex;
mod flows;
mod grids;
mod images;
mod multigrid;
mod networks;
mod pixels;
mod points;
mod shallow_water;
mod systems;
mod waves;
mod weather;

pub(crate) use complex::{complex_product, julia};
pub(crate) use flows::{Flow, flow};
pub(crate) use grids::{heat3d, stencil, stencil27};
pub(crate) use images::{linear_filter, sepia};
pub(crate) use multigrid::multigrid;
pub(crate) use networks::{adam, attention, layernorm, mlp, softmax};
pub(crate) use pixels::{filter5x5, fourier, game_of_life};
pub(crate) use points::{black_scholes, kmeans, logistic_regression, mandelbrot, nbody, product};
pub(crate) use shallow_water::shallow_water;
pub(crate) use systems::{bicgstab, cgs, conjugate_gradients, jacobi};
pub(crate) use waves::{fdtd2d, hdiff};
pub(crate) use weather::miniweather;

use darray::ComplexPart;
use std::ops::{Index, IndexMut};

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
    /// To this power.
    fn powf(self, exponent: Self) -> Self;
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

            fn powf(self, exponent: $t) -> $t {
                self.powf(exponent)
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

/// Rows of elements.
#[derive(Clone, Debug)]
struct Plane<T> {
    width: usize,
    cells: Vec<T>,
}

impl<T> Index<[usize; 2]> for Plane<T> {
    type Output = T;

    fn index(&self, [y, x]: [usize; 2]) -> &T {
        &self.cells[y * self.width + x]
    }
}

impl<T> IndexMut<[usize; 2]> for Plane<T> {
    fn index_mut(&mut self, [y, x]: [usize; 2]) -> &mut T {
        &mut self.cells[y * self.width + x]
    }
}

/// The elements of several results as f64.
fn wides<T: Float, const N: usize>(results: [&[T]; N]) -> Vec<Vec<f64>> {
    results.iter().map(|result| result.iter().map(|&v| wide(v)).collect()).collect()
}

/// The sum in f64.
fn sum<T: Float>(values: &[T]) -> f64 {
    values.iter().map(|&v| wide(v)).sum()
}

/// The sum of the squares in f64.
fn square_sum<T: Float>(values: &[T]) -> f64 {
    values.iter().map(|&v| wide(v) * wide(v)).sum()
}
