//! The choice of GPUs.

use super::RuntimeBuilder;
use darray_core::settings::{CudaLaunch, CudaMath, CudaProducts, Settings};
use darray_device::Device;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Which GPUs, and where the libraries for them are.
pub(super) struct Cuda {
    gpus: Vec<usize>,
    driver: Option<PathBuf>,
    nvrtc: Option<PathBuf>,
    kernel_cache: Option<PathBuf>,
    launch: CudaLaunch,
    math: CudaMath,
    products: CudaProducts,
    cublas: Option<PathBuf>,
}

impl RuntimeBuilder {
    /// Devices on these GPUs instead of CPU devices; several may share a GPU. It needs the cargo
    /// feature `cuda`, NVIDIA's driver, and NVRTC, which compiles kernels.
    ///
    /// ```
    /// use darray::{DArray, Runtime};
    /// match Runtime::builder().cuda(&[0]).build() {
    ///     Ok(rt) => assert_eq!(rt.scope(|| DArray::<f64>::ones(1000).sum(..).item()), 1000.0),
    ///     Err(error) => println!("no GPU: {error}"),
    /// }
    /// ```
    pub fn cuda(mut self, gpus: &[usize]) -> Self {
        self.cuda.gpus = gpus.to_vec();
        self
    }

    /// How plans that repeat are launched on GPUs: every kernel by itself, or each plan as one CUDA
    /// graph; by default the latter, unless matrices are multiplied by a library. Results do not depend on it.
    ///
    /// ```
    /// use darray::{CudaLaunch, Runtime};
    /// let builder = Runtime::builder().cuda(&[0]).cuda_launch(CudaLaunch::Graphs);
    /// # drop(builder);
    /// ```
    pub fn cuda_launch(mut self, launch: CudaLaunch) -> Self {
        self.cuda.launch = launch;
        self
    }

    /// The file of the CUDA driver's library; by default where the system's loader finds it.
    ///
    /// ```
    /// use darray::Runtime;
    /// let builder = Runtime::builder().cuda(&[0]).cuda_driver("libcuda.so.1");
    /// # drop(builder);
    /// ```
    pub fn cuda_driver(mut self, file: impl AsRef<Path>) -> Self {
        self.cuda.driver = Some(file.as_ref().to_path_buf());
        self
    }

    /// The folder of NVRTC, of the Python package nvidia-cuda-nvrtc, say; by default where the
    /// system's loader or the CUDA toolkit has it.
    ///
    /// ```
    /// use darray::Runtime;
    /// let builder = Runtime::builder().cuda(&[0]).nvrtc("site-packages/nvidia/cu13/lib");
    /// # drop(builder);
    /// ```
    pub fn nvrtc(mut self, folder: impl AsRef<Path>) -> Self {
        self.cuda.nvrtc = Some(folder.as_ref().to_path_buf());
        self
    }

    /// A folder in which kernels for GPUs are kept for later processes; none by default.
    ///
    /// ```
    /// use darray::Runtime;
    /// let builder = Runtime::builder().cuda(&[0]).kernel_cache("/tmp/kernels");
    /// # drop(builder);
    /// ```
    pub fn kernel_cache(mut self, folder: impl AsRef<Path>) -> Self {
        self.cuda.kernel_cache = Some(folder.as_ref().to_path_buf());
        self
    }

    /// Whose elementary functions the kernels of GPUs call: darray's by default, whose bits are those of
    /// CPU devices. CUDA's own are faster; their errors are in CUDA's documentation.
    ///
    /// ```
    /// use darray::{CudaMath, Runtime};
    /// let builder = Runtime::builder().cuda(&[0]).cuda_math(CudaMath::Libdevice);
    /// # drop(builder);
    /// ```
    pub fn cuda_math(mut self, math: CudaMath) -> Self {
        self.cuda.math = math;
        self
    }

    /// Who multiplies matrices of floats on GPUs: darray's kernels by default, whose bits are those of CPU
    /// devices. cuBLAS is faster, sums in an order of its own, and is not to be had together with
    /// [`CudaLaunch::Graphs`]; what it does not take (other element types, strides with gaps) is darray's. The
    /// statistics count both.
    ///
    /// ```
    /// use darray::{CudaProducts, Runtime};
    /// let builder = Runtime::builder().cuda(&[0]).cuda_products(CudaProducts::Cublas);
    /// # drop(builder);
    /// ```
    pub fn cuda_products(mut self, products: CudaProducts) -> Self {
        self.cuda.products = products;
        self
    }

    /// The folder of cuBLAS, of the Python package nvidia-cublas, say; by default where the system's loader or
    /// the CUDA toolkit has it. It is looked for only where it is asked for.
    ///
    /// ```
    /// use darray::Runtime;
    /// let builder = Runtime::builder().cuda(&[0]).cublas("site-packages/nvidia/cu13/lib");
    /// # drop(builder);
    /// ```
    pub fn cublas(mut self, folder: impl AsRef<Path>) -> Self {
        self.cuda.cublas = Some(folder.as_ref().to_path_buf());
        self
    }
}

impl Cuda {
    pub fn from_settings(settings: &Settings) -> Cuda {
        Cuda {
            gpus: settings.cuda_devices.clone(),
            driver: settings.cuda_driver.clone(),
            nvrtc: settings.nvrtc.clone(),
            kernel_cache: settings.kernel_cache.clone(),
            launch: settings.cuda_launch,
            math: settings.cuda_math,
            products: settings.cuda_products,
            cublas: settings.cublas.clone(),
        }
    }

    /// How many devices there are to be.
    pub fn count(&self) -> usize {
        self.gpus.len()
    }

    /// Whether there are to be CUDA devices.
    pub fn is_chosen(&self) -> bool {
        !self.gpus.is_empty()
    }

    /// One device per GPU of the list.
    #[cfg(feature = "cuda")]
    pub fn devices(&self, memory_limit: Option<u64>) -> Result<Vec<Arc<dyn Device>>, String> {
        let options = darray_cuda::CudaOptions {
            gpus: self.gpus.clone(),
            memory_limit,
            driver: self.driver.clone(),
            nvrtc: self.nvrtc.clone(),
            kernel_cache: self.kernel_cache.clone(),
            launch: self.launch,
            math: match self.math {
                CudaMath::Darray => darray_cuda::Math::Darray,
                CudaMath::Libdevice => darray_cuda::Math::Libdevice,
            },
            products: self.products,
            cublas: self.cublas.clone(),
            ..darray_cuda::CudaOptions::default()
        };
        darray_cuda::CudaDevices::new(options).map_err(|error| error.to_string())
    }

    /// There are none in this build.
    #[cfg(not(feature = "cuda"))]
    pub fn devices(&self, _: Option<u64>) -> Result<Vec<Arc<dyn Device>>, String> {
        let Cuda { gpus, .. } = self;
        Err(format!("GPUs {gpus:?} are asked for, and darray is built without its feature `cuda`"))
    }
}
