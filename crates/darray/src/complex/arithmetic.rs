//! Sums, products and quotients: as real operations on the parts where one operand is real, and as formulas.

use super::operand::{ComplexArgument, ComplexOperand, Factor, check_operands};
use super::pair::Pair;
use super::term::{Origin, Term};
use super::{ComplexArray, ComplexPart};
use crate::{DArray, Element};
use darray_core::{DType, Result};
use darray_kernel::composite::Formula;
use num_complex::Complex;

/// An operation of two complex numbers, of which one may be real.
#[derive(Clone, Copy)]
pub(super) enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
}

impl Arithmetic {
    pub fn name(self) -> &'static str {
        match self {
            Arithmetic::Add => "add",
            Arithmetic::Sub => "subtract",
            Arithmetic::Mul => "multiply",
            Arithmetic::Div => "divide",
        }
    }

    /// With the complex number on the left.
    fn of(self, z: &Pair, right: &Factor) -> Pair {
        match (self, right) {
            (Arithmetic::Add, Factor::Complex(w)) => z.add(w),
            (Arithmetic::Sub, Factor::Complex(w)) => z.sub(w),
            (Arithmetic::Mul, Factor::Complex(w)) => z.with(Formula::ComplexMultiply, w),
            (Arithmetic::Div, Factor::Complex(w)) => z.with(Formula::ComplexDivide, w),
            (Arithmetic::Add, Factor::Real(x)) => Pair::new(&z.re + x, z.im.clone()),
            (Arithmetic::Sub, Factor::Real(x)) => Pair::new(&z.re - x, z.im.clone()),
            (Arithmetic::Mul, Factor::Real(x)) => z.scale(x),
            (Arithmetic::Div, Factor::Real(x)) => Pair::new(&z.re / x, &z.im / x),
        }
    }

    /// With the complex number on the right.
    fn reversed(self, left: &Factor, z: &Pair) -> Pair {
        match (self, left) {
            (_, Factor::Complex(w)) => self.of(w, &Factor::Complex(z.clone())),
            (Arithmetic::Add, Factor::Real(x)) => Pair::new(x + &z.re, z.im.clone()),
            (Arithmetic::Sub, Factor::Real(x)) => Pair::new(x - &z.re, -&z.im),
            (Arithmetic::Mul, Factor::Real(x)) => Pair::new(x * &z.re, x * &z.im),
            (Arithmetic::Div, Factor::Real(x)) => z.with_real(Formula::ComplexDivides, x),
        }
    }
}

/// `z operation right`.
pub(super) fn with_right<T: ComplexPart, R: ComplexOperand<T>>(
    operation: Arithmetic,
    z: &ComplexArray<T>,
    right: R,
    origin: Origin,
) -> Result<ComplexArray<R::Output>> {
    let dtype = R::Output::DTYPE;
    combined(operation, z, right.argument(), dtype, origin)?.into_complex(origin)
}

/// The parts of `z operation right`, computed in this type.
pub(super) fn combined<T: ComplexPart>(
    operation: Arithmetic,
    z: &ComplexArray<T>,
    right: ComplexArgument<'_>,
    dtype: DType,
    origin: Origin,
) -> Result<Pair> {
    check_operands([z.re.as_dyn()].into_iter().chain(right.first()), origin)?;
    Ok(operation.of(&Pair::array_as(origin, z, dtype), &right.factor(origin, dtype)))
}

/// `left operation z`.
pub(super) fn with_left<T: ComplexPart, L: ComplexOperand<T>>(
    operation: Arithmetic,
    left: L,
    z: &ComplexArray<T>,
    origin: Origin,
) -> Result<ComplexArray<L::Output>> {
    let left = left.argument();
    check_operands(left.first().into_iter().chain([z.re.as_dyn()]), origin)?;
    let dtype = L::Output::DTYPE;
    let left = left.factor(origin, dtype);
    operation.reversed(&left, &Pair::array_as(origin, z, dtype)).into_complex(origin)
}

/// A real array and a complex scalar, the array on the left or on the right.
pub(super) fn of_real<V: Element>(
    operation: Arithmetic,
    x: &DArray<V>,
    scalar: Complex<f64>,
    array_first: bool,
    origin: Origin,
) -> Result<ComplexArray<V::Real>>
where
    V::Real: ComplexPart,
{
    let dtype = <V::Real as Element>::DTYPE;
    let part = |value| Term::scalar(origin, value, dtype);
    let scalar = Pair::new(part(scalar.re), part(scalar.im));
    let x = Factor::Real(Term::array_as(origin, x.as_dyn(), dtype));
    let result = match array_first {
        true => operation.reversed(&x, &scalar),
        false => operation.of(&scalar, &x),
    };
    result.into_complex(origin)
}
