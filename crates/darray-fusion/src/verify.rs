//! The invariants of a plan, derived anew from its window.
//!
//! 1. Every task of the window stands in exactly one group, and groups keep program order.
//! 2. No task breaks P1 or P2, no store is reduced twice in a group (P3).
//! 3. Inside a group every pair of tasks keeps the four constraints over points, or, of a kernel by
//!    rows, which is a group of its own, over rows; inside a nest over elements.
//! 4. A temporary is not live, held no data before the window, and is used by its group alone.
//! 5. A kernel is valid, and has as many sources as it has buffers, params and scalars.
//! 6. An output takes the place only of an input that nothing reads afterwards.
//! 7. The order has every task that is needed, behind all that must come before it, and with replicas of what it computes for itself.
//! 8. Nests in turn are small, where launches have one point, and a group of their own.
//! 9. Nothing outside of a kernel over axes sees what a task over no axes gives there, and kernels over none stand in no group with
//!    others.
//!
//! All but the seventh are about the window in the plan's order.

use crate::constraint::{Granularity, dependence, launch_domain};
use crate::facts::{Facts, Question};
use crate::granularity::rows::Rows;
use crate::granularity::{Elements, Points};
use crate::plan::{BufferSource, FusedTask, KernelStep, Plan, PlanOptions, Step};
use crate::precondition;
use darray_ir::{StoreId, Window};
use std::fmt;

/// An invariant that a plan breaks.
#[derive(Clone, PartialEq, Eq)]
pub struct PlanError {
    /// The invariant's number in the module's list.
    pub invariant: u8,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invariant {}: {}", self.invariant, self.message)
    }
}

impl fmt::Debug for PlanError {
    /// The text, which is what `unwrap` prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for PlanError {}

/// Checks every invariant; the first that is broken.
pub fn verify(window: &Window, plan: &Plan, options: &PlanOptions) -> Result<(), PlanError> {
    let Some(order) = &plan.order else { return in_order(window, plan, options) };
    ensure(order.is_sound(window), 7, || format!("order {order}"))?;
    in_order(&order.applied(window), plan, options)
}

/// Of a window in the order of the plan.
fn in_order(window: &Window, plan: &Plan, options: &PlanOptions) -> Result<(), PlanError> {
    let tasks: Vec<u32> = plan.groups.iter().flat_map(|g| g.tasks.iter().copied()).collect();
    let all: Vec<u32> = (0..window.tasks().len() as u32).collect();
    ensure(tasks == all, 1, || format!("tasks {tasks:?}"))?;
    for task in all {
        let broken = precondition::broken(window, window, task);
        ensure(broken.is_none(), 2, || format!("t{task}: {broken:?}"))?;
    }
    let points = Points::new(window, window, options.distributed_axes);
    let elements = Elements::new(window, window);
    let rows = Rows::new(window, window);
    for (number, group) in plan.groups.iter().enumerate() {
        let by_rows = matches!(&group.steps[..], [Step::Kernel(k)] if k.kernel.by_rows);
        let in_turn = matches!(&group.steps[..], [Step::Kernel(k)] if k.is_in_turn());
        let are_small = group.tasks.iter().all(|&task| is_small(window, task, options.costs.small));
        ensure(!in_turn || are_small, 8, || "a nest in turn is large".to_string())?;
        match fusible(if by_rows { &rows } else { &points }, &group.tasks) {
            Err(_) if in_turn => {}
            // Where nothing is ever seen there is no kernel that says how they were grouped.
            Err(_) if group.steps.is_empty() && !are_small => fusible(&rows, &group.tasks)?,
            Err(_) if group.steps.is_empty() => {}
            found => found?,
        }
        temporaries(window, plan, number, group)?;
        if !in_turn {
            replicas(window, plan, group)?;
        }
        for step in &group.steps {
            if let Step::Kernel(kernel) = step {
                kernel.nests.iter().try_for_each(|nest| fusible(&elements, nest))?;
                ensure(by_rows == kernel.kernel.by_rows, 3, || "a step by rows".to_string())?;
                ensure(kernel.nests.concat() == kernel.tasks, 3, || "nests".to_string())?;
                sources(kernel)?;
                charts(kernel)?;
                in_place(window, plan, kernel)?;
            }
        }
    }
    Ok(())
}

fn is_small(window: &Window, task: u32, small: usize) -> bool {
    let task = &window.tasks()[task as usize];
    task.is_nest() && window.ask(Question::AtMost(task.domain, small))
}

fn ensure(holds: bool, invariant: u8, message: impl FnOnce() -> String) -> Result<(), PlanError> {
    if holds { Ok(()) } else { Err(PlanError { invariant, message: message() }) }
}

fn fusible(view: &dyn Granularity, tasks: &[u32]) -> Result<(), PlanError> {
    let accesses: Vec<_> = tasks.iter().flat_map(|&t| view.accesses(t)).copied().collect();
    let twice = precondition::reductions_per_store(&accesses);
    ensure(twice.is_none(), 2, || format!("{twice:?} is reduced twice"))?;
    for (i, &earlier) in tasks.iter().enumerate() {
        for &later in &tasks[i + 1..] {
            let domain = launch_domain(view, earlier, later);
            ensure(domain.is_none(), 3, || format!("{domain:?}"))?;
            for a in view.accesses(earlier) {
                for b in view.accesses(later).iter().filter(|b| b.store == a.store) {
                    let rule = dependence(a, b, |a, b| view.disjoint(a, b));
                    ensure(rule.is_none(), 3, || {
                        format!("{rule:?} between t{earlier} and t{later} on {}", a.store)
                    })?;
                }
            }
        }
    }
    Ok(())
}

fn temporaries(
    window: &Window,
    plan: &Plan,
    number: usize,
    group: &FusedTask,
) -> Result<(), PlanError> {
    for &store in &group.temporaries {
        let elsewhere = plan
            .groups
            .iter()
            .enumerate()
            .any(|(other, g)| other != number && g.args.iter().any(|arg| arg.store == store));
        let seen = window.store(store);
        let hidden = !seen.live && !seen.initialised && !elsewhere;
        ensure(hidden, 4, || format!("{store} is seen outside its group"))?;
    }
    Ok(())
}

fn replicas(window: &Window, plan: &Plan, group: &FusedTask) -> Result<(), PlanError> {
    let is_0d = |t: &u32| window.domain(window.tasks()[*t as usize].domain).rank() == 0;
    if group.tasks.iter().all(is_0d) || !group.tasks.iter().any(is_0d) {
        return Ok(());
    }
    let nests = plan.groups.iter().flat_map(|g| &g.steps).flat_map(|step| match step {
        Step::Kernel(kernel) => kernel.nests.clone(),
        Step::Builtin(_) | Step::Opaque(_) => vec![step.tasks().to_vec()],
    });
    let nests: Vec<Vec<u32>> = nests.collect();
    for &task in group.tasks.iter().filter(|t| is_0d(t)) {
        let Some(nest) = nests.iter().find(|nest| nest.contains(&task)) else { continue };
        ensure(!nest.iter().all(is_0d), 9, || format!("t{task} is a kernel of a group"))?;
        for arg in window.tasks()[task as usize].args.iter().filter(|a| a.privilege.writes()) {
            let uses =
                |t: &u32| window.tasks()[*t as usize].args.iter().any(|a| a.store == arg.store);
            let is_seen = window.store(arg.store).live
                || window.store(arg.store).initialised
                || nests.iter().any(|other| other != nest && other.iter().any(uses));
            ensure(!is_seen, 9, || format!("{} of t{task} is seen outside", arg.store))?;
        }
    }
    Ok(())
}

fn sources(step: &KernelStep) -> Result<(), PlanError> {
    let kernel = &step.kernel;
    darray_kernel::verify::verify(kernel)
        .map_err(|e| PlanError { invariant: 5, message: e.to_string() })?;
    let counts = step.buffers.len() == kernel.buffers.len()
        && step.params.len() == kernel.params as usize
        && step.scalars.len() == kernel.scalars.len();
    ensure(counts, 5, || "sources do not match the kernel".to_string())
}

/// A store that nests in turn use as several buffers may be written through one and read through another.
fn charts(step: &KernelStep) -> Result<(), PlanError> {
    for (source, buffer) in step.buffers.iter().zip(&step.kernel.buffers) {
        let BufferSource::Store { store, .. } = source else { continue };
        let same =
            |b: &&BufferSource| matches!(b, BufferSource::Store { store: s, .. } if s == store);
        let several = step.is_in_turn() && step.buffers.iter().filter(same).count() > 1;
        ensure(!several || !buffer.no_alias, 5, || format!("{store} is several buffers"))?;
    }
    Ok(())
}

/// Steps come in program order, so what is read afterwards is read by a later task.
fn in_place(window: &Window, plan: &Plan, kernel: &KernelStep) -> Result<(), PlanError> {
    let last = kernel.tasks.iter().copied().max().unwrap_or(0);
    for &(input, output) in &kernel.in_place {
        let used_later = |store: StoreId| {
            let later = plan.groups.iter().flat_map(|g| &g.tasks).filter(|&&t| t > last);
            later.flat_map(|&t| &window.tasks()[t as usize].args).any(|arg| arg.store == store)
        };
        let reached = |store: StoreId| {
            kernel.buffers.iter().any(|b| {
                matches!(b, BufferSource::Store { store: s, accesses } if *s == store
                    && accesses.len() == 1)
            })
        };
        let free = !window.store(input).live && !used_later(input);
        ensure(free && reached(input) && reached(output), 6, || {
            format!("{output} in place of {input}")
        })?;
    }
    Ok(())
}
