//! How nests of kernels went through memory, as a CPU device tells it.

use darray_cpu::{Listener, ScheduleListing};
use std::sync::{Arc, Mutex, PoisonError};

/// What was told so far.
#[derive(Clone, Default)]
pub struct Schedules(Arc<Mutex<Vec<ScheduleListing>>>);

impl Schedules {
    /// A listener that is told schedules, too.
    pub fn with(&self, listener: Listener) -> Listener {
        let told = self.0.clone();
        listener.with_schedules(move |schedule| {
            told.lock().unwrap_or_else(PoisonError::into_inner).push(schedule.clone());
        })
    }

    /// Those of the kernels of a plan, whose text has kernels in it: a line for each nest, in the order of the plan. Nests of one kernel
    /// may run together, or be launched with other strides or extents: they have a line for each.
    pub fn text(&self, plan: &str) -> String {
        let told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines: Vec<(usize, String)> = Vec::new();
        for ScheduleListing { kernel, nest, schedule } in told.iter() {
            for (at, name) in places(kernel, plan) {
                let line = (at, format!("{name} nest {nest}: {schedule}\n"));
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        lines.sort();
        lines.into_iter().map(|(_, line)| line).collect()
    }
}

/// Where a plan's text has a kernel, whose lines are moved to the right there, and what it is called.
pub fn places<'p>(kernel: &str, plan: &'p str) -> Vec<(usize, &'p str)> {
    let moved: String = kernel.lines().map(|line| format!("    {line}\n")).collect();
    let name = |at: usize| {
        let heading = plan[..at].rsplit("kernel ").next().unwrap_or_default();
        (at, heading.split(':').next().unwrap_or_default())
    };
    plan.match_indices(&moved).map(|(at, _)| name(at)).collect()
}
