//! Element-wise operations of real operands: by the operation's rule to what is emitted.

use super::emission::{ElementOp, Elementwise};
use super::exponent::fixed_exponent;
use super::operand::{dtypes, undefined};
use crate::{Argument, Binary, DynArray, Unary};
use darray_core::{Place, Result, promote};

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
        (Argument::Array(a), Argument::Array(b)) => promote(a.dtype(), b.dtype()),
        (Argument::Array(array), Argument::Scalar(scalar))
        | (Argument::Scalar(scalar), Argument::Array(array)) => {
            operation.promote_scalar(array.dtype(), scalar)
        }
        (a, b) => promote(a.dtype(), b.dtype()),
    };
    let operands = [left, right];
    let rule = operation.rule(promoted.part());
    let rule = rule.ok_or_else(|| undefined(name, &dtypes(&operands), place))?;
    let exponent = fixed_exponent(operation, operands, rule.compute, place)?;
    if let (Some(exponent), Argument::Array(base)) = (exponent, left) {
        return base.powi_as(name, exponent, rule.output, place);
    }
    let op = ElementOp::Apply { operator: rule.operator, compute: rule.compute };
    Elementwise { op, name, operands: &operands, place }.create(rule.output)
}
