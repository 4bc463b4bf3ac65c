//! Operations of two numbers, of which one is complex: as real operations on the parts where the other is real, and as formulas.

use super::operand::{Factor, check_operands};
use super::pair::Pair;
use super::term::Origin;
use super::{comparison, power};
use crate::elementwise::operand::{dtypes, undefined};
use crate::{Argument, Binary, DynArray};
use darray_core::{DType, RealType, Result};
use darray_kernel::composite::Formula;

/// An operation of two operands that promote to this complex type.
pub(crate) fn binary(
    origin: Origin,
    operation: Binary,
    [left, right]: [Argument<'_>; 2],
    dtype: DType,
) -> Result<DynArray> {
    check_operands([left, right].into_iter().filter_map(Argument::array), origin)?;
    let part = dtype.part();
    if let Some(pair) = combined(origin, operation, [left, right], part) {
        return pair.into_array(origin);
    }
    let pair = |side: Argument<'_>| {
        Factor::of(side.seen_by(operation), origin, part).into_pair(origin, part)
    };
    let mask = comparison::compared(operation, &pair(left), &pair(right));
    mask.ok_or_else(|| undefined(origin.name, &dtypes(&[left, right]), origin.place))?.into_array()
}

/// The parts of the result, where it is complex.
pub(super) fn combined(
    origin: Origin,
    operation: Binary,
    [left, right]: [Argument<'_>; 2],
    dtype: RealType,
) -> Option<Pair> {
    let factor = |side| Factor::of(side, origin, dtype);
    let arithmetic = match operation {
        Binary::Add => Arithmetic::Add,
        Binary::Sub => Arithmetic::Sub,
        Binary::Mul => Arithmetic::Mul,
        Binary::Div => Arithmetic::Div,
        Binary::Power => return Some(power::power(origin, factor(left), right, dtype)),
        Binary::Minimum | Binary::Maximum => {
            let pair = |side| factor(side).into_pair(origin, dtype);
            return Some(comparison::chosen(operation, &pair(left), &pair(right)));
        }
        _ => return None,
    };
    Some(match (factor(left), factor(right)) {
        (Factor::Complex(z), right) => arithmetic.of(&z, &right),
        (left, Factor::Complex(z)) => arithmetic.reversed(&left, &z),
        (left, right) => arithmetic.of(&left.into_pair(origin, dtype), &right),
    })
}

/// An operation of two complex numbers, of which one may be real.
#[derive(Clone, Copy)]
enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
}

impl Arithmetic {
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
