//! From a window to a plan.

mod cuts;

use crate::constraint::Granularity;
use crate::facts::{Facts, Question, Recorder, Sizes};
use crate::granularity::Points;
use crate::merge::{self, Together, Uses};
use crate::order::{Order, Orders};
use crate::plan::{
    BufferSource, BuiltinStep, FusedArg, FusedTask, Grouping, KernelStep, Mode, Plan, PlanOptions,
    Step,
};
use cuts::{Cut, Groups};
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
                let tasks = unneeded.iter().map(|&task| &window.tasks()[task as usize]);
                let written = tasks.flat_map(|task| &task.args[..task.outputs()]);
                let mut not_written: Vec<StoreId> = written.map(|arg| arg.store).collect();
                not_written.sort_unstable();
                not_written.dedup();
                let unused = unused(ordered);
                Plan { order: Some(order), unused, unneeded, not_written, ..plan }
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
    then: impl FnOnce(Groups, &Window, Option<Order>) -> R,
) -> R {
    let all = |window: &Window| 0..window.tasks().len() as u32;
    let sizes = Sizes::new(window);
    let own = Groups::of((window, &sizes), options, all(window), None);
    let by_graph = options.mode == Mode::Fused
        && options.grouping == Grouping::Graph
        && options.rules.all_hold()
        && own.steps().count() > 1;
    if !by_graph {
        return then(own, window, None);
    }
    let cost = own.cost(window, &options.costs);
    let mut search = Search {
        window,
        options,
        memory: own.most_memory(window, &sizes),
        by_rows: own.cuts.iter().any(|cut| cut.together == Together::ByRows),
        best: None,
    };
    let nests = own.cuts.iter().flat_map(|cut| &cut.nests);
    let kernels: Vec<u32> = nests.map(|nest| nest[0]).collect();
    // What is saved while kernels stay what they are is no guess. Else costs are known to a tenth, about.
    let orders = Orders::new(window, options.rules, options.costs);
    search.look(&orders, &kernels, (cost.saturating_sub(1), cost / 10 * 9));
    let inlined = orders.with_inlined(options.rules, options.costs, search.cost(cost) / 10);
    let mut look = |orders: &Orders<'_>| {
        let most = search.cost(cost) / 10 * 9;
        search.look(orders, &kernels, (most, most));
    };
    if let Some(twins) = orders.with_twins(options.rules, options.costs) {
        look(&twins);
    }
    if let Some(inlined) = inlined {
        look(&inlined);
        if let Some(twins) = inlined.with_twins(options.rules, options.costs) {
            look(&twins);
        }
    }
    match search.best {
        None => then(own, window, None),
        Some(best) => then(best.groups, &best.window, Some(best.order)),
    }
}

/// Looks for an order whose kernels cost less.
struct Search<'s> {
    window: &'s Window,
    options: &'s PlanOptions,
    /// Bytes that a kernel may hold.
    memory: u64,
    /// Whether the program's kernels are by rows, which may cost less than their nests.
    by_rows: bool,
    best: Option<Ordered>,
}

/// A window in an order, and its kernels.
struct Ordered {
    order: Order,
    window: Window,
    groups: Groups,
    cost: u64,
}

impl Search<'_> {
    /// What the best order costs, if it is better than what costs so much.
    fn cost(&self, own: u64) -> u64 {
        self.best.as_ref().map_or(own, |best| best.cost)
    }

    /// Takes the order whose kernels cost least: the program's, whose kernels begin with these tasks, where they cost at most the first of `most`,
    /// others where they cost at most the second.
    fn look(&mut self, of: &Orders<'_>, kernels: &[u32], most: (u64, u64)) {
        let program = of.program(kernels).map(|(order, guess)| (order, guess, most.0));
        let others = of.others().into_iter();
        let others = others.filter(|(order, _)| !order.is_of_all(self.window));
        let others = others.map(|(order, guess)| (order, guess, most.1));
        let mut orders: Vec<(Order, u64, u64)> = program.into_iter().chain(others).collect();
        let computing = of.computing();
        orders.iter_mut().for_each(|(_, guess, _)| *guess += computing);
        orders.sort_by_key(|(_, guess, _)| *guess);
        let mut found: Option<Ordered> = None;
        for (order, guess, most) in orders {
            // Cutting one takes long, so it must promise more than what is found.
            let least = found.as_ref().map_or(u64::MAX, |found| found.cost - found.cost / 64);
            if guess <= least.min(most) || self.by_rows && found.is_none() {
                let least = found.as_ref().map_or(most, |found| found.cost.min(most));
                found = self.cut(order, computing, least).or(found);
            }
        }
        self.best = found.or(self.best.take());
    }

    /// Kernels of an order, if they cost and hold no more; what is computed again costs so much.
    fn cut(&self, order: Order, computing: u64, most: u64) -> Option<Ordered> {
        let window = order.applied(self.window);
        let sizes = Sizes::new(&window);
        let tasks = 0..window.tasks().len() as u32;
        let groups = Groups::of((&window, &sizes), self.options, tasks, Some(&order));
        let cost = groups.cost(&window, &self.options.costs) + computing;
        let fits = cost <= most && groups.memory(&window, &sizes) <= self.memory;
        fits.then_some(Ordered { order, window, groups, cost })
    }
}

/// Whether a store is several buffers of a kernel, by several charts: what one nest writes through one, the next may read through another.
fn is_another(buffers: &[BufferSource], store: StoreId) -> bool {
    let of = |b: &&BufferSource| matches!(b, BufferSource::Store { store: s, .. } if *s == store);
    buffers.iter().filter(of).count() > 1
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
    let sizes = Sizes::new(window);
    Groups::of((window, &sizes), options, tasks, None).plan(window, options)
}

impl Groups {
    fn plan(self, window: &Window, options: &PlanOptions) -> Plan {
        let sizes = Sizes::new(window);
        let facts = Recorder::with(&sizes, self.guards);
        let points = Points::new(window, &facts, options.distributed_axes);
        let schedule = Schedule::new(window, &self.cuts);
        let planner = Planner { window, facts: &facts, options, schedule, points: &points };
        let groups = self.cuts.into_iter().enumerate();
        let groups = groups.take(self.cut.end).skip(self.cut.start);
        let groups = groups.map(|(number, cut)| planner.fused_task(number, cut)).collect();
        let (boundaries, guards) = (self.boundaries, facts.into_guards());
        let (unused, unneeded, not_written) = Default::default();
        let groups_apart = self.groups_apart;
        Plan {
            order: None,
            groups,
            groups_apart,
            boundaries,
            guards,
            unused,
            unneeded,
            not_written,
        }
    }
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
        let Cut { nodes: tasks, nests, together } = cut;
        let args = self.arguments(&tasks);
        let mut steps = Vec::new();
        let first = self.schedule.first_step[number];
        let apart = together == Together::One;
        if !apart {
            let kernel = self.kernel(&nests, first, together);
            steps.extend(kernel.map(Step::Kernel));
        }
        for (offset, nest) in nests.iter().enumerate().filter(|_| apart) {
            let step = first + offset as u32;
            match self.window.tasks()[nest[0] as usize].op {
                TaskOp::Builtin(builtin) => {
                    steps.push(Step::Builtin(BuiltinStep { builtin, task: nest[0] }));
                }
                TaskOp::Opaque(_) => steps.push(Step::Opaque(nest[0])),
                _ => {
                    let kernel = self.kernel(std::slice::from_ref(nest), step, together);
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
    fn kernel(&self, nests: &[Vec<u32>], step: u32, together: Together) -> Option<KernelStep> {
        let after = |nest: usize| After { planner: self, step: step + nest as u32 };
        let mut merged = merge::merge(self.window, nests, together, &after, self.options)?;
        let mut kernel = Arc::unwrap_or_clone(merged.kernel);
        if together == Together::One {
            merged.in_place = self.in_place(&merged.buffers, merged.domain, step);
        }
        for (source, buffer) in merged.buffers.iter().zip(&mut kernel.buffers) {
            if let BufferSource::Store { store, .. } = source {
                let shares = |&(a, b): &(StoreId, StoreId)| a == *store || b == *store;
                let in_turn = together == Together::InTurn;
                let is_shared = merged.in_place.iter().any(shares)
                    || in_turn && is_another(&merged.buffers, *store);
                buffer.no_alias = !is_shared;
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
