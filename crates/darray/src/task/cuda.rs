//! Variants of tasks for NVIDIA GPUs.

use super::Task;
use darray_cuda::{CudaPointTask, CudaVariant};
use darray_device::TaskDefinition;
use std::sync::Arc;

impl Task {
    /// The task with what it queues for one point on a GPU: kernels of CUDA C that the program brings along, or
    /// what it queues on the point's stream itself. Needs the feature `cuda`.
    ///
    /// The function is called on the host when the task is submitted, with the GPU's context current. It must
    /// not use arrays of the runtime that calls it, which panics. Its error, and likewise a panic, is the
    /// failure of the arrays that the task writes.
    ///
    /// ```
    /// use darray::DArray;
    /// use darray::task::{CudaSource, Grid, Task};
    /// let source = CudaSource::new(
    ///     r#"extern "C" __global__ void next(long long* to, const long long* from, long long n) {
    ///         long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    ///         if (i < n) to[i] = from[i] + 1;
    ///     }"#,
    /// );
    /// let next = Task::new("next", |point| {
    ///     let (to, from) = point.one_to_one();
    ///     (0..from.shape()[0]).for_each(|i| to.set(&[i], from.get::<i64>(&[i]) + 1));
    ///     Ok(())
    /// })
    /// .cuda(move |point| {
    ///     let (to, from) = point.one_to_one();
    ///     if !(to.is_contiguous() && from.is_contiguous()) {
    ///         return Err("strided".to_string());
    ///     }
    ///     let args = [to.into(), from.into(), to.len().into()];
    ///     // SAFETY: these are the kernel's parameters, and it stays within the arrays.
    ///     unsafe { point.launch(&source, "next", Grid::over(to.len(), 256), &args) }
    /// });
    /// let y: DArray<i64> = next.launch().read(&DArray::<i64>::arange(3)).create(3);
    /// assert_eq!(y.to_vec(), [1, 2, 3]); // on whatever devices there are
    /// ```
    pub fn cuda(
        self,
        cuda: impl Fn(&mut CudaPointTask<'_>) -> Result<(), String> + Send + Sync + 'static,
    ) -> Task {
        let definition = Arc::unwrap_or_clone(self.0);
        Task(Arc::new(definition.with(CudaVariant::new(cuda))))
    }

    /// A task for NVIDIA GPUs alone; see [`cuda`](Self::cuda). On other devices it fails.
    ///
    /// ```
    /// use darray::{Fallible, DArray, Runtime, task::Task};
    /// let nothing = Task::only_cuda("nothing", |_| Ok(()));
    /// let rt = Runtime::builder().build().unwrap();
    /// let x: DArray<f64> = rt.scope(|| nothing.launch().create(2));
    /// assert!(x.try_to_vec().unwrap_err().to_string().contains("no variant for CPUs"));
    /// ```
    pub fn only_cuda(
        name: &'static str,
        cuda: impl Fn(&mut CudaPointTask<'_>) -> Result<(), String> + Send + Sync + 'static,
    ) -> Task {
        Task(Arc::new(TaskDefinition::new(name).with(CudaVariant::new(cuda))))
    }
}
