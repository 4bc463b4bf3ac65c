//! What is derived from a plan once and used at every flush: codes, releases, counts.

use crate::devices::{CodeTable, KernelCodes};
use crate::stats::{PlanCounts, Stops};
use darray_fusion::plan::{BufferSource, BuiltinStep, FusedTask, KernelStep, Plan, Step};
use darray_ir::{StoreId, Window};
use hashbrown::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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
    /// Of stores that live only in the group, those that no step names: they never get memory.
    pub(crate) forwarded: Vec<StoreId>,
}

/// A step made ready.
pub(crate) struct PreparedStep {
    /// The kernel's codes; none for builtins.
    pub(crate) codes: Option<Arc<KernelCodes>>,
    /// Stores that end with this step.
    pub(crate) release: Vec<StoreId>,
}

impl PreparedPlan {
    pub(crate) fn new(window: &Window, plan: Arc<Plan>, codes: &mut CodeTable) -> PreparedPlan {
        let groups = plan.groups.iter().map(|g| PreparedGroup::new(window, g, codes)).collect();
        let counts = PlanCounts {
            tasks: plan.groups.iter().map(|g| g.tasks.len()).sum::<usize>() as u64,
            unneeded: plan.unneeded.len() as u64,
            inlined: plan.order.as_ref().map_or(0, |order| order.again).into(),
            twins: plan.order.as_ref().map_or(0, |order| order.filled).into(),
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
    fn new(window: &Window, group: &FusedTask, codes: &mut CodeTable) -> PreparedGroup {
        let codes = |step: &Step| match step {
            Step::Kernel(kernel) => Some(codes.of(&kernel.kernel)),
            Step::Builtin(_) | Step::Opaque(_) => None,
        };
        let codes: Vec<_> = group.steps.iter().map(codes).collect();
        let mut steps: Vec<PreparedStep> =
            codes.into_iter().map(|codes| PreparedStep { codes, release: Vec::new() }).collect();
        let mut last: HashMap<StoreId, usize> = HashMap::new();
        for (number, step) in group.steps.iter().enumerate() {
            each_named(window, step, |store| {
                last.insert(store, number);
            });
        }
        let (mut release, mut forwarded) = (Vec::new(), Vec::new());
        for (stores, unnamed) in
            [(&group.temporaries, &mut forwarded), (&group.last_use, &mut release)]
        {
            for &store in stores {
                match last.get(&store) {
                    Some(&last) => steps[last].release.push(store),
                    None => unnamed.push(store),
                }
            }
        }
        PreparedGroup { steps, release, forwarded }
    }
}

/// The stores whose memory a step uses; some more than once.
fn each_named(window: &Window, step: &Step, each: impl FnMut(StoreId)) {
    match step {
        Step::Kernel(kernel) => named(kernel).for_each(each),
        Step::Builtin(BuiltinStep { task, .. }) | Step::Opaque(task) => {
            window.tasks()[*task as usize].args.iter().map(|a| a.store).for_each(each);
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
