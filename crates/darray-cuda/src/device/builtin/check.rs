//! Builtins that look at data, and say what is wrong with it.

use crate::device::Run;
use crate::device::staging::Lease;
use crate::error::CudaError;
use darray_device::Fault;

/// Two words that the GPU has put into pinned memory, and what they mean: the number of an element that is
/// wrong, or none, and what stands there.
pub(in crate::device) struct Check {
    /// Index of its command in the submission.
    pub command: u32,
    /// Its submission, once that has a ticket.
    pub ticket: u64,
    from: Lease,
    judge: Box<dyn FnOnce(usize, i64) -> Fault + Send>,
}

impl Check {
    /// The fault, if there is one. The words have arrived.
    pub fn outcome(self) -> Option<Fault> {
        let word = |at: usize| {
            let bytes = &self.from.slice()[8 * at..8 * at + 8];
            u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
        };
        let (number, found) = (word(0), word(1));
        (number != u64::MAX).then(|| (self.judge)(number as usize, found as i64))
    }
}

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

impl Check {
    /// A check of this command.
    pub fn new(
        command: u32,
        from: Lease,
        judge: Box<dyn FnOnce(usize, i64) -> Fault + Send>,
    ) -> Check {
        Check { command, ticket: 0, from, judge }
    }
}
