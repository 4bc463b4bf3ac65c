//! Soundness by brute force: for every fused group of random small windows, at every granularity,
//! `D(T1, T2)[p]` is a subset of `{p}`; and each rule is needed for that.

use darray_core::{Chart, Compute, Dim, Map, Place, RealType, Scalar, Shape};
use darray_fusion::plan::{FusedTask, KernelStep, Mode, Plan, PlanOptions, Rule, Rules, Step};
use darray_fusion::verify::verify;
use darray_fusion::{planner, precondition};
use darray_ir::{Grid, IndexTask, Privilege, TaskArg, TaskArgs, TaskOp, Tiling, Window};
use darray_kernel::composite::Formula;
use darray_kernel::ir::Reducer;
use darray_kernel::operator::Operator;
use darray_kernel::tree::TreeRule;
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeSet;

/// A small generator of pseudo-random numbers (SplitMix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % sides as u64) as usize
    }
}

/// Leaves of one index, so that tiles cut everywhere.
const RULE: TreeRule = TreeRule { lanes: 1, width: 1, rounds: 1, alone: 1 };
const SIDE: usize = 6;

fn options(distributed_axes: usize, ignore: Option<Rule>) -> PlanOptions {
    let rules = ignore.map_or(Rules::default(), Rules::without);
    PlanOptions { mode: Mode::Fused, distributed_axes, tree_rule: RULE, contract: false, rules }
}

/// A view of a 6 x 6 store over the domain (n, n), or over (n) where `rank` is 1.
fn random_map(dice: &mut Dice, domain: &Shape) -> Map {
    let n = domain[0] as i64;
    let last = domain.rank() as u8 - 1;
    let slack = SIDE as i64 - n;
    let dim = |dice: &mut Dice, axis: u8| match dice.roll(4) {
        0 => Dim::along(axis, dice.roll(slack as usize + 1) as i64, 1),
        1 => Dim::along(axis, n - 1, -1),
        2 if n * 2 <= SIDE as i64 => Dim::along(axis, dice.roll(2) as i64, 2),
        _ => Dim::along(axis, 0, 1),
    };
    let mut dims: SmallVec<[Dim; 4]> = match dice.roll(8) {
        0 => smallvec![dim(dice, last), dim(dice, 0)],
        1 => smallvec![Dim::fixed(dice.roll(SIDE) as i64), dim(dice, last)],
        2 => smallvec![dim(dice, 0), Dim::fixed(dice.roll(SIDE) as i64)],
        _ => smallvec![dim(dice, 0), dim(dice, last)],
    };
    if domain.rank() == 1 && dice.roll(2) == 0 {
        dims[0] = Dim::fixed(dice.roll(SIDE) as i64);
    }
    let chart = Chart::Native;
    if dice.roll(8) == 0 && domain.rank() == 2 {
        let dims = smallvec![Dim::along(0, dice.roll(3) as i64, SIDE as i64), Dim::along(1, 0, 1)];
        return Map { chart: Chart::Linear, dims };
    }
    Map { chart, dims }
}

/// A kind of tasks: of two inputs, to two outputs.
const TWO_OUTPUTS: usize = 5;

/// A window of two to five tasks over a few stores; tasks that break a precondition are left out
/// unless `unchecked`.
fn random_window(dice: &mut Dice, unchecked: bool) -> Window {
    window_of(dice, unchecked, false)
}

/// The same, or one of many reductions and as many rows everywhere.
fn window_of(dice: &mut Dice, unchecked: bool, by_rows: bool) -> Window {
    type Draft = (usize, Shape, Vec<(usize, Map)>);
    let mut plan: Vec<Draft> = Vec::new();
    let count = 2 + dice.roll(4);
    while plan.len() < count {
        let n = if by_rows { 3 } else { [2, 3, 3, 6][dice.roll(4)] };
        let domain = if dice.roll(4) == 0 { Shape::new(&[n]) } else { Shape::new(&[n, n]) };
        let kind = dice.roll(if by_rows { 2 } else { 6 });
        let count = if kind == TWO_OUTPUTS { 4 } else { 2 + dice.roll(2) };
        let args = (0..count).map(|_| (dice.roll(3), random_map(dice, &domain))).collect();
        plan.push((kind, domain.clone(), args));
    }
    let mut window = Window::new();
    let mut ids = [None; 3];
    for (kind, domain, args) in plan {
        let mut trial = window.clone();
        let mut trial_ids = ids;
        push(&mut trial, &mut trial_ids, dice, kind, &domain, &args);
        let task = trial.tasks().len() as u32 - 1;
        if unchecked || precondition::broken(&trial, &trial, task).is_none() {
            (window, ids) = (trial, trial_ids);
        }
    }
    window
}

fn push(
    window: &mut Window,
    ids: &mut [Option<darray_ir::StoreId>; 3],
    dice: &mut Dice,
    kind: usize,
    domain: &Shape,
    args: &[(usize, Map)],
) {
    let id = window.intern_domain(domain);
    let store_shape = Shape::new(&[SIDE, SIDE]);
    let mut used: TaskArgs = SmallVec::new();
    let reduced = if kind == 0 { 1 + dice.roll((1 << domain.rank()) - 1) as u32 } else { 0 };
    for (position, (store, map)) in args.iter().enumerate() {
        if kind == 0 && position > 1 {
            break;
        }
        let store =
            *ids[*store].get_or_insert_with(|| window.add_store(RealType::F64, &store_shape, true));
        let mut map = map.clone();
        let outputs = if kind == TWO_OUTPUTS { 2 } else { 1 };
        let mut privilege = if position < outputs { Privilege::Write } else { Privilege::Read };
        if kind == 0 && position == 0 {
            privilege = Privilege::Reduce(Reducer::Sum);
            map.chart = Chart::Native;
            for (d, dim) in map.dims.iter_mut().enumerate() {
                // Kept axes move a coordinate each, reduced ones none.
                let kept = d < domain.rank() && reduced >> d & 1 == 0;
                *dim = if kept { Dim::along(d as u8, 0, 1) } else { Dim::fixed(dim.start) };
            }
        }
        let map = window.intern_map(&map);
        used.push(TaskArg { store, map, privilege });
    }
    let op = match (kind, used.len()) {
        (0, _) => TaskOp::Reduce { reducer: Reducer::Sum, axes: reduced },
        (TWO_OUTPUTS, _) => TaskOp::Composite {
            composite: Formula::ComplexSquare.into(),
            compute: Compute::F64,
            scalars: 0,
        },
        (_, 2) => TaskOp::Copy,
        _ => TaskOp::Apply { operator: Operator::Add, compute: Compute::F64, scalars: 0 },
    };
    let scalars: SmallVec<[Scalar; 2]> = SmallVec::new();
    window.push(op, "test", id, used, scalars, Place::caller());
}

/// The elements (of a flat 6 x 6 store) that one index of the domain reaches.
fn element(window: &Window, arg: &TaskArg, index: &[usize]) -> i64 {
    let map = window.map(arg.map);
    let at = |d: &Dim| d.start + d.axis.map_or(0, |a| d.step * index[a as usize] as i64);
    match map.chart {
        Chart::Native => at(&map.dims[0]) * SIDE as i64 + at(&map.dims[1]),
        Chart::Linear => map.dims.iter().map(at).sum(),
    }
}

fn indices(domain: &Shape) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for &n in domain.iter() {
        all = all.iter().flat_map(|i| (0..n).map(|k| [&i[..], &[k]].concat())).collect();
    }
    all
}

/// What each point of a task touches: (store, element, privilege over this granularity).
type Footprint = Vec<BTreeSet<(u32, i64, u8)>>;

const READ: u8 = 0;
const WRITE: u8 = 1;
const REDUCE: u8 = 2;

fn kind(privilege: Privilege) -> u8 {
    match privilege {
        Privilege::Read => READ,
        Privilege::Reduce(_) => REDUCE,
        _ => WRITE,
    }
}

fn over_elements(window: &Window, task: &IndexTask) -> Footprint {
    let touch = |index: &Vec<usize>| {
        let arg = |a: &TaskArg| (a.store.0, element(window, a, index), kind(a.privilege));
        task.args.iter().map(arg).collect()
    };
    indices(window.domain(task.domain)).iter().map(touch).collect()
}

/// Rows are the indices along axis 0.
fn over_rows(window: &Window, task: &IndexTask) -> Footprint {
    let domain = window.domain(task.domain);
    let reduces_rows = task.reduced_axes() & 1 == 1;
    let touch = |row: usize| {
        let points = indices(domain).into_iter().filter(|i| i[0] == row);
        let arg = |a: &TaskArg, i: &[usize]| {
            let of_rows = kind(a.privilege) == REDUCE && !reduces_rows;
            let kind = if of_rows { WRITE } else { kind(a.privilege) };
            (a.store.0, element(window, a, i), kind)
        };
        points.flat_map(|i| task.args.iter().map(move |a| arg(a, &i)).collect::<Vec<_>>()).collect()
    };
    (0..domain[0]).map(touch).collect()
}

fn over_points(window: &Window, task: &IndexTask, policy: &[u32]) -> Footprint {
    let domain = window.domain(task.domain);
    let tiling = Tiling::new(domain, Grid::of(policy, domain.rank()), RULE);
    let axes = policy.len().min(domain.rank());
    let cut = task.reduced_axes() & ((1 << axes) - 1) != 0;
    let touch = |number: usize| {
        let tile = tiling.tile(&tiling.grid.point(number));
        let inside = |i: &Vec<usize>| i.iter().zip(&tile).all(|(k, range)| range.contains(k));
        let points = indices(domain).into_iter().filter(inside);
        let arg = |a: &TaskArg, i: &[usize]| {
            let kind = if kind(a.privilege) == REDUCE && !cut { WRITE } else { kind(a.privilege) };
            (a.store.0, element(window, a, i), kind)
        };
        points.flat_map(|i| task.args.iter().map(move |a| arg(a, &i)).collect::<Vec<_>>()).collect()
    };
    (0..tiling.grid.points()).map(touch).collect()
}

/// Whether some point of the later footprint depends on a different point of the earlier one. A
/// reduction is only complete after all points, so any use of what is reduced crosses points; two
/// points that reduce into one element do not conflict within one task.
fn crosses(earlier: &Footprint, later: &Footprint, same_task: bool) -> bool {
    if earlier.len() != later.len() {
        return true;
    }
    let touches = |f: &BTreeSet<(u32, i64, u8)>, store, element, kinds: &[u8]| {
        kinds.iter().any(|&k| f.contains(&(store, element, k)))
    };
    earlier.iter().enumerate().any(|(p, touched)| {
        touched.iter().any(|&(store, element, kind)| {
            later.iter().enumerate().any(|(q, other)| match kind {
                READ => {
                    (p != q && touches(other, store, element, &[WRITE]))
                        || touches(other, store, element, &[REDUCE])
                }
                WRITE => {
                    (p != q && touches(other, store, element, &[READ, WRITE]))
                        || touches(other, store, element, &[REDUCE])
                }
                _ if same_task => touches(other, store, element, &[READ, WRITE]),
                _ => touches(other, store, element, &[READ, WRITE, REDUCE]),
            })
        })
    })
}

fn unsound_group(footprints: &[Footprint], tasks: &[u32]) -> bool {
    tasks.iter().enumerate().any(|(i, &a)| {
        tasks[i..]
            .iter()
            .any(|&b| crosses(&footprints[a as usize], &footprints[b as usize], a == b))
    })
}

/// The kernel of a group that is one by rows.
fn by_rows(group: &FusedTask) -> Option<&KernelStep> {
    match &group.steps[..] {
        [Step::Kernel(kernel)] if kernel.kernel.by_rows => Some(kernel),
        _ => None,
    }
}

/// Unsound fused groups of a plan, over points or rows and over elements.
fn unsound(window: &Window, plan: &Plan, policy: &[u32]) -> usize {
    let tasks = || window.tasks().iter();
    let points: Vec<Footprint> = tasks().map(|t| over_points(window, t, policy)).collect();
    let rows: Vec<Footprint> = tasks().map(|t| over_rows(window, t)).collect();
    let elements: Vec<Footprint> = tasks().map(|t| over_elements(window, t)).collect();
    let nests = plan.groups.iter().flat_map(|g| &g.steps).flat_map(|s| match s {
        Step::Kernel(k) => &k.nests[..],
        Step::Builtin(_) | Step::Opaque(_) => &[],
    });
    let crossed = |g: &&FusedTask| {
        unsound_group(if by_rows(g).is_some() { &rows } else { &points }, &g.tasks)
    };
    plan.groups.iter().filter(crossed).count()
        + nests.filter(|nest| unsound_group(&elements, nest)).count()
}

const POLICIES: [&[u32]; 3] = [&[2], &[3], &[2, 2]];

#[test]
fn every_fused_group_is_pointwise() {
    let mut dice = Dice(1);
    let (mut fused, mut rows, mut stops, mut needless) = (0, 0, 0, 0);
    for round in 0..8000 {
        let window = window_of(&mut dice, false, round % 2 == 1);
        let policy = POLICIES[round / 2 % 3];
        let plan = planner::plan(&window, &options(policy.len(), None));
        assert_eq!(
            unsound(&window, &plan, policy),
            0,
            "{policy:?}\n{window}{}",
            plan.text(&window)
        );
        let valid = verify(&window, &plan, &options(policy.len(), None));
        assert_eq!(valid, Ok(()), "{window}{}", plan.text_with_kernels(&window));
        fused += plan.groups.iter().filter(|g| g.tasks.len() > 1).count();
        rows += plan.groups.iter().filter_map(by_rows).count();
        let points: Vec<Footprint> =
            window.tasks().iter().map(|t| over_points(&window, t, policy)).collect();
        for pair in plan.groups.windows(2) {
            stops += 1;
            let mut larger = pair[0].tasks.clone();
            larger.push(pair[1].tasks[0]);
            needless += usize::from(!unsound_group(&points, &larger));
        }
    }
    println!(
        "{fused} fused groups, {rows} by rows; {needless} of {stops} stops are not forced at these sizes"
    );
    assert!(rows > 100, "{rows} kernels by rows");
    assert!(fused > 1000 && stops > 1000 && needless < stops / 2, "{fused} {needless}/{stops}");
}

#[test]
fn every_constraint_is_needed() {
    for rule in [
        Rule::LaunchDomain,
        Rule::TrueDependence,
        Rule::AntiDependence,
        Rule::Reduction,
        Rule::SingleReduction,
    ] {
        let mut dice = Dice(2);
        let caught = (0..4000).filter(|round| {
            let window = random_window(&mut dice, false);
            let policy = POLICIES[round % 3];
            let ignoring = options(policy.len(), Some(rule));
            let plan = planner::plan(&window, &ignoring);
            unsound(&window, &plan, policy) > 0
        });
        let caught = caught.count();
        println!("{}: {caught} of 4000 windows unsound without it", rule.name());
        assert!(caught >= 5, "{} is hardly ever needed", rule.name());
    }
}

#[test]
fn every_precondition_is_needed() {
    let mut dice = Dice(3);
    let mut seen = std::collections::BTreeMap::new();
    for round in 0..4000 {
        let window = random_window(&mut dice, true);
        let policy = POLICIES[round % 3];
        let plan = planner::plan(&window, &options(policy.len(), None));
        let broken: BTreeSet<Rule> = (0..window.tasks().len() as u32)
            .filter_map(|t| precondition::broken(&window, &window, t))
            .map(|(rule, _)| rule)
            .collect();
        if unsound(&window, &plan, policy) > 0 {
            assert!(!broken.is_empty(), "unsound although every precondition holds\n{window}");
            broken.into_iter().for_each(|rule| *seen.entry(rule).or_insert(0) += 1);
        }
    }
    println!("{seen:?}");
    assert!(seen[&Rule::SelfAlias] > 10 && seen[&Rule::InjectiveWrite] > 10);
}
