//! Functions as lists of steps, for back ends that generate code.
//!
//! [`Traced`] numbers record what is done with them; a function called with them leaves its
//! [`Trace`]. Equal steps are recorded once, steps without use are dropped.
//!
//! ```
//! use darray_kernel::function::{hypot::hypot_f64, trace::Trace};
//! let trace = Trace::record::<f64>(2, |x| hypot_f64(x[0], x[1]));
//! assert!(trace.to_string().starts_with("%0 = input 0\n%1 = input 1\n%2 = abs.f64 %0\n"));
//! ```

mod print;
mod recorder;
#[cfg(test)]
mod tests;
mod traced;

use darray_core::Compute;
use smallvec::SmallVec;

pub use recorder::Table;
pub use traced::{Formatted, Traced, TracedBits, TracedMask};

/// A function as steps: step `k` defines value `k` and uses values below `k`.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// In order.
    pub steps: Vec<Step>,
    /// The value that the function gives; of kind [`Kind::Number`].
    pub result: u32,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// What it defines.
    pub kind: Kind,
    /// What it does.
    pub action: Action,
    /// The values that it uses, by number.
    pub args: SmallVec<[u32; 3]>,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A number of this format: F32 or F64.
    Number(Compute),
    /// An unsigned integer as wide as this format.
    Bits(Compute),
    /// An answer.
    Mask,
}

/// What a step does. Arguments are of the kind of the result but where said; formats agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// An operand of the function.
    Input(u8),
    /// A constant, by the bits of its format.
    Constant(u64),
    /// `a + b`; of bits, wrapping.
    Add,
    /// `a - b`; of bits, wrapping.
    Sub,
    /// `a * b`.
    Mul,
    /// `a / b`.
    Div,
    /// `-a`.
    Neg,
    /// `a * b + c`, rounded once.
    MulAdd,
    /// Square root, correctly rounded.
    Sqrt,
    /// The exact remainder of the division rounded toward zero, with the sign of `a`.
    Rem,
    /// Clears the sign.
    Abs,
    /// The size of `a` with the sign of `b`.
    CopySign,
    /// To the nearest whole number, ties to even.
    Round,
    /// The bits of a number.
    ToBits,
    /// The number of bits.
    FromBits,
    /// The number in the other format, rounded to nearest, ties to even.
    Convert,
    /// Whether `a < b`: of numbers, false with NaN; of bits, as two's complement.
    Lt,
    /// Whether `a <= b`, of numbers; false with NaN.
    Le,
    /// Whether `a == b`: of numbers, false with NaN.
    Eq,
    /// `b` where the mask `a` holds, else `c`.
    Select,
    /// The element `a` modulo the table's length, `a` being bits.
    Lookup(Table),
    /// Of bits or masks.
    And,
    /// Of bits or masks.
    Or,
    /// Of bits.
    Xor,
    /// Of masks.
    Not,
    /// Bits shifted up, zeros coming in.
    Shl(u32),
    /// Bits shifted down, zeros coming in.
    Shr(u32),
}
