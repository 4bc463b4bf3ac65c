//! From a window to a plan.

use crate::constraint::{Granularity, Violation};
use crate::facts::{Facts, Question, Recorder};
use crate::granularity::{Elements, Points};
use crate::group::{Group, greedy_prefixes};
use crate::merge::{self, Uses};
use crate::plan::{
    Boundary, BufferSource, BuiltinStep, FusedArg, FusedTask, KernelStep, Level, Mode, Plan,
    PlanOptions, Reason, Step,
};
use darray_ir::{DomainId, MapId, Privilege, StoreId, TaskOp, Window};
use darray_kernel::contract::contract;
use darray_kernel::simplify::simplify;
use hashbrown::{HashMap, HashSet};
use std::sync::Arc;

/// Most tasks that one kernel merges: those of a full window.
const MAX_TASKS_PER_KERNEL: usize = 1024;
/// Most distinct accesses (store and map) of one kernel, temporaries not counted.
const MAX_ACCESSES_PER_KERNEL: usize = 48;

/// Plans a window. Pure: the same canonical form and the same answers give the same plan.
pub fn plan(window: &Window, options: &PlanOptions) -> Plan {
    let facts = Recorder::new(window);
    let points = Points::new(window, &facts, options.distributed_axes);
    let nodes: Vec<u32> = (0..window.tasks().len() as u32).collect();
    let mut boundaries = Vec::new();
    let groups = cut(&points, &nodes, options, Level::Points, &mut boundaries, |group, node| {
        let op = |t: u32| window.tasks()[t as usize].op;
        if options.mode == Mode::Unfused {
            Some(Reason::Mode)
        } else {
            [op(node), op(group[0])].into_iter().find_map(|op| match op {
                TaskOp::Builtin(_) => Some(Reason::Builtin),
                TaskOp::Opaque(_) => Some(Reason::Opaque),
                _ => None,
            })
        }
    });
    let elements = Elements::new(window, &facts);
    let nests: Vec<Vec<Vec<u32>>> = groups
        .iter()
        .map(|group| nests(window, &elements, &group.nodes, options, &mut boundaries))
        .collect();
    let schedule = Schedule::new(window, &nests);
    let planner = Planner { window, facts: &facts, options, schedule, points: &points };
    let groups = groups
        .into_iter()
        .zip(nests)
        .enumerate()
        .map(|(number, (group, nests))| planner.fused_task(number, group.nodes, nests))
        .collect();
    boundaries.sort_by_key(|b| (b.task, b.level as u8));
    Plan { groups, boundaries, guards: facts.into_guards() }
}

/// Cuts a fused task's nests into kernels.
fn nests(
    window: &Window,
    elements: &Elements<'_>,
    nodes: &[u32],
    options: &PlanOptions,
    boundaries: &mut Vec<Boundary>,
) -> Vec<Vec<u32>> {
    if options.mode != Mode::Fused {
        return nodes.iter().map(|&n| vec![n]).collect();
    }
    let mut accesses: HashMap<(StoreId, MapId), ()> = HashMap::new();
    let mut seen = 0;
    let groups = cut(elements, nodes, options, Level::Elements, boundaries, |group, node| {
        if group.len() == 1 {
            accesses.clear();
            seen = 0;
        }
        for &task in group[seen..].iter().chain([&node]) {
            // What nobody sees outside is forwarded, not accessed.
            let args = window.tasks()[task as usize].args.iter();
            let seen = args.filter(|a| {
                let store = window.store(a.store);
                store.live || store.initialised
            });
            accesses.extend(seen.map(|a| ((a.store, a.map), ())));
        }
        seen = group.len();
        let large = group.len() >= MAX_TASKS_PER_KERNEL || accesses.len() > MAX_ACCESSES_PER_KERNEL;
        large.then_some(Reason::Size)
    });
    groups.into_iter().map(|g| g.nodes).collect()
}

/// Greedy prefixes, with their boundaries.
fn cut(
    view: &dyn Granularity,
    nodes: &[u32],
    options: &PlanOptions,
    level: Level,
    boundaries: &mut Vec<Boundary>,
    extra: impl FnMut(&[u32], u32) -> Option<Reason>,
) -> Vec<Group<(Reason, u32)>> {
    let mut extra = extra;
    let violated = |v: Violation| (Reason::Rule(v.rule, v.store), v.earlier);
    let groups = greedy_prefixes(
        view,
        nodes,
        options.ignore,
        |group, node| extra(group, node).map(|reason| (reason, group[group.len() - 1])),
        violated,
    );
    boundaries.extend(groups.iter().filter_map(|g| {
        let (task, (reason, earlier)) = g.stopped?;
        Some(Boundary { level, task, earlier, reason })
    }));
    groups
}

/// When each store is used: positions of steps in execution order.
struct Schedule {
    /// Per store: first and last step, first and last group.
    uses: Vec<Option<Span>>,
    /// First step of each group.
    first_step: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Span {
    steps: (u32, u32),
    groups: (u32, u32),
    /// The first access: its partition and element-level privilege.
    first: ((DomainId, MapId), Privilege),
}

impl Schedule {
    fn new(window: &Window, nests: &[Vec<Vec<u32>>]) -> Schedule {
        let mut uses: Vec<Option<Span>> = vec![None; window.stores().len()];
        let mut first_step = Vec::new();
        let mut step = 0;
        for (group, kernels) in nests.iter().enumerate() {
            first_step.push(step);
            for kernel in kernels {
                let tasks = kernel.iter().map(|&t| &window.tasks()[t as usize]);
                for (task, arg) in tasks.flat_map(|t| t.args.iter().map(move |a| (t, a))) {
                    let now = Span {
                        steps: (step, step),
                        groups: (group as u32, group as u32),
                        first: ((task.domain, arg.map), arg.privilege),
                    };
                    let span = uses[arg.store.0 as usize].get_or_insert(now);
                    (span.steps.1, span.groups.1) = (step, group as u32);
                }
                step += 1;
            }
        }
        Schedule { uses, first_step }
    }

    fn span(&self, store: StoreId) -> Span {
        self.uses[store.0 as usize].expect("a store of the window is used")
    }
}

struct Planner<'p> {
    window: &'p Window,
    facts: &'p dyn Facts,
    options: &'p PlanOptions,
    schedule: Schedule,
    points: &'p Points<'p>,
}

/// The rest of the window, seen from one step.
struct After<'p> {
    planner: &'p Planner<'p>,
    step: u32,
}

impl Uses for After<'_> {
    fn dead_after(&self, store: StoreId) -> bool {
        let live = self.planner.window.store(store).live;
        !live && self.planner.schedule.span(store).steps.1 <= self.step
    }
}

impl Planner<'_> {
    fn fused_task(&self, number: usize, tasks: Vec<u32>, nests: Vec<Vec<u32>>) -> FusedTask {
        let args = self.arguments(&tasks);
        let mut steps = Vec::new();
        for (offset, nest) in nests.iter().enumerate() {
            let step = self.schedule.first_step[number] + offset as u32;
            match self.window.tasks()[nest[0] as usize].op {
                TaskOp::Builtin(builtin) => {
                    steps.push(Step::Builtin(BuiltinStep { builtin, task: nest[0] }));
                }
                TaskOp::Opaque(_) => steps.push(Step::Opaque(nest[0])),
                _ => steps.extend(self.kernel(nest, step).map(Step::Kernel)),
            }
        }
        let (temporaries, last_use) = self.ends(number as u32, &args);
        FusedTask { tasks, args, steps, temporaries, last_use }
    }

    /// Arguments with promoted privileges, one per store and partition, in order of first use.
    fn arguments(&self, tasks: &[u32]) -> Vec<FusedArg> {
        let mut args: Vec<FusedArg> = Vec::new();
        let mut known: HashMap<(StoreId, (DomainId, MapId)), usize> = HashMap::new();
        for access in tasks.iter().flat_map(|&t| self.points.accesses(t)) {
            let (domain, map) = access.partition;
            let (store, privilege) = (access.store, access.privilege);
            let at = *known.entry((store, access.partition)).or_insert_with(|| {
                args.push(FusedArg { store, domain, map, privilege });
                args.len() - 1
            });
            args[at].privilege = args[at].privilege.promote(privilege);
        }
        args
    }

    /// Stores whose data ends with this group: temporaries by the paper's definition (no reference,
    /// no other task, written by a covering partition before anything else), and other last uses.
    fn ends(&self, group: u32, args: &[FusedArg]) -> (Vec<StoreId>, Vec<StoreId>) {
        let (mut temporaries, mut last_use) = (Vec::new(), Vec::new());
        let mut seen: HashSet<StoreId> = HashSet::new();
        for arg in args {
            let store = self.window.store(arg.store);
            let span = self.schedule.span(arg.store);
            if store.live || span.groups.1 != group || !seen.insert(arg.store) {
                continue;
            }
            let ((domain, map), privilege) = span.first;
            let temporary = !store.initialised
                && span.groups.0 == group
                && match privilege {
                    Privilege::Write => self.facts.ask(Question::Covers(domain, map, arg.store)),
                    Privilege::Reduce(_) => true,
                    _ => false,
                };
            if temporary { temporaries.push(arg.store) } else { last_use.push(arg.store) }
        }
        (temporaries, last_use)
    }

    fn kernel(&self, tasks: &[u32], step: u32) -> Option<KernelStep> {
        let after = After { planner: self, step };
        let mut merged = merge::merge(self.window, tasks, &after, self.options)?;
        let mut kernel = Arc::unwrap_or_clone(merged.kernel);
        merged.in_place = self.in_place(&merged.buffers, merged.domain, step);
        for (source, buffer) in merged.buffers.iter().zip(&mut kernel.buffers) {
            if let BufferSource::Store { store, .. } = source {
                let shares = |&(a, b): &(StoreId, StoreId)| a == *store || b == *store;
                buffer.no_alias = !merged.in_place.iter().any(shares);
            }
        }
        kernel.renumber();
        // Without one of the rules a kernel may be no kernel at all, which simplifying relies on.
        let sound = self.options.ignore.is_none();
        let mut kernel = if sound { simplify(&kernel) } else { kernel };
        if sound && self.options.contract {
            kernel = simplify(&contract(&kernel));
        }
        merged.kernel = Arc::new(kernel);
        Some(merged)
    }

    /// Pairs each fresh whole output with a dead whole input of the same type.
    fn in_place(
        &self,
        buffers: &[BufferSource],
        domain: DomainId,
        step: u32,
    ) -> Vec<(StoreId, StoreId)> {
        let single = |source: &BufferSource| match source {
            BufferSource::Store { store, accesses } if accesses.len() == 1 => {
                Some((*store, accesses[0].0, accesses[0].1))
            }
            _ => None,
        };
        let alone = |store: StoreId| {
            let of = |b: &&BufferSource| matches!(b, BufferSource::Store { store: s, .. } if *s == store);
            buffers.iter().filter(of).count() == 1
        };
        let uses: Vec<_> =
            buffers.iter().filter_map(single).filter(|&(store, ..)| alone(store)).collect();
        let after = After { planner: self, step };
        let mut pairs: Vec<(StoreId, StoreId)> = Vec::new();
        for &(out, out_map, by) in &uses {
            let fresh = !self.window.store(out).initialised
                && self.schedule.span(out).steps.0 == step
                && by == Privilege::Write;
            if !fresh {
                continue;
            }
            let input = uses.iter().find(|&&(input, map, by)| {
                by == Privilege::Read
                    && map == out_map
                    && after.dead_after(input)
                    && self.window.store(input).dtype == self.window.store(out).dtype
                    && !pairs.iter().any(|&(taken, _)| taken == input)
                    && self.facts.ask(Question::Identity(domain, map, input))
                    && self.facts.ask(Question::Identity(domain, map, out))
            });
            pairs.extend(input.map(|&(input, ..)| (input, out)));
        }
        pairs
    }
}
