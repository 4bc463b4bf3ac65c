//! Traces as text.

use super::{Action, Kind, Trace};
use std::fmt;

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Number(format) => write!(f, "{}", format.dtype()),
            Kind::Bits(format) => write!(f, "b{}", 8 * format.dtype().size()),
            Kind::Mask => f.write_str("mask"),
        }
    }
}

impl fmt::Display for Trace {
    /// One step per line: `%3 = mul.f64 %1 %2`, with the kind of what is defined; comparisons with the
    /// kind of what is compared.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in self.steps.iter().enumerate() {
            write!(f, "%{number} = {}", step.action.name())?;
            match step.action {
                Action::Input(k) => write!(f, " {k}")?,
                Action::Lt | Action::Le | Action::Eq => {
                    write!(f, ".{}", self.steps[step.args[0] as usize].kind)?
                }
                _ => write!(f, ".{}", step.kind)?,
            }
            match step.action {
                Action::Constant(bits) => write!(f, " {bits:#x}")?,
                Action::Lookup(table) => write!(f, " [{}]", table.0.len())?,
                _ => {}
            }
            step.args.iter().try_for_each(|arg| write!(f, " %{arg}"))?;
            match step.action {
                Action::Shl(count) | Action::Shr(count) => writeln!(f, " {count}")?,
                _ => writeln!(f)?,
            }
        }
        writeln!(f, "%{}", self.result)
    }
}

impl Action {
    fn name(self) -> &'static str {
        match self {
            Action::Input(_) => "input",
            Action::Constant(_) => "const",
            Action::Add => "add",
            Action::Sub => "sub",
            Action::Mul => "mul",
            Action::Div => "div",
            Action::Neg => "neg",
            Action::MulAdd => "fma",
            Action::Sqrt => "sqrt",
            Action::Rem => "rem",
            Action::Abs => "abs",
            Action::CopySign => "copysign",
            Action::Round => "round",
            Action::ToBits => "to_bits",
            Action::FromBits => "from_bits",
            Action::Convert => "convert",
            Action::Lt => "lt",
            Action::Le => "le",
            Action::Eq => "eq",
            Action::Select => "select",
            Action::Lookup(_) => "lookup",
            Action::And => "and",
            Action::Or => "or",
            Action::Xor => "xor",
            Action::Not => "not",
            Action::Shl(_) => "shl",
            Action::Shr(_) => "shr",
        }
    }
}
