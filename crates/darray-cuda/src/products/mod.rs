//! Libraries that multiply matrices.

mod cublas;

pub use cublas::Cublas;

use crate::CudaError;
use crate::driver::Stream;

/// A library that multiplies matrices of floats on a GPU, in an order of its own: its results are not those
/// of darray's kernels, bit for bit.
pub(crate) trait Products: Send + Sync {
    /// Queues a product, if the library takes it; the bytes that it touches are valid when it runs.
    ///
    /// # Safety
    /// Every element of the operands is in memory of the stream's GPU.
    unsafe fn multiply(&self, product: &Product, stream: &Stream) -> Result<bool, CudaError>;
}

/// `out = a b`, for each matrix of a stack.
#[derive(Clone, Debug)]
pub(crate) struct Product {
    /// Whether elements are f64, else f32.
    pub double: bool,
    /// `out` has m rows and n columns, k is summed over.
    pub extents: [usize; 3],
    /// Matrices of the stack.
    pub count: usize,
    pub out: Matrix,
    pub a: Matrix,
    pub b: Matrix,
}

/// Where matrices lie; strides in elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix {
    pub address: u64,
    pub row: i64,
    pub column: i64,
    /// From one matrix of the stack to the next.
    pub next: i64,
}
