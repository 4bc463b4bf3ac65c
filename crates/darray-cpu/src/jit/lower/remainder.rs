//! The exact remainder of floats.

use super::super::lane::{Body, Lane, Op, Relation, Rounding, Value};
use super::operations::Operations;
use super::signs::{negated, with_sign, without_sign};
use darray_core::RealType;
use darray_kernel::operator::Operator;

/// The remainder of the division rounded toward zero, with the sign of `a`.
///
/// Of the sizes: `q = trunc(a / b)` is the whole quotient or one more, since division rounds. While `q`
/// has no more digits than the format, `a - q b` is a multiple of the last place of `b` no larger than `b`, so
/// the fused multiply-add is exact, and so is adding `b` where `q` was one too many. Larger quotients are left
/// to the table.
pub(super) fn truncated(body: &mut Body, dtype: RealType, a: Value, b: Value) -> Value {
    let lane = Lane::of(dtype);
    let (dividend, divisor) = (without_sign(body, lane, a), without_sign(body, lane, b));
    let quotient = body.add(Op::Div, lane, &[dividend, divisor]);
    let whole = body.add(Op::Round(Rounding::Zero), lane, &[quotient]);
    let minus = negated(body, lane, whole);
    let rest = body.add(Op::MulAdd, lane, &[minus, divisor, dividend]);
    let mut ops = Operations::new(body, dtype);
    let zero = ops.number(0.0);
    let below = ops.compare(Relation::Less, rest, zero);
    let corrected = ops.add(Op::Add, &[rest, divisor]);
    let rest = ops.add(Op::Select, &[below, corrected, rest]);
    // Also where the divisor is infinite.
    let smaller = ops.compare(Relation::Less, dividend, divisor);
    let rest = ops.add(Op::Select, &[smaller, dividend, rest]);
    let rest = with_sign(ops.body, lane, rest, a);
    // Infinities, NaN and division by zero have given NaN.
    let (infinity, most) = (ops.number(f64::INFINITY), ops.number(digits(lane)));
    let finite = ops.compare(Relation::Less, dividend, infinity);
    let divides = ops.compare(Relation::Less, zero, divisor);
    let few = ops.compare(Relation::Less, quotient, most);
    let many = ops.not(few);
    let number = body.add(Op::And, Lane::Mask, &[finite, divides]);
    let far = body.add(Op::And, Lane::Mask, &[number, many]);
    body.add(Op::Patch(Operator::Fmod, dtype), lane, &[far, rest, a, b])
}

/// Whole numbers below this and the next one are exact.
fn digits(lane: Lane) -> f64 {
    if lane == Lane::F64 { 2f64.powi(52) } else { 2f64.powi(23) }
}
