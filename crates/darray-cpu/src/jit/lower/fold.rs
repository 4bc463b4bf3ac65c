//! Folds: the accumulators take the elements of a group.

use super::super::lane::{Body, Held, Lane, Op, Relation, Value};
use super::super::run::{Folded, Place};
use super::super::target::Target;
use super::operations::Operations;
use super::{Lowering, Stay, operators, trace};
use darray_codegen::FoldMode;
use darray_core::{Compute, DType, Kind};
use darray_kernel::operator::Operator;
use darray_kernel::reducer::Reducer;
use smallvec::SmallVec;

/// What combines the accumulators of each fold, in groups of `width`, in the first, as
/// [`combine_lanes`](darray_kernel::tree::combine_lanes) does; registers are given to them in this order.
pub(in super::super) fn lower_lanes(
    folds: &[Folded],
    pointer: impl Fn(&Folded) -> u16,
    accumulators: impl Iterator<Item = Held>,
    (width, target): (usize, Target),
) -> Body {
    let mut body = Body::new(4 * Folded::LANES * folds.len());
    let all: SmallVec<[(Held, Value); 16]> = accumulators
        .map(|held| (held, body.add(Op::Held(held), Lane::of(held.dtype), &[])))
        .collect();
    for fold in folds {
        let (pointer, dtype) = (pointer(fold), held_dtype(fold.source.dtype));
        let (lane, first) = (Lane::of(dtype), Held { pointer, dtype, group: 0 });
        let mut values: SmallVec<[Value; 8]> = SmallVec::from_elem(0, Folded::LANES / width);
        let own = all.iter().filter(|(held, _)| held.pointer == pointer);
        own.for_each(|(held, value)| values[usize::from(held.group)] = *value);
        let operator = operator_of_whole(fold, target);
        let row = operators::signature(operator, dtype);
        let combine = |body: &mut Body, a: Value, b: Value| {
            let value = operators::apply(body, operator, row, &[a, b]);
            value.expect("reducers combine by simple operators")
        };
        while values.len() > 1 {
            let half = values.len() / 2;
            for k in 0..half {
                values[k] = combine(&mut body, values[k], values[k + half]);
            }
            values.truncate(half);
        }
        let (mut value, mut lanes) = (values[0], width);
        while lanes > 1 {
            let upper = body.add(Op::Upper(lanes as u8), lane, &[value]);
            value = combine(&mut body, value, upper);
            lanes /= 2;
        }
        if is_turned(fold, target) {
            value = trace::negated(&mut body, lane, value);
        }
        body.add(Op::Hold(first), lane, &[value]);
    }
    body
}

/// What combines a value of each fold that waits with the one that accumulators hold, which is later; pointers say where it
/// waits.
pub(in super::super) fn lower_combine(folds: &[Folded], pointer: impl Fn(&Folded) -> u16) -> Body {
    let mut body = Body::new(8 * folds.len());
    for fold in folds {
        let (pointer, dtype) = (pointer(fold), held_dtype(fold.source.dtype));
        let (lane, held) = (Lane::of(dtype), Held { pointer, dtype, group: 0 });
        let earlier = body.add(Op::Load(pointer, dtype, 0), lane, &[]);
        let later = body.add(Op::Held(held), lane, &[]);
        let operator = fold.reducer.operator().expect("reducers with indices have no such code");
        let row = operators::signature(operator, dtype);
        let value = operators::apply(&mut body, operator, row, &[earlier, later]);
        body.add(Op::Hold(held), lane, &[value.expect("reducers combine by simple operators")]);
    }
    body
}

/// What accumulators of bools hold.
const BYTES: DType = Compute::U8.dtype();

/// What accumulators hold: bools are in vectors, as there are few mask registers.
fn held_dtype(dtype: DType) -> DType {
    if dtype.kind() == Kind::Bool { BYTES } else { dtype }
}

/// Whether the accumulators of whole leaves hold numbers with the other sign. A maximum takes one operation more than a minimum
/// where the sign that both arguments have is put in by itself.
fn is_turned(fold: &Folded, target: Target) -> bool {
    let has_sign = fold.source.dtype.is_float();
    target == Target::Avx2 && fold.reducer == Reducer::Max && has_sign
}

/// What combines the accumulators of whole leaves.
fn operator_of_whole(fold: &Folded, target: Target) -> Operator {
    match is_turned(fold, target) {
        true => Operator::Minimum,
        false => fold.reducer.operator().expect("reducers with indices have no such code"),
    }
}

/// The bits that the accumulators of whole leaves begin with.
pub(in super::super) fn start_of_whole(fold: &Folded, target: Target) -> u64 {
    let sign = if is_turned(fold, target) { trace::sign(Lane::of(fold.source.dtype)) } else { 0 };
    fold.start() ^ sign
}

impl Lowering<'_> {
    /// A value and, for `argmin` and `argmax`, its index join their accumulators.
    pub(super) fn fold(&mut self, fold: &Folded) {
        let mut value = self.operand(fold.source.value, fold.source.dtype, false);
        let mut dtype = fold.source.dtype;
        if self.holds(fold.mode) && dtype.kind() == Kind::Bool {
            let mut bytes = Operations::new(&mut self.body, BYTES);
            let (one, zero) = (bytes.number(1.0), bytes.number(0.0));
            value = bytes.add(Op::Select, &[value, one, zero]);
            dtype = held_dtype(dtype);
        }
        let place = Place::Accumulators(fold.item);
        let held = self.held(fold.mode, place, dtype);
        let Some(mut operator) = fold.reducer.operator() else {
            return self.fold_with_index(fold, dtype, held, value);
        };
        if self.stay == Stay::OfWhole && is_turned(fold, self.target) {
            value = trace::negated(&mut self.body, Lane::of(dtype), value);
            operator = operator_of_whole(fold, self.target);
        }
        let value = operators::apply(
            &mut self.body,
            operator,
            operators::signature(operator, dtype),
            &[held, value],
        );
        self.hold(fold.mode, place, dtype, value.expect("reducers combine by simple operators"));
    }

    /// The rule of [`darray_kernel::reducer::argmin`]: a later value is taken where it is better or the first NaN. Indices
    /// need no comparison: accumulators begin with that of the first element, and those of their elements only grow.
    fn fold_with_index(&mut self, fold: &Folded, dtype: DType, held: Value, value: Value) {
        let indices = Place::AccumulatorIndices(fold.item);
        let held_index = self.held(fold.mode, indices, DType::INDEX);
        let index = self.uniform(Place::Position, DType::INDEX);
        let mut ops = Operations::new(&mut self.body, dtype);
        let (better, as_good) = match fold.reducer {
            Reducer::ArgMin => (Relation::Less, Relation::LessEqual),
            _ => (Relation::Greater, Relation::GreaterEqual),
        };
        let take = if dtype.is_float() {
            let number = ops.compare(Relation::Equal, held, held);
            let worse = Op::CompareNot(as_good, ops.lane);
            ops.body.add(worse, Lane::Mask, &[number, held, value])
        } else {
            ops.compare(better, value, held)
        };
        let value = ops.add(Op::Select, &[take, value, held]);
        let index = self.body.add(Op::Select, Lane::I64, &[take, index, held_index]);
        self.hold(fold.mode, Place::Accumulators(fold.item), dtype, value);
        self.hold(fold.mode, indices, DType::INDEX, index);
    }

    /// What accumulators hold.
    fn held(&mut self, mode: FoldMode, place: Place, dtype: DType) -> Value {
        let pointer = (self.run.pointer)(place);
        let op = match self.holds(mode) {
            true => Op::Held(Held { pointer, dtype, group: 0 }),
            false => Op::Load(pointer, dtype, 0),
        };
        self.body.add(op, Lane::of(dtype), &[])
    }

    /// Accumulators take a value.
    fn hold(&mut self, mode: FoldMode, place: Place, dtype: DType, value: Value) {
        let pointer = (self.run.pointer)(place);
        let op = match self.holds(mode) {
            true => Op::Hold(Held { pointer, dtype, group: 0 }),
            false => Op::Store(pointer, dtype, 0),
        };
        self.body.add(op, Lane::of(dtype), &[value]);
    }

    /// Whether accumulators may stay in registers from group to group, or from row to row.
    fn holds(&self, mode: FoldMode) -> bool {
        mode == FoldMode::Lanes || self.stay == Stay::OfRow
    }
}

#[cfg(test)]
mod tests {
    use super::super::lower;
    use super::*;
    use crate::jit::{Run, Target, Traffic};
    use darray_codegen::{FoldSource, Slot};

    /// Of element, index and the two accumulators: at most two comparisons, two choices and what loads and stores.
    #[test]
    fn indices_are_not_compared() {
        let reducers = [Reducer::ArgMin, Reducer::ArgMax];
        let dtypes = [(DType::F64, 2), (DType::F32, 2), (DType::I64, 1), (DType::U8, 1)];
        for (reducer, (dtype, comparisons), mode) in reducers.into_iter().flat_map(|reducer| {
            let modes = [FoldMode::Lanes, FoldMode::Kept];
            dtypes.into_iter().flat_map(move |of| modes.map(|mode| (reducer, of, mode)))
        }) {
            let source = FoldSource { value: Slot::Access(0), dtype };
            let run = Run {
                instructions: &[],
                folds: &[Folded { item: 0, reducer, source, mode }],
                pointer: &|place| match place {
                    Place::Slot(_) => 0,
                    Place::Accumulators(_) => 1,
                    Place::AccumulatorIndices(_) => 2,
                    _ => 3,
                },
                accesses: 0..1,
                is_live: &|_| false,
                traffic: Traffic::default(),
            };
            let nodes = lower(&run, Target::Avx512).used();
            let count = |is: fn(&Op) -> bool| nodes.iter().filter(|node| is(&node.op)).count();
            let compared = count(|op| matches!(op, Op::Compare(..) | Op::CompareNot(..)));
            let index = dtype != DType::I64;
            let of_index = |op: &Op| matches!(op, Op::Compare(_, Lane::I64)) && index;
            assert_eq!(compared, comparisons, "{reducer} {dtype} {mode:?}");
            assert!(!nodes.iter().any(|node| of_index(&node.op)), "{reducer} {dtype} {mode:?}");
            assert_eq!(count(|op| matches!(op, Op::Select)), 2, "{reducer} {dtype} {mode:?}");
            // The element, two accumulators in and out, and the index.
            assert_eq!(nodes.len(), comparisons + 2 + 6, "{reducer} {dtype} {mode:?}");
        }
    }
}
