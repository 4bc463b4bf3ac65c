//! Versions of arrays that are kept in case the updates that replace them fail.

use crate::stores::Store;
use darray_ir::StoreId;
use std::sync::{Arc, Weak};

/// Versions that failed updates are to leave.
#[derive(Default)]
pub(crate) struct Versions {
    /// How many of the window were replaced.
    pub(crate) replaced: usize,
    /// Stores that end when the tasks run that replace them, with these.
    pub(crate) deferred: Vec<(u32, StoreId)>,
    /// Stores that carry a failure and whose values from before are kept.
    pub(crate) kept: Vec<Weak<Store>>,
    /// Stores that would have ended, but have owners still: they end when the last failed update lets them go.
    pub(crate) outlived: Vec<Arc<Store>>,
}
