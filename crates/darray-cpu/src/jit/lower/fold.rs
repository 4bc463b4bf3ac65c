//! What folds take, and what combines it.

use super::super::lane::{Body, Held, Lane, Op, Value};
use super::super::run::{Folded, Run};
use super::super::target::Target;
use super::operations::Operations;
use super::{Lowering, operators};
use darray_codegen::FoldMode;
use darray_core::{Kind, RealType};

/// What accumulators of bools hold.
const BYTES: RealType = RealType::of(Kind::Unsigned, 1).expect("bytes");

/// What accumulators hold: bools are in vectors, as there are few mask registers.
pub(in super::super) fn held_dtype(dtype: RealType) -> RealType {
    if dtype.kind() == Kind::Bool { BYTES } else { dtype }
}

/// The code of a run, and accumulators, with the numbers of the items for pointers, that take what these fold. By kept points what
/// is the same for all of them may be another element in each round.
pub(in super::super) fn lower_fold(
    run: &Run<'_>,
    items: &[Folded],
    mode: FoldMode,
    target: Target,
) -> Body {
    let mut lowering = Lowering::of(run, target, mode == FoldMode::Kept);
    for fold in items {
        lowering.body.origin = run.origin_of(fold);
        let mut value = lowering.operand(fold.source.value, fold.source.dtype, false);
        let dtype = held_dtype(fold.source.dtype);
        if fold.source.dtype.kind() == Kind::Bool {
            let mut bytes = Operations::new(&mut lowering.body, BYTES);
            let (one, zero) = (bytes.number(1.0), bytes.number(0.0));
            value = bytes.add(Op::Select, &[value, one, zero]);
        }
        let held = Held { pointer: fold.item, dtype, group: 0 };
        lowering.body.add(Op::Hold(held), Lane::of(dtype), &[value]);
    }
    lowering.body
}

/// A value of a fold combined with a later one.
pub(in super::super) fn combine(body: &mut Body, fold: &Folded, a: Value, b: Value) -> Value {
    let operator = fold.reducer.operator().expect("reducers with indices have no such code");
    let row = operators::signature(operator, held_dtype(fold.source.dtype).compute());
    let value = operators::apply(body, operator, row, &[a, b]);
    value.expect("reducers combine by simple operators")
}
