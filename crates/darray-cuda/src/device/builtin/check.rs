//! Builtins that look at data, and say what is wrong with it.

use crate::device::work::Run;
use crate::error::CudaError;
use darray_device::Fault;

impl Run<'_> {
    /// As [`with_table`](Self::with_table); `work` is given the address of two words more, first, where the
    /// kernels leave what they find wrong. `judge` makes a fault of it when the submission has ended.
    pub(super) fn with_check(
        &mut self,
        words: &[u64],
        more: usize,
        judge: impl FnOnce(usize, i64) -> Fault + Send + 'static,
        work: impl FnOnce(&Run<'_>, u64, u64, u64) -> Result<(), CudaError>,
    ) -> Result<(), Fault> {
        let context = self.own.context();
        let from = self.group.staging.take(context, 16).map_err(CudaError::execution)?;
        let words = [&[u64::MAX, 0], words].concat();
        let result = self.with_table(&words, more, |run, wrong, space| {
            work(run, wrong, wrong + 16, space)?;
            run.route.download(run.own, &from, wrong, 16)
        });
        if result.is_ok() {
            self.submission.check(from, Box::new(judge));
        } else {
            self.submission.hold(from);
        }
        result
    }
}
