//! How CUDA devices are made.

use darray_codegen::cuda::Math;
use darray_core::settings::{CudaLaunch, CudaProducts};
use std::path::PathBuf;

/// How CUDA devices are made.
#[derive(Clone, Debug, Default)]
pub struct CudaOptions {
    /// The physical GPU of each logical device. Several may share one.
    pub gpus: Vec<usize>,
    /// Bytes that each device may allocate; none: nine tenths of the GPU, shared out evenly.
    pub memory_limit: Option<u64>,
    /// The file of the CUDA driver; none: where the system's loader finds it.
    pub driver: Option<PathBuf>,
    /// The folder of NVRTC; none: where the system's loader or the CUDA toolkit has it.
    pub nvrtc: Option<PathBuf>,
    /// Where compiled kernels are kept; none: nowhere.
    pub kernel_cache: Option<PathBuf>,
    /// Whose elementary functions kernels call.
    pub math: Math,
    /// The id of the first device; the others follow.
    pub first: u16,
    /// How plans that repeat are launched.
    pub launch: CudaLaunch,
    /// Who multiplies matrices of floats.
    pub products: CudaProducts,
    /// The folder of cuBLAS; none: where the system's loader or the CUDA toolkit has it.
    pub cublas: Option<PathBuf>,
    /// What tests change inside.
    #[cfg(feature = "testing")]
    pub testing: CudaTesting,
}

impl CudaOptions {
    #[cfg(feature = "testing")]
    pub(super) fn testing(&self) -> CudaTesting {
        self.testing
    }

    #[cfg(not(feature = "testing"))]
    pub(super) fn testing(&self) -> CudaTesting {
        CudaTesting::default()
    }
}

/// What tests change inside, so that small arrays go the ways of large ones. Without the feature `testing` it is as by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct CudaTesting {
    /// Whether devices do not access each other's memory, but copy through the host.
    pub staged: bool,
    /// Bytes of a long transfer from or to the host, or through it, that go together; none: 16 MiB.
    pub piece: Option<usize>,
    /// Blocks of a copy or a builtin, at most; none: 4096, which fill any GPU. What is longer goes round.
    pub most_blocks: Option<u32>,
    /// Elements of a strided copy, at most, that are counted by 32 bits; none: 2³² - 1.
    pub most_narrow: Option<u32>,
}
