//! From a window to a plan.

use crate::constraint::{Granularity, Violation};
use crate::facts::{Facts, Guard, Question, Recorder, Sizes};
use crate::footprint::{self, Footprint};
use crate::granularity::rows::{Rows, pays, reduces_rows_to_elements};
use crate::granularity::{Elements, Points};
use crate::group::{Group, Limits, greedy_prefixes};
use crate::limits::kernels::{Kernels, last_uses};
use crate::limits::{NestLimits, PointLimits, RowLimits, Stop};
use crate::merge::{self, Uses};
use crate::order::{self, Order, bytes};
use crate::plan::{
    Boundary, BufferSource, BuiltinStep, FusedArg, FusedTask, Grouping, KernelStep, Level, Mode,
    Plan, PlanOptions, Reason, Step,
};
use darray_ir::{DomainId, MapId, Privilege, StoreId, TaskOp, Window};
use darray_kernel::contract::contract;
use darray_kernel::simplify::simplify;
use hashbrown::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Plans a window. Pure: the same canonical form and the same answers give the same plan.
pub fn plan(window: &Window, options: &PlanOptions) -> Plan {
    chosen(window, options, |groups, ordered, order| {
        let plan = groups.plan(ordered, options);
        match order {
            None => plan,
            Some(order) => {
                let unneeded = order.left_out(window);
                Plan { order: Some(order), unused: unused(ordered), unneeded, ..plan }
            }
        }
    })
}

/// Into how many kernels and tasks that are none a window is cut: what [`plan`] does before it composes kernels.
pub fn cut_count(window: &Window, options: &PlanOptions) -> usize {
    chosen(window, options, |groups, _, _| groups.steps().count())
}

/// Groups of a window, in its own order or in one whose kernels cost less, and the window in that order.
fn chosen<R>(
    window: &Window,
    options: &PlanOptions,
    then: impl FnOnce(Groups<'_>, &Window, Option<Order>) -> R,
) -> R {
    let all = |window: &Window| 0..window.tasks().len() as u32;
    let own = Groups::of(window, options, all(window), None);
    let by_graph = options.mode == Mode::Fused
        && options.grouping == Grouping::Graph
        && options.rules.all_hold()
        && own.steps().count() > 1;
    if by_graph {
        // Costs are known to a tenth, about.
        let most = own.cost(window) / 10 * 9;
        let by_rows = own.cuts.iter().any(|cut| cut.by_rows);
        for (order, cost) in order::orders(window, options.rules) {
            // Kernels by rows may cost less than their nests.
            if order.is_of_all(window) || cost > most && !by_rows {
                continue;
            }
            let ordered = window.in_order(&order.tasks);
            let groups = Groups::of(&ordered, options, all(&ordered), Some(&order));
            if groups.cost(&ordered) <= most && groups.memory(&ordered) <= own.most_memory(window) {
                return then(groups, &ordered, Some(order));
            }
        }
    }
    then(own, window, None)
}

/// The stores that end with a window and that no task of it uses.
fn unused(window: &Window) -> Vec<StoreId> {
    let mut ends: Vec<bool> = window.stores().iter().map(|store| !store.live).collect();
    let args = window.tasks().iter().flat_map(|task| &task.args);
    args.for_each(|arg| ends[arg.store.0 as usize] = false);
    let stores = ends.iter().enumerate().filter(|(_, ends)| **ends);
    stores.map(|(store, _)| StoreId(store as u32)).collect()
}

/// Plans these tasks of a window, the others of which run before and behind them, in their order.
pub fn plan_part(window: &Window, options: &PlanOptions, tasks: Range<u32>) -> Plan {
    Groups::of(window, options, tasks, None).plan(window, options)
}

/// A window whose tasks, or some of them, are cut into groups; the others are groups of their own.
struct Groups<'w> {
    cuts: Vec<Cut>,
    /// Which groups are those of the tasks in question.
    cut: Range<usize>,
    boundaries: Vec<Boundary>,
    sizes: Sizes<'w>,
    guards: Vec<Guard>,
}

impl<'w> Groups<'w> {
    fn of(
        window: &'w Window,
        options: &PlanOptions,
        tasks: Range<u32>,
        order: Option<&Order>,
    ) -> Groups<'w> {
        let sizes = Sizes::new(window);
        let facts = Recorder::new(&sizes);
        let may_hold_much = options.mode == Mode::Fused && !facts.ask(Question::FewBytes);
        let lifetimes = may_hold_much.then(|| sizes.lifetimes());
        let last_uses = last_uses(window);
        let kernels = Kernels { window, facts: &facts, lifetimes, last_uses: &last_uses, order };
        let points = Points::new(window, &facts, options.distributed_axes);
        let elements = Elements::new(window, &facts);
        let mut boundaries = Vec::new();
        let alone = |task| Cut { nodes: vec![task], nests: vec![vec![task]], by_rows: false };
        let mut groups: Vec<Cut> = (0..tasks.start).map(alone).collect();
        let mut next = tasks.start;
        for by_rows in runs_by_rows(kernels, &elements, tasks.clone(), options, &mut boundaries) {
            let (first, last) = (by_rows.nodes[0], by_rows.nodes[by_rows.nodes.len() - 1]);
            if next < first {
                let tasks = next..first;
                let before =
                    by_points(kernels, &points, &elements, tasks, options, &mut boundaries);
                groups.extend(before);
                let (level, reason) = (Level::Points, Reason::Rows);
                boundaries.push(Boundary { level, task: first, earlier: first - 1, reason });
            }
            groups.push(by_rows);
            next = last + 1;
        }
        let rest = next..tasks.end;
        groups.extend(by_points(kernels, &points, &elements, rest, options, &mut boundaries));
        let cut = tasks.start as usize..groups.len();
        groups.extend((tasks.end..window.tasks().len() as u32).map(alone));
        boundaries.sort_by_key(|b| (b.task, b.level as u8));
        let guards = facts.into_guards();
        Groups { cuts: groups, cut, boundaries, sizes, guards }
    }

    fn plan(self, window: &Window, options: &PlanOptions) -> Plan {
        let facts = Recorder::with(&self.sizes, self.guards);
        let points = Points::new(window, &facts, options.distributed_axes);
        let schedule = Schedule::new(window, &self.cuts);
        let planner = Planner { window, facts: &facts, options, schedule, points: &points };
        let groups = self.cuts.into_iter().enumerate();
        let groups = groups.take(self.cut.end).skip(self.cut.start);
        let groups = groups.map(|(number, cut)| planner.fused_task(number, cut)).collect();
        let (boundaries, guards) = (self.boundaries, facts.into_guards());
        let (unused, unneeded) = Default::default();
        Plan { order: None, groups, boundaries, guards, unused, unneeded }
    }

    /// Kernels and what is no kernel, in order.
    fn steps(&self) -> impl Iterator<Item = (&[Vec<u32>], bool)> {
        self.cuts.iter().flat_map(|cut| {
            let together = if cut.by_rows { cut.nests.len() } else { 1 };
            cut.nests.chunks(together).map(|nests| (nests, cut.by_rows))
        })
    }

    /// What launches and the bytes that are moved cost.
    fn cost(&self, window: &Window) -> u64 {
        let steps = self.steps().enumerate();
        let tasks = steps.flat_map(|(number, (nests, _))| {
            nests.iter().flatten().map(move |&task| (number as u32, task))
        });
        bytes::moved(window, tasks) + self.steps().count() as u64 * order::LAUNCH
    }

    /// The most bytes that kernels hold at once, one behind the other; 0 if that makes no difference.
    fn memory(&self, window: &Window) -> u64 {
        let lifetimes = self.sizes.lifetimes();
        if lifetimes.are_few() {
            return 0;
        }
        let held = |(nests, by_rows): (&[Vec<u32>], bool)| {
            let mut footprint = Footprint::new(window, lifetimes, nests[0][0], by_rows);
            for nest in nests {
                nest.iter().for_each(|&task| footprint.add(task));
                footprint.end_nest();
            }
            footprint.bytes()
        };
        self.steps().map(held).max().unwrap_or(0)
    }

    /// The most bytes that kernels of another order may hold.
    fn most_memory(&self, window: &Window) -> u64 {
        match self.sizes.lifetimes().are_few() {
            true => u64::MAX,
            false => {
                let peak = footprint::peak(window, window.tasks().len());
                self.memory(window).max(peak + peak / footprint::MORE.0)
            }
        }
    }
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
    kernels: Kernels<'_>,
    points: &Points<'_>,
    elements: &Elements<'_>,
    tasks: Range<u32>,
    options: &PlanOptions,
    boundaries: &mut Vec<Boundary>,
) -> Vec<Cut> {
    let nodes: Vec<u32> = tasks.collect();
    let mut limits = PointLimits { kernels, mode: options.mode };
    let groups = cut(points, &nodes, options, Level::Points, boundaries, &mut limits);
    let cut = |group: Group<_>| {
        let nests = nests(kernels, elements, &group.nodes, options, boundaries);
        Cut { nodes: group.nodes, nests, by_rows: false }
    };
    groups.into_iter().map(cut).collect()
}

/// Groups of tasks that become kernels by rows, in order; the tasks between them are none of them.
fn runs_by_rows(
    kernels: Kernels<'_>,
    elements: &Elements<'_>,
    tasks: Range<u32>,
    options: &PlanOptions,
    boundaries: &mut Vec<Boundary>,
) -> Vec<Cut> {
    let window = kernels.window;
    // Launch domains that cut more than the rows cut the nests of one point differently.
    let possible = options.mode == Mode::Fused
        && options.distributed_axes == 1
        && options.rules.all_hold()
        && tasks.clone().any(|task| reduces_rows_to_elements(&window.tasks()[task as usize]));
    if !possible {
        return Vec::new();
    }
    let view = Rows::new(window, kernels.facts);
    let nodes: Vec<u32> = tasks.collect();
    let mut limits = RowLimits::new(kernels, elements);
    let mut ends = Vec::new();
    let groups = cut(&view, &nodes, options, Level::Rows, &mut ends, &mut limits);
    let mut kept = Vec::new();
    for (number, (group, (nests, mut inside))) in groups.into_iter().zip(limits.done).enumerate() {
        if pays(window, &nests) {
            boundaries.append(&mut inside);
            boundaries.extend(ends.get(number).cloned());
            kept.push(Cut { nodes: group.nodes, nests, by_rows: true });
        }
    }
    kept
}

/// Cuts a fused task's nests into kernels.
fn nests(
    kernels: Kernels<'_>,
    elements: &Elements<'_>,
    nodes: &[u32],
    options: &PlanOptions,
    boundaries: &mut Vec<Boundary>,
) -> Vec<Vec<u32>> {
    if options.mode != Mode::Fused {
        return nodes.iter().map(|&n| vec![n]).collect();
    }
    let mut limits = NestLimits::new(kernels);
    let groups = cut(elements, nodes, options, Level::Elements, boundaries, &mut limits);
    groups.into_iter().map(|g| g.nodes).collect()
}

/// Greedy prefixes, with their boundaries.
fn cut(
    view: &dyn Granularity,
    nodes: &[u32],
    options: &PlanOptions,
    level: Level,
    boundaries: &mut Vec<Boundary>,
    limits: &mut dyn Limits<Stop>,
) -> Vec<Group<Stop>> {
    let violated = |v: Violation| (Reason::Rule(v.rule, v.store), v.earlier);
    let groups = greedy_prefixes(view, nodes, options.rules, limits, violated);
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
        let sound = self.options.rules.all_hold();
        let mut kernel = if sound { simplify(&kernel) } else { kernel };
        if sound && self.options.contract {
            kernel = simplify(&contract(&kernel));
        }
        merged.kernel = Arc::new(kernel);
        Some(merged)
    }

    /// Pairs each fresh whole output with a dead whole input of the same type and shape that is read through the
    /// map through which the output is written: each element is loaded before it is stored, whatever the map.
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
                    && self.facts.ask(Question::BothWhole(domain, map, input, out))
            });
            pairs.extend(input.map(|&(input, ..)| (input, out)));
        }
        pairs
    }
}
