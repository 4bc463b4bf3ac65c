//! Hyperbolic and trigonometric functions.
//!
//! The trigonometric ones are the hyperbolic ones of the number turned: `sin(x + iy)` has the parts of
//! `sinh(y + ix)`, exchanged, and so has `tan`; `cos z` is `cosh iz`.

use super::super::pair::Pair;
use super::super::term::Term;
use super::Limits;

/// `sinh x` and `cosh x` less two factors, which are 1 but above the range of both, and these.
struct Scaled {
    sinh: Term,
    cosh: Term,
    factors: [Term; 2],
}

impl Scaled {
    fn new(x: &Term) -> Scaled {
        let (dtype, limits) = (x.dtype(), Limits::of(x.dtype()));
        let size = x.abs();
        let (large, huge) = (size.gt(limits.exp), size.gt(limits.exp + limits.cosh));
        let off = huge.select(2.0 * limits.cosh, large.choose(dtype, limits.cosh, 0.0));
        let held = (size - off).copysign(x);
        let factors = [large, huge].map(|split| split.choose(dtype, limits.cosh_factor, 1.0));
        Scaled { sinh: held.sinh(), cosh: held.cosh(), factors }
    }

    /// The product of a size and what may be as small as a number can be, which is made larger first.
    fn product(&self, size: &Term, small: Term) -> Term {
        small * &self.factors[0] * size * &self.factors[1]
    }
}

/// `sinh x cos y + i cosh x sin y`.
pub fn sinh(Pair { re: x, im: y }: &Pair) -> Pair {
    let scaled = Scaled::new(x);
    let re = scaled.product(&scaled.sinh, y.cos());
    let im = scaled.product(&scaled.cosh, y.sin());
    // In no direction 0 stays, and infinities have no sign, NumPy's choice.
    let lost = y.is_finite().not();
    let re = lost.and(x.eq(0.0)).select(x, re);
    let re = lost.and(x.is_infinite()).select(f64::INFINITY, re);
    Pair::new(re, y.eq(0.0).select(y, im))
}

/// `cosh x cos y + i sinh x sin y`.
pub fn cosh(Pair { re: x, im: y }: &Pair) -> Pair {
    let scaled = Scaled::new(x);
    let re = scaled.product(&scaled.cosh, y.cos());
    let im = scaled.product(&scaled.sinh, y.sin());
    let lost = y.is_finite().not();
    let re = lost.and(x.is_infinite()).select(f64::INFINITY, re);
    let im = lost.and(x.eq(0.0)).select(0.0, im);
    Pair::new(re, y.eq(0.0).select(y * Term::same(x, 1.0).copysign(x), im))
}

/// `(sinh x cosh x + i sin y cos y) / (sinh² x + cos² y)`, whose denominator is a sum of squares. Where the real
/// part is 1, `e^-2|x|` is split off the imaginary one, so that `sinh² x` does not overflow.
pub fn tanh(Pair { re: x, im: y }: &Pair) -> Pair {
    let limit = Limits::of(x.dtype()).tanh;
    let size = x.abs();
    let held = size.minimum(limit).copysign(x);
    let (sinh, cosh, sin, cos) = (held.sinh(), held.cosh(), y.sin(), y.cos());
    let squares = &sinh * &sinh + &cos * &cos;
    let decay = (-2.0 * (&size - held.abs())).exp();
    let re = &sinh * cosh / &squares;
    let im = &sin * &cos / squares * decay;
    // Of finite numbers only beside a direction.
    let far = size.gt(limit).and(x.is_infinite().or(y.is_finite()));
    let re = far.select(Term::same(x, 1.0).copysign(x), re);
    // In no direction: 0 of an infinite number.
    let lost = x.is_infinite().and(y.is_finite().not());
    let im = lost.select(Term::same(y, 0.0).copysign(y), im);
    let re = x.eq(0.0).and(y.is_finite().not()).select(x, re);
    Pair::new(re, y.eq(0.0).select(y, im))
}

/// `sin z`.
pub fn sin(z: &Pair) -> Pair {
    sinh(&z.clone().swapped()).swapped()
}

/// `cos z`.
pub fn cos(z: &Pair) -> Pair {
    cosh(&Pair::new(-&z.im, z.re.clone()))
}

/// `tan z`.
pub fn tan(z: &Pair) -> Pair {
    tanh(&z.clone().swapped()).swapped()
}
