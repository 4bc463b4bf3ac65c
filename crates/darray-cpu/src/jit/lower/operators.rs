//! Rows of the operator table as operations on lanes.

use super::super::lane::{Body, Lane, Op, Relation, Rounding, Value};
use super::near::near_trace;
use super::operations::Operations;
use super::{division, remainder, signs, trace, whole};
use darray_core::RealType;
use darray_kernel::operator::{Operator, Signature};
use std::sync::OnceLock;

/// The row for a last operand of this type.
pub(super) fn signature(operator: Operator, last: RealType) -> &'static Signature {
    let rows = operator.row().signatures;
    rows.iter().find(|row| row.inputs.last() == Some(&last)).expect("a row of the table")
}

/// Whether [`apply`] knows the row for a last operand of this type.
pub(super) fn can_lower(operator: Operator, last: RealType) -> bool {
    /// By operator and type.
    static KNOWN: OnceLock<Vec<bool>> = OnceLock::new();
    let types = RealType::ALL.len();
    let known = KNOWN.get_or_init(|| {
        let rows =
            Operator::ALL.iter().flat_map(|&o| RealType::ALL.into_iter().map(move |d| (o, d)));
        rows.map(|(operator, last)| is_known(operator, last)).collect()
    });
    known[operator as usize * types + last as usize]
}

fn is_known(operator: Operator, last: RealType) -> bool {
    let rows = operator.row().signatures;
    let Some(row) = rows.iter().find(|row| row.inputs.last() == Some(&last)) else { return false };
    let mut body = Body::default();
    let load = |(k, &input): (usize, &RealType)| {
        body.add(Op::Load(k as u16, input, 0), Lane::of(input), &[])
    };
    let args: Vec<Value> = row.inputs.iter().enumerate().map(load).collect();
    apply(&mut body, operator, row, &args).is_some()
}

/// The value of an operator for arguments of the types of a row; none where it does not know that.
pub(super) fn apply(
    body: &mut Body,
    operator: Operator,
    row: &'static Signature,
    args: &[Value],
) -> Option<Value> {
    use Operator::*;
    let input = row.inputs[row.inputs.len() - 1];
    // What lies in other lanes than its type of computation is converted only.
    let dtype = if Lane::of(input) == Lane::of(input.compute()) { input.compute() } else { input };
    let lane = Lane::of(dtype);
    if let Some(near) = near_trace(operator, dtype) {
        return trace::apply_near(body, near, operator, dtype, args[0]);
    }
    if let Some(trace) = row.trace {
        return trace::apply(body, trace(), args);
    }
    let float = dtype.is_float();
    let (a, b) = (args[0], args.get(1).copied().unwrap_or(args[0]));
    let mut ops = Operations::new(body, dtype);
    Some(match operator {
        Fmod if float => remainder::truncated(ops.body, dtype, a, b),
        Rem => division::floored(&mut ops, a, b).rest,
        FloorDivide => division::floored(&mut ops, a, b).quotient,
        Fmod => division::truncated_rest(&mut ops, a, b),
        Power => whole::power(&mut ops, a, b),
        MulHigh => whole::upper_half_of_product(ops.body, a, b),
        ShiftLeft => ops.add(Op::ShiftLeftBy, &[a, b]),
        ShiftRight if lane == Lane::U64 => ops.add(Op::ShiftDownBy, &[a, b]),
        ShiftRight => ops.add(Op::ShiftRightBy, &[a, b]),
        Reciprocal if !float => whole::reciprocal(&mut ops, a),
        Add => ops.add(Op::Add, &[a, b]),
        Sub => ops.add(Op::Sub, &[a, b]),
        Mul if matches!(lane, Lane::I64 | Lane::U64) && ops.is_half(a) && ops.is_half(b) => {
            ops.add(Op::MulHalves, &[a, b])
        }
        Mul => ops.add(Op::Mul, &[a, b]),
        Square => ops.add(Op::Mul, &[a, a]),
        Div => ops.add(Op::Div, &[a, b]),
        Sqrt => ops.add(Op::Sqrt, &[a]),
        Fma => ops.add(Op::MulAdd, args),
        Neg if float => signs::negated(ops.body, lane, a),
        Neg => ops.negated(a),
        Abs if float => signs::without_sign(ops.body, lane, a),
        Abs if lane == Lane::U64 => a,
        Abs => {
            let zero = ops.number(0.0);
            let negative = ops.compare(Relation::Less, a, zero);
            let other = ops.negated(a);
            ops.add(Op::Select, &[negative, other, a])
        }
        Minimum if lane == Lane::Mask => ops.add(Op::And, &[a, b]),
        Maximum if lane == Lane::Mask => ops.add(Op::Or, &[a, b]),
        Minimum => {
            let less = ops.compare(Relation::Less, a, b);
            ops.add(Op::Select, &[less, a, b])
        }
        Maximum => {
            let greater = ops.compare(Relation::Greater, a, b);
            ops.add(Op::Select, &[greater, a, b])
        }
        Lt => ops.compare(Relation::Less, a, b),
        Le => ops.compare(Relation::LessEqual, a, b),
        Gt => ops.compare(Relation::Greater, a, b),
        Ge => ops.compare(Relation::GreaterEqual, a, b),
        Eq => ops.compare(Relation::Equal, a, b),
        Ne => {
            let equal = ops.compare(Relation::Equal, a, b);
            ops.not(equal)
        }
        And => ops.add(Op::And, &[a, b]),
        Or => ops.add(Op::Or, &[a, b]),
        Xor => ops.add(Op::Xor, &[a, b]),
        Not if lane == Lane::Mask => ops.not(a),
        Not => {
            let all = ops.body.constant(u64::MAX >> (64 - 8 * dtype.size()), lane);
            ops.add(Op::Xor, &[a, all])
        }
        Select => ops.add(Op::Select, args),
        ToBool => ops.truth(a),
        Floor | Ceil | Trunc if !float => a,
        Floor => ops.add(Op::Round(Rounding::Down), &[a]),
        Ceil => ops.add(Op::Round(Rounding::Up), &[a]),
        Trunc => ops.add(Op::Round(Rounding::Zero), &[a]),
        Rint => ops.add(Op::Round(Rounding::Nearest), &[a]),
        IsNan | IsInfinite if !float => ops.never(a),
        SignBit if matches!(lane, Lane::Mask | Lane::U64) => ops.never(a),
        IsFinite if !float => {
            let never = ops.never(a);
            ops.not(never)
        }
        IsNan => ops.is_nan(a),
        IsInfinite | IsFinite => {
            let size = signs::without_sign(ops.body, lane, a);
            let infinity = ops.number(f64::INFINITY);
            let relation = if operator == IsFinite { Relation::Less } else { Relation::Equal };
            ops.compare(relation, size, infinity)
        }
        SignBit => {
            let zero = ops.body.constant(0, lane.bits());
            let negative =
                ops.body.add(Op::Compare(Relation::Less, lane.bits()), Lane::Mask, &[a, zero]);
            if !float {
                return Some(negative);
            }
            let number = ops.compare(Relation::Equal, a, a);
            ops.body.add(Op::And, Lane::Mask, &[negative, number])
        }
        Reciprocal => {
            let one = ops.number(1.0);
            ops.add(Op::Div, &[one, a])
        }
        Sign => {
            let (zero, one, minus) = (ops.number(0.0), ops.number(1.0), ops.number(-1.0));
            let positive = ops.compare(Relation::Greater, a, zero);
            let sign = ops.add(Op::Select, &[positive, one, zero]);
            let negative = ops.compare(Relation::Less, a, zero);
            ops.add(Op::Select, &[negative, minus, sign])
        }
        LogicalAnd | LogicalOr | LogicalXor => {
            let (a, b) = (ops.truth(a), ops.truth(b));
            let op = match operator {
                LogicalAnd => Op::And,
                LogicalOr => Op::Or,
                _ => Op::Xor,
            };
            ops.body.add(op, Lane::Mask, &[a, b])
        }
        LogicalNot => {
            let truth = ops.truth(a);
            ops.not(truth)
        }
        cast if cast == Operator::cast_to(row.output) => ops.cast(a, row.output),
        // Rows of traces; and what the table has gained since.
        _ => return None,
    })
}
