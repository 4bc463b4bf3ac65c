//! Applications that need no computation, or a cheaper one, for every operand: NaNs, infinities and
//! both zeros included. Whether one operation alone makes a signalling NaN quiet is not told apart; of two, what lies in between
//! may be an array, so there it counts.
//!
//! | before | after | why the bits are the same |
//! |---|---|---|
//! | `to_t x` of a `t`, `--x`, `not not x` | `x` | |
//! | `to_a to_b x` of an integer or bool `a` whose values `b` has | `x` | widening is exact; of floats it makes signalling NaNs quiet |
//! | `x * 1`, `x / 1`, `x - 0`, `x + -0.0` (integers: `x + 0`) | `x` | `x + +0.0` would lose `-0.0` |
//! | `x / 2^k` | `x * 2^-k` | both round the same real number |
//! | `to_c to_n x`, `c` the type of computation of `n`, `x` of closed operators of what `n` has | `x` | nothing is rounded or cut |
//! | `abs -x` (not of unsigned integers), `abs abs x` | `abs x` | |
//! | `minimum x x`, `maximum x x`, `x and x`, `x or x` | `x` | |
//! | `x and true`, `x or false`, `x xor false` (integers: all bits, 0, 0) | `x` | |
//! | `x and false`, `x or true` (integers: 0, all bits) | the constant | |
//! | `select m x x` | `x` | |
//! | `select true x y`, `select false x y` | `x`, `y` | |
//! | `select (not m) x y` | `select m y x` | |
//! | `select m true false` | `m` | |

use super::Definition;
use crate::ir::{Operands, Value};
use crate::operator::Operator;
use darray_core::{Compute, Kind, RealType, Scalar};
use smallvec::smallvec;

/// What an application is instead.
pub(super) enum Rewrite {
    /// A value that is there.
    Value(Value),
    /// A constant.
    Constant(Scalar),
    /// Another application.
    Apply(Operator, Operands),
    /// An application to a value and a constant.
    ApplyConstant(Operator, Value, Scalar),
}

/// The table above. `of` gives the definitions of operands.
pub(super) fn rewrite<'d>(
    operator: Operator,
    args: &[Value],
    of: &impl Fn(&Value) -> &'d Definition,
) -> Option<Rewrite> {
    match *args {
        [x] => unary(operator, x, of),
        [x, y] if x == y && keeps_equal(operator) => Some(Rewrite::Value(x)),
        [x, y] => {
            let right = of(&y).constant.and_then(|c| with_constant(operator, x, c));
            let commutes = operator.row().commutative;
            right.or_else(|| {
                of(&x).constant.filter(|_| commutes).and_then(|c| with_constant(operator, y, c))
            })
        }
        [mask, x, y] if operator == Operator::Select => select(mask, x, y, of),
        _ => None,
    }
}

fn unary<'d>(
    operator: Operator,
    x: Value,
    of: &impl Fn(&Value) -> &'d Definition,
) -> Option<Rewrite> {
    if Operator::cast_to(of(&x).dtype) == operator {
        return Some(Rewrite::Value(x));
    }
    let (inner, args) = of(&x).apply.as_ref()?;
    let first = args[0];
    match (operator, inner) {
        (Operator::Neg, Operator::Neg) | (Operator::Not, Operator::Not) => {
            Some(Rewrite::Value(first))
        }
        (Operator::Abs, Operator::Abs) => Some(Rewrite::Value(x)),
        (Operator::Abs, Operator::Neg) if of(&x).dtype.kind() != Kind::Unsigned => {
            Some(Rewrite::Apply(Operator::Abs, smallvec![first]))
        }
        _ if of(&x).dtype.is_narrow()
            && operator == Operator::cast_to(of(&first).dtype)
            && fits(first, of(&x).dtype, of, NESTED) =>
        {
            Some(Rewrite::Value(first))
        }
        _ if undoes(operator, of(&first).dtype, of(&x).dtype, *inner) => {
            Some(Rewrite::Value(first))
        }
        _ => None,
    }
}

/// Whether `outer` converts back to type `from` what `inner` converted to type `to`, all bits being the same.
fn undoes(outer: Operator, from: RealType, to: RealType, inner: Operator) -> bool {
    let casts = Operator::cast_to(to) == inner && Operator::cast_to(from) == outer;
    // Not of floats, whose NaN lose their bits.
    casts && !from.is_float() && to.holds(from)
}

/// Whether a value of the type of computation of a narrow type is one that this has, as far as is seen from how it is made by so many
/// operators.
fn fits<'d>(
    value: Value,
    narrow: RealType,
    of: &impl Fn(&Value) -> &'d Definition,
    nested: u32,
) -> bool {
    let definition = of(&value);
    if let Some(constant) = definition.constant {
        return constant.cast(narrow).cast(constant.dtype()) == constant;
    }
    let Some((operator, args)) = definition.apply.as_ref().filter(|_| nested > 0) else {
        return false;
    };
    if definition.dtype != narrow.compute() {
        return false;
    }
    if *operator == Operator::cast_to(definition.dtype) {
        return of(&args[0]).dtype == narrow;
    }
    let values = &args[usize::from(*operator == Operator::Select)..];
    operator.is_closed(narrow) && values.iter().all(|&arg| fits(arg, narrow, of, nested - 1))
}

/// Conversions behind more operators stay.
const NESTED: u32 = 4;

/// Whether the operator of a value and itself is that value.
fn keeps_equal(operator: Operator) -> bool {
    use Operator::{And, Maximum, Minimum, Or};
    matches!(operator, Minimum | Maximum | And | Or)
}

/// An application to `x` and then a constant; of commutative operators, in either order.
fn with_constant(operator: Operator, x: Value, constant: Scalar) -> Option<Rewrite> {
    let dtype = constant.dtype();
    let zero = constant == Scalar::zero(dtype);
    let one = constant == Scalar::one(dtype);
    let all_bits = !dtype.is_float() && constant == Scalar::from(-1i64).cast(dtype);
    let minus_zero = dtype.is_float() && constant == Scalar::from(-0.0).cast(dtype);
    let same = match operator {
        Operator::Add => minus_zero || (zero && dtype.is_integer()),
        Operator::Sub => zero,
        Operator::Mul | Operator::Div => one,
        Operator::And => all_bits,
        Operator::Or | Operator::Xor => zero,
        _ => false,
    };
    if same {
        return Some(Rewrite::Value(x));
    }
    match operator {
        Operator::And if zero => Some(Rewrite::Constant(constant)),
        Operator::Or if all_bits => Some(Rewrite::Constant(constant)),
        Operator::Div => Some(Rewrite::ApplyConstant(Operator::Mul, x, reciprocal(constant)?)),
        _ => None,
    }
}

/// `1 / c` if that is exact and both are normal numbers: `c` is a power of two or its negative.
fn reciprocal(c: Scalar) -> Option<Scalar> {
    let bits = c.to_f64().to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
    let largest = if Compute::of(c.dtype()) == Compute::F32 { 126 } else { 1022 };
    let power_of_two = bits & 0xf_ffff_ffff_ffff == 0;
    let inverse = || Operator::Div.apply(&[Scalar::one(c.dtype()), c]);
    (power_of_two && exponent.abs() <= largest).then(inverse)
}

fn select<'d>(
    mask: Value,
    x: Value,
    y: Value,
    of: &impl Fn(&Value) -> &'d Definition,
) -> Option<Rewrite> {
    if x == y {
        return Some(Rewrite::Value(x));
    }
    if let Some(mask) = of(&mask).constant {
        return Some(Rewrite::Value(if mask.to_bool() { x } else { y }));
    }
    if (of(&x).constant, of(&y).constant) == (Some(true.into()), Some(false.into())) {
        return Some(Rewrite::Value(mask));
    }
    match of(&mask).apply.as_ref() {
        Some((Operator::Not, args)) => {
            Some(Rewrite::Apply(Operator::Select, smallvec![args[0], y, x]))
        }
        _ => None,
    }
}
