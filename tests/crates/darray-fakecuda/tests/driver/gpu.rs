//! What the tests of the driver share: turns, kernels, raw addresses.

use cudarc::driver::{CudaContext, CudaFunction, CudaStream, DriverError, result, sys};
use cudarc::nvrtc::Ptx;
use darray_fakecuda::FakeCuda;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// `kernels.cu`, compiled by NVRTC 13.0 for `sm_90`.
pub const TEXT: &str = include_str!("kernels.ptx");

static TURN: Mutex<()> = Mutex::new(());

/// The driver, for one test alone.
pub struct Turn {
    pub fake: FakeCuda,
    _turn: MutexGuard<'static, ()>,
}

/// The turn of a test, with a driver that starts with these settings.
pub fn turn(settings: &str) -> Turn {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let fake = FakeCuda::load().unwrap();
    fake.configure(&format!("quiet=on {settings}")).unwrap();
    Turn { fake, _turn: turn }
}

/// A device with the kernels of the tests.
pub struct Gpu {
    pub context: Arc<CudaContext>,
    affine: CudaFunction,
}

impl Gpu {
    pub fn new(device: usize) -> Result<Gpu, DriverError> {
        let context = CudaContext::new(device)?;
        let module = context.load_module(Ptx::from_src(TEXT))?;
        let affine = module.load_function("affine")?;
        Ok(Gpu { context, affine })
    }

    pub fn stream(&self) -> Arc<CudaStream> {
        self.context.new_stream().unwrap()
    }

    /// Memory that is freed by `free`, or with the context.
    pub fn allocate(&self, bytes: usize) -> Result<u64, DriverError> {
        self.context.bind_to_thread()?;
        // SAFETY: the memory is used as the tests say.
        unsafe { result::malloc_sync(bytes) }
    }

    pub fn free(&self, address: u64) -> Result<(), DriverError> {
        self.context.bind_to_thread()?;
        // SAFETY: as above.
        unsafe { result::free_sync(address) }
    }

    /// `y = a x + b`, element by element.
    pub fn affine(
        &self,
        stream: &CudaStream,
        [x, y]: [u64; 2],
        [a, b]: [f32; 2],
        count: i32,
    ) -> Result<(), DriverError> {
        let arguments = [pointer(&x), pointer(&y), pointer(&a), pointer(&b), pointer(&count)];
        launch(stream, &self.affine, count, &arguments)
    }
}

pub fn pointer<T>(value: &T) -> *mut c_void {
    std::ptr::from_ref(value).cast_mut().cast()
}

fn launch(
    stream: &CudaStream,
    function: &CudaFunction,
    count: i32,
    arguments: &[*mut c_void],
) -> Result<(), DriverError> {
    stream.context().bind_to_thread()?;
    let grid = (count as u32).div_ceil(128).max(1);
    let mut arguments = arguments.to_vec();
    // SAFETY: the arguments are those of the kernel and live for the call.
    unsafe {
        result::launch_kernel(
            function.cu_function(),
            (grid, 1, 1),
            (128, 1, 1),
            0,
            stream.cu_stream(),
            &mut arguments,
        )
    }
}

/// Copies to a device and waits.
pub fn upload(address: u64, values: &[f32]) {
    // SAFETY: the tests give as much memory as values.
    unsafe { result::memcpy_htod_sync(address, values) }.unwrap();
}

/// Copies from a device and waits.
pub fn download(address: u64, count: usize) -> Result<Vec<f32>, DriverError> {
    let mut values = vec![0f32; count];
    // SAFETY: the tests ask for as many values as the memory has.
    unsafe { result::memcpy_dtoh_sync(&mut values, address) }?;
    Ok(values)
}

/// The result of a raw call as a number.
pub fn code(result: sys::CUresult) -> u32 {
    result as u32
}

/// The number of an error.
pub fn number<T>(result: Result<T, DriverError>) -> u32 {
    result.map_or_else(|error| error.0 as u32, |_| 0)
}
