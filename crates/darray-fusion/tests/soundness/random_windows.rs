//! Random small windows.

use darray_core::{Chart, Compute, Dim, Map, Place, RealType, Scalar, Shape};
use darray_fusion::precondition;
use darray_ir::{Distribution, Privilege, StoreId, TaskArg, TaskArgs, TaskOp, Window};
use darray_kernel::composite::Formula;
use darray_kernel::ir::Reducer;
use darray_kernel::operator::Operator;
use darray_kernel::random::BitGenerator;
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
    ids: &mut [Option<StoreId>],
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

/// A window of tasks over no axes, of reductions to what these read, and of others that read what these give.
pub fn window_of_numbers(dice: &mut Dice, count: usize) -> Window {
    let mut window = Window::new();
    let side = Shape::new(&[SIDE, SIDE]);
    let arrays = [(); 3].map(|()| window.add_store(RealType::F64, &side, true));
    let none = Shape::new(&[]);
    let mut numbers = vec![window.add_store(RealType::F64, &none, true)];
    while window.tasks().len() < count {
        let mut trial = window.clone();
        let n = [6, 6, 6, 3][dice.roll(4)];
        let square = Shape::new(&[n, n]);
        let whole = |trial: &mut Window, dice: &mut Dice| {
            let start = dice.roll(SIDE - n + 1) as i64;
            let dims = [0, 1].map(|axis| Dim::along(axis, start, 1));
            let map = Map { chart: Chart::Native, dims: dims.into_iter().collect() };
            (arrays[dice.roll(3)], trial.intern_map(&map))
        };
        let element = |trial: &mut Window, dice: &mut Dice| match dice.roll(6) {
            0 => {
                let dims = [0, 1].map(|_| Dim::fixed(dice.roll(3) as i64));
                let map = Map { chart: Chart::Native, dims: dims.into_iter().collect() };
                (arrays[dice.roll(3)], trial.intern_map(&map))
            }
            _ => (numbers[dice.roll(numbers.len())], trial.intern_map(&Map::identity(&none))),
        };
        let fresh = |trial: &mut Window, dice: &mut Dice| match dice.roll(6) {
            0 => numbers[dice.roll(numbers.len())],
            _ => trial.add_store(RealType::F64, &none, false),
        };
        let add = TaskOp::Apply { operator: Operator::Add, compute: Compute::F64, scalars: 0 };
        let number = trial.intern_map(&Map::identity(&none));
        let (op, domain, output, inputs) = match dice.roll(9) {
            6 => {
                let dims = [0, 1].map(|_| Dim::fixed(dice.roll(3) as i64));
                let map = Map { chart: Chart::Native, dims: dims.into_iter().collect() };
                let output = (arrays[dice.roll(3)], trial.intern_map(&map));
                (add, &none, output, [(); 2].map(|()| element(&mut trial, dice)).to_vec())
            }
            7 => {
                let op = TaskOp::Reduce { reducer: Reducer::Sum, axes: 2 };
                let dims = [Dim::along(0, 0, 1), Dim::fixed(dice.roll(3) as i64)];
                let map = Map { chart: Chart::Native, dims: dims.into_iter().collect() };
                let output = (arrays[dice.roll(3)], trial.intern_map(&map));
                (op, &square, output, vec![whole(&mut trial, dice)])
            }
            0 => {
                let op = TaskOp::Reduce { reducer: Reducer::Sum, axes: 3 };
                let output = (fresh(&mut trial, dice), number);
                (op, &square, output, vec![whole(&mut trial, dice)])
            }
            1 | 2 => {
                let output = (fresh(&mut trial, dice), number);
                let inputs = [(); 2].map(|()| element(&mut trial, dice));
                (add, &none, output, inputs.to_vec())
            }
            _ => {
                let inputs = vec![whole(&mut trial, dice), element(&mut trial, dice)];
                (add, &square, whole(&mut trial, dice), inputs)
            }
        };
        let by = match op {
            TaskOp::Reduce { reducer, .. } => Privilege::Reduce(reducer),
            _ => Privilege::Write,
        };
        let mut args = TaskArgs::new();
        args.push(TaskArg { store: output.0, map: output.1, privilege: by });
        let input = |&(store, map): &_| TaskArg { store, map, privilege: Privilege::Read };
        args.extend(inputs.iter().map(input));
        let id = trial.intern_domain(domain);
        trial.push(op, "test", id, args, SmallVec::new(), Place::caller());
        let task = trial.tasks().len() as u32 - 1;
        if precondition::broken(&trial, &trial, task).is_none() {
            if window.stores().len() < trial.stores().len() {
                numbers.push(output.0);
            }
            window = trial;
        }
    }
    window
}

/// A window of updates of two arrays, each through one partition, and of others that read them.
pub fn window_of_updates(dice: &mut Dice, count: usize) -> Window {
    let mut window = Window::new();
    let side = Shape::new(&[SIDE, SIDE]);
    let arrays = [(); 2].map(|()| window.add_store(RealType::F64, &side, true));
    let domain = Shape::new(&[4, 4]);
    let inner = |row: i64, column: i64| {
        let dims = [Dim::along(0, row, 1), Dim::along(1, column, 1)];
        Map { chart: Chart::Native, dims: dims.into_iter().collect() }
    };
    let updated = [inner(1, 1), inner(0, 2)];
    let mut results = vec![window.add_store(RealType::F64, &side, true)];
    // Those that are copies of all of an array, and an array that is written over.
    let mut copies = vec![window.add_store(RealType::F64, &side, true)];
    let edges = dice.roll(2) == 0;
    while window.tasks().len() < count {
        let mut trial = window.clone();
        match dice.roll(if edges { 6 } else { 24 }) {
            0 => {
                let all = [arrays[0], arrays[1], copies[0]];
                let from = all[dice.roll(3)];
                let copy = match all[dice.roll(3)] {
                    to if to != from => to,
                    _ => trial.add_store(RealType::F64, &side, false),
                };
                copies.push(copy);
                let map = trial.intern_map(&Map::identity(&side));
                let both = [(copy, Privilege::Write), (from, Privilege::Read)];
                let args = both.map(|(store, privilege)| TaskArg { store, map, privilege });
                let args = args.into_iter().collect();
                let id = trial.intern_domain(&side);
                trial.push(TaskOp::Copy, "copy", id, args, SmallVec::new(), Place::caller());
                window = trial;
                continue;
            }
            1 if edges => {
                // An edge, of what lies beside it.
                let (at, beside) = [(0, 1), (SIDE as i64 - 1, 2)][dice.roll(2)];
                let along = Dim::along(0, 0, 1);
                let turned = dice.roll(2) == 0;
                let edge = |at: i64| {
                    let dims = [Dim::fixed(at), along];
                    let dims = if turned { [dims[1], dims[0]] } else { dims };
                    Map { chart: Chart::Native, dims: dims.into_iter().collect() }
                };
                let array = arrays[dice.roll(2)];
                let mut args = TaskArgs::new();
                for (at, privilege) in [(at, Privilege::Write), (beside, Privilege::Read)] {
                    let map = trial.intern_map(&edge(at));
                    args.push(TaskArg { store: array, map, privilege });
                }
                let id = trial.intern_domain(&Shape::new(&[SIDE]));
                let neg =
                    TaskOp::Apply { operator: Operator::Neg, compute: Compute::F64, scalars: 0 };
                trial.push(neg, "edge", id, args, SmallVec::new(), Place::caller());
                window = trial;
                continue;
            }
            _ => {}
        }
        let element = |trial: &mut Window, dice: &mut Dice| match dice.roll(4) {
            0 => (results[dice.roll(results.len())], trial.intern_map(&inner(1, 1))),
            from => {
                let map = inner(dice.roll(3) as i64, dice.roll(3) as i64);
                let last = copies[copies.len() - 1];
                let store = if from == 1 { last } else { arrays[dice.roll(2)] };
                (store, trial.intern_map(&map))
            }
        };
        let inputs = [(); 2].map(|()| element(&mut trial, dice));
        let (output, map) = match dice.roll(2) {
            0 => {
                let array = dice.roll(3);
                ([arrays[0], arrays[1], copies[0]][array], updated[array % 2].clone())
            }
            _ => (trial.add_store(RealType::F64, &side, false), inner(1, 1)),
        };
        let map = trial.intern_map(&map);
        let mut args = TaskArgs::new();
        args.push(TaskArg { store: output, map, privilege: Privilege::Write });
        let input = |(store, map)| TaskArg { store, map, privilege: Privilege::Read };
        args.extend(inputs.map(input));
        let id = trial.intern_domain(&domain);
        let add = TaskOp::Apply { operator: Operator::Add, compute: Compute::F64, scalars: 0 };
        trial.push(add, "test", id, args, SmallVec::new(), Place::caller());
        let task = trial.tasks().len() as u32 - 1;
        if precondition::broken(&trial, &trial, task).is_none() {
            if window.stores().len() < trial.stores().len() {
                results.push(output);
            }
            window = trial;
        }
    }
    window
}

/// A window of arrays that are made of others, whole, and read through any maps; the arrays that they are made of are updated, too.
pub fn window_of_readers(dice: &mut Dice, count: usize) -> Window {
    let mut window = Window::new();
    let side = Shape::new(&[SIDE, SIDE]);
    let arrays = [(); 2].map(|()| window.add_store(RealType::F64, &side, true));
    let mut made: Vec<(StoreId, Shape)> = Vec::new();
    while window.tasks().len() < count {
        let mut trial = window.clone();
        let n = [2, 3, 4, 6][dice.roll(4)];
        let domain = Shape::new([&[n][..], &[n, n], &[n, n]][dice.roll(3)]);
        let input = |trial: &mut Window, dice: &mut Dice| {
            let fits = |shape: &Shape| shape.rank() == 2 && shape[0] >= n;
            let fitting: Vec<StoreId> =
                made.iter().filter(|(_, shape)| fits(shape)).map(|(store, _)| *store).collect();
            let same: Vec<StoreId> = made
                .iter()
                .filter(|(_, shape)| *shape == domain)
                .map(|(store, _)| *store)
                .collect();
            let (store, slack) = match dice.roll(4) {
                0 if !same.is_empty() => {
                    let map = trial.intern_map(&Map::identity(&domain));
                    return (same[dice.roll(same.len())], map);
                }
                1 | 2 if !fitting.is_empty() => {
                    let store = fitting[dice.roll(fitting.len())];
                    (store, trial.store(store).shape[0] - n)
                }
                _ => (arrays[dice.roll(2)], SIDE - n),
            };
            let along = |dice: &mut Dice, axis: u8| match dice.roll(4) {
                0 => Dim::along(axis, n as i64 - 1, -1),
                _ => Dim::along(axis, dice.roll(slack + 1) as i64, 1),
            };
            let mut dims = [along(dice, 0), along(dice, domain.rank() as u8 - 1)];
            if domain.rank() == 1 {
                dims[dice.roll(2)] = Dim::fixed(dice.roll(n) as i64);
            } else if dice.roll(4) == 0 {
                dims.swap(0, 1);
            }
            let map = Map { chart: Chart::Native, dims: dims.into_iter().collect() };
            (store, trial.intern_map(&map))
        };
        let (mut inputs, mut scalars) = (Vec::new(), SmallVec::<[Scalar; 2]>::new());
        let add = TaskOp::Apply { operator: Operator::Add, compute: Compute::F64, scalars: 0 };
        let op = match dice.roll(8) {
            0 => {
                let numbers = [7, 1, 2, 3, dice.roll(100) as i64];
                let strides = if domain.rank() == 1 { vec![1] } else { vec![n as i64, 1] };
                scalars.extend(numbers.into_iter().chain(strides).map(Scalar::from));
                let (generator, distribution) = (BitGenerator::Pcg64, Distribution::Uniform);
                TaskOp::Random { generator, distribution }
            }
            1 => {
                inputs.push(input(&mut trial, dice));
                TaskOp::Copy
            }
            _ => {
                inputs.extend([(); 2].map(|()| input(&mut trial, dice)));
                add
            }
        };
        let is_update = dice.roll(3) == 0 && domain.rank() == 2;
        let (output, map) = match is_update {
            true => {
                let start = dice.roll(SIDE - n + 1) as i64;
                let dims = [0, 1].map(|axis| Dim::along(axis, start, 1));
                let map = Map { chart: Chart::Native, dims: dims.into_iter().collect() };
                (arrays[dice.roll(2)], map)
            }
            false => {
                let shape = if dice.roll(8) == 0 { &side } else { &domain };
                let store = trial.add_store(RealType::F64, shape, false);
                made.push((store, shape.clone()));
                (store, Map::identity(&domain))
            }
        };
        let map = trial.intern_map(&map);
        let mut args = TaskArgs::new();
        args.push(TaskArg { store: output, map, privilege: Privilege::Write });
        let input = |(store, map)| TaskArg { store, map, privilege: Privilege::Read };
        args.extend(inputs.into_iter().map(input));
        let id = trial.intern_domain(&domain);
        trial.push(op, "test", id, args, scalars, Place::caller());
        let task = trial.tasks().len() as u32 - 1;
        match precondition::broken(&trial, &trial, task) {
            None => window = trial,
            Some(_) if !is_update => _ = made.pop(),
            Some(_) => {}
        }
    }
    window
}

/// The elements (of a flat 6 x 6 store) that one index of the domain reaches.
pub fn element(window: &Window, arg: &TaskArg, index: &[usize]) -> i64 {
    let map = window.map(arg.map);
    let at = |d: &Dim| d.start + d.axis.map_or(0, |a| d.step * index[a as usize] as i64);
    match map.chart {
        Chart::Native => map.dims.iter().fold(0, |element, dim| element * SIDE as i64 + at(dim)),
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
