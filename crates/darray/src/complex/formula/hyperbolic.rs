//! Hyperbolic and trigonometric functions.
//!
//! The trigonometric ones are the hyperbolic ones of the number turned: `sin(x + iy)` has the parts of
//! `sinh(y + ix)`, exchanged, and so has `tan`; `cos z` is `cosh iz`.

use super::super::pair::Pair;
use super::super::term::Term;
use super::Limits;

/// `sinh x` and `cosh x` less a factor, and the factor.
fn sinh_cosh(x: &Term) -> [Term; 3] {
    let limits = Limits::of(x.dtype());
    let large = x.abs().gt(limits.exp);
    let factor = large.choose(x.dtype(), limits.cosh_factor, 1.0);
    let off = Term::same(x, limits.cosh).copysign(x);
    let x = large.select(x - off, x);
    [x.sinh(), x.cosh(), factor]
}

/// `sinh x cos y + i cosh x sin y`.
pub fn sinh(Pair { re: x, im: y }: &Pair) -> Pair {
    let [sinh, cosh, factor] = sinh_cosh(x);
    let (re, im) = (sinh * y.cos() * &factor, cosh * y.sin() * &factor);
    // In no direction 0 stays, and infinities have no sign, NumPy's choice.
    let lost = y.is_finite().not();
    let re = lost.and(x.eq(0.0)).select(x, re);
    let re = lost.and(x.is_infinite()).select(f64::INFINITY, re);
    Pair::new(re, y.eq(0.0).select(y, im))
}

/// `cosh x cos y + i sinh x sin y`.
pub fn cosh(Pair { re: x, im: y }: &Pair) -> Pair {
    let [sinh, cosh, factor] = sinh_cosh(x);
    let (re, im) = (cosh * y.cos() * &factor, sinh * y.sin() * &factor);
    let directed = y.is_finite();
    let re = x.is_infinite().and(directed.not()).select(f64::INFINITY, re);
    let im = x.eq(0.0).and(directed.not()).select(0.0, im);
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
    let far = size.gt(limit);
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
