//! 0-d tasks that a kernel may compute for itself, at each of its points.
//!
//! `alpha = rs / pap` is a task over no axes. As a kernel of its own it ends the kernels on both sides of it; instead, each
//! kernel that reads `alpha` may compute it before its loops. Such a task is *replicable*:
//! - it is element-wise, over no axes;
//! - it writes 0-d stores that nothing used before and that no other task writes.
//!
//! ```text
//! t0  sum over [n]:  s1[] = s0[i0]                kernel: t0
//! t1  div over []:   s3[] = s2[], s1[]            kernel: t1 t2     %0 = load s2; %1 = load s1; %2 = div %0 %1
//! t2  mul over [n]:  s4[i0] = s3[], s0[i0]                          for i0 { .. mul %2 .. }
//! ```
//!
//! A kernel of it and of tasks over axes stores nothing of what it writes, so that points do not write one element together: nothing
//! behind the kernel may see it ([`limits`](crate::limits)). What is needed elsewhere, too, is computed again there
//! ([`order`](crate::order)). To the constraints of [`constraint`](crate::constraint) its domain is equivalent to every other, and all
//! of a store that it writes is one partition, whatever the domain of who uses it.

use darray_ir::{DomainId, IndexTask, MapId, Privilege, StoreId, TaskArg, TaskOp, Window};

/// The replicable tasks of a window.
pub(crate) struct Replicable {
    /// Per task.
    tasks: Vec<bool>,
    /// Per store that one writes, that task.
    writers: Vec<Option<u32>>,
}

impl Replicable {
    pub(crate) fn new(window: &Window) -> Replicable {
        let mut found = Replicable { tasks: Vec::new(), writers: Vec::new() };
        let may_be = |task: &IndexTask| is_elementwise_0d(window, task);
        if !window.tasks().iter().any(may_be) {
            return found;
        }
        found.tasks = vec![false; window.tasks().len()];
        found.writers = vec![None; window.stores().len()];
        let mut used = vec![false; window.stores().len()];
        for (number, task) in window.tasks().iter().enumerate() {
            let is_new = |arg: &TaskArg| {
                let store = window.store(arg.store);
                arg.privilege == Privilege::Write
                    && !used[arg.store.0 as usize]
                    && !store.initialised
                    && store.shape.rank() == 0
                    && window.map(arg.map).dims.is_empty()
            };
            let (outputs, inputs) = task.args.split_at(task.outputs());
            let is_it = may_be(task)
                && outputs.iter().all(is_new)
                && inputs.iter().all(|arg| arg.privilege == Privilege::Read);
            found.tasks[number] = is_it;
            for arg in &task.args {
                used[arg.store.0 as usize] = true;
                let writer = &mut found.writers[arg.store.0 as usize];
                if arg.privilege == Privilege::Read {
                    continue;
                }
                // What another task writes, too, neither may write for a kernel of its own.
                if let Some(first) = writer.take() {
                    found.tasks[first as usize] = false;
                    found.tasks[number] = false;
                } else if is_it {
                    *writer = Some(number as u32);
                }
            }
        }
        for writer in &mut found.writers {
            writer.take_if(|task| !found.tasks[*task as usize]);
        }
        found
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Whether a task is.
    pub(crate) fn is(&self, task: u32) -> bool {
        self.tasks.get(task as usize).copied().unwrap_or(false)
    }

    /// Whether one of these is: its domain is equivalent to every other.
    pub(crate) fn is_any(&self, tasks: [u32; 2]) -> bool {
        tasks.into_iter().any(|task| self.is(task))
    }

    /// Notes that a task is none.
    pub(crate) fn remove(&mut self, task: u32) {
        if let Some(is_it) = self.tasks.get_mut(task as usize) {
            *is_it = false;
        }
        self.writers.iter_mut().for_each(|writer| {
            writer.take_if(|writer| *writer == task);
        });
    }

    /// The one that writes a store.
    pub(crate) fn writer(&self, store: StoreId) -> Option<u32> {
        self.writers.get(store.0 as usize).copied().flatten()
    }

    /// Through which partition a store is used that one writes: all of it is one.
    pub(crate) fn partition(&self, window: &Window, arg: &TaskArg) -> Option<(DomainId, MapId)> {
        let writer = &window.tasks()[self.writer(arg.store)? as usize];
        window.map(arg.map).dims.is_empty().then_some((writer.domain, arg.map))
    }
}

/// Whether a task gives 0-d outputs of other elements alone.
fn is_elementwise_0d(window: &Window, task: &IndexTask) -> bool {
    let is_elementwise = match task.op {
        TaskOp::Apply { .. } | TaskOp::Composite { .. } | TaskOp::Copy | TaskOp::Fill => true,
        TaskOp::Arange { .. } | TaskOp::BelowDiagonal | TaskOp::Random { .. } => false,
        TaskOp::Reduce { .. } | TaskOp::InnerProduct { .. } => false,
        TaskOp::Builtin(_) | TaskOp::Opaque(_) => false,
    };
    is_elementwise && window.domain(task.domain).rank() == 0
}
