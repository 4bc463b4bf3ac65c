//! Carries out plans: fused task by fused task, step by step.

use crate::engine::{Engine, Flush, StepFault};
use crate::execution::failures;
use crate::prepared::PreparedGroup;
use crate::prepared::PreparedPlan;
use crate::steps::KernelRun;
use darray_core::Error;
use darray_fusion::plan::{FusedTask, Mode, PlanOptions, Step};
use darray_fusion::planner;
use darray_ir::StoreId;
use hashbrown::HashSet;
use std::sync::Arc;

/// Why a group is run task by task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fallback {
    Compile,
    Poison,
}

impl Engine {
    /// Executes a window by its plan. Failures poison stores; nothing is returned.
    pub(crate) fn execute(&mut self, flush: Flush<'_>, prepared: &PreparedPlan) {
        self.harvest_much();
        self.versions.replaced = 0;
        self.failed_by.clear();
        self.end_unused(flush, &prepared.plan.unused);
        for (group, ready) in prepared.plan.groups.iter().zip(&prepared.groups) {
            self.group(flush, group, ready);
        }
        self.end_versions(flush);
        self.origin.end();
        self.idle.end(&self.devices);
    }

    fn group(&mut self, flush: Flush<'_>, group: &FusedTask, ready: &PreparedGroup) {
        self.passed_over.clear();
        if self.poisoned {
            self.harvest();
            if let Some(error) = failures::inherited(flush, &self.failed_by, &group.tasks) {
                let error = error.clone();
                match group.tasks[..] {
                    [task] => self.poison_outputs(flush, &[task], |_| error.clone(), true),
                    _ => self.one_by_one(flush, &group.tasks, Fallback::Poison),
                }
                let of_steps = ready.steps.iter().map(|step| &step.release);
                let ends = of_steps.chain([&ready.release]).map(|stores| &stores[..]);
                self.end_failed(flush, ends, &group.tasks);
                self.end(flush, group, ready);
                return;
            }
            let args = group.tasks.iter().flat_map(|&t| &flush.window.tasks()[t as usize].args);
            let stores = args.map(|arg| flush.store(arg.store));
            let failed = stores.filter(|store| store.error().is_some());
            self.passed_over.extend(failed.map(|store| store.id()));
        }
        self.run_steps(flush, group, ready);
        self.end(flush, group, ready);
    }

    /// Ends what ends with a group and never had memory.
    fn end(&mut self, flush: Flush<'_>, group: &FusedTask, ready: &PreparedGroup) {
        for &number in &ready.forwarded {
            let store = flush.store(number);
            match store.error() {
                // It may keep the value from before until another version takes its place.
                Some(_) => self.end_stores(flush, &[number], &group.tasks),
                // One that a failed update is to leave does not.
                None if store.is_live() => {}
                None => store.set_ended(),
            }
        }
    }

    fn run_steps(&mut self, flush: Flush<'_>, group: &FusedTask, ready_group: &PreparedGroup) {
        // What only tasks use that nobody needs makes space for what is needed.
        self.end_stores(flush, &ready_group.release, &group.tasks[..1]);
        for (at, (step, ready)) in group.steps.iter().zip(&ready_group.steps).enumerate() {
            self.end_replaced(flush, step.tasks());
            let result = match step {
                Step::Kernel(kernel) => KernelRun::run(self, flush, kernel, ready),
                Step::Builtin(builtin) => self.builtin(flush, builtin),
                Step::Opaque(task) => self.opaque(flush, *task),
            };
            if let Err(fault) = result {
                self.step_failed(flush, (group, ready_group), at, &fault);
                return;
            }
            self.end_stores(flush, &ready.release, step.tasks());
            if self.has_many_parts {
                self.join_parts(flush, &group.tasks);
            }
        }
    }

    /// A step failed: before it changed anything, then it and what follows is tried in halves or task by task; or
    /// on the way, then its outputs carry the failure and only what follows is tried.
    fn step_failed(
        &mut self,
        flush: Flush<'_>,
        (group, ready): (&FusedTask, &PreparedGroup),
        at: usize,
        fault: &StepFault,
    ) {
        let left = |from: usize| {
            let mut left: Vec<u32> =
                group.steps[from..].iter().flat_map(Step::tasks).copied().collect();
            left.sort_unstable();
            left.dedup();
            left
        };
        if let StepFault::Memory(_) = fault {
            self.give_back_fresh(flush, &left(at));
        }
        let retry = fault.can_retry() && group.tasks.len() > 1;
        if !retry {
            let failed = group.steps[at].tasks();
            let error = |task| fault.error(&flush.origin(task));
            self.poison_outputs(flush, failed, error, fault.can_retry());
            let ends = std::iter::once(&ready.steps[at].release[..]);
            self.end_failed(flush, ends, failed);
        }
        let left = left(if retry { at } else { at + 1 });
        match fault {
            _ if left.is_empty() => {}
            StepFault::Memory(_) => self.in_halves(flush, &left),
            StepFault::Compile(_) => self.one_by_one(flush, &left, Fallback::Compile),
            StepFault::Execution(_) => self.one_by_one(flush, &left, Fallback::Poison),
        }
    }

    /// Gives back what a step that did not find all of its memory found: memory of stores that no task before these
    /// has used.
    fn give_back_fresh(&mut self, flush: Flush<'_>, left: &[u32]) {
        let mut seen: HashSet<StoreId> = HashSet::new();
        for (number, task) in flush.window.tasks().iter().enumerate() {
            let is_left = left.binary_search(&(number as u32)).is_ok();
            for arg in &task.args {
                let fresh = seen.insert(arg.store) && !flush.window.store(arg.store).initialised;
                if fresh && is_left {
                    self.end_replicas(flush.store(arg.store));
                }
            }
        }
    }

    /// Poisons what tasks write that failed or did not run; `unchanged`, where they have written nothing.
    fn poison_outputs(
        &mut self,
        flush: Flush<'_>,
        tasks: &[u32],
        error: impl Fn(u32) -> Error,
        unchanged: bool,
    ) {
        for (store, task) in failures::written(flush.window, tasks) {
            self.poison_output(flush, (store, task), &error(task), unchanged);
        }
    }

    /// Runs the tasks of a group that did not find its memory in two halves, fused, each of which may come here again:
    /// in the end each task is alone.
    fn in_halves(&mut self, flush: Flush<'_>, tasks: &[u32]) {
        self.counters.fallbacks_memory += 1;
        let (first, second) = tasks.split_at(tasks.len().div_ceil(2));
        for half in [first, second] {
            self.planned(flush, half, flush.options);
        }
    }

    /// Runs these tasks unfused; each that fails, or depends on what failed, poisons its outputs.
    fn one_by_one(&mut self, flush: Flush<'_>, tasks: &[u32], why: Fallback) {
        match why {
            Fallback::Compile => self.counters.fallbacks_compile += 1,
            Fallback::Poison => self.counters.fallbacks_poison += 1,
        }
        self.planned(flush, tasks, &PlanOptions { mode: Mode::Unfused, ..flush.options.clone() });
    }

    /// Runs these tasks, none of which has run, by a plan of their own.
    fn planned(&mut self, flush: Flush<'_>, tasks: &[u32], options: &PlanOptions) {
        // Groups are what stands together in the window.
        for run in tasks.chunk_by(|a, b| a + 1 == *b) {
            let range = run[0]..run[run.len() - 1] + 1;
            let plan = Arc::new(planner::plan_part(flush.window, options, range));
            let prepared = PreparedPlan::new(flush.window, plan, &mut self.codes);
            for (group, ready) in prepared.plan.groups.iter().zip(&prepared.groups) {
                self.group(flush, group, ready);
            }
        }
    }
}
