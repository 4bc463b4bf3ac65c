//! Elementary functions, step by step.

use super::super::lane::{Args, Body, Lane, Op, Relation, Rounding, Value};
use super::operations::Operations;
use super::signs::{negated, with_sign, without_sign};
use super::{logarithms, remainder, scaling};
use darray_core::RealType;
use darray_kernel::function::trace::{Action, Kind, Trace};
use darray_kernel::function::trigonometric::reduction::NEAR;
use darray_kernel::operator::Operator;

/// The value of a function of which `near` gives the bits for arguments up to [`NEAR`]; the table gives them
/// for the others.
pub(super) fn apply_near(
    body: &mut Body,
    near: &Trace,
    operator: Operator,
    dtype: RealType,
    arg: Value,
) -> Option<Value> {
    let value = apply(body, near, &[arg])?;
    let lane = Lane::of(dtype);
    let size = without_sign(body, lane, arg);
    let mut ops = Operations::new(body, dtype);
    let bound = ops.number(NEAR);
    // NaN is not among these; infinities are, for which both give NaN.
    let far = ops.compare(Relation::Less, bound, size);
    Some(body.add(Op::Patch(operator, dtype), lane, &[far, value, arg]))
}

/// The value of a function; none where a step has no operation.
pub(super) fn apply(body: &mut Body, trace: &Trace, args: &[Value]) -> Option<Value> {
    let mut values: Vec<Value> = Vec::with_capacity(trace.steps.len());
    for step in &trace.steps {
        let lane = lane(step.kind);
        let used = Args::of(step.args.iter().map(|&arg| values[arg as usize]));
        let first = || lane_of(trace, step.args[0]);
        let value = match step.action {
            Action::Input(k) => args[k as usize],
            Action::Constant(bits) => body.constant(bits, lane),
            Action::Add => {
                let whole = logarithms::exponent(body, (Op::Add, lane), [used[0], used[1]]);
                whole.unwrap_or_else(|| body.put(Op::Add, lane, used))
            }
            Action::Sub => {
                let both = [used[0], used[1]];
                let whole = logarithms::fraction(body, lane, both)
                    .or_else(|| logarithms::exponent(body, (Op::Sub, lane), both));
                whole.unwrap_or_else(|| body.put(Op::Sub, lane, used))
            }
            Action::Mul => {
                let whole = scaling::times_power_of_two(body, lane, [used[0], used[1]]);
                whole.unwrap_or_else(|| body.put(Op::Mul, lane, used))
            }
            Action::Div => body.put(Op::Div, lane, used),
            Action::Neg => negated(body, lane, used[0]),
            Action::MulAdd => body.put(Op::MulAdd, lane, used),
            Action::Sqrt => body.put(Op::Sqrt, lane, used),
            Action::Abs => without_sign(body, lane, used[0]),
            Action::CopySign => with_sign(body, lane, used[0], used[1]),
            Action::Round => body.put(Op::Round(Rounding::Nearest), lane, used),
            // Registers do not tell numbers from their bits.
            Action::ToBits | Action::FromBits => used[0],
            Action::Convert => body.put(Op::Convert(first()), lane, used),
            Action::Lt => body.put(Op::Compare(Relation::Less, first()), lane, used),
            Action::Le => body.put(Op::Compare(Relation::LessEqual, first()), lane, used),
            Action::Eq => body.put(Op::Compare(Relation::Equal, first()), lane, used),
            Action::Select => {
                let whole = logarithms::special(body, lane, [used[0], used[1], used[2]]);
                whole.unwrap_or_else(|| body.put(Op::Select, lane, used))
            }
            Action::And => body.put(Op::And, lane, used),
            Action::Or => body.put(Op::Or, lane, used),
            Action::Xor => body.put(Op::Xor, lane, used),
            Action::Not => body.put(Op::Not, lane, used),
            Action::Shl(count) => body.put(Op::ShiftLeft(count as u8), lane, used),
            Action::Shr(count) => body.put(Op::ShiftRight(count as u8), lane, used),
            Action::Rem => remainder::truncated(body, format(step.kind), used[0], used[1]),
            Action::Lookup(_) => return None,
        };
        values.push(value);
    }
    Some(values[trace.result as usize])
}

fn lane(kind: Kind) -> Lane {
    match kind {
        Kind::Number(format) => Lane::of(format.dtype()),
        Kind::Bits(format) => Lane::of(format.dtype()).bits(),
        Kind::Mask => Lane::Mask,
    }
}

/// The format of a number.
fn format(kind: Kind) -> RealType {
    match kind {
        Kind::Number(format) | Kind::Bits(format) => format.dtype(),
        Kind::Mask => RealType::MASK,
    }
}

fn lane_of(trace: &Trace, value: u32) -> Lane {
    lane(trace.steps[value as usize].kind)
}

#[cfg(test)]
mod tests {
    use super::super::operators::signature;
    use super::super::signs::{CHOICE, MAJORITY};
    use super::apply;
    use crate::jit::lane::{Body, Lane, Op};
    use darray_core::RealType;
    use darray_kernel::operator::Operator;

    /// What a function of two numbers becomes, but for loads, constants and the store.
    fn operations(operator: Operator, has_avx512: bool) -> Vec<Op> {
        let mut body = Body::new(16);
        body.has_avx512 = has_avx512;
        let trace = signature(operator, RealType::F64).trace.expect("a function in steps")();
        let args = [0, 1].map(|k| body.add(Op::Load(k, RealType::F64, 0), Lane::F64, &[]));
        let value = apply(&mut body, trace, &args).unwrap();
        body.add(Op::Store(2, RealType::F64, 0), Lane::F64, &[value]);
        let ops = body.used().into_iter().map(|node| node.op);
        let is_plain = |op: &Op| !matches!(op, Op::Load(..) | Op::Constant(_) | Op::Store(..));
        ops.filter(is_plain).collect()
    }

    #[test]
    fn extrema_are_chosen_twice() {
        for has_avx512 in [false, true] {
            assert_eq!(operations(Operator::Minimum, has_avx512), [Op::Min, Op::Min, Op::Or]);
        }
        let wide = [Op::Max, Op::Max, Op::Ternary(MAJORITY)];
        assert_eq!(operations(Operator::Maximum, true), wide);
        let (or, and) = (Op::Or, Op::And);
        assert_eq!(operations(Operator::Maximum, false), [Op::Max, Op::Max, or, and, and, or]);
        let signed = |has| operations(Operator::CopySign, has).contains(&Op::Ternary(CHOICE));
        assert_eq!([true, false].map(signed), [true, false]);
    }
}
