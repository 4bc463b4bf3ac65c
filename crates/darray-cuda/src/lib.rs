//! CUDA devices: the driver, kernels compiled at run time, streams, memory, builtins.

mod compile;
mod device;
mod driver;
mod error;
mod library;
mod products;

pub use compile::{CompileStats, Compiler, Nvrtc, Target, cached_texts};
pub use darray_codegen::cuda::Math;
#[cfg(feature = "testing")]
pub use device::CudaTesting;
pub use device::{
    CudaArg, CudaArray, CudaDevices, CudaOptions, CudaPointTask, CudaSource, CudaVariant,
};
pub use driver::{Card, Driver, Grid};
pub use error::CudaError;
pub use products::Cublas;
