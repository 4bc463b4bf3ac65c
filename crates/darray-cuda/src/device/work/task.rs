//! Tasks that programs bring along, on GPUs.

use super::Run;
use super::route::Route;
use crate::device::state::source::CudaSource;
use crate::driver::{Function, Grid, Parameters, doubt};
use crate::error::CudaError;
use darray_core::{RealType, Scalar};
use darray_device::{Fault, PointCall};
use smallvec::SmallVec;
use std::ffi::c_void;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// What a task that a program brings along does for one point, on a GPU: it queues work.
///
/// Rules:
/// - It is called on the host when the task is submitted, with the GPU's context current, by the thread that
///   carries out the plan. The arrays are not computed yet: only what it queues finds them so.
/// - What it queues goes to [the stream](CudaPointTask::stream) of the point, which it neither waits for
///   nor keeps, or is [launched](CudaPointTask::launch). It leaves no work of the point on other streams.
/// - An error, and likewise a panic, is the failure of what the task writes.
/// - It must not wait for arrays of the runtime that calls it.
///
/// ```
/// use darray_cuda::{CudaSource, CudaVariant, Grid};
/// let source = CudaSource::new(
///     r#"extern "C" __global__ void triple(double* to, const double* from, long long n) {
///         long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
///         if (i < n) to[i] = 3.0 * from[i];
///     }"#,
/// );
/// let triple = CudaVariant::new(move |point| {
///     let (to, from) = point.one_to_one();
///     if !(to.is_contiguous() && from.is_contiguous()) {
///         return Err("strided".to_string());
///     }
///     let args = [to.into(), from.into(), to.len().into()];
///     // SAFETY: these are the kernel's parameters, and it stays within the arrays.
///     unsafe { point.launch(&source, "triple", Grid::over(to.len(), 256), &args) }
/// });
/// # drop(triple);
/// ```
pub struct CudaVariant {
    #[allow(clippy::type_complexity, reason = "what the constructor takes")]
    run: Box<dyn Fn(&mut CudaPointTask<'_>) -> Result<(), String> + Send + Sync>,
}

impl CudaVariant {
    /// From a function of one point.
    ///
    /// ```
    /// let nothing = darray_cuda::CudaVariant::new(|_| Ok(()));
    /// # drop(nothing);
    /// ```
    pub fn new(
        run: impl Fn(&mut CudaPointTask<'_>) -> Result<(), String> + Send + Sync + 'static,
    ) -> CudaVariant {
        CudaVariant { run: Box::new(run) }
    }
}

impl fmt::Debug for CudaVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CudaVariant")
    }
}

/// A part of an array in a GPU's memory: what one point uses of it. It lies inside a block of the device.
///
/// The address holds for what the point queues, and no longer.
#[derive(Clone, Copy, Debug)]
pub struct CudaArray<'p> {
    address: u64,
    shape: &'p [usize],
    strides: &'p [i64],
    dtype: RealType,
    written: bool,
}

impl<'p> CudaArray<'p> {
    /// Where the first element lies: a device pointer.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Extents.
    pub fn shape(&self) -> &'p [usize] {
        self.shape
    }

    /// Elements from one to the next along each axis: negative or 0, too.
    pub fn strides(&self) -> &'p [i64] {
        self.strides
    }

    /// Element type. A `bool` is a byte that is 0 or 1.
    pub fn dtype(&self) -> RealType {
        self.dtype
    }

    /// Whether the point writes it: then it shares no element with any other array of the point. What is
    /// there before is undefined, unless the array is updated.
    pub fn is_written(&self) -> bool {
        self.written
    }

    /// Number of elements.
    #[allow(clippy::len_without_is_empty, reason = "a point has elements")]
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether the elements lie one after the other, in row-major order.
    pub fn is_contiguous(&self) -> bool {
        let mut step = 1;
        for (&extent, &stride) in self.shape.iter().zip(self.strides).rev() {
            if extent > 1 && stride != step {
                return false;
            }
            step *= extent as i64;
        }
        true
    }
}

/// What a kernel is called with: numbers, or arrays, of which it gets the addresses.
///
/// ```
/// use darray_cuda::CudaArg;
/// let args: [CudaArg; 3] = [1.5f64.into(), 7i32.into(), 100usize.into()];
/// # let _ = args;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct CudaArg(u64);

impl From<CudaArray<'_>> for CudaArg {
    fn from(array: CudaArray<'_>) -> CudaArg {
        CudaArg(array.address)
    }
}

/// Numbers stand in the first bytes of the word.
macro_rules! from_number {
    ($($type:ty: $bits:expr),*) => {
        $(impl From<$type> for CudaArg {
            fn from(value: $type) -> CudaArg {
                let bits: fn($type) -> u64 = $bits;
                CudaArg(bits(value))
            }
        })*
    };
}

from_number!(
    bool: u64::from, u8: u64::from, u32: u64::from, u64: u64::from, usize: |v| v as u64,
    i32: |v| u64::from(v as u32), i64: |v| v as u64, f32: |v| u64::from(v.to_bits()), f64: f64::to_bits
);

/// One point of an index task, as the function that queues its work sees it.
pub struct CudaPointTask<'p> {
    domain: &'p [Range<usize>],
    scalars: &'p [Scalar],
    arrays: &'p [CudaArray<'p>],
    /// How many arrays are written; they come first.
    written: usize,
    queue: &'p mut (dyn Work + 'p),
}

impl fmt::Debug for CudaPointTask<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CudaPointTask({:?}, {:?}, {:?})", self.domain, self.scalars, self.arrays)
    }
}

impl<'p> CudaPointTask<'p> {
    /// The point's part of the iteration domain, in global indices.
    pub fn domain(&self) -> &'p [Range<usize>] {
        self.domain
    }

    /// The scalars.
    pub fn scalars(&self) -> &'p [Scalar] {
        self.scalars
    }

    /// The arrays that are written, then those that are only read, each in the order in which the
    /// program gave them.
    pub fn split(&self) -> (&'p [CudaArray<'p>], &'p [CudaArray<'p>]) {
        self.arrays.split_at(self.written)
    }

    /// The array written, and that read, where there is one of each.
    ///
    /// # Panics
    ///
    /// If there are others.
    pub fn one_to_one(&self) -> (CudaArray<'p>, CudaArray<'p>) {
        match self.split() {
            (&[to], &[from]) => (to, from),
            (to, from) => panic!("{} arrays are written and {} read", to.len(), from.len()),
        }
    }

    /// The stream of the point, a `CUstream`: what is queued there runs behind all that the point depends
    /// on, and before all that depends on it.
    ///
    /// With `DARRAY_CUDA_LAUNCH=graphs`, what is queued there is part of no graph: the work that is held back
    /// is launched first. `rt.stats().graphs.apart` counts that.
    ///
    /// # Errors
    ///
    /// A call of the driver fails.
    pub fn stream(&mut self) -> Result<*mut c_void, String> {
        self.queue.stream().map_err(|error| error.to_string())
    }

    /// Queues a kernel of the program's own.
    ///
    /// # Safety
    ///
    /// The arguments are the kernel's parameters: as many, each of its size. The kernel stays within the
    /// arrays that it is given, writes to none that is only read, and has no races.
    ///
    /// # Errors
    ///
    /// The text does not compile, has no such kernel, or the driver does not launch it.
    pub unsafe fn launch(
        &mut self,
        source: &CudaSource,
        kernel: &str,
        grid: Grid,
        args: &[CudaArg],
    ) -> Result<(), String> {
        let words: SmallVec<[u64; 8]> = args.iter().map(|arg| arg.0).collect();
        // SAFETY: the caller's contract; the addresses are of blocks of the point, which live until it has run.
        let result = unsafe { self.queue.launch(source, kernel, grid, &words) };
        result.map_err(|error| format!("kernel {kernel}: {error}"))
    }
}

/// Where the work of a point goes.
trait Work {
    fn stream(&mut self) -> Result<*mut c_void, CudaError>;

    /// # Safety
    /// The words are the kernel's parameters; every address in them is valid when it runs.
    unsafe fn launch(
        &mut self,
        source: &CudaSource,
        kernel: &str,
        grid: Grid,
        words: &[u64],
    ) -> Result<(), CudaError>;
}

impl Run<'_> {
    /// Binds the device's context, whatever context the program has made current.
    fn rebind(&self) -> Result<(), CudaError> {
        doubt();
        self.own.context().bind()
    }

    /// A kernel of a program's own. Where there is no memory to load it, memory is freed first.
    fn program_function(
        &mut self,
        source: &CudaSource,
        kernel: &str,
    ) -> Result<Arc<Vec<Function>>, CudaError> {
        let (physical, compiler) = (&self.own.physical, &self.group.compiler);
        match physical.program_function(compiler, source, kernel) {
            Err(error) if error.is_out_of_memory() => {
                self.route.make_room(self.group, self.own)?;
                if self.direct.take().is_some() {
                    // A batch was launched: the next one comes behind what is still to be queued on the stream.
                    self.stream()?;
                }
                physical.program_function(compiler, source, kernel)
            }
            result => result,
        }
    }
}

impl Work for Run<'_> {
    fn stream(&mut self) -> Result<*mut c_void, CudaError> {
        if self.direct.is_none() {
            self.direct = Some(match &self.route {
                Route::Stream(stream) => stream,
                Route::Batch(launcher, queue) => {
                    launcher.borrow_mut().stream(self.group, self.own, *queue)?
                }
            });
        }
        Ok(self.direct.map_or(std::ptr::null_mut(), |stream| stream.handle()))
    }

    unsafe fn launch(
        &mut self,
        source: &CudaSource,
        kernel: &str,
        grid: Grid,
        words: &[u64],
    ) -> Result<(), CudaError> {
        self.rebind()?;
        let functions = self.program_function(source, kernel)?;
        let (function, parameters): (&Function, _) = (&functions[0], Parameters::Words(words));
        // SAFETY: the caller's contract.
        unsafe {
            match self.direct {
                // Behind what the program queued there itself.
                Some(stream) => function.launch(grid, stream, parameters)?,
                None => self.route.launch(self.own, function, grid, parameters)?,
            }
        }
        self.submission.keep(&functions);
        Ok(())
    }
}

impl Run<'_> {
    /// Queues what a point of a program's own task queues.
    pub(in crate::device) fn task(&mut self, call: &PointCall) -> Result<(), Fault> {
        let variant: &CudaVariant = call.variant("NVIDIA GPUs")?;
        let mut arrays: SmallVec<[CudaArray<'_>; 4]> = SmallVec::new();
        let mut outputs = 0;
        for array in &call.arrays {
            let (view, shape, dtype) = (array.view(), array.extents(), array.dtype());
            let address = self.view(view, shape, dtype)?;
            let (strides, written) = (&view.strides[..], array.is_written());
            outputs += usize::from(written);
            arrays.push(CudaArray { address, shape, strides, dtype, written });
        }
        let context = self.own.context();
        if matches!(self.route, Route::Batch(..)) {
            context.bind().map_err(CudaError::execution)?;
        }
        let mut point = CudaPointTask {
            domain: &call.domain,
            scalars: &call.scalars,
            arrays: &arrays,
            written: outputs,
            queue: self,
        };
        let result = PointCall::guard(|| (variant.run)(&mut point));
        self.direct = None;
        let bound = self.rebind().map_err(CudaError::execution);
        result.and(bound)
    }
}
