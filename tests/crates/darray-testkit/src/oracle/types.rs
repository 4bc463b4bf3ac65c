//! The type rules of operations, and which axes they go over.

use super::cell::range;
use crate::program::{Binary, Operand, Unary};
use darray_core::RealType;
use std::collections::BTreeSet;

/// NumPy's table for two arrays: of bools and integers the first type in the order of sizes, signed ones first, that has all values of
/// both, f64 where none has; with a float the first float that is wider than the integer.
pub fn promote(a: RealType, b: RealType) -> RealType {
    use RealType::{BF16, Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    if [a, b].contains(&F16) && [a, b].contains(&BF16) {
        return F32;
    }
    if a.is_float() || b.is_float() {
        // The smallest floats are the first, and either of them is wider than a byte.
        return floats(a).max(floats(b));
    }
    let holds = |wide: &RealType, narrow: RealType| match (*wide, narrow) {
        (wide, narrow) if wide == narrow || narrow == Bool => true,
        (Bool, _) | (U8 | U16 | U32 | U64, I8 | I16 | I32 | I64) => false,
        (_, U8 | U16 | U32 | U64 | I8 | I16 | I32 | I64) => wide.size() > narrow.size(),
        _ => false,
    };
    let all = [Bool, I8, U8, I16, U16, I32, U32, I64, U64];
    all.into_iter().find(|wide| holds(wide, a) && holds(wide, b)).unwrap_or(F64)
}

/// The floats in which functions of an integer compute; of a float itself.
fn floats(dtype: RealType) -> RealType {
    use RealType::{Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    match dtype {
        Bool | I8 | U8 => F16,
        I16 | U16 => F32,
        I32 | U32 | I64 | U64 => F64,
        float => float,
    }
}

/// Whether it is a function of two operands that computes in floats, each operand having its own.
pub fn is_function(operation: darray::Binary) -> bool {
    use darray::Binary::{Atan2, CopySign, Hypot, NextAfter};
    matches!(operation, Atan2 | CopySign | Hypot | NextAfter)
}

/// The type in which such a function of two arrays computes.
pub fn promote_function(a: RealType, b: RealType) -> RealType {
    match a.is_float() || b.is_float() {
        true => promote(a, b),
        false => promote(floats(a), floats(b)),
    }
}

/// The type that a scalar operand makes of an array's.
pub fn weak(dtype: RealType, scalar: Operand) -> RealType {
    match scalar {
        Operand::Integer(_) if dtype == RealType::Bool => RealType::I64,
        Operand::Float(_) if !dtype.is_float() => RealType::F64,
        _ => dtype,
    }
}

/// Whether the type can hold an operand: all but an integer type any.
pub fn fits(operand: Operand, dtype: RealType) -> bool {
    let (least, largest) = range(dtype);
    match operand {
        Operand::Integer(value) if dtype.is_integer() => (least..=largest).contains(&value.into()),
        _ => true,
    }
}

/// The types in which an operator computes and what it gives.
pub fn unary_dtypes(operator: Unary, from: RealType) -> Result<(RealType, RealType), String> {
    match operator {
        Unary::Apply(operation) => {
            let undefined = || format!("{operator:?} of {from}");
            let rule = operation.rule(from).ok_or_else(undefined)?;
            Ok((rule.compute, rule.output))
        }
        Unary::Power(exponent) if exponent < 0 && !from.is_float() => {
            Err("a negative power of integers".to_string())
        }
        Unary::Power(_) if from == RealType::Bool => Ok((RealType::I64, RealType::I64)),
        // Places before the point are rounded in floats.
        Unary::Round(..0) if !from.is_float() => Ok((RealType::F64, from)),
        Unary::Power(_) | Unary::Round(_) => Ok((from, from)),
    }
}

/// The types in which an operator computes and what it gives.
pub fn binary_dtypes(operator: Binary, common: RealType) -> Result<(RealType, RealType), String> {
    let undefined = || format!("{operator:?} of {common}");
    let dtype = match operator {
        Binary::Apply(operation) => {
            let rule = operation.rule(common).ok_or_else(undefined)?;
            return Ok((rule.compute, rule.output));
        }
        Binary::And | Binary::Or | Binary::Xor if common.is_float() => return Err(undefined()),
        Binary::Divide if !common.is_float() => RealType::F64,
        Binary::And | Binary::Or | Binary::Xor | Binary::Minimum | Binary::Maximum => common,
        _ if common == RealType::Bool => return Err(undefined()),
        _ => common,
    };
    Ok((dtype, dtype))
}

/// Axes counted from the start, ascending.
pub fn normalise(axes: Option<&[isize]>, rank: usize) -> Result<Vec<usize>, String> {
    let Some(axes) = axes else { return Ok((0..rank).collect()) };
    let mut normal = BTreeSet::new();
    for &axis in axes {
        let from_start = if axis < 0 { axis + rank as isize } else { axis };
        if !(0..rank as isize).contains(&from_start) || !normal.insert(from_start as usize) {
            return Err(format!("axes {axes:?} of rank {rank}"));
        }
    }
    Ok(normal.into_iter().collect())
}
