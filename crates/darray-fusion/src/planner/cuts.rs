//! A window cut into groups, and these into kernels.

use crate::constraint::{Granularity, Violation};
use crate::facts::{Facts, Guard, Question, Recorder, Sizes};
use crate::footprint::{self, Footprint};
use crate::granularity::rows::{Rows, pays, reduces_rows_to_elements};
use crate::granularity::{Elements, Points};
use crate::group::{Group, Limits, greedy_prefixes};
use crate::limits::kernels::{Kernels, last_uses};
use crate::limits::{MAX_ACCESSES_PER_KERNEL, MAX_OPERATIONS_PER_KERNEL};
use crate::limits::{NestLimits, PointLimits, RowLimits, Stop};
use crate::merge::Together;
use crate::order::{Order, bytes};
use crate::plan::{Boundary, Costs, Grouping, Level, Mode, PlanOptions, Reason, Rule};
use darray_ir::{MapId, StoreId, Window};
use hashbrown::HashSet;
use std::ops::Range;

/// A window whose tasks, or some of them, are cut into groups; the others are groups of their own.
pub(super) struct Groups {
    pub(super) cuts: Vec<Cut>,
    /// Which groups are those of the tasks in question.
    pub(super) cut: Range<usize>,
    /// How many there were before small nests were joined.
    pub(super) groups_apart: usize,
    pub(super) boundaries: Vec<Boundary>,
    pub(super) guards: Vec<Guard>,
}

impl Groups {
    /// Of a window with these sizes, in its own order or in this one.
    pub(super) fn of(
        (window, sizes): (&Window, &Sizes<'_>),
        options: &PlanOptions,
        tasks: Range<u32>,
        order: Option<&Order>,
    ) -> Groups {
        let facts = Recorder::new(sizes);
        let may_hold_much = options.mode == Mode::Fused && !facts.ask(Question::FewBytes);
        let lifetimes = may_hold_much.then(|| sizes.lifetimes());
        let last_uses = last_uses(window);
        let replicas_inside = options.mode == Mode::Fused
            && options.grouping == Grouping::Graph
            && options.rules.all_hold();
        let kernels = Kernels {
            window,
            facts: &facts,
            lifetimes,
            last_uses: &last_uses,
            order,
            replicas_inside,
        };
        let points = Points::new(window, &facts, options.distributed_axes);
        let elements = Elements::new(window, &facts);
        let mut boundaries = Vec::new();
        let alone =
            |task| Cut { nodes: vec![task], nests: vec![vec![task]], together: Together::One };
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
        let apart: Vec<Cut> = groups.drain(tasks.start as usize..).collect();
        let groups_apart = apart.len();
        groups.extend(in_turn(kernels, apart, options));
        let cut = tasks.start as usize..groups.len();
        groups.extend((tasks.end..window.tasks().len() as u32).map(alone));
        boundaries.sort_by_key(|b| (b.task, b.level as u8));
        let guards = facts.into_guards();
        Groups { cuts: groups, cut, groups_apart, boundaries, guards }
    }

    /// Kernels and what is no kernel, in order.
    pub(super) fn steps(&self) -> impl Iterator<Item = (&[Vec<u32>], Together)> {
        self.cuts.iter().flat_map(|cut| {
            let nests = if cut.together == Together::One { 1 } else { cut.nests.len() };
            cut.nests.chunks(nests).map(|nests| (nests, cut.together))
        })
    }

    /// What launches and the bytes that are moved cost.
    pub(super) fn cost(&self, window: &Window, costs: &Costs) -> u64 {
        let steps = self.steps().enumerate();
        let tasks = steps.flat_map(|(number, (nests, _))| {
            nests.iter().flatten().map(move |&task| (number as u32, task))
        });
        let nests: usize = self.steps().map(|(nests, _)| nests.len() - 1).sum();
        bytes::moved(window, tasks)
            + self.steps().count() as u64 * costs.launch
            + nests as u64 * costs.next_nest
    }

    /// The most bytes that kernels hold at once, one behind the other; 0 if that makes no difference.
    pub(super) fn memory(&self, window: &Window, sizes: &Sizes<'_>) -> u64 {
        let lifetimes = sizes.lifetimes();
        if lifetimes.are_few() {
            return 0;
        }
        let held = |(nests, together): (&[Vec<u32>], Together)| {
            let several = together != Together::One;
            let mut footprint = Footprint::new(window, lifetimes, nests[0][0], several);
            for nest in nests {
                nest.iter().for_each(|&task| footprint.add(task));
                footprint.end_nest();
            }
            footprint.bytes()
        };
        self.steps().map(held).max().unwrap_or(0)
    }

    /// The most bytes that kernels of another order may hold.
    pub(super) fn most_memory(&self, window: &Window, sizes: &Sizes<'_>) -> u64 {
        match sizes.lifetimes().are_few() {
            true => u64::MAX,
            false => {
                let peak = footprint::peak(window, window.tasks().len());
                self.memory(window, sizes).max(peak + peak / footprint::MORE.0)
            }
        }
    }
}

/// The tasks of a fused task, cut into loop nests.
pub(super) struct Cut {
    pub(super) nodes: Vec<u32>,
    pub(super) nests: Vec<Vec<u32>>,
    /// How the nests are one kernel; one means that each is a kernel.
    pub(super) together: Together,
}

/// Most nests that are launched together.
const MOST_NESTS: usize = 16;

/// Joins small nests that stand together, those of one group or of several: each kernel of theirs runs them one behind the other.
fn in_turn(kernels: Kernels<'_>, groups: Vec<Cut>, options: &PlanOptions) -> Vec<Cut> {
    let joins = options.mode == Mode::Fused && options.costs.small > 0 && options.rules.all_hold();
    if !joins {
        return groups;
    }
    let is_small = |nest: &[u32]| {
        nest.iter().all(|&task| {
            let task = kernels.task(task);
            task.is_nest() && kernels.facts.ask(Question::AtMost(task.domain, options.costs.small))
        })
    };
    let mut runs: Vec<Run> = Vec::new();
    for (of, group) in groups.into_iter().enumerate() {
        if group.together != Together::One {
            runs.push(Run { cut: group, of, small: None });
            continue;
        }
        for nest in group.nests {
            let small = is_small(&nest).then(|| Size::of(&kernels, &nest));
            let both = runs.last().and_then(|last| last.small?.and(small?));
            match runs.last_mut().filter(|_| both.is_some()) {
                Some(last) => {
                    last.add(nest);
                    (last.small, last.cut.together) = (both, Together::InTurn);
                }
                None => {
                    let (nodes, nests) = (nest.clone(), vec![nest]);
                    let cut = Cut { nodes, nests, together: Together::One };
                    runs.push(Run { cut, of, small });
                }
            }
        }
    }
    // What is launched by itself stays with the others of its group.
    let mut joined: Vec<Run> = Vec::new();
    for run in runs {
        let is_alone = |run: &Run| run.cut.together == Together::One;
        match joined.last_mut() {
            Some(last) if last.of == run.of && is_alone(last) && is_alone(&run) => {
                run.cut.nests.into_iter().for_each(|nest| last.add(nest));
            }
            _ => joined.push(run),
        }
    }
    joined.into_iter().map(|run| run.cut).collect()
}

/// Nests that stand together.
struct Run {
    cut: Cut,
    /// The group of the first one.
    of: usize,
    /// What they have, if others may be launched with them.
    small: Option<Size>,
}

impl Run {
    fn add(&mut self, nest: Vec<u32>) {
        self.cut.nodes.extend(&nest);
        self.cut.nests.push(nest);
    }
}

/// What nests that are launched together have.
#[derive(Clone, Copy)]
struct Size {
    nests: usize,
    accesses: usize,
    operations: usize,
}

impl Size {
    fn of(kernels: &Kernels<'_>, nest: &[u32]) -> Size {
        let tasks = || nest.iter().map(|&task| kernels.task(task));
        // What only this nest uses is forwarded, not accessed.
        let last = nest[nest.len() - 1];
        let made: HashSet<StoreId> =
            tasks().flat_map(|task| &task.args[..task.outputs()]).map(|arg| arg.store).collect();
        let is_seen = |store: StoreId| {
            let is_old = kernels.window.store(store).initialised || !made.contains(&store);
            is_old || kernels.is_seen_after(last, store)
        };
        let args = tasks().flat_map(|task| &task.args).filter(|arg| is_seen(arg.store));
        let accesses: HashSet<(StoreId, MapId)> = args.map(|arg| (arg.store, arg.map)).collect();
        let operations = tasks().map(|task| task.op.operations()).sum();
        Size { nests: 1, accesses: accesses.len(), operations }
    }

    /// That of both, if it is not too much for a kernel.
    fn and(self, other: Size) -> Option<Size> {
        let both = Size {
            nests: self.nests + other.nests,
            accesses: self.accesses + other.accesses,
            operations: self.operations + other.operations,
        };
        let fits = both.nests <= MOST_NESTS
            && both.accesses <= MAX_ACCESSES_PER_KERNEL
            && both.operations <= MAX_OPERATIONS_PER_KERNEL;
        fits.then_some(both)
    }
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
    let mut cuts = Vec::new();
    for group in groups {
        let nests = nests(kernels, elements, &group.nodes, options, boundaries);
        // What is not computed inside of the others is a group of its own.
        let is_0d = |nest: &Vec<u32>| nest.iter().all(|&task| kernels.is_0d(task));
        let first = cuts.len();
        for nests in nests.chunk_by(|a, b| is_0d(a) == is_0d(b)) {
            let nodes = nests.concat();
            if cuts.len() > first {
                let (level, reason) = (Level::Points, Reason::Rule(Rule::LaunchDomain, None));
                let ends = |b: &&mut Boundary| b.task == nodes[0] && b.level == Level::Elements;
                match boundaries.iter_mut().find(ends) {
                    Some(boundary) => boundary.level = level,
                    None => {
                        let (task, earlier) = (nodes[0], nodes[0] - 1);
                        boundaries.push(Boundary { level, task, earlier, reason });
                    }
                }
            }
            cuts.push(Cut { nodes, nests: nests.to_vec(), together: Together::One });
        }
    }
    cuts
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
            kept.push(Cut { nodes: group.nodes, nests, together: Together::ByRows });
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
