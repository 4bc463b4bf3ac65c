//! Plans: the value that report, tests and executor read.
//!
//! A plan belongs to a canonical form; it names stores, domains, maps and tasks by their numbers in
//! the window and holds no sizes, so one plan serves every window of that form whose guards hold.

use crate::facts::Guard;
use crate::order::{Order, bytes};
use darray_ir::Builtin;
use darray_ir::{DomainId, MapId, Privilege, StoreId, Window};
use darray_kernel::ir::{Kernel, Reducer};
use std::slice::from_ref;
use std::sync::Arc;

pub use crate::constraint::{Rule, Rules};
pub use crate::facts::Costs;
pub use darray_core::settings::{Grouping, Mode};

/// What the planner needs to know beside the window; fixed for the life of a runtime.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlanOptions {
    /// How far fusion goes.
    pub mode: Mode,
    /// Number of leading axes of an iteration domain that launch domains cut (the rank of the
    /// runtime's grid policy), at least 1. The same on one device and on many.
    pub distributed_axes: usize,
    /// Block sizes of reductions.
    pub tree_rule: darray_kernel::tree::TreeRule,
    /// Whether user operators may be contracted to FMA.
    pub contract: bool,
    /// The rules of legality that hold.
    pub rules: Rules,
    /// Which tasks stand together when groups are cut.
    pub grouping: Grouping,
    /// What launches take.
    pub costs: Costs,
}

/// The analysis of one window.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The order into which the window is brought first; none where that of the program stays. All numbers of tasks here are
    /// those of the window in this order.
    pub order: Option<Order>,
    /// In the order in which they run.
    pub groups: Vec<FusedTask>,
    /// How many groups there were before small nests were joined.
    pub groups_apart: usize,
    /// Why each group ends where it ends; also boundaries between kernels of one group.
    pub boundaries: Vec<Boundary>,
    /// What the plan assumed of the sizes.
    pub guards: Vec<Guard>,
    /// Stores that end with the window and that none of its groups uses: only tasks that nobody needs do.
    pub unused: Vec<StoreId>,
    /// Tasks that are not run since nobody needs what they give, by their numbers in the program.
    pub unneeded: Vec<u32>,
    /// What these would have written: if a later task fails that writes it, what is there is not what was there before that task.
    pub not_written: Vec<StoreId>,
}

impl Plan {
    /// The steps of all groups, in the order in which they run.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.groups.iter().flat_map(|group| &group.steps)
    }

    /// Bytes that its kernels, builtins and opaque tasks read and write, in a window in its order: what each reads before it
    /// changes it, and what it changes, unless it alone uses it and nobody sees it behind the window. Of a store a task counts
    /// as many elements as its domain has, or the store. It is what the choice between orders goes by.
    pub fn bytes(&self, window: &Window) -> u64 {
        bytes::moved(window, self.numbered().map(|(number, task)| (number as u32, task)))
    }

    /// Bytes that each step reads and writes, as [`bytes`](Plan::bytes) counts them.
    pub fn bytes_of_steps(&self, window: &Window) -> Vec<u64> {
        let tasks = self.numbered().map(|(number, task)| (number as u32, task));
        bytes::moved_by_kernel(window, tasks, self.step_count())
    }

    /// Bytes fewer if a step and the one behind it were one kernel.
    pub(crate) fn saved(&self, window: &Window, step: usize) -> u64 {
        let together =
            |(number, task): (usize, u32)| ((number - usize::from(number > step)) as u32, task);
        self.bytes(window).saturating_sub(bytes::moved(window, self.numbered().map(together)))
    }

    /// Tasks of steps, with the numbers of these.
    fn numbered(&self) -> impl Iterator<Item = (usize, u32)> {
        let of = |(number, step)| Step::tasks(step).iter().map(move |&task| (number, task));
        self.steps().enumerate().flat_map(of)
    }

    /// Of each of so many tasks, in the program's order, how many groups have tasks on both sides of where it begins, or compute for
    /// themselves what a task before it gives.
    pub fn parted(&self, tasks: usize) -> Vec<u32> {
        let mut parted = vec![0; tasks];
        let mut part = |first: u32, last: u32| {
            if first < last {
                parted[first as usize + 1..=last as usize].iter_mut().for_each(|count| *count += 1);
            }
        };
        // Where what each replicable task gives is read last.
        let mut last_read = vec![0; if self.order.is_some() { tasks } else { 0 }];
        for group in &self.groups {
            let (mut first, mut last) = (u32::MAX, 0);
            let mut replicas = Vec::new();
            for &place in &group.tasks {
                let task = self.order.as_ref().map_or(place, |order| order.tasks[place as usize]);
                // What copies to second buffers, or is computed again, is none of the program's.
                if task as usize >= tasks {
                    continue;
                }
                match &self.order {
                    Some(order) if order.is_replica(place) => replicas.push(task),
                    _ => (first, last) = (first.min(task), last.max(task)),
                }
            }
            part(first, last);
            for task in replicas {
                let read = &mut last_read[task as usize];
                *read = last.max(*read);
            }
        }
        last_read.into_iter().enumerate().for_each(|(task, read)| part(task as u32, read));
        parted
    }
}

/// A fused index task.
#[derive(Clone, Debug, PartialEq)]
pub struct FusedTask {
    /// Numbers of its tasks in the window, one behind the other.
    pub tasks: Vec<u32>,
    /// Its arguments with promoted point-level privileges, in order of first use.
    pub args: Vec<FusedArg>,
    /// What each point runs, in order.
    pub steps: Vec<Step>,
    /// Stores that live only inside this fused task: never seen by anything else. Those that no
    /// step names need no memory.
    pub temporaries: Vec<StoreId>,
    /// Stores whose data nothing reads after this fused task (temporaries are not repeated here).
    pub last_use: Vec<StoreId>,
}

/// A store as a fused task uses it through one partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FusedArg {
    /// Which store.
    pub store: StoreId,
    /// The partition: domain and map.
    pub domain: DomainId,
    /// See `domain`.
    pub map: MapId,
    /// Over points, promoted.
    pub privilege: Privilege,
}

/// Work of each point of a fused task.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A generated kernel.
    Kernel(KernelStep),
    /// A device builtin.
    Builtin(BuiltinStep),
    /// An opaque task: its number.
    Opaque(u32),
}

impl Step {
    /// Numbers of the tasks that it runs.
    pub fn tasks(&self) -> &[u32] {
        match self {
            Step::Kernel(kernel) => &kernel.tasks,
            Step::Builtin(BuiltinStep { task, .. }) | Step::Opaque(task) => from_ref(task),
        }
    }
}

/// A generated kernel with the sources of its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelStep {
    /// Numbers of the tasks that it merges.
    pub tasks: Vec<u32>,
    /// The same, nest by nest: one nest, or several of a kernel by rows or of nests in turn.
    pub nests: Vec<Vec<u32>>,
    /// The code. Equal kernels of different steps are equal values.
    pub kernel: Arc<Kernel>,
    /// The iteration domain; each point runs its tile of it. Of several nests, which have
    /// domains of their own, one with the most axes.
    pub domain: DomainId,
    /// One per kernel buffer.
    pub buffers: Vec<BufferSource>,
    /// One per kernel param.
    pub params: Vec<ParamSource>,
    /// One per kernel scalar: task number and index into its scalars.
    pub scalars: Vec<(u32, u32)>,
    /// Reductions, in the order of their partial buffers.
    pub reductions: Vec<Reduction>,
    /// Pairs (input, output): the output may take over the input's memory, since the input is dead
    /// after this step and both are reached, whole, by one and the same map only. Their buffers have
    /// `no_alias` unset: the kernel loads an element before it stores it.
    pub in_place: Vec<(StoreId, StoreId)>,
}

impl KernelStep {
    /// Whether it is small nests one behind the other, each of which finds all of what those before it give.
    pub fn is_in_turn(&self) -> bool {
        self.nests.len() > 1 && !self.kernel.by_rows
    }
}

/// What a kernel buffer is.
#[derive(Clone, Debug, PartialEq)]
pub enum BufferSource {
    /// A store; the accesses that the kernel makes, so that instances can be made valid and
    /// allocated to cover them.
    Store {
        /// Which.
        store: StoreId,
        /// Maps over the domains of nests, in the order of their first use, each with what the kernel does
        /// through it; where it writes before it reads, `Write`. One buffer never mixes charts.
        accesses: Vec<(DomainId, MapId, Privilege)>,
    },
    /// Partial results of a reduction output: entry of [`KernelStep::reductions`], and whether it is
    /// the value (0) or the index (1) of an arg-reduction.
    Partial {
        /// Index into `reductions`.
        reduction: u32,
        /// Index into its outputs.
        output: u32,
    },
}

/// A reduction that a kernel performs.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    /// The fold.
    pub reducer: Reducer,
    /// The domain of its nest: the step's but for a kernel by rows.
    pub domain: DomainId,
    /// Reduced logical axes of the domain, as a bit set.
    pub axes: u32,
    /// Output stores with their maps over the domain (parallel axes only): value, then index.
    pub outputs: Vec<(StoreId, MapId)>,
    /// Whether launch domains cut a reduced axis, so that points yield partials when there is more
    /// than one (then a finish step combines them). Over points the outputs are then
    /// `Reduce`, else `Write`.
    pub over_points: bool,
}

/// Where a kernel param's value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParamSource {
    /// 0.
    Zero,
    /// Extent of the point's tile along a logical axis of the step's domain.
    TileExtent(u8),
    /// First index of the point's tile along an axis.
    TileOrigin(u8),
    /// Extent of the whole domain along an axis.
    GlobalExtent(u8),
    /// Extent of a nest's domain along an axis that tiles do not cut.
    Extent(DomainId, u8),
    /// `start` of a dimension of a map.
    Start(MapId, u8),
    /// `step` of a dimension of a map.
    Step(MapId, u8),
}

/// A device builtin with the sources of its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct BuiltinStep {
    /// Which.
    pub builtin: Builtin,
    /// The task's number.
    pub task: u32,
}

/// Why two neighbours are apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Boundary {
    /// Between index tasks or between loop nests.
    pub level: Level,
    /// The task that could join no longer.
    pub task: u32,
    /// The task of the group that it conflicts with.
    pub earlier: u32,
    /// Which rule.
    pub reason: Reason,
}

/// Granularities of the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Index tasks, over the points of launch domains.
    Points,
    /// Loop nests, over the rows of iteration domains.
    Rows,
    /// Loop nests, over the elements of iteration domains.
    Elements,
}

/// What ended a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A rule, and the store on which it failed where there is one.
    Rule(Rule, Option<StoreId>),
    /// The task runs a builtin, which is never merged.
    Builtin,
    /// The task is opaque, and never merged.
    Opaque,
    /// The mode does not fuse.
    Mode,
    /// The group has as many tasks or buffers as a kernel may have.
    Size,
    /// A kernel by rows begins with the task.
    Rows,
    /// The task stands with what uses the same stores: one kernel of both sides would move no fewer bytes, or something between
    /// them stands in the way.
    Order,
    /// The kernel would hold more memory at once than its tasks do one by one.
    Memory,
    /// The kernel would fold along short rows, with an operand that is the same all along each or with what it stores or takes
    /// long to compute, or give the places of elements in rows of middle length.
    ShortRows,
    /// The kernel would fold, and of what it loads and stores some lies across its rows, or in steps along them.
    Across,
}
