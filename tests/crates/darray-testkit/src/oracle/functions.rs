//! Independent evaluations of darray's element-wise functions, found by their NumPy names.
//!
//! Floats are evaluated by the standard library in f64, rounded to the element type, and admitted
//! within what the operator's row promises. A function without an entry below is evaluated by the
//! scalar semantics of its operator: programs with it still show that all ways of execution agree,
//! and tests of the operator show that it is right.

use super::cell::{Cell, Value, extreme, rounded, ulps, unknown};
use crate::program;
use darray::Rule;
use darray_core::{Kind, RealType, Scalar};
use std::cmp::Ordering;

/// A function of one float, and what bounds it over an interval.
type Unary = (&'static str, fn(f64) -> f64, Course);
type Binary = (&'static str, fn(f64, f64) -> f64);
type IntegerUnary = (&'static str, fn(i128) -> i128);
type IntegerBinary = (&'static str, fn(i128, i128) -> i128);

/// How far a function's values spread over an interval.
#[derive(Clone, Copy)]
enum Course {
    /// Monotone on either side of zero: as far as those at the ends and at zero.
    Sides,
    /// Of slope 1 at most.
    Flat,
    /// Not known.
    Wild,
}

const UNARY: &[Unary] = &[
    ("negative", |x| -x, Course::Sides),
    ("absolute", f64::abs, Course::Sides),
    ("square", |x| x * x, Course::Sides),
    ("reciprocal", |x| 1.0 / x, Course::Sides),
    ("sign", |x| if x.is_nan() || x == 0.0 { x + 0.0 } else { x.signum() }, Course::Sides),
    ("sqrt", f64::sqrt, Course::Sides),
    ("exp", f64::exp, Course::Sides),
    ("log", f64::ln, Course::Sides),
    ("sin", f64::sin, Course::Flat),
    ("cos", f64::cos, Course::Flat),
    ("tan", f64::tan, Course::Wild),
    ("arcsin", f64::asin, Course::Sides),
    ("arccos", f64::acos, Course::Sides),
    ("arctan", f64::atan, Course::Sides),
    ("deg2rad", f64::to_radians, Course::Sides),
    ("rad2deg", f64::to_degrees, Course::Sides),
    ("floor", f64::floor, Course::Sides),
    ("ceil", f64::ceil, Course::Sides),
    ("trunc", f64::trunc, Course::Sides),
    ("rint", f64::round_ties_even, Course::Sides),
    ("isnan", |x| bit(x.is_nan()), Course::Wild),
    ("isinf", |x| bit(x.is_infinite()), Course::Wild),
    ("isfinite", |x| bit(x.is_finite()), Course::Wild),
    ("signbit", |x| bit(x.is_sign_negative() && !x.is_nan()), Course::Wild),
    ("logical_not", |x| bit(x == 0.0), Course::Wild),
    ("exp2", f64::exp2, Course::Sides),
    ("expm1", f64::exp_m1, Course::Sides),
    ("log1p", f64::ln_1p, Course::Sides),
    ("log2", f64::log2, Course::Sides),
    ("log10", f64::log10, Course::Sides),
    ("sinh", f64::sinh, Course::Sides),
    ("cosh", f64::cosh, Course::Sides),
    ("tanh", f64::tanh, Course::Sides),
    ("arcsinh", libm::asinh, Course::Sides),
    // The library answers for some large negative numbers.
    ("arccosh", |x| if x < 1.0 { f64::NAN } else { libm::acosh(x) }, Course::Sides),
    ("arctanh", libm::atanh, Course::Sides),
    ("cbrt", f64::cbrt, Course::Sides),
    ("erf", libm::erf, Course::Sides),
];

/// Functions of one integer, of which the low bits are right in every narrower type.
const INTEGER_UNARY: &[IntegerUnary] = &[
    ("invert", |x| !x),
    ("negative", i128::wrapping_neg),
    ("absolute", i128::wrapping_abs),
    ("square", |x| x.wrapping_mul(x)),
    ("sign", i128::signum),
    ("floor", |x| x),
    ("ceil", |x| x),
    ("trunc", |x| x),
];

/// Functions of two floats that are monotone in each on either side of its zero.
const BINARY: &[Binary] = &[
    ("power", f64::powf),
    ("minimum", |x, y| extreme(program::Binary::Minimum, x, y)),
    ("maximum", |x, y| extreme(program::Binary::Maximum, x, y)),
    ("arctan2", f64::atan2),
    ("hypot", f64::hypot),
    ("copysign", |x, y| x.copysign(if y.is_nan() { 1.0 } else { y })),
    ("logical_and", |x, y| bit(x != 0.0 && y != 0.0)),
    ("logical_or", |x, y| bit(x != 0.0 || y != 0.0)),
    ("logical_xor", |x, y| bit((x != 0.0) != (y != 0.0))),
];

/// Functions of two integers, of which the low bits are right in every narrower type.
const INTEGER_BINARY: &[IntegerBinary] = &[
    ("minimum", i128::min),
    ("maximum", i128::max),
    ("fmod", |x, y| if y == 0 { 0 } else { x.wrapping_rem(y) }),
    ("floor_divide", |x, y| if y == 0 { 0 } else { floored(x, y) }),
    ("left_shift", |x, y| u32::try_from(y).ok().and_then(|n| x.checked_shl(n)).unwrap_or(0)),
    ("right_shift", |x, y| {
        let signs = if x < 0 { -1 } else { 0 };
        u32::try_from(y).ok().and_then(|n| x.checked_shr(n)).unwrap_or(signs)
    }),
];

fn bit(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

/// The quotient's floor.
fn floored(x: i128, y: i128) -> i128 {
    let below = x.rem_euclid(y.abs());
    (x - below) / y - if y < 0 && below != 0 { 1 } else { 0 }
}

/// `operation` of a cell in the type in which it computes.
pub fn unary(operation: darray::Unary, cell: Cell) -> Cell {
    if let Value::Narrow(_, dtype) = cell.value {
        return unary(operation, cell.widened()).narrowed(dtype);
    }
    let (dtype, x, r) = (cell.value.dtype(), cell.value.float(), cell.radius);
    let rule = operation.rule(dtype).unwrap_or_else(|| unreachable!("{operation:?} of {dtype}"));
    let entry = UNARY.iter().find(|entry| entry.0 == operation.name());
    let (value, ends) = match (cell.value, entry) {
        (Value::F32(_) | Value::F64(_), Some(&(_, f, course))) => {
            let zero = if x.abs() < r { 0.0 } else { x };
            let ends = match course {
                Course::Sides => vec![f(x - r), f(zero), f(x + r)],
                Course::Flat => vec![f(x) - r, f(x) + r],
                Course::Wild => Vec::new(),
            };
            (float(f(x), rule), ends)
        }
        (value, _) => {
            let integer = INTEGER_UNARY.iter().find(|entry| entry.0 == operation.name());
            match (value.integer(), integer) {
                (Some(v), Some(&(_, f))) if dtype != RealType::Bool => {
                    (Value::whole(f(v)).cast(dtype), Vec::new())
                }
                _ => (apply(rule, &[value]), Vec::new()),
            }
        }
    };
    let special = x == 0.0 || !x.is_finite();
    result(value, rule, r == 0.0, special, &ends)
}

/// `operation` of two cells in the type in which it computes.
pub fn binary(operation: darray::Binary, a: Cell, b: Cell) -> Cell {
    if let Value::Narrow(_, dtype) = a.value {
        return match operation {
            darray::Binary::NextAfter => next_narrow(a, b, dtype),
            _ => binary(operation, a.widened(), b.widened()).narrowed(dtype),
        };
    }
    let dtype = a.value.dtype();
    let rule = operation.rule(dtype).unwrap_or_else(|| unreachable!("{operation:?} of {dtype}"));
    let ((x, r), (y, s)) = ((a.value.float(), a.radius), (b.value.float(), b.radius));
    let entry = BINARY.iter().find(|entry| entry.0 == operation.name());
    let (value, ends) = match (a.value, b.value, entry) {
        (Value::F32(_) | Value::F64(_), _, Some(&(_, f))) => {
            let one_side = (r == 0.0 || x.abs() > r) && (s == 0.0 || y.abs() > s);
            let corners = [f(x - r, y - s), f(x - r, y + s), f(x + r, y - s), f(x + r, y + s)];
            (float(f(x, y), rule), if one_side { corners.to_vec() } else { Vec::new() })
        }
        _ => {
            let integer = INTEGER_BINARY.iter().find(|entry| entry.0 == operation.name());
            match (a.value.integer(), b.value.integer(), integer) {
                (Some(v), Some(w), Some(&(_, f))) => {
                    (Value::whole(f(v, w)).cast(dtype), Vec::new())
                }
                _ => (apply(rule, &[a.value, b.value]), Vec::new()),
            }
        }
    };
    let special = [x, y].iter().any(|v| *v == 0.0 || !v.is_finite());
    result(value, rule, r == 0.0 && s == 0.0, special, &ends)
}

/// The neighbours of a narrow float are those of its bits. Where both are equal f16 keep the first zero, as NumPy's do.
fn next_narrow(a: Cell, b: Cell, dtype: RealType) -> Cell {
    let (x, y) = (a.value.float(), b.value.float());
    let of_bits = |bits: u64| Value::F64(Scalar::from_bits(dtype, bits).to_f64()).cast(dtype);
    let bits = a.value.bits();
    let value = match x.partial_cmp(&y) {
        None => Value::F64(f64::NAN).cast(dtype),
        Some(Ordering::Equal) if dtype.kind() == Kind::Brain => b.value,
        Some(Ordering::Equal) => a.value,
        Some(_) if x == 0.0 => of_bits(if y < 0.0 { 0x8001 } else { 1 }),
        Some(order) if (order == Ordering::Less) == (x > 0.0) => of_bits(bits + 1),
        Some(_) => of_bits(bits - 1),
    };
    if a.radius == 0.0 && b.radius == 0.0 { Cell::exact(value) } else { unknown(value) }
}

/// A result with its radius: of operands that are `exact` or not, whose images reach as far as `ends`
/// (empty: not known); `special` where an operand is zero, infinite or NaN.
fn result(value: Value, rule: Rule, exact: bool, special: bool, ends: &[f64]) -> Cell {
    let (size, ulp) = (value.float().abs(), rule.operator.row().ulp);
    if exact && (ulp == 0 || special || !size.is_finite()) {
        return Cell::exact(value);
    }
    if !value.dtype().is_float() || (!exact && ends.is_empty()) {
        return unknown(value);
    }
    // The reference has an error of its own.
    let promised = ulps(value.dtype(), size, if ulp == 0 { 0.0 } else { f64::from(ulp) + 2.0 });
    if exact {
        return Cell { value, radius: promised };
    }
    if ends.iter().any(|end| end.is_nan()) {
        return unknown(value);
    }
    let most = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = ends.iter().copied().fold(f64::INFINITY, f64::min);
    let cell = rounded(value, most - least);
    Cell { value, radius: cell.radius + promised }
}

fn float(value: f64, rule: Rule) -> Value {
    Value::F64(value).cast(rule.output)
}

/// The operator's own semantics.
fn apply(rule: Rule, operands: &[Value]) -> Value {
    let scalar = |value: &Value| match *value {
        Value::Bool(v) => Scalar::from(v),
        Value::Integer(v, dtype) => Scalar::from_bits(dtype, v as u64),
        Value::Narrow(v, dtype) => Scalar::from(v).cast(dtype),
        Value::F32(v) => Scalar::from(v),
        Value::F64(v) => Scalar::from(v),
    };
    // Integers that only lie in memory are computed with as wider ones.
    let widened = |scalar: Scalar| match scalar.dtype().is_integer() {
        true => scalar.cast(scalar.dtype().compute()),
        false => scalar,
    };
    let operands: Vec<Scalar> = operands.iter().map(scalar).map(widened).collect();
    let result = rule.operator.apply(&operands);
    let result = if rule.output.is_integer() { result.cast(rule.output) } else { result };
    match result.dtype() {
        dtype if dtype.is_float() => Value::F64(result.to_f64()).cast(dtype),
        dtype => Value::whole(result.to_i128()).cast(dtype),
    }
}
