//! What instructions do with values: the operators and their kinds.

use super::types::{Type, Width};

/// The kind of number that arithmetic works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Whole, without sign.
    Unsigned(Width),
    /// Whole, in two's complement.
    Signed(Width),
    /// Single precision.
    Single {
        /// Whether denormals count as zero.
        flush: bool,
    },
    /// Double precision.
    Double,
}

/// How a result that has no exact place is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest, ties to even.
    Nearest,
    /// Towards zero.
    Zero,
    /// Towards minus infinity.
    Down,
    /// Towards plus infinity.
    Up,
}

/// Operations of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// The value itself.
    Move,
    /// The negated value.
    Negate,
    /// The absolute value.
    Absolute,
    /// All bits inverted.
    Not,
    /// Square root.
    SquareRoot,
    /// One over the square root.
    ReciprocalRoot,
    /// One over the value.
    Reciprocal,
    /// One over the value, the lower half of a double dropped.
    ReciprocalCoarse,
    /// One over the square root, the lower half of a double dropped.
    ReciprocalRootCoarse,
    /// Power of two.
    Exponential,
    /// Logarithm to base two.
    Logarithm,
    /// Sine.
    Sine,
    /// Cosine.
    Cosine,
    /// Hyperbolic tangent.
    Tangent,
    /// How many bits are set.
    Population,
    /// How many leading bits are zero.
    LeadingZeros,
    /// The bits in reversed order.
    Reverse,
    /// The place of the highest bit that differs from the sign, all ones where there is none.
    HighestBit,
    /// The same as a distance from the top.
    HighestBitShift,
}

/// Operations of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product, of whole numbers its lower half.
    Multiply,
    /// The upper half of a product of whole numbers.
    MultiplyHigh,
    /// The whole product of whole numbers.
    MultiplyWide,
    /// The product of the lower 24 bits, its lower half.
    Multiply24,
    /// Quotient.
    Divide,
    /// Remainder.
    Remainder,
    /// The lesser; a number rather than NaN.
    Minimum,
    /// The greater; a number rather than NaN.
    Maximum,
    /// The lesser; NaN if one is.
    MinimumNan,
    /// The greater; NaN if one is.
    MaximumNan,
    /// Bits set in both.
    And,
    /// Bits set in one or both.
    Or,
    /// Bits set in exactly one.
    Xor,
    /// Shifted to the left.
    ShiftLeft,
    /// Shifted to the right.
    ShiftRight,
    /// The second with the sign of the first.
    CopySign,
    /// A sum, rounded as said.
    AddRounded(Rounding),
    /// A difference, rounded as said.
    SubtractRounded(Rounding),
    /// A product, rounded as said.
    MultiplyRounded(Rounding),
    /// A quotient, rounded as said.
    DivideRounded(Rounding),
}

/// Operations of three values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ternary {
    /// Product and sum, the product's lower half.
    MultiplyAdd,
    /// Product and sum, the product's upper half.
    MultiplyAddHigh,
    /// Whole product and sum.
    MultiplyAddWide,
    /// Product of the lower 24 bits and sum.
    MultiplyAdd24,
    /// Product and sum, rounded once.
    Fused(Rounding),
    /// Bits from a place on.
    Extract,
    /// Two words shifted to the left, the upper word taken; the distance modulo 32.
    FunnelLeft { wrap: bool },
    /// Two words shifted to the right, the lower word taken.
    FunnelRight { wrap: bool },
    /// Bytes of two words, picked by a selector.
    Permute,
    /// The absolute difference and a sum.
    DifferenceAdd,
    /// A function of three bits, given by its table.
    Logic(u8),
    /// Products of bytes and a sum.
    DotBytes { signed: [bool; 2] },
    /// Products of two words of 16 bits and two bytes, the upper ones or the lower ones, and a sum.
    DotWords { signed: [bool; 2], high: bool },
}

/// How two values compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Equal.
    Equal,
    /// Not equal, and both numbers.
    NotEqual,
    /// Less.
    Less,
    /// Less or equal.
    LessEqual,
    /// Greater.
    Greater,
    /// Greater or equal.
    GreaterEqual,
    /// Both are numbers.
    Numbers,
    /// One is NaN.
    Nan,
}

/// A relation and whether NaN fulfils it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The relation between numbers.
    pub relation: Relation,
    /// Whether the answer is yes where one is NaN.
    pub unordered: bool,
}

/// Two predicates into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Junction {
    /// Both.
    And,
    /// One or both.
    Or,
    /// Exactly one.
    Xor,
}

/// A step of arithmetic on long numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chain {
    /// Sum.
    Add,
    /// Difference; the carry counts as borrow.
    Subtract,
    /// Lower half of a product, and sum.
    MultiplyAddLow,
    /// Upper half of a product, and sum.
    MultiplyAddHigh,
}

/// How an atomic operation changes memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Sum.
    Add,
    /// The lesser.
    Minimum,
    /// The greater.
    Maximum,
    /// Bits set in both.
    And,
    /// Bits set in one or both.
    Or,
    /// Bits set in exactly one.
    Xor,
    /// The new value.
    Exchange,
    /// The new value where the old one equals another.
    CompareExchange,
    /// One more, zero beyond a limit.
    Increment,
    /// One less, the limit below zero.
    Decrement,
}

/// A number into another type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// The type of the value.
    pub from: Type,
    /// The type of the result.
    pub to: Type,
    /// How it is rounded; with `whole`, to a whole number.
    pub rounding: Rounding,
    /// Whether the result is a whole number, also where its type is a float.
    pub whole: bool,
    /// Whether the result is held within its type, of floats between zero and one.
    pub saturate: bool,
    /// Whether denormals count as zero.
    pub flush: bool,
    /// How many bits the register of the result has.
    pub register: Width,
}

/// A property of a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// Neither infinite nor NaN.
    Finite,
    /// Infinite.
    Infinite,
    /// No NaN.
    Number,
    /// NaN.
    NotANumber,
    /// A normal number.
    Normal,
    /// A denormal.
    Subnormal,
}

/// Lanes that exchange values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    /// From a lower lane.
    Up,
    /// From a higher lane.
    Down,
    /// From the lane of the other bits.
    Butterfly,
    /// From a given lane.
    Index,
}

/// A question to the lanes of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    /// Does it hold for all?
    All,
    /// Does it hold for one?
    Any,
    /// Do all agree?
    Uniform,
    /// For whom does it hold?
    Ballot,
}
