//! What is known of the window whose kernels are planned.

use crate::facts::Facts;
use crate::footprint::Lifetimes;
use darray_ir::{IndexTask, Window};

/// What is asked about the kernels of a window.
#[derive(Clone, Copy)]
pub(crate) struct Kernels<'w> {
    pub(crate) window: &'w Window,
    pub(crate) facts: &'w dyn Facts,
    /// None where no kernel holds too many bytes.
    pub(crate) lifetimes: Option<&'w Lifetimes>,
}

impl<'w> Kernels<'w> {
    pub(crate) fn task(&self, node: u32) -> &'w IndexTask {
        &self.window.tasks()[node as usize]
    }
}
