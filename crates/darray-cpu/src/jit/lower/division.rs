//! Division of integers, which has no instruction, through floats.

use super::super::lane::{Body, Lane, Op, Relation, Rounding, Value};
use super::operations::Operations;
use darray_core::DType;

/// A floored division; both are 0 where the divisor is.
pub(super) struct Division {
    pub quotient: Value,
    /// With the sign of the divisor.
    pub rest: Value,
}

/// `floor(a / b)` and what is left.
pub(super) fn floored(ops: &mut Operations<'_>, a: Value, b: Value) -> Division {
    let (zero, one) = (ops.number(0.0), ops.number(1.0));
    let none = ops.compare(Relation::Equal, b, zero);
    let divisor = ops.add(Op::Select, &[none, one, b]);
    let found = match ops.lane {
        Lane::I64 => wide(ops.body, a, divisor),
        _ => narrow(ops, Rounding::Down, a, divisor),
    };
    Division {
        quotient: ops.add(Op::Select, &[none, zero, found.quotient]),
        rest: ops.add(Op::Select, &[none, zero, found.rest]),
    }
}

/// What is left of the division rounded toward zero: it has the sign of `a`.
pub(super) fn truncated_rest(ops: &mut Operations<'_>, a: Value, b: Value) -> Value {
    let (zero, one) = (ops.number(0.0), ops.number(1.0));
    let none = ops.compare(Relation::Equal, b, zero);
    let divisor = ops.add(Op::Select, &[none, one, b]);
    let rest = match ops.lane {
        Lane::I64 => {
            let Division { rest, .. } = wide(ops.body, a, divisor);
            let other = other_side(ops.body, rest, a);
            let moved = ops.add(Op::Sub, &[rest, divisor]);
            ops.add(Op::Select, &[other, moved, rest])
        }
        _ => narrow(ops, Rounding::Zero, a, divisor).rest,
    };
    ops.add(Op::Select, &[none, zero, rest])
}

/// Of integers up to 32 bits: in floats so much wider that the rounded quotient lies on the same side of every
/// whole number as the true one.
fn narrow(ops: &mut Operations<'_>, rounding: Rounding, a: Value, divisor: Value) -> Division {
    let (lane, body) = (ops.lane, &mut *ops.body);
    let float = if ops.dtype == DType::U8 { Lane::F32 } else { Lane::F64 };
    let [dividend, by] = [a, divisor].map(|value| body.add(Op::Convert(lane), float, &[value]));
    let quotient = body.add(Op::Div, float, &[dividend, by]);
    let whole = body.add(Op::Round(rounding), float, &[quotient]);
    // The least integer divided by -1 is beyond the range, and so becomes itself.
    let quotient = body.add(Op::Convert(float), lane, &[whole]);
    let product = body.add(Op::Mul, lane, &[quotient, divisor]);
    Division { quotient, rest: body.add(Op::Sub, lane, &[a, product]) }
}

/// Of 64 bits. The quotient of the rounded numbers leaves a rest of at most some thousand divisors, or a little
/// more than one; a second one leaves a little more than one, which is put on the side of the divisor.
/// Everything wraps as it should: the first quotient of the largest numbers is 2^63, as -2^63.
fn wide(body: &mut Body, a: Value, divisor: Value) -> Division {
    const I: Lane = Lane::I64;
    let float = |body: &mut Body, value: Value| body.add(Op::Convert(I), Lane::F64, &[value]);
    let by = float(body, divisor);
    let step = |body: &mut Body, a: Value| {
        let dividend = float(body, a);
        let quotient = body.add(Op::Div, Lane::F64, &[dividend, by]);
        let quotient = body.add(Op::Convert(Lane::F64), I, &[quotient]);
        let product = body.add(Op::Mul, I, &[quotient, divisor]);
        (quotient, body.add(Op::Sub, I, &[a, product]))
    };
    let (first, rest) = step(body, a);
    let (second, rest) = step(body, rest);
    let quotient = body.add(Op::Add, I, &[first, second]);
    let (zero, one) = (body.constant(0, I), body.constant(1, I));
    let other = other_side(body, rest, divisor);
    let moved = body.add(Op::Add, I, &[rest, divisor]);
    let rest = body.add(Op::Select, I, &[other, moved, rest]);
    let less = body.add(Op::Sub, I, &[quotient, one]);
    let quotient = body.add(Op::Select, I, &[other, less, quotient]);
    // A whole divisor may be left.
    let moved = body.add(Op::Sub, I, &[rest, divisor]);
    let compare = |body: &mut Body, relation: Relation, a: Value, b: Value| {
        body.add(Op::Compare(relation, I), Lane::Mask, &[a, b])
    };
    let negative = compare(body, Relation::Less, divisor, zero);
    let below = compare(body, Relation::LessEqual, rest, divisor);
    let above = compare(body, Relation::GreaterEqual, rest, divisor);
    let full = body.add(Op::Select, Lane::Mask, &[negative, below, above]);
    let more = body.add(Op::Add, I, &[quotient, one]);
    Division {
        quotient: body.add(Op::Select, I, &[full, more, quotient]),
        rest: body.add(Op::Select, I, &[full, moved, rest]),
    }
}

/// Whether a rest is not zero and has another sign than `b`.
fn other_side(body: &mut Body, rest: Value, b: Value) -> Value {
    const I: Lane = Lane::I64;
    let zero = body.constant(0, I);
    let signs = body.add(Op::Xor, I, &[rest, b]);
    let differ = body.add(Op::Compare(Relation::Less, I), Lane::Mask, &[signs, zero]);
    let none = body.add(Op::Compare(Relation::Equal, I), Lane::Mask, &[rest, zero]);
    let some = body.add(Op::Not, Lane::Mask, &[none]);
    body.add(Op::And, Lane::Mask, &[differ, some])
}
