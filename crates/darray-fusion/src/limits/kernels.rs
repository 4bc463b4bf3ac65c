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
    /// Whether kernels compute 0-d values for themselves.
    pub(crate) replicas_inside: bool,
}

impl<'w> Kernels<'w> {
    pub(crate) fn task(&self, node: u32) -> &'w IndexTask {
        &self.window.tasks()[node as usize]
    }

    /// Whether a kernel begins with a task that the order has apart from those before it.
    pub(crate) fn begins(&self, task: u32) -> bool {
        self.order.is_some_and(|order| order.begins_at(task))
    }

    /// Whether a task goes over no axes.
    pub(crate) fn is_0d(&self, task: u32) -> bool {
        self.window.domain(self.task(task).domain).rank() == 0
    }

    /// How many of a kernel's tasks it keeps so that nothing behind it sees what one over no axes gives, if it has others, too;
    /// none if all.
    pub(crate) fn kept_with_replicas(&self, group: &[u32]) -> Option<usize> {
        let first = group.iter().take_while(|&&task| self.is_0d(task)).count();
        let mut kept = group.len();
        let is_seen = |task: u32, kept: usize| {
            let outputs = &self.task(task).args[..self.task(task).outputs()];
            outputs.iter().any(|arg| self.is_seen_after(group[kept - 1], arg.store))
        };
        while kept > first {
            let mut tasks = group[..kept].iter();
            match tasks.position(|&task| self.is_0d(task) && is_seen(task, kept)) {
                Some(at) => kept = at.max(first),
                None => break,
            }
        }
        (kept < group.len()).then_some(kept)
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
