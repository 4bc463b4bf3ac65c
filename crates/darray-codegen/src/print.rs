//! The text form of code.

use crate::code::{Code, Instruction, Primitive, Slot};
use std::fmt;

impl fmt::Display for Code {
    /// Deterministic; only lists that hold something.
    ///
    /// ```text
    /// registers 1 of 8 bytes, cells 2
    /// before_row:
    ///   c1 = gather.f64 a0
    /// before:
    ///   r0 = mul.f64 a1 c0'
    ///   a2 = add.f64 r0 a1
    /// ```
    ///
    /// `a`: access, `c`: cell, `r`: register, `k`: kept element, `f`: fold result, `i`: its index;
    /// `'` marks an operand that is one element for the whole block.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "registers {} of {} bytes, cells {}",
            self.registers, self.element, self.cells
        )?;
        for (k, (register, size)) in self.kept.iter().enumerate() {
            writeln!(f, "k{k}: r{register} of {size} bytes")?;
        }
        for (name, list) in [
            ("before_row", &self.before_row),
            ("before", &self.before),
            ("fold_row", &self.fold_row),
            ("fold", &self.fold),
        ] {
            print_list(f, name, list)?;
        }
        for source in &self.sources {
            writeln!(f, "fold takes {} {}", source.value, source.dtype)?;
        }
        print_list(f, "after_row", &self.after_row)?;
        print_list(f, "after", &self.after)
    }
}

fn print_list(f: &mut fmt::Formatter<'_>, name: &str, list: &[Instruction]) -> fmt::Result {
    if !list.is_empty() {
        writeln!(f, "{name}:")?;
    }
    list.iter().try_for_each(|instruction| writeln!(f, "  {instruction}"))
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Slot::Cell(k) => write!(f, "c{k}"),
            Slot::Register(k) => write!(f, "r{k}"),
            Slot::Access(k) => write!(f, "a{k}"),
            Slot::Kept(k) => write!(f, "k{k}"),
            Slot::Result(k) => write!(f, "f{k}"),
            Slot::ResultIndex(k) => write!(f, "i{k}"),
        }
    }
}

impl fmt::Display for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Primitive::Apply(operator) => write!(f, "{operator}"),
        }
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = |uniform: bool| if uniform { "'" } else { "" };
        match self {
            Instruction::Compute { primitive, dtype, args, uniform, out } => {
                write!(f, "{out} = {primitive}.{dtype}")?;
                for (k, arg) in args.iter().enumerate() {
                    write!(f, " {arg}{}", mark(uniform >> k & 1 == 1))?;
                }
                Ok(())
            }
            Instruction::Gather { access, dtype, out } => {
                write!(f, "{out} = gather.{dtype} a{access}")
            }
            Instruction::Scatter { access, dtype, value, uniform, mask, mask_uniform } => {
                write!(f, "a{access} = scatter.{dtype} {value}{}", mark(*uniform))?;
                match mask {
                    Some(mask) => write!(f, " where {mask}{}", mark(*mask_uniform)),
                    None => Ok(()),
                }
            }
            Instruction::Fill { dtype, value, out } => write!(f, "{out} = fill.{dtype} {value}'"),
            Instruction::Iota { axis, out } => write!(f, "{out} = iota i{axis}"),
            Instruction::Random { generator, dtype, key, counter, out } => {
                let [a, b, c, d] = key;
                write!(f, "{out} = random.{generator}.{dtype} {a}' {b}' {c}' {d}' {counter}")
            }
            Instruction::Yield { access, dtype, item, index } => {
                let kind = if *index { "i" } else { "f" };
                write!(f, "a{access} = yield.{dtype} {kind}{item}")
            }
        }
    }
}
