//! What is derived from a plan once and used at every flush: codes, releases, counts.

use crate::recorder::{PlanCounts, Stops};
use darray_device::Code;
use darray_fusion::plan::{BufferSource, FusedTask, KernelStep, Plan, Step};
use darray_ir::{StoreId, Window};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// A plan made ready for execution.
pub(crate) struct PreparedPlan {
    /// Told to devices that record the work of plans.
    pub(crate) number: u64,
    /// Keeps the plan's address from being used again.
    pub(crate) plan: Arc<Plan>,
    pub(crate) groups: Vec<PreparedGroup>,
    pub(crate) counts: PlanCounts,
}

/// A fused task made ready.
pub(crate) struct PreparedGroup {
    pub(crate) steps: Vec<PreparedStep>,
    /// Stores that end with the group and that no step names.
    pub(crate) release: Vec<StoreId>,
}

/// A step made ready.
pub(crate) struct PreparedStep {
    /// The kernel's code per device; none for builtins.
    pub(crate) codes: Vec<OnceLock<Code>>,
    /// Stores that end with this step.
    pub(crate) release: Vec<StoreId>,
}

impl PreparedPlan {
    pub(crate) fn new(window: &Window, plan: Arc<Plan>, devices: usize) -> PreparedPlan {
        let groups = plan.groups.iter().map(|g| PreparedGroup::new(window, g, devices)).collect();
        let counts = PlanCounts {
            fused_tasks: plan.groups.len() as u64,
            largest_group: plan.groups.iter().map(|g| g.tasks.len()).max().unwrap_or(0) as u64,
            stops: Stops::of(&plan.boundaries),
        };
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        PreparedPlan { number, plan, groups, counts }
    }
}

impl PreparedGroup {
    fn new(window: &Window, group: &FusedTask, devices: usize) -> PreparedGroup {
        let codes = |step: &Step| match step {
            Step::Kernel(_) => (0..devices).map(|_| OnceLock::new()).collect(),
            Step::Builtin(_) => Vec::new(),
        };
        let mut steps: Vec<PreparedStep> = group
            .steps
            .iter()
            .map(|step| PreparedStep { codes: codes(step), release: Vec::new() })
            .collect();
        let mut release = Vec::new();
        for &store in group.temporaries.iter().chain(&group.last_use) {
            match group.steps.iter().rposition(|step| names(window, step, store)) {
                Some(last) => steps[last].release.push(store),
                None => release.push(store),
            }
        }
        PreparedGroup { steps, release }
    }
}

/// Whether a step uses a store's memory.
fn names(window: &Window, step: &Step, store: StoreId) -> bool {
    match step {
        Step::Kernel(kernel) => named(kernel).any(|s| s == store),
        Step::Builtin(builtin) => {
            window.tasks()[builtin.task as usize].args.iter().any(|a| a.store == store)
        }
    }
}

/// The stores whose memory a kernel step uses; some more than once.
pub(crate) fn named(step: &KernelStep) -> impl Iterator<Item = StoreId> + '_ {
    let buffers = step.buffers.iter().filter_map(|source| match source {
        BufferSource::Store { store, .. } => Some(*store),
        BufferSource::Partial { .. } => None,
    });
    buffers.chain(step.reductions.iter().flat_map(|r| r.outputs.iter().map(|&(s, _)| s)))
}
