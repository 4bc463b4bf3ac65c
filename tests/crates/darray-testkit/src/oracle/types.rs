//! The type rules of operations, and which axes they go over.

use crate::program::{Binary, Operand, Unary};
use darray_core::DType;
use std::collections::BTreeSet;

/// NumPy's table for two arrays: the later one of bool, u8, i32, i64, f16, f32, f64, but f64 where the
/// float cannot hold the integers.
pub fn promote(a: DType, b: DType) -> DType {
    match (a.min(b), a.max(b)) {
        (DType::I32 | DType::I64, DType::F16 | DType::F32) => DType::F64,
        (_, greater) => greater,
    }
}

/// The type that a scalar operand makes of an array's.
pub fn weak(dtype: DType, scalar: Operand) -> DType {
    match scalar {
        Operand::Integer(_) if dtype == DType::Bool => DType::I64,
        Operand::Float(_) if !dtype.is_float() => DType::F64,
        _ => dtype,
    }
}

/// Whether the type can hold an operand: all but an integer type any.
pub fn fits(operand: Operand, dtype: DType) -> bool {
    match (operand, dtype) {
        (Operand::Integer(value), DType::U8) => (0..256).contains(&value),
        (Operand::Integer(value), DType::I32) => (-(1 << 31)..1 << 31).contains(&value),
        _ => true,
    }
}

/// The types in which an operator computes and what it gives.
pub fn unary_dtypes(operator: Unary, from: DType) -> Result<(DType, DType), String> {
    match operator {
        Unary::Apply(operation) => {
            let undefined = || format!("{operator:?} of {from}");
            let rule = operation.rule(from).ok_or_else(undefined)?;
            Ok((rule.compute, rule.output))
        }
        Unary::Power(exponent) if exponent < 0 && !from.is_float() => {
            Err("a negative power of integers".to_string())
        }
        Unary::Power(_) if from == DType::Bool => Ok((DType::I64, DType::I64)),
        // Places before the point are rounded in floats.
        Unary::Round(..0) if !from.is_float() => Ok((DType::F64, from)),
        Unary::Power(_) | Unary::Round(_) => Ok((from, from)),
    }
}

/// The types in which an operator computes and what it gives.
pub fn binary_dtypes(operator: Binary, common: DType) -> Result<(DType, DType), String> {
    let undefined = || format!("{operator:?} of {common}");
    let dtype = match operator {
        Binary::Apply(operation) => {
            let rule = operation.rule(common).ok_or_else(undefined)?;
            return Ok((rule.compute, rule.output));
        }
        Binary::And | Binary::Or | Binary::Xor if common.is_float() => return Err(undefined()),
        Binary::Divide if !common.is_float() => DType::F64,
        Binary::And | Binary::Or | Binary::Xor | Binary::Minimum | Binary::Maximum => common,
        _ if common == DType::Bool => return Err(undefined()),
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
