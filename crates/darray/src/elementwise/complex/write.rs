//! Writing into complex arrays: what is written is computed before anything is.

use super::arithmetic::combined;
use super::operand::Factor;
use super::pair::Pair;
use super::term::{Origin, Term};
use crate::elementwise::emission::{ElementOp, Elementwise, check_fits, check_injective};
use crate::elementwise::operand::{dtypes, undefined};
use crate::{Argument, Binary, DynArray};
use darray_core::{Error, RealType, Result};
use darray_kernel::operator::Operator;

/// Writes a value, broadcast, into the parts of an array; a real value has imaginary parts 0.
pub(crate) fn assign(origin: Origin, parts: &[DynArray; 2], value: Argument<'_>) -> Result<()> {
    let dtype = parts[0].real_type();
    write(origin, parts, &Factor::of(value, origin, dtype).into_pair(origin, dtype))
}

/// As [`assign`], where the mask holds.
pub(crate) fn assign_where(
    origin: Origin,
    parts: &[DynArray; 2],
    mask: &DynArray,
    value: Argument<'_>,
) -> Result<()> {
    let Origin { name, place } = origin;
    let dtype = parts[0].real_type();
    let value = Factor::of(value, origin, dtype).into_pair(origin, dtype);
    let op = ElementOp::Apply { operator: Operator::Select, compute: dtype };
    for (part, value) in parts.iter().zip([&value.re, &value.im]) {
        value.with_argument(|value| {
            let operands = [Argument::Array(mask), value, Argument::Array(part)];
            Elementwise { op, name, operands: &operands, place }.update(part)
        })?;
    }
    Ok(())
}

/// `array = array operation right`, where these are the array's parts.
pub(crate) fn update(
    origin: Origin,
    operation: Binary,
    [array, right]: [Argument<'_>; 2],
    parts: &[DynArray; 2],
) -> Result<()> {
    let Origin { name, place } = origin;
    if let Some(right) = right.array() {
        check_fits(&parts[0], right).map_err(|kind| Error::new(name, kind, place))?;
    }
    check_injective(&parts[0], name, place)?;
    let result = combined(origin, operation, [array, right], parts[0].real_type());
    let refused = || undefined(name, &dtypes(&[array, right]), place);
    write(origin, parts, &result.ok_or_else(refused)?)
}

/// Where a mask holds `then`, else `otherwise`, with parts of this type.
pub(crate) fn select(
    origin: Origin,
    mask: &DynArray,
    [then, otherwise]: [Argument<'_>; 2],
    dtype: RealType,
) -> Result<DynArray> {
    let pair = |side| Factor::of(side, origin, dtype).into_pair(origin, dtype);
    pair(then).chosen(&Term::array(origin, mask), &pair(otherwise)).into_array(origin)
}

/// Writes both parts, but for one that is there already.
fn write(origin: Origin, parts: &[DynArray; 2], value: &Pair) -> Result<()> {
    let Origin { name, place } = origin;
    for (part, value) in parts.iter().zip([&value.re, &value.im]) {
        value.with_argument(|value| match value {
            Argument::Array(array) if array.is_same(part) => Ok(()),
            value => {
                let (op, operands) = (ElementOp::Copy, &[value]);
                Elementwise { op, name, operands, place }.update(part)
            }
        })?;
    }
    Ok(())
}
