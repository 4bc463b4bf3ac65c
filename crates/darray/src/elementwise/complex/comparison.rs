//! Comparisons, and what is chosen by them. Complex numbers are ordered by their real parts, and equal ones of these by their
//! imaginary parts, as NumPy orders them; NaN in either part is below, above and equal to nothing.

use super::pair::Pair;
use super::term::Term;
use crate::{Binary, Unary};
use darray_core::RealType;
use darray_kernel::composite::Formula;

/// The mask that a comparison or logical operation gives; none for other operations.
pub(super) fn compared(operation: Binary, z: &Pair, w: &Pair) -> Option<Term> {
    let formula = |formula| Term::measured(formula, &[&z.re, &z.im, &w.re, &w.im], RealType::Bool);
    Some(match operation {
        Binary::Eq => formula(Formula::ComplexEqual),
        Binary::Ne => formula(Formula::ComplexNotEqual),
        Binary::Lt => is_ordered(z, w, Binary::Lt),
        Binary::Le => is_ordered(z, w, Binary::Le),
        Binary::Gt => is_ordered(w, z, Binary::Lt),
        Binary::Ge => is_ordered(w, z, Binary::Le),
        Binary::LogicalAnd => is_nonzero(z).binary(Binary::And, &is_nonzero(w)),
        Binary::LogicalOr => is_nonzero(z).binary(Binary::Or, &is_nonzero(w)),
        Binary::LogicalXor => is_nonzero(z).binary(Binary::Xor, &is_nonzero(w)),
        _ => return None,
    })
}

/// The smaller or larger of each pair; the first one that has NaN wins.
pub(super) fn chosen(operation: Binary, z: &Pair, w: &Pair) -> Pair {
    let ordered = match operation {
        Binary::Minimum => is_ordered(z, w, Binary::Le),
        _ => is_ordered(w, z, Binary::Le),
    };
    z.chosen(&ordered.binary(Binary::Or, &is_nan(z)), w)
}

/// Whether `z` is before `w`, or equal where `by` is `<=`.
fn is_ordered(z: &Pair, w: &Pair, by: Binary) -> Term {
    let is_number = |part: &Term| part.binary(Binary::Eq, part);
    let numbers = is_number(&z.im).binary(Binary::And, &is_number(&w.im));
    let before = z.re.binary(Binary::Lt, &w.re).binary(Binary::And, &numbers);
    let level = z.re.binary(Binary::Eq, &w.re).binary(Binary::And, &z.im.binary(by, &w.im));
    before.binary(Binary::Or, &level)
}

/// Whether a part is NaN.
pub(super) fn is_nan(z: &Pair) -> Term {
    z.measured(Formula::ComplexIsNan, RealType::Bool)
}

/// Whether a part differs from 0.
pub(super) fn is_nonzero(z: &Pair) -> Term {
    let is_zero = |part: &Term| part.unary(Unary::LogicalNot);
    is_zero(&z.re).binary(Binary::And, &is_zero(&z.im)).unary(Unary::LogicalNot)
}
