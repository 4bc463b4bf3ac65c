//! Carries out plans: fused task by fused task, step by step.

use crate::engine::Engine;
use crate::fault::{self, Origin, StepFault};
use crate::history::History;
use crate::instance::Valid;
use crate::kernel_step::KernelRun;
use crate::prepared::{PreparedGroup, PreparedPlan};
use crate::store::Store;
use darray_core::Error;
use darray_fusion::plan::{FusedTask, Mode, PlanOptions, Step};
use darray_fusion::planner;
use darray_ir::{StoreId, Window};
use hashbrown::HashSet;
use std::sync::Arc;

/// A flushed window with the stores behind its numbers.
#[derive(Clone, Copy)]
pub(crate) struct Flush<'f> {
    pub(crate) window: &'f Window,
    /// By De Bruijn number.
    pub(crate) stores: &'f [Arc<Store>],
    /// Of the runtime's plans.
    pub(crate) options: &'f PlanOptions,
}

/// Why a group is run task by task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fallback {
    Memory,
    Compile,
    Poison,
}

impl<'f> Flush<'f> {
    pub(crate) fn store(&self, id: StoreId) -> &'f Arc<Store> {
        &self.stores[id.0 as usize]
    }

    pub(crate) fn origin(&self, task: u32) -> Origin {
        Origin::new(self.window, &self.window.tasks()[task as usize])
    }
}

impl Engine {
    /// Executes a window by its plan. Failures poison stores; nothing is returned.
    pub(crate) fn execute(&mut self, flush: Flush<'_>, prepared: &PreparedPlan) {
        self.harvest_much();
        for (group, ready) in prepared.plan.groups.iter().zip(&prepared.groups) {
            self.group(flush, group, ready);
        }
        self.origin.end();
        self.idle.end(&self.devices);
    }

    fn group(&mut self, flush: Flush<'_>, group: &FusedTask, ready: &PreparedGroup) {
        if self.poisoned {
            self.harvest();
            if let Some(error) = fault::inherited(flush.window, flush.stores, &group.tasks) {
                let error = error.clone();
                match group.tasks[..] {
                    [task] => self.poison_outputs(flush, &[task], |_| error.clone()),
                    _ => self.one_by_one(flush, &group.tasks, Fallback::Poison),
                }
                self.end_stores(flush, &ready.release);
                self.end(flush, ready);
                return;
            }
        }
        self.run_steps(flush, group, ready);
        self.end(flush, ready);
    }

    /// Ends what ends with a group.
    fn end(&mut self, flush: Flush<'_>, ready: &PreparedGroup) {
        for &store in &ready.forwarded {
            flush.store(store).set_ended();
        }
    }

    fn run_steps(&mut self, flush: Flush<'_>, group: &FusedTask, ready: &PreparedGroup) {
        // What only tasks use that nobody needs makes room for what is needed.
        self.end_stores(flush, &ready.release);
        for (at, (step, ready)) in group.steps.iter().zip(&ready.steps).enumerate() {
            let result = match step {
                Step::Kernel(kernel) => KernelRun::run(self, flush, kernel, ready),
                Step::Builtin(builtin) => self.builtin(flush, builtin),
                Step::Opaque(task) => self.opaque(flush, *task),
            };
            if let Err(fault) = result {
                self.step_failed(flush, group, at, &fault);
                return;
            }
            self.end_stores(flush, &ready.release);
            if self.has_many_parts {
                self.join_parts(flush, &group.tasks);
            }
        }
    }

    /// A step failed: before it changed anything, then it and what follows is tried task by task; or
    /// on the way, then its outputs carry the failure and only what follows is tried.
    fn step_failed(&mut self, flush: Flush<'_>, group: &FusedTask, at: usize, fault: &StepFault) {
        let tasks = |step: &Step| match step {
            Step::Kernel(kernel) => kernel.tasks.clone(),
            Step::Builtin(builtin) => vec![builtin.task],
            Step::Opaque(task) => vec![*task],
        };
        let left = |from: usize| {
            let mut left: Vec<u32> = group.steps[from..].iter().flat_map(tasks).collect();
            left.sort_unstable();
            left.dedup();
            left
        };
        if let StepFault::Memory(_) = fault {
            self.give_back_fresh(flush, &left(at));
        }
        let retry = fault.can_retry() && group.tasks.len() > 1;
        if !retry {
            let failed = tasks(&group.steps[at]);
            self.poison_outputs(flush, &failed, |task| fault.error(&flush.origin(task)));
        }
        let left = left(if retry { at } else { at + 1 });
        match fault {
            _ if left.is_empty() => {}
            StepFault::Memory(_) if retry => self.in_halves(flush, &left),
            StepFault::Memory(_) => self.one_by_one(flush, &left, Fallback::Memory),
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

    fn poison_outputs(&mut self, flush: Flush<'_>, tasks: &[u32], error: impl Fn(u32) -> Error) {
        for (store, task) in fault::written(flush.window, tasks) {
            self.poison(flush.store(store), &error(task));
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
            Fallback::Memory => self.counters.fallbacks_memory += 1,
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

    /// Gives back the memory of stores that end here.
    fn end_stores(&mut self, flush: Flush<'_>, stores: &[StoreId]) {
        for &store in stores {
            let store = flush.store(store);
            store.set_ended();
            // What is used by the first queue alone goes back there, behind its uses.
            if let Some(block) = store.whole().take_alone()
                && !self.idle.put(&self.devices, block)
            {
                self.devices.release_block(block, &History::in_order());
            }
            if !store.whole().is_nothing() {
                store.staged().clear();
                self.end_replicas(store);
            }
        }
    }

    fn end_replicas(&mut self, store: &Store) {
        for replica in store.replicas().iter_mut() {
            replica.valid = Valid::Nothing;
            if let Some(instance) = &replica.instance {
                self.release(instance);
                replica.instance = None;
            }
        }
        store.whole().set_nothing();
    }
}
