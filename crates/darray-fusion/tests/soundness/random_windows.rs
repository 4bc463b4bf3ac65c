//! Random small windows.

use darray_core::{Chart, Compute, Dim, Map, Place, RealType, Scalar, Shape};
use darray_fusion::precondition;
use darray_ir::{Privilege, TaskArg, TaskArgs, TaskOp, Window};
use darray_kernel::composite::Formula;
use darray_kernel::ir::Reducer;
use darray_kernel::operator::Operator;
use smallvec::{SmallVec, smallvec};

/// A small generator of pseudo-random numbers (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % sides as u64) as usize
    }
}

/// Extents of every store, and how many there are.
pub const SIDE: usize = 6;
pub const STORES: usize = 3;

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
        let dims = smallvec![
            Dim::along(0, (dice.roll(3) as i64).min(slack), SIDE as i64),
            Dim::along(1, 0, 1)
        ];
        return Map { chart: Chart::Linear, dims };
    }
    Map { chart, dims }
}

/// A kind of tasks: of two inputs, to two outputs.
const TWO_OUTPUTS: usize = 5;

/// A window of two to five tasks over a few stores; tasks that break a precondition are left out
/// unless `unchecked`.
pub fn random_window(dice: &mut Dice, unchecked: bool) -> Window {
    let count = 2 + dice.roll(4);
    window_of(dice, (count, STORES), unchecked, false)
}

/// A window of so many tasks; or one of many reductions and as many rows everywhere.
pub fn window_of(
    dice: &mut Dice,
    (count, stores): (usize, usize),
    unchecked: bool,
    by_rows: bool,
) -> Window {
    type Draft = (usize, Shape, Vec<(usize, Map)>);
    let mut plan: Vec<Draft> = Vec::new();
    while plan.len() < count {
        let n = if by_rows { 3 } else { [2, 3, 3, 6, 2, 3, 3, 6, 0][dice.roll(9)] };
        let domain = if dice.roll(4) == 0 { Shape::new(&[n]) } else { Shape::new(&[n, n]) };
        let kind = dice.roll(if by_rows { 2 } else { 6 });
        let count = if kind == TWO_OUTPUTS { 4 } else { 2 + dice.roll(2) };
        let args = (0..count).map(|_| (dice.roll(stores), random_map(dice, &domain))).collect();
        plan.push((kind, domain.clone(), args));
    }
    let mut window = Window::new();
    let mut ids = vec![None; stores];
    for (kind, domain, args) in plan {
        let mut trial = window.clone();
        let mut trial_ids = ids.clone();
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
    ids: &mut [Option<darray_ir::StoreId>],
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
                *dim = if kept {
                    Dim::along(d as u8, 0, 1)
                } else {
                    Dim::fixed(dim.start.clamp(0, SIDE as i64 - 1))
                };
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
pub fn element(window: &Window, arg: &TaskArg, index: &[usize]) -> i64 {
    let map = window.map(arg.map);
    let at = |d: &Dim| d.start + d.axis.map_or(0, |a| d.step * index[a as usize] as i64);
    match map.chart {
        Chart::Native => at(&map.dims[0]) * SIDE as i64 + at(&map.dims[1]),
        Chart::Linear => map.dims.iter().map(at).sum(),
    }
}

pub fn indices(domain: &Shape) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for &n in domain.iter() {
        all = all.iter().flat_map(|i| (0..n).map(|k| [&i[..], &[k]].concat())).collect();
    }
    all
}
