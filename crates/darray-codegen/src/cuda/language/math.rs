//! Whose elementary functions a text calls.

use darray_core::{Compute, RealType};
use darray_kernel::operator::Operator;

/// Whose elementary functions a text calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Math {
    /// darray's, step by step: the bits of CPU devices.
    #[default]
    Darray,
    /// CUDA's own (libdevice), within the errors that the CUDA C++ Programming Guide states: other bits than
    /// those of CPU devices.
    Libdevice,
}

/// CUDA's function for an operator; none for those that are exact anyway or that CUDA has not.
pub(crate) fn libdevice(operator: Operator, dtype: RealType) -> Option<String> {
    use Operator::*;
    let name = match operator {
        Exp => "exp",
        Exp2 => "exp2",
        Expm1 => "expm1",
        Ln => "log",
        Log1p => "log1p",
        Log2 => "log2",
        Log10 => "log10",
        Sin => "sin",
        Cos => "cos",
        Tan => "tan",
        Asin => "asin",
        Acos => "acos",
        Atan => "atan",
        Atan2 => "atan2",
        Sinh => "sinh",
        Cosh => "cosh",
        Tanh => "tanh",
        Asinh => "asinh",
        Acosh => "acosh",
        Atanh => "atanh",
        Erf => "erf",
        Cbrt => "cbrt",
        Hypot => "hypot",
        Power => "pow",
        _ => return None,
    };
    match dtype.as_compute() {
        Some(Compute::F64) => Some(name.to_string()),
        Some(Compute::F32) => Some(format!("{name}f")),
        _ => None,
    }
}
