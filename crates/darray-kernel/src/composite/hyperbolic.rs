//! Hyperbolic and trigonometric functions.
//!
//! The trigonometric ones are the hyperbolic ones of the number turned: `sin(x + iy)` has the parts of
//! `sinh(y + ix)`, exchanged, and so has `tan`; `cos z` is `cosh iz`.

use super::limits::Limits;
use super::pair::Pair;
use super::term::Term;

/// `sinh x` and `cosh x` less two factors, which are 1 but above the range of both, and these.
struct Scaled<'r> {
    sinh: Term<'r>,
    cosh: Term<'r>,
    factors: [Term<'r>; 2],
}

impl<'r> Scaled<'r> {
    fn new(x: Term<'r>) -> Scaled<'r> {
        let limits = Limits::of(x);
        let size = x.abs();
        let (large, huge) = (size.gt(limits.exp), size.gt(limits.exp + limits.cosh));
        let off = huge.select(2.0 * limits.cosh, large.select(limits.cosh, 0.0));
        let held = (size - off).copysign(x);
        let factors = [large, huge].map(|split| split.select(limits.cosh_factor, 1.0));
        Scaled { sinh: held.sinh(), cosh: held.cosh(), factors }
    }

    /// The product of a size and what may be as small as a number can be, which is made larger first.
    fn product(&self, size: Term<'r>, small: Term<'r>) -> Term<'r> {
        small * self.factors[0] * size * self.factors[1]
    }
}

/// `sinh x cos y + i cosh x sin y`.
pub(super) fn sinh(Pair { re: x, im: y }: Pair<'_>) -> Pair<'_> {
    let scaled = Scaled::new(x);
    let re = scaled.product(scaled.sinh, y.cos());
    let im = scaled.product(scaled.cosh, y.sin());
    // In no direction 0 stays, and infinities have no sign, NumPy's choice.
    let lost = y.is_finite().not();
    let re = lost.and(x.eq(0.0)).select(x, re);
    let re = lost.and(x.is_infinite()).select(f64::INFINITY, re);
    Pair::new(re, y.eq(0.0).select(y, im))
}

/// `cosh x cos y + i sinh x sin y`.
pub(super) fn cosh(Pair { re: x, im: y }: Pair<'_>) -> Pair<'_> {
    let scaled = Scaled::new(x);
    let re = scaled.product(scaled.cosh, y.cos());
    let im = scaled.product(scaled.sinh, y.sin());
    let lost = y.is_finite().not();
    let re = lost.and(x.is_infinite()).select(f64::INFINITY, re);
    let im = lost.and(x.eq(0.0)).select(0.0, im);
    Pair::new(re, y.eq(0.0).select(y * x.number(1.0).copysign(x), im))
}

/// `(sinh x cosh x + i sin y cos y) / (sinh² x + cos² y)`, whose denominator is a sum of squares. Where the real
/// part is 1, `e^-2|x|` is split off the imaginary one, so that `sinh² x` does not overflow.
pub(super) fn tanh(Pair { re: x, im: y }: Pair<'_>) -> Pair<'_> {
    let limit = Limits::of(x).tanh;
    let size = x.abs();
    let held = size.minimum(limit).copysign(x);
    let (sinh, cosh, sin, cos) = (held.sinh(), held.cosh(), y.sin(), y.cos());
    let squares = sinh * sinh + cos * cos;
    let decay = (-2.0 * (size - held.abs())).exp();
    let re = sinh * cosh / squares;
    let im = sin * cos / squares * decay;
    // Of finite numbers only beside a direction.
    let far = size.gt(limit).and(x.is_infinite().or(y.is_finite()));
    let re = far.select(x.number(1.0).copysign(x), re);
    // In no direction: 0 of an infinite number.
    let lost = x.is_infinite().and(y.is_finite().not());
    let im = lost.select(y.number(0.0).copysign(y), im);
    let re = x.eq(0.0).and(y.is_finite().not()).select(x, re);
    Pair::new(re, y.eq(0.0).select(y, im))
}

/// `sin z`.
pub(super) fn sin(z: Pair<'_>) -> Pair<'_> {
    sinh(z.swapped()).swapped()
}

/// `cos z`.
pub(super) fn cos(z: Pair<'_>) -> Pair<'_> {
    cosh(Pair::new(-z.im, z.re))
}

/// `tan z`.
pub(super) fn tan(z: Pair<'_>) -> Pair<'_> {
    tanh(z.swapped()).swapped()
}
