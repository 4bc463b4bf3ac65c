//! One module per program: inputs, iteration, variants, result.

mod black_scholes;
mod cg;
mod jacobi;
mod stencil;

pub(crate) use black_scholes::Options;
pub(crate) use cg::Gradients;
pub(crate) use jacobi::Equations;
pub(crate) use stencil::Grid;

use darray::{DArray, Float, Result};

/// The sum of an array's elements in f64.
fn sum<T: Float>(array: &DArray<T>) -> Result<f64> {
    array.cast::<f64>().sum().try_item()
}
