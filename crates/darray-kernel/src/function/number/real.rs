//! The arithmetic that elementary functions are written in.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// A floating-point number of one format.
///
/// Literals are given as `f64` and rounded to the format.
///
/// ```
/// use darray_kernel::function::{Native, Real, polynomial};
/// /// `(x^2 + 2x + 3) / x`, or 0 where `x` is negative.
/// fn example<R: Real>(x: R) -> R {
///     let y = polynomial(x, &[1.0, 2.0, 3.0]) / x;
///     R::select(x.lt(R::literal(0.0)), R::literal(0.0), y)
/// }
/// assert_eq!(example(Native(2.0f64)), Native(5.5));
/// assert_eq!(example(Native(-2.0f32)), Native(0.0));
/// ```
pub trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
{
    /// The format's bits.
    type Bits: Bits<Mask = Self::Mask>;
    /// Answers of comparisons.
    type Mask: Copy
        + BitAnd<Output = Self::Mask>
        + BitOr<Output = Self::Mask>
        + Not<Output = Self::Mask>;

    /// A constant, rounded to the format; NaN keeps its sign, which a conversion alone need not.
    fn literal(value: f64) -> Self;
    /// `self * factor + addend`, rounded once.
    fn mul_add(self, factor: Self, addend: Self) -> Self;
    /// Square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// The remainder of the division rounded toward zero: exact, with the sign of `self`; NaN where
    /// the divisor is 0 or `self` infinite.
    fn rem(self, divisor: Self) -> Self;
    /// Clears the sign.
    fn abs(self) -> Self;
    /// The size of `self` with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;
    /// To the nearest integer, ties to even.
    fn round(self) -> Self;
    /// The bits of the number.
    fn to_bits(self) -> Self::Bits;
    /// The number of these bits.
    fn from_bits(bits: Self::Bits) -> Self;
    /// Whether `self < other`; false with NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// Whether `self <= other`; false with NaN.
    fn le(self, other: Self) -> Self::Mask;
    /// Whether `self == other`; false with NaN.
    fn eq(self, other: Self) -> Self::Mask;
    /// `then` where the mask holds, else `otherwise`.
    fn select(mask: Self::Mask, then: Self, otherwise: Self) -> Self;

    /// The element `index` modulo `N` of a constant table, rounded to the format; `N` is a power of
    /// two.
    fn lookup<const N: usize>(table: &'static [f64; N], index: Self::Bits) -> Self;

    /// Whether the number is NaN.
    #[inline(always)]
    fn is_nan(self) -> Self::Mask {
        !self.eq(self)
    }
}

/// A number of 32 bits, which can be computed with in 64 bits.
///
/// ```
/// use darray_kernel::function::{Native, Single};
/// let third = Native(1.0f32).widen() * (1.0 / 3.0);
/// assert_eq!(third, Native(1.0f64 / 3.0));
/// assert_eq!(<Native<f32> as Single>::narrow(third), Native(1.0f32 / 3.0));
/// ```
pub trait Single: Real {
    /// The format of 64 bits.
    type Double: Real;

    /// The same number in 64 bits.
    fn widen(self) -> Self::Double;
    /// Rounded to nearest, ties to even.
    fn narrow(number: Self::Double) -> Self;
}

/// The bits of a number as an unsigned integer; sums and differences wrap.
pub trait Bits:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Add<i64, Output = Self>
    + Sub<i64, Output = Self>
    + BitAnd<i64, Output = Self>
    + BitOr<i64, Output = Self>
    + BitXor<i64, Output = Self>
{
    /// Answers of comparisons.
    type Mask;

    /// A constant, cut to the width.
    fn literal(value: i64) -> Self;
    /// Shifted up, zeros coming in.
    fn shl(self, count: u32) -> Self;
    /// Shifted down, zeros coming in.
    fn shr(self, count: u32) -> Self;
    /// Whether `self < other`, both read as two's complement.
    fn lt(self, other: Self) -> Self::Mask;
    /// Whether the bits are equal.
    fn eq(self, other: Self) -> Self::Mask;
    /// `then` where the mask holds, else `otherwise`.
    fn select(mask: Self::Mask, then: Self, otherwise: Self) -> Self;
}

/// The polynomial with these coefficients, of the highest power first, by Horner's rule with one
/// rounding per step.
#[inline(always)]
pub fn polynomial<R: Real>(x: R, coefficients: &[f64]) -> R {
    horner(x, coefficients, 0, 1)
}

/// The same, at least two coefficients, even powers and odd ones by themselves: twice as many steps at a time for one more
/// product, where nothing else is there to do meanwhile.
///
/// ```
/// use darray_kernel::function::{Native, polynomial_in_halves};
/// // x^3 + 2 x^2 + 3 x + 4
/// assert_eq!(polynomial_in_halves(Native(2.0f64), &[1.0, 2.0, 3.0, 4.0]), Native(26.0));
/// ```
#[inline(always)]
pub fn polynomial_in_halves<R: Real>(x: R, coefficients: &[f64]) -> R {
    let square = x * x;
    // The lowest power is even.
    let odd = coefficients.len() % 2;
    horner(square, coefficients, odd, 2).mul_add(x, horner(square, coefficients, 1 - odd, 2))
}

/// Of every `step`th coefficient from one on. A plain loop: what iterators are made of may become functions of their own, without
/// the vector instructions of the caller.
#[inline(always)]
fn horner<R: Real>(x: R, coefficients: &[f64], first: usize, step: usize) -> R {
    let mut p = R::literal(coefficients[first]);
    let mut at = first + step;
    while at < coefficients.len() {
        p = p.mul_add(x, R::literal(coefficients[at]));
        at += step;
    }
    p
}
