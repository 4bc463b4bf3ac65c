//! Elementary functions as CUDA C: one statement per step of their trace.
//!
//! Sums, products and quotients are intrinsics that round to nearest and are never contracted, whatever
//! the compiler's options.

use super::literal::{c_type, literal};
use darray_core::{Compute, Scalar};
use darray_kernel::function::trace::{Action, Kind, Step, Table, Trace};
use std::fmt::Write;

/// The definition of a device function.
///
/// ```text
/// __device__ __forceinline__ double darray_minimum_f64(double v0, double v1) {
///     const bool v2 = v0 < v1;
///     const double v3 = v2 ? v0 : v1;
///     ..
///     return v12;
/// }
/// ```
///
/// `table` names a constant table, of doubles.
pub(crate) fn definition(
    name: &str,
    trace: &Trace,
    mut table: impl FnMut(Table) -> String,
) -> String {
    let result = kind_type(trace.steps[trace.result as usize].kind);
    let mut parameters = Vec::new();
    let mut body = String::new();
    for (number, step) in trace.steps.iter().enumerate() {
        let c_type = kind_type(step.kind);
        if let Action::Input(_) = step.action {
            parameters.push(format!("{c_type} v{number}"));
        } else {
            let value = expression(trace, step, &mut table);
            writeln!(body, "    const {c_type} v{number} = {value};").expect("a string");
        }
    }
    let parameters = parameters.join(", ");
    format!(
        "__device__ __forceinline__ {result} {name}({parameters}) {{\n{body}    return v{};\n}}\n",
        trace.result
    )
}

fn kind_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Number(format) => c_type(format.dtype()),
        Kind::Bits(Compute::F32) => "unsigned",
        Kind::Bits(_) => "unsigned long long",
        Kind::Mask => "bool",
    }
}

/// The name of an intrinsic of f64 (`d`) or f32 (`f`), rounding to nearest.
fn rounded(operation: &str, format: Compute) -> String {
    format!("__{}{operation}_rn", if format == Compute::F32 { 'f' } else { 'd' })
}

fn expression(trace: &Trace, step: &Step, table: &mut impl FnMut(Table) -> String) -> String {
    let arg = |k: usize| format!("v{}", step.args[k]);
    let of = |k: usize| trace.steps[step.args[k] as usize].kind;
    let infix = |operator: &str| format!("{} {operator} {}", arg(0), arg(1));
    let call = |function: &str| {
        let args: Vec<String> = (0..step.args.len()).map(arg).collect();
        format!("{function}({})", args.join(", "))
    };
    let single = step.kind == Kind::Number(Compute::F32);
    let named = |double: &str| call(&format!("{double}{}", if single { "f" } else { "" }));
    match (step.action, step.kind) {
        (Action::Input(_), _) => unreachable!("inputs are parameters"),
        (Action::Constant(bits), Kind::Number(format)) => {
            literal(Scalar::from_bits(format.dtype(), bits))
        }
        (Action::Constant(bits), Kind::Bits(Compute::F32)) => format!("{bits:#x}u"),
        (Action::Constant(bits), _) => format!("{bits:#x}ull"),
        (Action::Add, Kind::Number(format)) => call(&rounded("add", format)),
        (Action::Sub, Kind::Number(format)) => call(&rounded("sub", format)),
        (Action::Mul, Kind::Number(format)) => call(&rounded("mul", format)),
        (Action::Div, Kind::Number(format)) => call(&rounded("div", format)),
        (Action::Add, _) => infix("+"),
        (Action::Sub, _) => infix("-"),
        (Action::Mul, _) => infix("*"),
        (Action::Div, _) => infix("/"),
        (Action::Neg, _) => format!("-{}", arg(0)),
        (Action::MulAdd, _) => call(if single { "__fmaf_rn" } else { "__fma_rn" }),
        (Action::Sqrt, _) => call(if single { "__fsqrt_rn" } else { "__dsqrt_rn" }),
        (Action::Rem, _) => named("fmod"),
        (Action::Abs, _) => named("fabs"),
        (Action::CopySign, _) => named("copysign"),
        (Action::Round, _) => named("rint"),
        (Action::ToBits, Kind::Bits(Compute::F32)) => call("__float_as_uint"),
        (Action::ToBits, _) => {
            format!("(unsigned long long){}", call("__double_as_longlong"))
        }
        (Action::FromBits, Kind::Number(Compute::F32)) => call("__uint_as_float"),
        (Action::FromBits, _) => format!("__longlong_as_double((long long){})", arg(0)),
        (Action::Convert, Kind::Number(Compute::F32)) => call("__double2float_rn"),
        (Action::Convert, _) => format!("(double){}", arg(0)),
        (Action::Lt, _) => match of(0) {
            Kind::Bits(Compute::F32) => format!("(int){} < (int){}", arg(0), arg(1)),
            Kind::Bits(_) => format!("(long long){} < (long long){}", arg(0), arg(1)),
            _ => infix("<"),
        },
        (Action::Le, _) => infix("<="),
        (Action::Eq, _) => infix("=="),
        (Action::Select, _) => format!("{} ? {} : {}", arg(0), arg(1), arg(2)),
        (Action::Lookup(constants), kind) => {
            let place = format!("{}[{} & {}]", table(constants), arg(0), constants.0.len() - 1);
            if kind == Kind::Number(Compute::F32) { format!("(float){place}") } else { place }
        }
        (Action::And, Kind::Mask) => infix("&&"),
        (Action::Or, Kind::Mask) => infix("||"),
        (Action::And, _) => infix("&"),
        (Action::Or, _) => infix("|"),
        (Action::Xor, _) => infix("^"),
        (Action::Not, _) => format!("!{}", arg(0)),
        (Action::Shl(count), _) => format!("{} << {count}", arg(0)),
        (Action::Shr(count), _) => format!("{} >> {count}", arg(0)),
    }
}
