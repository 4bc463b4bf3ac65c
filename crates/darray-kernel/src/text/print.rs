//! Kernels as text. [`Kernel::parse`](Kernel::parse) reads the same form; two kernels are equal
//! exactly when their texts are.
//!
//! ```text
//! kernel params=5 scalars=[f64]
//!   b0: f64 rank 2 read noalias
//!   b1: f64 rank 1 partial
//! {
//!   %0 = scalar 0
//!   fold (i0: extent=p0 origin=p1 global=p2 logical=0) lanes=32 width=64 rounds=32 alone=8 {
//!     %1 = load b0[p3 + 1*(i0-1), p4]
//!     %2 = mul.f64 %0 %1
//!   } %3 = sum %2, %4 %5 = argmin %2
//!   yield b1[p4] %3
//! }
//! ```
//!
//! A kernel that may run by blocks of rows ([`Kernel::by_rows`]) says ` by rows` behind its scalars.
//!
//! Coordinates are `start`, `start + 1*axis`, `start - 1*axis` or `start + step*axis`. Operators
//! carry the type of their last operand. Constants are `const.f64 2.5`, NaNs their bits in
//! hexadecimal. A masked store is `store b0[..] %1 if %2`, a random number
//! `random.pcg64.f64 k k k k at c`.

use crate::ir::{Access, AccessDim, Axis, Kernel, Op, Param, Region, Role, Step, Value};
use crate::tree::TreeRule;
use darray_core::{RealType, Scalar};
use std::collections::BTreeMap;
use std::fmt;

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{}", self.0)
    }
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 4] = [Role::Read, Role::Write, Role::ReadWrite, Role::Partial];

    /// The word used in texts.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Read => "read",
            Role::Write => "write",
            Role::ReadWrite => "readwrite",
            Role::Partial => "partial",
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dims: Vec<String> = self.dims.iter().map(AccessDim::to_string).collect();
        write!(f, "b{}[{}]", self.buffer, dims.join(", "))
    }
}

impl fmt::Display for AccessDim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.start)?;
        let Some(axis) = self.axis else { return Ok(()) };
        match self.step {
            Step::Zero => write!(f, " + 0*")?,
            Step::One => write!(f, " + 1*")?,
            Step::MinusOne => write!(f, " - 1*")?,
            Step::Any(step) => write!(f, " + {step}*")?,
        }
        if self.shift == 0 { write!(f, "i{axis}") } else { write!(f, "(i{axis}{:+})", self.shift) }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scalars: Vec<&str> = self.scalars.iter().map(|d| d.name()).collect();
        let by_rows = if self.by_rows { " by rows" } else { "" };
        let scalars = scalars.join(", ");
        writeln!(f, "kernel params={} scalars=[{scalars}]{by_rows}", self.params)?;
        for (number, buffer) in self.buffers.iter().enumerate() {
            let (rank, role) = (buffer.rank, buffer.role.name());
            let no_alias = if buffer.no_alias { " noalias" } else { "" };
            writeln!(f, "  b{number}: {} rank {rank} {role}{no_alias}", buffer.dtype)?;
        }
        writeln!(f, "{{")?;
        let printer = Printer { types: self.value_types() };
        printer.nested(f, &self.body, 0, 0)?;
        writeln!(f, "}}")
    }
}

struct Printer {
    types: BTreeMap<Value, RealType>,
}

impl Printer {
    /// One operation under `axes` loop axes.
    fn op(&self, f: &mut fmt::Formatter<'_>, op: &Op, axes: usize, indent: usize) -> fmt::Result {
        let pad = "  ".repeat(indent);
        f.write_str(&pad)?;
        match op {
            Op::Const { result, scalar } => {
                writeln!(f, "{result} = const.{} {}", scalar.dtype(), bits_text(*scalar))
            }
            Op::Scalar { result, index } => writeln!(f, "{result} = scalar {index}"),
            Op::Index { result, axis } => writeln!(f, "{result} = index i{axis}"),
            Op::Random { result, generator, dtype, key: [a, b, c, d], counter } => {
                writeln!(f, "{result} = random.{generator}.{dtype} {a} {b} {c} {d} at {counter}")
            }
            Op::Load { result, from } => writeln!(f, "{result} = load {from}"),
            Op::Apply { result, operator, args } => {
                write!(f, "{result} = {operator}")?;
                if let Some(dtype) = args.last().and_then(|a| self.types.get(a)) {
                    write!(f, ".{dtype}")?;
                }
                args.iter().try_for_each(|a| write!(f, " {a}"))?;
                writeln!(f)
            }
            Op::Store { to, value, mask: None } => writeln!(f, "store {to} {value}"),
            Op::Store { to, value, mask: Some(mask) } => {
                writeln!(f, "store {to} {value} if {mask}")
            }
            Op::Yield { to, value } => writeln!(f, "yield {to} {value}"),
            Op::For { body } => {
                writeln!(f, "for {} {{", axes_text(&body.axes, axes))?;
                self.nested(f, body, axes, indent)?;
                writeln!(f, "{pad}}}")
            }
            Op::Fold { body, folds, tree } => {
                let header = axes_text(&body.axes, axes);
                writeln!(f, "fold {header} {} {{", tree_text(*tree))?;
                self.nested(f, body, axes, indent)?;
                write!(f, "{pad}}}")?;
                for (number, fold) in folds.iter().enumerate() {
                    write!(f, "{} {}", if number == 0 { "" } else { "," }, fold.result)?;
                    fold.index.iter().try_for_each(|index| write!(f, " {index}"))?;
                    write!(f, " = {} {}", fold.reducer, fold.value)?;
                }
                writeln!(f)
            }
        }
    }

    /// The operations of a region, one step further in.
    fn nested(
        &self,
        f: &mut fmt::Formatter<'_>,
        body: &Region,
        axes: usize,
        indent: usize,
    ) -> fmt::Result {
        let inside = axes + body.axes.len();
        body.ops.iter().try_for_each(|op| self.op(f, op, inside, indent + 1))
    }
}

fn axes_text(axes: &[Axis], outer: usize) -> String {
    let texts: Vec<String> = axes
        .iter()
        .enumerate()
        .map(|(number, Axis { extent, origin, global, logical })| {
            let name = outer + number;
            format!("i{name}: extent={extent} origin={origin} global={global} logical={logical}")
        })
        .collect();
    format!("({})", texts.join(", "))
}

/// The order of a fold.
fn tree_text(rule: TreeRule) -> String {
    let TreeRule { lanes, width, rounds, alone } = rule;
    format!("lanes={lanes} width={width} rounds={rounds} alone={alone}")
}

/// A constant: its shortest exact decimal, or its bits where decimals lose them.
fn bits_text(scalar: Scalar) -> String {
    match scalar.dtype().is_float() && scalar.to_f64().is_nan() {
        true => format!("{:#x}", scalar.bits()),
        false => scalar.to_string(),
    }
}
