//! The window that is being carried out.

use crate::devices::Point;
use crate::engine::Origin;
use crate::geometry::Tile;
use crate::stores::Store;
use darray_fusion::order::Order;
use darray_fusion::plan::{KernelStep, PlanOptions};
use darray_ir::{DomainId, StoreId, Window};
use std::borrow::Cow;
use std::sync::Arc;

/// A flushed window with the stores behind its numbers.
#[derive(Clone, Copy)]
pub(crate) struct Flush<'f> {
    pub(crate) window: &'f Window,
    /// By De Bruijn number.
    pub(crate) stores: &'f [Arc<Store>],
    /// In the order of their tasks.
    pub(crate) versions: &'f [Version],
    /// By store, the task after the one that makes the version in its place; 0 or nothing where none does.
    pub(crate) replaced_by: &'f [u32],
    /// The order of its tasks, where it is not that of the program, which has so many.
    pub(crate) order: Option<(&'f Order, u32)>,
    /// Stores that are updated in two buffers, each with the second one.
    pub(crate) twins: &'f [(StoreId, StoreId)],
    /// What tasks would have written that are not run.
    pub(crate) not_written: &'f [StoreId],
    /// Of the runtime's plans.
    pub(crate) options: &'f PlanOptions,
}

impl Flush<'_> {
    /// The number of a task in the program; of one that a window was given, that of the task behind which it stands, or 0.
    pub(crate) fn in_program(&self, task: u32) -> u32 {
        let Some((order, tasks)) = self.order else { return task };
        let number = order.tasks[task as usize];
        let Some(given) = number.checked_sub(tasks) else { return number };
        order.behind[given as usize].unwrap_or(0)
    }

    /// Whether a task is one of the program, not a copy to a second buffer or one that is there again.
    pub(crate) fn is_of_program(&self, task: u32) -> bool {
        self.order.is_none_or(|(order, tasks)| order.tasks[task as usize] < tasks)
    }
}

/// A store that took another one's place in a variable.
pub(crate) struct Version {
    /// The task that makes it.
    pub(crate) task: u32,
    pub(crate) made: StoreId,
    /// What the variable held before.
    pub(crate) before: Arc<Store>,
    /// Its number in the window, if a task there uses it; known when the window is flushed.
    pub(crate) number: Option<StoreId>,
}

impl<'f> Flush<'f> {
    pub(crate) fn store(&self, id: StoreId) -> &'f Arc<Store> {
        &self.stores[id.0 as usize]
    }

    /// The task that makes the version in the place of a store.
    pub(crate) fn replaced_by(&self, store: StoreId) -> Option<u32> {
        self.replaced_by.get(store.0 as usize)?.checked_sub(1)
    }

    pub(crate) fn origin(&self, task: u32) -> Origin {
        Origin::new(self.window, &self.window.tasks()[task as usize])
    }

    /// The tile of a nest's domain that a point owns: the point's own, or of a kernel by rows its rows.
    pub(crate) fn tile<'p>(
        &self,
        step: &KernelStep,
        domain: DomainId,
        point: &'p Point,
    ) -> Cow<'p, Tile> {
        if domain == step.domain {
            return Cow::Borrowed(&point.tile);
        }
        let extents = self.window.domain(domain).iter();
        if step.is_in_turn() {
            return Cow::Owned(extents.map(|&extent| 0..extent).collect());
        }
        let rest = extents.skip(1).map(|&extent| 0..extent);
        Cow::Owned(std::iter::once(point.tile[0].clone()).chain(rest).collect())
    }
}
