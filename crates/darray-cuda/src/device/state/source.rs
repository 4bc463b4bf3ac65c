//! CUDA C that programs bring along.

use std::sync::Arc;

/// CUDA C of a program's own. NVRTC compiles it once for a GPU, on first use; it is loaded there until the
/// source and its clones are dropped.
///
/// It is compiled as darray's own kernels are: C++17, and no multiplication is fused with an addition unless
/// the text says so (`fma`).
///
/// ```
/// let source = darray_cuda::CudaSource::new("extern \"C\" __global__ void nothing() {}");
/// assert!(source.text().contains("nothing"));
/// ```
#[derive(Clone, Debug)]
pub struct CudaSource(Arc<str>);

impl CudaSource {
    /// From a text whose kernels are `extern "C" __global__`.
    pub fn new(text: impl Into<Arc<str>>) -> CudaSource {
        CudaSource(text.into())
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.0
    }

    pub(in crate::device) fn shared(&self) -> &Arc<str> {
        &self.0
    }
}
