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
use crate::rows::{Rows, pays, reduces_rows_to_elements};
use darray_ir::{DomainId, MapId, Privilege, StoreId, TaskOp, Window};
use darray_kernel::contract::contract;
use darray_kernel::simplify::simplify;
use hashbrown::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Most tasks that one kernel merges: those of a full window.
const MAX_TASKS_PER_KERNEL: usize = 1024;
/// Most distinct accesses (store and map) of one kernel, temporaries not counted.
const MAX_ACCESSES_PER_KERNEL: usize = 48;

/// Plans a window. Pure: the same canonical form and the same answers give the same plan.
pub fn plan(window: &Window, options: &PlanOptions) -> Plan {
    let facts = Recorder::new(window);
    let points = Points::new(window, &facts, options.distributed_axes);
    let elements = Elements::new(window, &facts);
    let mut boundaries = Vec::new();
    let mut groups: Vec<Cut> = Vec::new();
    let mut next = 0;
    for by_rows in runs_by_rows(window, &facts, &elements, options, &mut boundaries) {
        let (first, last) = (by_rows.nodes[0], by_rows.nodes[by_rows.nodes.len() - 1]);
        if next < first {
            groups.extend(by_points(
                window,
                &points,
                &elements,
                next..first,
                options,
                &mut boundaries,
            ));
            let (level, reason) = (Level::Points, Reason::Rows);
            boundaries.push(Boundary { level, task: first, earlier: first - 1, reason });
        }
        groups.push(by_rows);
        next = last + 1;
    }
    let rest = next..window.tasks().len() as u32;
    groups.extend(by_points(window, &points, &elements, rest, options, &mut boundaries));
    let schedule = Schedule::new(window, &groups);
    let planner = Planner { window, facts: &facts, options, schedule, points: &points };
    let fused = |(number, cut)| planner.fused_task(number, cut);
    let groups = groups.into_iter().enumerate().map(fused).collect();
    boundaries.sort_by_key(|b| (b.task, b.level as u8));
    Plan { groups, boundaries, guards: facts.into_guards() }
}

/// The tasks of a fused task, cut into loop nests.
struct Cut {
    nodes: Vec<u32>,
    nests: Vec<Vec<u32>>,
    /// Whether the nests are one kernel, by rows; else each is a kernel.
    by_rows: bool,
}

/// Groups of tasks whose dependences are point-wise over the points of launch domains.
fn by_points(
    window: &Window,
    points: &Points<'_>,
    elements: &Elements<'_>,
    tasks: Range<u32>,
    options: &PlanOptions,
    boundaries: &mut Vec<Boundary>,
) -> Vec<Cut> {
    let nodes: Vec<u32> = tasks.collect();
    let groups =
        cut(points, &nodes, options, Level::Points, boundaries, |group, node| match options.mode {
            Mode::Unfused => Some(Reason::Mode),
            _ => beside_builtin(window, group, node),
        });
    let cut = |group: Group<_>| {
        let nests = nests(window, elements, &group.nodes, options, boundaries);
        Cut { nodes: group.nodes, nests, by_rows: false }
    };
    groups.into_iter().map(cut).collect()
}

/// Groups of tasks that become kernels by rows, in order; the tasks between them are none of them.
fn runs_by_rows(
    window: &Window,
    facts: &dyn Facts,
    elements: &Elements<'_>,
    options: &PlanOptions,
    boundaries: &mut Vec<Boundary>,
) -> Vec<Cut> {
    // Launch domains that cut more than the rows cut the nests of one point differently.
    let possible = options.mode == Mode::Fused
        && options.distributed_axes == 1
        && options.ignore.is_none()
        && window.tasks().iter().any(reduces_rows_to_elements);
    if !possible {
        return Vec::new();
    }
    let view = Rows::new(window, facts);
    let nodes: Vec<u32> = (0..window.tasks().len() as u32).collect();
    let mut size = KernelSize::new(window);
    let mut ends = Vec::new();
    let groups = cut(&view, &nodes, options, Level::Rows, &mut ends, |group, node| {
        beside_builtin(window, group, node).or_else(|| size.reached(group, node))
    });
    let mut kept = Vec::new();
    for (number, Group { nodes, .. }) in groups.into_iter().enumerate() {
        let mut inside = Vec::new();
        let nests = nests(window, elements, &nodes, options, &mut inside);
        if pays(window, &nests) {
            boundaries.append(&mut inside);
            boundaries.extend(ends.get(number).cloned());
            kept.push(Cut { nodes, nests, by_rows: true });
        }
    }
    kept
}

/// A builtin is a group of its own, and so is an opaque task.
fn beside_builtin(window: &Window, group: &[u32], node: u32) -> Option<Reason> {
    [node, group[0]].into_iter().find_map(|task| match window.tasks()[task as usize].op {
        TaskOp::Builtin(_) => Some(Reason::Builtin),
        TaskOp::Opaque(_) => Some(Reason::Opaque),
        _ => None,
    })
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
    let mut size = KernelSize::new(window);
    let groups = cut(elements, nodes, options, Level::Elements, boundaries, |group, node| {
        size.reached(group, node)
    });
    groups.into_iter().map(|g| g.nodes).collect()
}

/// What a growing group would have as a kernel.
struct KernelSize<'w> {
    window: &'w Window,
    accesses: HashSet<(StoreId, MapId)>,
    /// Tasks whose accesses are counted.
    seen: usize,
}

impl KernelSize<'_> {
    fn new(window: &Window) -> KernelSize<'_> {
        KernelSize { window, accesses: HashSet::new(), seen: 0 }
    }

    /// Whether the kernel is as large as a kernel may be without the next task.
    fn reached(&mut self, group: &[u32], next: u32) -> Option<Reason> {
        if group.len() == 1 {
            self.accesses.clear();
            self.seen = 0;
        }
        for &task in group[self.seen..].iter().chain([&next]) {
            // What nobody sees outside is forwarded, not accessed.
            let args = self.window.tasks()[task as usize].args.iter();
            let seen = args.filter(|a| {
                let store = self.window.store(a.store);
                store.live || store.initialised
            });
            self.accesses.extend(seen.map(|a| (a.store, a.map)));
        }
        self.seen = group.len();
        let large =
            group.len() >= MAX_TASKS_PER_KERNEL || self.accesses.len() > MAX_ACCESSES_PER_KERNEL;
        large.then_some(Reason::Size)
    }
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

/// When each store is used: positions of steps in execution order, each nest being a step.
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
    fn new(window: &Window, groups: &[Cut]) -> Schedule {
        let mut uses: Vec<Option<Span>> = vec![None; window.stores().len()];
        let mut first_step = Vec::new();
        let mut step = 0;
        for (group, cut) in groups.iter().enumerate() {
            first_step.push(step);
            for kernel in &cut.nests {
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
    fn fused_task(&self, number: usize, cut: Cut) -> FusedTask {
        let Cut { nodes: tasks, nests, by_rows } = cut;
        let args = self.arguments(&tasks);
        let mut steps = Vec::new();
        let first = self.schedule.first_step[number];
        if by_rows {
            let kernel = self.kernel(&nests, first, true);
            steps.extend(kernel.map(Step::Kernel));
        }
        for (offset, nest) in nests.iter().enumerate().filter(|_| !by_rows) {
            let step = first + offset as u32;
            match self.window.tasks()[nest[0] as usize].op {
                TaskOp::Builtin(builtin) => {
                    steps.push(Step::Builtin(BuiltinStep { builtin, task: nest[0] }));
                }
                TaskOp::Opaque(_) => steps.push(Step::Opaque(nest[0])),
                _ => {
                    let kernel = self.kernel(std::slice::from_ref(nest), step, false);
                    steps.extend(kernel.map(Step::Kernel));
                }
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

    /// The kernel of some nests, the first of which is this step.
    fn kernel(&self, nests: &[Vec<u32>], step: u32, by_rows: bool) -> Option<KernelStep> {
        let after = |nest: usize| After { planner: self, step: step + nest as u32 };
        let mut merged = match by_rows {
            true => merge::merge_by_rows(self.window, nests, &after, self.options)?,
            false => merge::merge(self.window, &nests[0], &after(0), self.options)?,
        };
        let mut kernel = Arc::unwrap_or_clone(merged.kernel);
        if !by_rows {
            merged.in_place = self.in_place(&merged.buffers, merged.domain, step);
        }
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
                Some((*store, accesses[0].1, accesses[0].2))
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
