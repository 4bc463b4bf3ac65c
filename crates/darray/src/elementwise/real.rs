//! Element-wise operations of real operands: by the operation's rule to what is emitted.

use super::emission::{ElementOp, Elementwise};
use super::exponent::fixed_exponent;
use super::operand::{dtypes, undefined};
use crate::{Argument, Binary, DynArray, Unary};
use darray_core::{Kind, Place, RealType, Result, promote};

/// Emits an operation of one real array under the name of the operation that it is a part of.
pub(crate) fn unary(
    name: &'static str,
    operation: Unary,
    x: &DynArray,
    place: Place,
) -> Result<DynArray> {
    let rule = operation.rule(x.real_type()).ok_or_else(|| undefined(name, &[x.dtype()], place))?;
    let op = ElementOp::Apply { operator: rule.operator, compute: rule.compute };
    Elementwise { op, name, operands: &[Argument::Array(x)], place }.create(rule.output)
}

/// Emits an operation of two real operands under the name of the operation that it is a part of.
pub(crate) fn binary(
    name: &'static str,
    operation: Binary,
    left: Argument<'_>,
    right: Argument<'_>,
    place: Place,
) -> Result<DynArray> {
    match operation.is_logical() {
        // Apart, since operations are emitted by the hundred thousand and few of them are logical.
        true => {
            binary_of(name, operation, left.seen_by(operation), right.seen_by(operation), place)
        }
        false => binary_of(name, operation, left, right, place),
    }
}

#[inline(always)]
fn binary_of(
    name: &'static str,
    operation: Binary,
    left: Argument<'_>,
    right: Argument<'_>,
    place: Place,
) -> Result<DynArray> {
    let promoted = match (left, right) {
        (Argument::Array(a), Argument::Array(b)) => {
            let promoted = operation.promote_arrays(a.real_type(), b.real_type());
            if promoted.is_float() && needs_signs(operation, [a, b]) {
                return compare_with_signs(name, operation, [a, b], place);
            }
            promoted
        }
        (Argument::Array(array), Argument::Scalar(scalar))
        | (Argument::Scalar(scalar), Argument::Array(array)) => {
            operation.promote_scalar(array.real_type(), scalar)
        }
        (a, b) => promote(a.dtype(), b.dtype()).part(),
    };
    let operands = [left, right];
    let rule = operation.rule(promoted);
    let rule = rule.ok_or_else(|| undefined(name, &dtypes(&operands), place))?;
    let exponent = fixed_exponent(operation, operands, rule.compute, place)?;
    if let (Some(exponent), Argument::Array(base)) = (exponent, left) {
        return base.powi_as(name, exponent, rule.output, place);
    }
    let op = ElementOp::Apply { operator: rule.operator, compute: rule.compute };
    Elementwise { op, name, operands: &operands, place }.create(rule.output)
}

/// Whether it is a comparison of integers that do not promote to one.
fn needs_signs(operation: Binary, operands: [&DynArray; 2]) -> bool {
    use Binary::{Eq, Ge, Gt, Le, Lt, Ne};
    let compares = matches!(operation, Lt | Le | Gt | Ge | Eq | Ne);
    compares && operands.iter().all(|x| x.real_type().is_integer())
}

/// A comparison of u64 with signed integers, of which no type has all numbers, as NumPy has it: below zero the sign says all, and
/// other numbers are u64.
#[cold]
fn compare_with_signs(
    name: &'static str,
    operation: Binary,
    operands: [&DynArray; 2],
    place: Place,
) -> Result<DynArray> {
    let [left, right] = operands.map(|x| match x.real_type() {
        RealType::U64 => Ok(x.alias()),
        _ => x.copy_as(name, RealType::U64, place),
    });
    let compared = binary(name, operation, (&left?).into(), (&right?).into(), place)?;
    let first = operands[0].real_type().kind() == Kind::Signed;
    let holds_below_zero = match operation {
        Binary::Lt | Binary::Le => first,
        Binary::Gt | Binary::Ge => !first,
        _ => operation == Binary::Ne,
    };
    let (test, join) = match holds_below_zero {
        true => (Binary::Lt, Binary::Or),
        false => (Binary::Ge, Binary::And),
    };
    let signed = operands[usize::from(!first)];
    let sign = binary(name, test, signed.into(), Argument::from(0), place)?;
    binary(name, join, (&compared).into(), (&sign).into(), place)
}
