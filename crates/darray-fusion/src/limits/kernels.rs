//! What is known of the window whose kernels are planned.

use crate::facts::Facts;
use crate::footprint::Lifetimes;
use crate::order::Order;
use darray_ir::{IndexTask, StoreId, Window};

/// What is asked about the kernels of a window.
#[derive(Clone, Copy)]
pub(crate) struct Kernels<'w> {
    pub(crate) window: &'w Window,
    pub(crate) facts: &'w dyn Facts,
    /// None where no kernel holds too many bytes.
    pub(crate) lifetimes: Option<&'w Lifetimes>,
    /// The last task that uses each store.
    pub(crate) last_uses: &'w [u32],
    /// The order of its tasks, where it is not that of the program.
    pub(crate) order: Option<&'w Order>,
}

impl<'w> Kernels<'w> {
    pub(crate) fn task(&self, node: u32) -> &'w IndexTask {
        &self.window.tasks()[node as usize]
    }

    /// Whether a kernel begins with a task that the order has apart from those before it.
    pub(crate) fn begins(&self, task: u32) -> bool {
        self.order.is_some_and(|order| order.begins_at(task))
    }

    /// Whether anything behind this task sees the store's data.
    pub(crate) fn is_seen_after(&self, task: u32, store: StoreId) -> bool {
        self.window.store(store).live || self.last_uses[store.0 as usize] > task
    }
}

/// The last task of a window that uses each store.
pub(crate) fn last_uses(window: &Window) -> Vec<u32> {
    let mut last = vec![0; window.stores().len()];
    for (number, task) in window.tasks().iter().enumerate() {
        task.args.iter().for_each(|arg| last[arg.store.0 as usize] = number as u32);
    }
    last
}
