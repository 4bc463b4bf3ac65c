//! Soundness by brute force: for every fused group of random small windows, at every granularity,
//! `D(T1, T2)[p]` is a subset of `{p}`; and each rule is needed for that.

mod order;
mod random_windows;

use darray_fusion::plan::{
    Costs, FusedTask, Grouping, KernelStep, Mode, Plan, PlanOptions, Rule, Rules, Step,
};
use darray_fusion::verify::verify;
use darray_fusion::{planner, precondition};
use darray_ir::{Grid, IndexTask, Privilege, StoreId, TaskArg, Tiling, Window};
use darray_kernel::tree::TreeRule;
use random_windows::{Dice, STORES, element, indices, random_window, window_of, window_of_numbers};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Leaves of one index, so that tiles cut everywhere.
const RULE: TreeRule = TreeRule { lanes: 1, width: 1, rounds: 1, alone: 1 };

fn options(distributed_axes: usize, ignore: Option<Rule>) -> PlanOptions {
    let rules = ignore.map_or(Rules::default(), Rules::without);
    PlanOptions {
        mode: Mode::Fused,
        grouping: Grouping::Graph,
        costs: Costs::CPU,
        distributed_axes,
        tree_rule: RULE,
        contract: false,
        rules,
    }
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
    if domain.rank() == 0 {
        return over_elements(window, task);
    }
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
    if domain.rank() == 0 {
        return over_elements(window, task);
    }
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

/// Whether a task goes over no axes.
fn is_0d(window: &Window, task: u32) -> bool {
    window.domain(window.tasks()[task as usize].domain).rank() == 0
}

/// Footprints of the tasks of a group. Where some go over no axes and others do, every point computes the former for itself: it
/// reads what they read, and what they write nobody else sees.
fn of_group(window: &Window, footprints: &[Footprint], tasks: &[u32]) -> Vec<Footprint> {
    let mut found: Vec<Footprint> = tasks.iter().map(|&t| footprints[t as usize].clone()).collect();
    let Some(&other) = tasks.iter().find(|&&t| !is_0d(window, t)) else { return found };
    let points = footprints[other as usize].len();
    let mut own = BTreeSet::new();
    for (number, &task) in tasks.iter().enumerate().filter(|(_, t)| is_0d(window, **t)) {
        let [all] = &found[number][..] else { panic!("a task over no axes has one element") };
        own.extend(all.iter().filter(|touched| touched.2 != READ).map(|touched| touched.0));
        assert_eq!(window.tasks()[task as usize].reduced_axes(), 0);
        found[number] =
            vec![all.iter().filter(|touched| touched.2 == READ).copied().collect(); points];
    }
    found.iter_mut().flatten().for_each(|touched| touched.retain(|t| !own.contains(&t.0)));
    found
}

/// Whether anything outside of a kernel sees what its tasks over no axes write, if it has others, too.
fn hands_on(window: &Window, tasks: &[u32]) -> bool {
    let writes = |&t: &u32| window.tasks()[t as usize].args.iter().find(|a| a.privilege.writes());
    let outputs = tasks.iter().filter(|t| is_0d(window, **t)).filter_map(writes);
    let is_seen = |arg: &TaskArg| {
        let others = (0..window.tasks().len() as u32).filter(|t| !tasks.contains(t));
        let mut args = others.flat_map(|t| &window.tasks()[t as usize].args);
        window.store(arg.store).live || args.any(|a| a.store == arg.store)
    };
    !tasks.iter().all(|&t| is_0d(window, t)) && outputs.into_iter().any(is_seen)
}

fn unsound_group(window: &Window, footprints: &[Footprint], tasks: &[u32]) -> bool {
    let footprints = of_group(window, footprints, tasks);
    (0..tasks.len())
        .any(|a| (a..tasks.len()).any(|b| crosses(&footprints[a], &footprints[b], a == b)))
}

/// The kernel of a group that is one by rows.
fn by_rows(group: &FusedTask) -> Option<&KernelStep> {
    match &group.steps[..] {
        [Step::Kernel(kernel)] if kernel.kernel.by_rows => Some(kernel),
        _ => None,
    }
}

/// The window in a plan's order.
fn ordered<'w>(window: &'w Window, plan: &Plan) -> Cow<'w, Window> {
    match &plan.order {
        Some(order) => Cow::Owned(order.applied(window)),
        None => Cow::Borrowed(window),
    }
}

/// Unsound fused groups of a plan, over points or rows and over elements.
fn unsound(window: &Window, plan: &Plan, policy: &[u32]) -> usize {
    let window = &*ordered(window, plan);
    let tasks = || window.tasks().iter();
    let points: Vec<Footprint> = tasks().map(|t| over_points(window, t, policy)).collect();
    let rows: Vec<Footprint> = tasks().map(|t| over_rows(window, t)).collect();
    let elements: Vec<Footprint> = tasks().map(|t| over_elements(window, t)).collect();
    let nests = plan.groups.iter().flat_map(|g| &g.steps).flat_map(|s| match s {
        Step::Kernel(k) => &k.nests[..],
        Step::Builtin(_) | Step::Opaque(_) => &[],
    });
    let crossed = |g: &&FusedTask| {
        // Each nest finds all of what those before it give.
        if matches!(&g.steps[..], [Step::Kernel(kernel)] if kernel.is_in_turn()) {
            return false;
        }
        unsound_group(window, if by_rows(g).is_some() { &rows } else { &points }, &g.tasks)
    };
    let crossed_nest =
        |nest: &&Vec<u32>| unsound_group(window, &elements, nest) || hands_on(window, nest);
    plan.groups.iter().filter(crossed).count() + nests.filter(crossed_nest).count()
}

const POLICIES: [&[u32]; 3] = [&[2], &[3], &[2, 2]];

#[test]
fn every_fused_group_is_pointwise() {
    let mut dice = Dice(1);
    let (mut fused, mut rows, mut stops, mut needless, mut moved) = (0, 0, 0, 0, 0);
    for round in 0..8000 {
        let window = {
            let count = 2 + dice.roll(4);
            window_of(&mut dice, (count, STORES), false, round % 2 == 1)
        };
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
        moved += usize::from(plan.order.is_some());
        let window = ordered(&window, &plan);
        let points: Vec<Footprint> =
            window.tasks().iter().map(|t| over_points(&window, t, policy)).collect();
        for pair in plan.groups.windows(2) {
            stops += 1;
            let mut larger = pair[0].tasks.clone();
            larger.push(pair[1].tasks[0]);
            needless += usize::from(!unsound_group(&window, &points, &larger));
        }
    }
    println!(
        "{fused} fused groups, {rows} by rows; {needless} of {stops} stops are not forced at these sizes"
    );
    println!("{moved} windows in another order than the program's");
    assert!(moved > 300, "{moved} windows in another order");
    assert!(rows > 100, "{rows} kernels by rows");
    assert!(fused > 1000 && stops > 1000 && needless < stops / 2, "{fused} {needless}/{stops}");
}

#[test]
fn kernels_that_compute_numbers_for_themselves_are_pointwise() {
    let mut dice = Dice(5);
    let (mut inside, mut again) = (0, 0);
    for round in 0..8000 {
        let mut window = {
            let count = 3 + dice.roll(8);
            window_of_numbers(&mut dice, count)
        };
        for store in 0..window.stores().len() as u32 {
            window.set_live(StoreId(store), dice.roll(3) == 0);
        }
        let policy = POLICIES[round % 3];
        let plan = planner::plan(&window, &options(policy.len(), None));
        assert_eq!(unsound(&window, &plan, policy), 0, "{window}{}", plan.text(&window));
        let valid = verify(&window, &plan, &options(policy.len(), None));
        assert_eq!(valid, Ok(()), "{window}{}", plan.text_with_kernels(&window));
        let ordered = ordered(&window, &plan);
        inside += plan
            .groups
            .iter()
            .filter(|g| {
                let numbers = g.tasks.iter().filter(|t| is_0d(&ordered, **t)).count();
                numbers > 0 && numbers < g.tasks.len()
            })
            .count();
        again += ordered.stores().len() - window.stores().len();
    }
    println!(
        "{inside} groups compute numbers for themselves, {again} stores of numbers that are computed again"
    );
    assert!(inside > 1000 && again > 200, "{inside} {again}");
}

/// Where launches have one point, small nests are one kernel, in turn.
#[test]
fn nests_in_turn_are_sound() {
    let mut dice = Dice(7);
    let (mut together, mut large) = (0, 0);
    for round in 0..4000 {
        let window = match round % 2 {
            0 => window_of(&mut dice, (3 + round % 7, STORES), false, false),
            _ => window_of_numbers(&mut dice, 3 + round % 7),
        };
        let options = PlanOptions { costs: Costs { small: 6, ..Costs::CPU }, ..options(1, None) };
        let plan = planner::plan(&window, &options);
        let valid = verify(&window, &plan, &options);
        assert_eq!(valid, Ok(()), "{window}{}", plan.text_with_kernels(&window));
        assert_eq!(unsound(&window, &plan, &[1]), 0, "{window}{}", plan.text(&window));
        let window = ordered(&window, &plan);
        for step in plan.steps() {
            let Step::Kernel(kernel) = step else { continue };
            let size = |t: &u32| window.domain(window.tasks()[*t as usize].domain).size();
            if kernel.is_in_turn() {
                together += 1;
                assert!(kernel.tasks.iter().all(|t| (1..=6).contains(&size(t))));
            }
            large += usize::from(kernel.tasks.iter().any(|t| size(t) > 6));
        }
    }
    println!("{together} kernels of nests in turn, {large} of others");
    assert!(together > 300 && large > 1000, "{together} {large}");
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
