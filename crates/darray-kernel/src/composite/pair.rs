//! Complex numbers of a formula: two terms.

use super::term::{Operand, Term};

/// A complex number of a formula.
#[derive(Clone, Copy)]
pub(super) struct Pair<'r> {
    pub re: Term<'r>,
    pub im: Term<'r>,
}

impl<'r> Pair<'r> {
    pub fn new(re: Term<'r>, im: Term<'r>) -> Pair<'r> {
        Pair { re, im }
    }

    /// With the parts exchanged: `i` times the conjugate.
    pub fn swapped(self) -> Pair<'r> {
        Pair { re: self.im, im: self.re }
    }

    /// NumPy's: no part is fused or corrected.
    pub fn mul(self, other: Pair<'r>) -> Pair<'r> {
        let (Pair { re: a, im: b }, Pair { re: c, im: d }) = (self, other);
        Pair::new(a * c - b * d, a * d + b * c)
    }

    /// Both parts times a real number.
    pub fn scale(self, factor: impl Operand<'r> + Copy) -> Pair<'r> {
        Pair::new(self.re * factor, self.im * factor)
    }
}

/// The larger and the smaller absolute value of two numbers; NaN of both if one is.
pub(super) fn by_size<'r>(x: Term<'r>, y: Term<'r>) -> [Term<'r>; 2] {
    let (x, y) = (x.abs(), y.abs());
    [x.maximum(y), x.minimum(y)]
}
