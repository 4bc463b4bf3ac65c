//! One module per program: inputs, iteration, variants, result.

mod black_scholes;
mod cg;
mod complex_product;
mod heat3d;
mod jacobi;
mod julia;
mod kmeans;
mod linear_filter;
mod logistic_regression;
mod mandelbrot;
mod nbody;
mod products;
mod sepia;
mod stencil;
mod stencil27;

pub(crate) use black_scholes::Options;
pub(crate) use cg::Gradients;
pub(crate) use complex_product::ComplexVectors;
pub(crate) use heat3d::Heat;
pub(crate) use jacobi::Equations;
pub(crate) use julia::Julia;
pub(crate) use kmeans::Points;
pub(crate) use linear_filter::Filter;
pub(crate) use logistic_regression::Samples;
pub(crate) use mandelbrot::Plane;
pub(crate) use nbody::Attraction;
pub(crate) use products::Vectors;
pub(crate) use sepia::Sepia;
pub(crate) use stencil::Grid;
pub(crate) use stencil27::Cube;

use darray::{DArray, Fallible, Float, Result};

/// The sum of an array's elements in f64.
fn sum<T: Float>(array: &DArray<T>) -> Result<f64> {
    array.cast::<f64>().sum(..).try_item()
}

/// The sum of the squares of an array's elements in f64.
fn square_sum<T: Float>(array: &DArray<T>) -> Result<f64> {
    let wide = array.cast::<f64>();
    (&wide * &wide).sum(..).try_item()
}
