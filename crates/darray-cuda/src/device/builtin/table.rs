//! Numbers of a builtin that do not fit its parameter: in device memory for as long as it runs.

use crate::device::work::Run;
use crate::error::CudaError;
use darray_device::Fault;

impl Run<'_> {
    /// Queues work with `words` in device memory, and `more` bytes behind them, which are aligned to
    /// 8; `work` is given the addresses of both.
    pub(super) fn with_table(
        &mut self,
        words: &[u64],
        more: usize,
        work: impl FnOnce(&Run<'_>, u64, u64) -> Result<(), CudaError>,
    ) -> Result<(), Fault> {
        let bytes = 8 * words.len();
        if bytes == 0 {
            // A copy of nothing cannot be a node of a graph.
            let run = &*self;
            return run.with_workspace(more as u64, |space| work(run, space, space));
        }
        let context = self.own.context();
        let mut pinned = self.group.staging.take(context, bytes).map_err(CudaError::execution)?;
        for (to, word) in pinned.slice_mut().chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        let result = self.with_workspace((bytes + more) as u64, |space| {
            self.route.upload(self.own, space, &pinned, bytes)?;
            work(self, space, space + bytes as u64)
        });
        self.submission.hold(pinned);
        result
    }
}
