//! Rows of the operator table as operations on lanes.

use super::super::lane::{Body, Lane, Op, Relation, Rounding, Value};
use super::trace;
use darray_core::{DType, Scalar};
use darray_kernel::operator::{Operator, Signature};

/// The row for a last operand of this type.
fn signature(operator: Operator, last: DType) -> &'static Signature {
    let rows = operator.row().signatures;
    rows.iter().find(|row| row.inputs.last() == Some(&last)).expect("a row of the table")
}

/// Operand types of the row for a last operand of this type.
pub(super) fn inputs(operator: Operator, last: DType) -> &'static [DType] {
    signature(operator, last).inputs
}

/// Whether [`apply`] knows the row for a last operand of this type.
pub(super) fn can_lower(operator: Operator, last: DType) -> bool {
    let row = signature(operator, last);
    if let Some(trace) = row.trace {
        return trace::can_lower(trace());
    }
    let mut body = Body::default();
    let load =
        |(k, &input): (usize, &DType)| body.add(Op::Load(k as u16, input, 0), Lane::of(input), &[]);
    let args: Vec<Value> = row.inputs.iter().enumerate().map(load).collect();
    apply(&mut body, operator, row.inputs, &args).is_some()
}

/// The value of an operator for arguments of the types of a row; none for rows that stay in the vector loops.
///
/// Functions that look up tables have shorter forms there for most arguments; division of integers has no
/// instruction.
pub(super) fn apply(
    body: &mut Body,
    operator: Operator,
    inputs: &[DType],
    args: &[Value],
) -> Option<Value> {
    use Operator::*;
    let signature = operator.signature(inputs).expect("a row of the table");
    if let Some(trace) = signature.trace {
        return trace::apply(body, trace(), args);
    }
    let dtype = inputs[inputs.len() - 1];
    let lane = Lane::of(dtype);
    let float = dtype.is_float();
    let (a, b) = (args[0], args.get(1).copied().unwrap_or(args[0]));
    let mut ops = Operations { body, dtype, lane };
    Some(match operator {
        Rem | FloorDivide | Fmod | Power | MulHigh | ShiftLeft | ShiftRight => return None,
        Reciprocal if !float => return None,
        Add => ops.wrapped(Op::Add, a, b),
        Sub => ops.wrapped(Op::Sub, a, b),
        Mul => ops.wrapped(Op::Mul, a, b),
        Square => ops.wrapped(Op::Mul, a, a),
        Div => ops.add(Op::Div, &[a, b]),
        Sqrt => ops.add(Op::Sqrt, &[a]),
        Fma => ops.add(Op::MulAdd, args),
        Neg if float => trace::negated(ops.body, lane, a),
        Neg => ops.negated(a),
        Abs if float => trace::without_sign(ops.body, lane, a),
        Abs if dtype == DType::U8 => a,
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
        ToU8 | ToI32 | ToI64 | ToF32 | ToF64 => ops.cast(a, signature.output),
        Floor | Ceil | Trunc if !float => a,
        Floor => ops.add(Op::Round(Rounding::Down), &[a]),
        Ceil => ops.add(Op::Round(Rounding::Up), &[a]),
        Trunc => ops.add(Op::Round(Rounding::Zero), &[a]),
        Rint => ops.add(Op::Round(Rounding::Nearest), &[a]),
        IsNan | IsInfinite if !float => ops.never(a),
        SignBit if dtype.size() == 1 => ops.never(a),
        IsFinite if !float => {
            let never = ops.never(a);
            ops.not(never)
        }
        IsNan => ops.is_nan(a),
        IsInfinite | IsFinite => {
            let size = trace::without_sign(ops.body, lane, a);
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
            if dtype == DType::U8 {
                return Some(sign);
            }
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
        // Rows of traces; and what the table has gained since.
        _ => return None,
    })
}

/// Operations on values of one type.
struct Operations<'b> {
    body: &'b mut Body,
    dtype: DType,
    lane: Lane,
}

impl Operations<'_> {
    fn add(&mut self, op: Op, args: &[Value]) -> Value {
        self.body.add(op, self.lane, args)
    }

    fn number(&mut self, value: f64) -> Value {
        self.body.constant(Scalar::from(value).cast(self.dtype).bits(), self.lane)
    }

    /// Arithmetic; u8 keeps its low bits.
    fn wrapped(&mut self, op: Op, a: Value, b: Value) -> Value {
        let value = self.add(op, &[a, b]);
        self.low_bits(value)
    }

    fn low_bits(&mut self, value: Value) -> Value {
        if self.dtype != DType::U8 {
            return value;
        }
        let byte = self.body.constant(0xff, Lane::I32);
        self.body.add(Op::And, Lane::I32, &[value, byte])
    }

    /// Of an integer.
    fn negated(&mut self, a: Value) -> Value {
        let zero = self.body.constant(0, self.lane);
        self.wrapped(Op::Sub, zero, a)
    }

    fn compare(&mut self, relation: Relation, a: Value, b: Value) -> Value {
        if self.lane != Lane::Mask {
            return self.body.add(Op::Compare(relation, self.lane), Lane::Mask, &[a, b]);
        }
        let (a, b) = match relation {
            Relation::Greater | Relation::GreaterEqual => (b, a),
            _ => (a, b),
        };
        match relation {
            Relation::Less | Relation::Greater => {
                let not = self.not(a);
                self.body.add(Op::And, Lane::Mask, &[not, b])
            }
            Relation::LessEqual | Relation::GreaterEqual => {
                let not = self.not(a);
                self.body.add(Op::Or, Lane::Mask, &[not, b])
            }
            Relation::Equal => {
                let differ = self.body.add(Op::Xor, Lane::Mask, &[a, b]);
                self.not(differ)
            }
        }
    }

    fn not(&mut self, mask: Value) -> Value {
        self.body.add(Op::Not, Lane::Mask, &[mask])
    }

    /// False everywhere.
    fn never(&mut self, a: Value) -> Value {
        let bits = self.lane.bits();
        let mask = match bits {
            Lane::Mask => a,
            _ => self.body.add(Op::Compare(Relation::Equal, bits), Lane::Mask, &[a, a]),
        };
        self.body.add(Op::Xor, Lane::Mask, &[mask, mask])
    }

    fn is_nan(&mut self, a: Value) -> Value {
        let number = self.compare(Relation::Equal, a, a);
        self.not(number)
    }

    /// Whether it differs from zero.
    fn truth(&mut self, a: Value) -> Value {
        if self.lane == Lane::Mask {
            return a;
        }
        let zero = self.number(0.0);
        let equal = self.compare(Relation::Equal, a, zero);
        self.not(equal)
    }

    fn cast(&mut self, a: Value, to: DType) -> Value {
        let (from, target) = (self.lane, Lane::of(to));
        let mut wanted = Operations { body: self.body, dtype: to, lane: target };
        match (from, target) {
            (Lane::Mask, _) => {
                let (one, zero) = (wanted.number(1.0), wanted.number(0.0));
                wanted.add(Op::Select, &[a, one, zero])
            }
            _ if from.is_float() && target.is_float() => {
                if from == target {
                    a
                } else {
                    wanted.add(Op::Convert(from), &[a])
                }
            }
            _ if target.is_float() => wanted.add(Op::Convert(from), &[a]),
            _ if from.is_float() => self.saturated(a, to),
            _ if from == target => {
                if self.dtype == to {
                    a
                } else {
                    wanted.low_bits(a)
                }
            }
            _ => {
                let resized = wanted.add(Op::Convert(from), &[a]);
                wanted.low_bits(resized)
            }
        }
    }

    /// A float as an integer: toward zero, saturating, 0 for NaN.
    fn saturated(&mut self, a: Value, to: DType) -> Value {
        let target = Lane::of(to);
        let (highest, beyond) = match to {
            DType::I64 => (i64::MAX as u64, 9223372036854775808.0),
            DType::U8 => (255, 255.0),
            _ => (i32::MAX as u64, 2147483648.0),
        };
        let integer = self.body.add(Op::Convert(self.lane), target, &[a]);
        let beyond = self.number(beyond);
        let too_large = self.compare(Relation::GreaterEqual, a, beyond);
        let highest = self.body.constant(highest, target);
        let integer = self.body.add(Op::Select, target, &[too_large, highest, integer]);
        let zero = self.body.constant(0, target);
        let valid = if to == DType::U8 {
            let none = self.number(0.0);
            self.compare(Relation::Greater, a, none)
        } else {
            self.compare(Relation::Equal, a, a)
        };
        self.body.add(Op::Select, target, &[valid, integer, zero])
    }
}
