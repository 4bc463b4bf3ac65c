//! Functions of one complex number.

use super::comparison::is_nonzero;
use super::pair::Pair;
use super::term::{Origin, Term};
use crate::elementwise::operand::undefined;
use crate::{Binary, DynArray, Unary};
use darray_core::{DType, RealType, Result};
use darray_kernel::composite::Formula;

/// A function of a complex array.
pub(crate) fn unary(origin: Origin, operation: Unary, parts: &[DynArray; 2]) -> Result<DynArray> {
    let z = Pair::array(origin, parts);
    if let Some(formula) = formula(operation) {
        return z.formed(formula).into_array(origin);
    }
    let dtype = parts[0].real_type();
    let mask = |formula| z.measured(formula, RealType::Bool).into_array();
    match operation {
        Unary::Abs => abs(&z).into_array(),
        Unary::IsNan => mask(Formula::ComplexIsNan),
        Unary::IsInfinite => mask(Formula::ComplexIsInfinite),
        Unary::IsFinite => mask(Formula::ComplexIsFinite),
        Unary::LogicalNot => is_nonzero(&z).unary(Unary::LogicalNot).into_array(),
        Unary::Neg | Unary::Rint => z.each(|part| part.unary(operation)).into_array(origin),
        Unary::Sign => sign(origin, &z, dtype).into_array(origin),
        Unary::Exp2 => exp2(origin, &z, dtype).into_array(origin),
        Unary::Expm1 => expm1(origin, &z, dtype).into_array(origin),
        Unary::Log1p => log1p(origin, &z, dtype).into_array(origin),
        _ => {
            let found = DType::complex_of(dtype).expect("parts of complex numbers are floats");
            Err(undefined(origin.name, &[found], origin.place))
        }
    }
}

/// The functions that are formulas of `darray_kernel::composite`.
fn formula(operation: Unary) -> Option<Formula> {
    Some(match operation {
        Unary::Square => Formula::ComplexSquare,
        Unary::Reciprocal => Formula::ComplexReciprocal,
        Unary::Exp => Formula::ComplexExp,
        Unary::Ln => Formula::ComplexLn,
        Unary::Log10 => Formula::ComplexLog10,
        Unary::Log2 => Formula::ComplexLog2,
        Unary::Sqrt => Formula::ComplexSqrt,
        Unary::Sin => Formula::ComplexSin,
        Unary::Cos => Formula::ComplexCos,
        Unary::Tan => Formula::ComplexTan,
        Unary::Sinh => Formula::ComplexSinh,
        Unary::Cosh => Formula::ComplexCosh,
        Unary::Tanh => Formula::ComplexTanh,
        Unary::Asin => Formula::ComplexAsin,
        Unary::Acos => Formula::ComplexAcos,
        Unary::Atan => Formula::ComplexAtan,
        Unary::Asinh => Formula::ComplexAsinh,
        Unary::Acosh => Formula::ComplexAcosh,
        Unary::Atanh => Formula::ComplexAtanh,
        _ => return None,
    })
}

/// The distance from 0: at most 2 ulp, without overflow on the way.
pub(super) fn abs(z: &Pair) -> Term {
    z.re.binary(Binary::Hypot, &z.im)
}

/// The angle in radians, between `-π` and `π`, at most 2 ulp.
pub(super) fn angle(z: &Pair) -> Term {
    z.im.binary(Binary::Atan2, &z.re)
}

/// The number of the same angle and distance 1; 0 of 0, as NumPy 2 has it.
fn sign(origin: Origin, z: &Pair, dtype: RealType) -> Pair {
    let size = abs(z);
    let zero = size.unary(Unary::LogicalNot);
    z.each(|part| zero.select(&Term::scalar(origin, 0.0, dtype), &(part / &size)))
}

/// `2^z = e^(z ln 2)`, as NumPy computes it: the error is that of a rounded product, some `|z|` ulp.
fn exp2(origin: Origin, z: &Pair, dtype: RealType) -> Pair {
    let log = Term::scalar(origin, std::f64::consts::LN_2, dtype);
    z.scale(&log).formed(Formula::ComplexExp)
}

/// `e^z - 1`: `expm1(x) cos(y) - 2 sin²(y/2)`, and the imaginary part of `e^z`. Where the terms of the real part cancel, it has
/// few digits, as NumPy's.
fn expm1(origin: Origin, z: &Pair, dtype: RealType) -> Pair {
    let number = |value: f64| Term::scalar(origin, value, dtype);
    let half = (&z.im * &number(0.5)).unary(Unary::Sin);
    let squared = &(&half * &half) * &number(2.0);
    let scaled = &z.re.unary(Unary::Expm1) * &z.im.unary(Unary::Cos);
    let im = &z.re.unary(Unary::Exp) * &z.im.unary(Unary::Sin);
    Pair::new(&scaled - &squared, im)
}

/// `ln(1 + z)`: where `1 + z` is near 1, half the `log1p` of `2x + x² + y²`, which does not lose what is small beside 1; else
/// the logarithm of the distance.
fn log1p(origin: Origin, z: &Pair, dtype: RealType) -> Pair {
    let number = |value: f64| Term::scalar(origin, value, dtype);
    let above = &z.re + &number(1.0);
    let near = &(&z.re * &(&z.re + &number(2.0))) + &(&z.im * &z.im);
    let near = &near.unary(Unary::Log1p) * &number(0.5);
    let distance = above.binary(Binary::Hypot, &z.im);
    let is_near = distance.binary(Binary::Gt, &number(0.5));
    let is_near = is_near.binary(Binary::And, &distance.binary(Binary::Lt, &number(2.0)));
    let re = is_near.select(&near, &distance.unary(Unary::Ln));
    Pair::new(re, z.im.binary(Binary::Atan2, &above))
}
