//! What the GPU may have found wrong with data.

use super::staging::Lease;
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
