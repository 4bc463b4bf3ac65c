//! Random operations.

use crate::arrays::{Arrays, Coordinates, Loop};
use crate::dice::Dice;
use crate::{Case, Options};
use darray_core::{RealType, Scalar};
use darray_interpreter::Launch;
use darray_kernel::ir::{
    Access, Axis, FoldItem, Kernel, Op, Operands, Reducer, Region, Role, Value,
};
use darray_kernel::operator::Operator;
use darray_kernel::random::BitGenerator;
use darray_kernel::tree::{Group, ReducedAxis, TileTree, TreeRule};
use smallvec::smallvec;

/// A case under construction.
pub(super) struct Generator<'o> {
    dice: Dice,
    options: &'o Options,
    arrays: Arrays,
    /// Visible values.
    values: Vec<(Value, RealType)>,
    next_value: u32,
    /// A random stream: its generator and its key.
    stream: Option<(BitGenerator, [Value; 4])>,
}

/// A loop axis before it has params.
struct Extent {
    global: i64,
    origin: i64,
    extent: i64,
}

impl<'o> Generator<'o> {
    pub fn new(seed: u64, options: &'o Options) -> Generator<'o> {
        let dice = Dice::new(seed);
        let kernel = Kernel {
            params: 0,
            scalars: Vec::new(),
            buffers: Vec::new(),
            body: Region::default(),
            by_rows: false,
        };
        let launch = Launch { buffers: Vec::new(), params: Vec::new(), scalars: Vec::new() };
        let arrays = Arrays { kernel, launch, memory: Vec::new() };
        Generator { dice, options, arrays, values: Vec::new(), next_value: 0, stream: None }
    }

    pub fn case(mut self) -> Case {
        let mut ops = Vec::new();
        self.prologue(&mut ops);
        for _ in 0..self.dice.pick(&[0, 1, 1, 1, 1, 2]) {
            match self.dice.below(3) {
                0 => self.for_loop(&mut ops),
                1 => self.full_fold(&mut ops),
                _ => self.kept_fold(&mut ops),
            }
        }
        if self.dice.one_in(4) || self.arrays.kernel.buffers.is_empty() {
            self.applies(&mut ops);
            self.stores(&mut ops, &[], 1);
        }
        self.arrays.kernel.body.ops = ops;
        let Arrays { kernel, launch, memory } = self.arrays;
        Case { kernel, launch, memory }
    }

    fn prologue(&mut self, ops: &mut Vec<Op>) {
        if self.dice.one_in(4) {
            let generator = self.dice.pick(&BitGenerator::ALL);
            let key = generator.key(self.dice.below(1000) as u64);
            self.stream = Some((generator, key.map(|word| self.scalar(ops, word.into()))));
        }
        for _ in 0..self.dice.below(4) {
            let dtype = self.dice.pick(&RealType::ALL);
            let scalar = self.dice.scalar(dtype);
            if self.dice.one_in(2) {
                self.scalar(ops, scalar);
            } else {
                let result = self.value(dtype);
                ops.push(Op::Const { result, scalar });
            }
        }
        if self.dice.one_in(3) {
            self.loads(ops, &[]);
            self.applies(ops);
        }
    }

    fn for_loop(&mut self, ops: &mut Vec<Op>) {
        let extents = self.extents(None);
        let loops = self.loops(extents, false);
        let visible = self.values.len();
        let mut body = Vec::new();
        self.point(&mut body, &loops);
        let count = 1 + self.dice.below(3);
        self.stores(&mut body, &loops, count);
        self.values.truncate(visible);
        ops.push(Op::For { body: region(&loops, body) });
    }

    fn full_fold(&mut self, ops: &mut Vec<Op>) {
        let rule = self.rule();
        let extents = self.extents(Some(rule));
        let loops = self.loops(extents, false);
        self.fold(ops, &[], &loops, rule);
    }

    fn kept_fold(&mut self, ops: &mut Vec<Op>) {
        let rule = self.rule();
        let mut extents = self.extents(Some(rule));
        if extents.len() == 1 {
            extents.insert(0, Extent { global: 3, origin: 0, extent: 2 });
        }
        let kept = 1 + self.dice.below(extents.len() - 1);
        let loops = self.loops(extents, true);
        let (kept, reduced) = loops.split_at(kept);
        let visible = self.values.len();
        let mut body = Vec::new();
        if self.dice.one_in(2) {
            self.loads(&mut body, kept);
            self.applies(&mut body);
        }
        self.fold(&mut body, kept, reduced, rule);
        self.values.truncate(visible);
        ops.push(Op::For { body: region(kept, body) });
    }

    /// A fold, its yields, and what is done with its results.
    fn fold(&mut self, ops: &mut Vec<Op>, kept: &[Loop], reduced: &[Loop], tree: TreeRule) {
        let all = [kept, reduced].concat();
        let visible = self.values.len();
        let mut body = Vec::new();
        self.point(&mut body, &all);
        let mut folds = Vec::new();
        for _ in 0..1 + self.dice.below(3) {
            let (mut value, mut dtype) = self.values[self.dice.below(self.values.len())];
            if dtype.is_narrow() {
                dtype = dtype.compute();
                value = self.cast(&mut body, value, dtype);
            }
            let defined = |r: &Reducer| r.result(dtype).is_some();
            let reducers: Vec<Reducer> = Reducer::ALL.iter().copied().filter(defined).collect();
            folds.push((self.dice.pick(&reducers), value, dtype));
        }
        if self.dice.one_in(4) {
            self.stores(&mut body, &all, 1);
        }
        self.values.truncate(visible);

        let results: Vec<(FoldItem, RealType)> = folds
            .into_iter()
            .map(|(reducer, value, dtype)| {
                let result = self.number();
                let index = reducer.has_index().then(|| self.number());
                (FoldItem { reducer, value, result, index }, dtype)
            })
            .collect();
        let mut order: Vec<&Loop> = reduced.iter().collect();
        order.sort_by_key(|l| l.axis.logical);
        let global = |l: &Loop| self.arrays.launch.params[l.axis.global.0 as usize] as usize;
        let axes: Vec<ReducedAxis> = order
            .into_iter()
            .map(|l| ReducedAxis {
                origin: l.origin as usize,
                extent: l.extent as usize,
                global: global(l),
            })
            .collect();
        let axis = |l: &Loop, is_reduced| (l.axis.logical, global(l), is_reduced);
        let parallel_axes = kept.iter().map(|l| axis(l, false));
        let group = Group::of(parallel_axes.chain(reduced.iter().map(|l| axis(l, true))));
        let tile = TileTree::new(tree, group, &axes);
        let folds = results.iter().map(|(item, _)| item.clone()).collect();
        ops.push(Op::Fold { body: region(reduced, body), folds, tree });

        for (item, dtype) in &results {
            for (value, dtype) in [(Some(item.result), *dtype), (item.index, RealType::I64)] {
                let Some(value) = value else { continue };
                let slots = Coordinates::Slots(tile.slots());
                let to = self.one_buffer(kept, dtype, Role::Partial, slots);
                ops.push(Op::Yield { to, value });
                if tile.is_whole() && self.options.fold_results {
                    self.values.push((value, dtype));
                }
            }
        }
        if tile.is_whole() && self.options.fold_results && self.dice.one_in(2) {
            self.applies(ops);
            self.stores(ops, kept, 1);
        }
    }

    /// Everything of one iteration but the stores.
    fn point(&mut self, ops: &mut Vec<Op>, loops: &[Loop]) {
        if self.dice.one_in(3) {
            let result = self.value(RealType::I64);
            ops.push(Op::Index { result, axis: self.dice.below(loops.len()) as u8 });
            if let Some((generator, key)) = self.stream {
                let dtype = self.dice.pick(&[RealType::F64, RealType::F32, RealType::I64]);
                let random = self.value(dtype);
                let counter = result;
                ops.push(Op::Random { result: random, generator, dtype, key, counter });
            }
        }
        self.loads(ops, loops);
        self.applies(ops);
    }

    fn loads(&mut self, ops: &mut Vec<Op>, loops: &[Loop]) {
        for _ in 0..1 + self.dice.below(3) {
            let dtype = match self.dice.below(1 + RealType::ALL.len()) {
                0 => RealType::F64,
                number => RealType::ALL[number - 1],
            };
            let count = self.dice.pick(&[1, 1, 2, 3]);
            let (arrays, dice) = (&mut self.arrays, &mut self.dice);
            let from = arrays.buffer(dice, loops, dtype, Role::Read, Coordinates::Any, count);
            for from in from {
                let result = self.value(dtype);
                ops.push(Op::Load { result, from });
                if dtype.is_narrow() {
                    self.cast(ops, result, dtype.compute());
                }
            }
        }
    }

    fn cast(&mut self, ops: &mut Vec<Op>, value: Value, to: RealType) -> Value {
        let is_it = |(visible, _): &&(Value, RealType)| *visible == value;
        let mut dtype = self.values.iter().find(is_it).expect("a visible value").1;
        Operator::conversion(dtype, to).into_iter().fold(value, |value, operator| {
            dtype = operator.result(&[dtype]).expect("a step of the conversion");
            let result = self.value(dtype);
            ops.push(Op::Apply { result, operator, args: smallvec![value] });
            result
        })
    }

    /// Rows of the operator table whose operand types are there.
    fn applies(&mut self, ops: &mut Vec<Op>) {
        for _ in 0..self.dice.below(self.options.operations + 1) {
            let operator = self.dice.pick(Operator::ALL);
            let signature =
                &operator.row().signatures[self.dice.below(operator.row().signatures.len())];
            let mut args = Operands::new();
            for &input in signature.inputs {
                let fitting: Vec<Value> =
                    self.values.iter().filter(|(_, d)| *d == input).map(|(v, _)| *v).collect();
                // The later half twice as often: expressions grow deep.
                let late = if self.dice.one_in(2) { fitting.len() / 2 } else { 0 };
                match fitting.is_empty() {
                    true => break,
                    false => args.push(self.dice.pick(&fitting[late..])),
                }
            }
            if args.len() == operator.arity() {
                let result = self.value(signature.output);
                ops.push(Op::Apply { result, operator, args });
            }
        }
    }

    fn larger(&mut self, ops: &mut Vec<Op>, values: [Value; 2], dtype: RealType) -> Value {
        let compute = dtype.compute();
        let cast = |value| if compute == dtype { value } else { self.cast(ops, value, compute) };
        let args = Operands::from_slice(&values.map(cast));
        let result = self.value(compute);
        ops.push(Op::Apply { result, operator: Operator::Maximum, args });
        if compute == dtype { result } else { self.cast(ops, result, dtype) }
    }

    /// Stores of visible values: plain, masked, in place.
    fn stores(&mut self, ops: &mut Vec<Op>, loops: &[Loop], count: usize) {
        for _ in 0..count {
            if self.values.is_empty() {
                let scalar = self.dice.scalar(RealType::F64);
                let result = self.value(RealType::F64);
                ops.push(Op::Const { result, scalar });
            }
            let late = if self.dice.one_in(2) { self.values.len() / 2 } else { 0 };
            let (mut value, mut dtype) = self.dice.pick(&self.values[late..]);
            let narrower =
                RealType::ALL.into_iter().find(|d| d.is_narrow() && d.compute() == dtype);
            if let Some(narrow) = narrower.filter(|_| self.dice.one_in(3)) {
                dtype = narrow;
                value = self.cast(ops, value, dtype);
            }
            let masks: Vec<Value> =
                self.values.iter().filter(|(_, d)| *d == RealType::Bool).map(|(v, _)| *v).collect();
            let mask = if masks.is_empty() || self.dice.one_in(2) {
                None
            } else {
                Some(self.dice.pick(&masks))
            };
            let in_place = self.dice.one_in(3);
            // The old elements come through the buffer itself or through another one there.
            let alias = in_place && self.dice.one_in(2);
            let reads = mask.is_some() || (in_place && !alias);
            let role = if reads { Role::ReadWrite } else { Role::Write };
            let to = self.one_buffer(loops, dtype, role, Coordinates::Injective);
            if in_place {
                let from = if alias { self.arrays.alias(&to) } else { to.clone() };
                let result = self.value(dtype);
                ops.push(Op::Load { result, from });
                value = self.larger(ops, [result, value], dtype);
            }
            ops.push(Op::Store { to: to.clone(), value, mask });
            if role == Role::ReadWrite && self.dice.one_in(3) {
                let result = self.value(dtype);
                ops.push(Op::Load { result, from: to });
            }
        }
    }

    fn one_buffer(
        &mut self,
        loops: &[Loop],
        dtype: RealType,
        role: Role,
        by: Coordinates,
    ) -> Access {
        let accesses = self.arrays.buffer(&mut self.dice, loops, dtype, role, by, 1);
        accesses.into_iter().next().expect("one access")
    }

    /// Tiles of one to three axes; with a rule they are cut at its blocks.
    fn extents(&mut self, rule: Option<TreeRule>) -> Vec<Extent> {
        let rank = self.dice.pick(&[1, 1, 2, 2, 2, 3]);
        let mut left = self.options.iterations as i64;
        let mut extents = Vec::new();
        for _ in 0..rank {
            let longest = left.min(self.options.longest as i64).max(1);
            let extent = match self.dice.below(24) {
                0..3 => longest,
                3 => 0,
                _ => self.dice.between(1, longest.min(9)),
            };
            left /= extent.max(1);
            let whole = self.dice.one_in(2);
            extents.push(match rule {
                _ if whole => Extent { global: extent, origin: 0, extent },
                None => {
                    let origin = self.dice.between(0, 5);
                    Extent { global: origin + extent + self.dice.between(0, 3), origin, extent }
                }
                // Cut at blocks of any group.
                Some(rule) => {
                    let global = extent + self.dice.between(0, 40);
                    let block = i64::from((rule.lanes * rule.rounds).max(rule.alone));
                    let origin = block * self.dice.between(0, global / block);
                    let last = block * self.dice.between(origin / block, global / block + 1);
                    Extent { global, origin, extent: last.min(global) - origin }
                }
            });
        }
        extents
    }

    /// Axes for these extents; `shuffled`: their logical numbers are not in order between the kept
    /// and the reduced ones.
    fn loops(&mut self, extents: Vec<Extent>, shuffled: bool) -> Vec<Loop> {
        let mut logical: Vec<u8> = (0..extents.len() as u8).collect();
        if shuffled {
            self.dice.shuffle(&mut logical);
        }
        let axis = |(Extent { global, origin, extent }, logical)| {
            let axis = Axis {
                extent: self.arrays.param(extent),
                origin: self.arrays.param(origin),
                global: self.arrays.param(global),
                logical,
            };
            Loop { axis, origin, extent }
        };
        extents.into_iter().zip(logical).map(axis).collect()
    }

    fn rule(&mut self) -> TreeRule {
        let mixed = TreeRule { lanes: 4, width: 8, rounds: 4, alone: 1 };
        self.dice.pick(&[TreeRule::TINY, TreeRule::TINY, TreeRule::STANDARD, mixed])
    }

    fn scalar(&mut self, ops: &mut Vec<Op>, scalar: Scalar) -> Value {
        let result = self.value(scalar.dtype());
        ops.push(Op::Scalar { result, index: self.arrays.launch.scalars.len() as u16 });
        self.arrays.launch.scalars.push(scalar);
        self.arrays.kernel.scalars.push(scalar.dtype());
        result
    }

    /// A new visible value.
    fn value(&mut self, dtype: RealType) -> Value {
        let value = self.number();
        self.values.push((value, dtype));
        value
    }

    fn number(&mut self) -> Value {
        self.next_value += 1;
        Value(self.next_value - 1)
    }
}

fn region(loops: &[Loop], ops: Vec<Op>) -> Region {
    Region { axes: loops.iter().map(|l| l.axis).collect(), ops }
}
