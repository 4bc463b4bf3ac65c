//! The failures that a device has still to hand on.

use crate::CommandFault;
use std::collections::BTreeMap;

/// Failures of submissions that nobody was told of yet, by ticket; for implementations of [`crate::Device`].
///
/// Rules:
/// - The first failure of a submission is its failure.
/// - A failure that was handed on is gone, so that a program that meets failures and goes on does not fill memory.
///
/// ```
/// use darray_device::faults::Faults;
/// use darray_device::{CommandFault, Fault};
///
/// let mut faults = Faults::default();
/// let fault = CommandFault { command: 0, fault: Fault::Execution("never".to_string()) };
/// faults.add(7, fault.clone());
/// assert_eq!((faults.len(), faults.hand_on(&6)), (1, Ok(())));
/// assert_eq!((faults.hand_on(&7), faults.len()), (Err(fault), 0));
/// assert_eq!(faults.hand_on(&7), Ok(()));
/// ```
#[derive(Debug)]
pub struct Faults<T = u64>(BTreeMap<T, CommandFault>);

impl<T> Default for Faults<T> {
    /// None.
    fn default() -> Faults<T> {
        Faults(BTreeMap::new())
    }
}

impl<T: Ord> Faults<T> {
    /// Notes a failure, unless the submission has failed already.
    pub fn add(&mut self, ticket: T, fault: CommandFault) {
        self.0.entry(ticket).or_insert(fault);
    }

    /// What became of a submission that has ended: its failure, if somebody is still to be told, who is told now.
    pub fn hand_on(&mut self, ticket: &T) -> Result<(), CommandFault> {
        self.0.remove(ticket).map_or(Ok(()), Err)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
