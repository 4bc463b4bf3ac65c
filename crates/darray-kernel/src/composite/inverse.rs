//! Inverses of the trigonometric and hyperbolic functions.
//!
//! After W. Kahan, "Branch cuts for complex elementary functions, or much ado about nothing's sign bit" (1987),
//! whose products of roots of `1 - z` and `1 + z` are sums of terms of one sign. Beside cuts the sign of a zero
//! says on which side the number is.

use super::exponential::sqrt;
use super::limits::Limits;
use super::pair::{Pair, by_size};
use super::term::Term;
use std::f64::consts::FRAC_PI_2;

/// The roots of `1 - z` and `1 + z`, and what to add to the logarithm for the scale of `z`.
struct Roots<'r> {
    less: Pair<'r>,
    more: Pair<'r>,
    added: Term<'r>,
}

impl<'r> Roots<'r> {
    fn new(Pair { re: x, im: y }: Pair<'r>) -> Roots<'r> {
        let limits = Limits::of(x);
        let [m, _] = by_size(x, y);
        let huge = m.gt(limits.huge);
        let scale = huge.select(limits.huge_scale, 1.0);
        let (x, y) = (x * scale, y * scale);
        let less = sqrt(Pair::new(1.0 - x, -y));
        let more = sqrt(Pair::new(1.0 + x, y));
        Roots { less, more, added: huge.select(limits.huge_log, 0.0) }
    }

    /// `asinh` of a number, which scaling has made smaller.
    fn asinh(&self, w: Term<'r>) -> Term<'r> {
        let size = w.asinh();
        size + self.added.copysign(size)
    }

    /// The imaginary part of the arc cosine; the negative of that of the arc sine.
    fn im(&self) -> Term<'r> {
        let Roots { less, more, .. } = self;
        self.asinh(more.re * less.im - more.im * less.re)
    }
}

/// Arc sine; cut along the real axis beyond ±1.
pub(super) fn asin(z: Pair<'_>) -> Pair<'_> {
    let Pair { re: x, im: y } = z;
    let roots = Roots::new(z);
    let Roots { less, more, .. } = roots;
    let scaled = less.re * more.re - less.im * more.im;
    let huge = by_size(x, y)[0].gt(Limits::of(x).huge);
    let re = huge.select(x.atan2(y.abs()), x.atan2(scaled));
    let infinite = x.is_infinite().or(y.is_infinite());
    let re = infinite.select(x.atan2(y.abs()), re);
    let im = infinite.select(y.number(f64::INFINITY).copysign(y), -roots.im());
    Pair::new(x.eq(0.0).select(x, re), y.eq(0.0).and(x.abs().le(1.0)).select(y, im))
}

/// Arc cosine; cut along the real axis beyond ±1.
pub(super) fn acos(z: Pair<'_>) -> Pair<'_> {
    let Pair { re: x, im: y } = z;
    let roots = Roots::new(z);
    let re = 2.0 * roots.less.re.atan2(roots.more.re);
    let infinite = x.is_infinite().or(y.is_infinite());
    let re = infinite.select(y.abs().atan2(x), re);
    let im = infinite.select(-y.number(f64::INFINITY).copysign(y), roots.im());
    Pair::new(x.eq(0.0).select(FRAC_PI_2, re), im)
}

/// Area hyperbolic sine: the arc sine of the number turned.
pub(super) fn asinh(z: Pair<'_>) -> Pair<'_> {
    asin(z.swapped()).swapped()
}

/// Area hyperbolic cosine: the arc cosine turned to the side where the real part is not negative.
pub(super) fn acosh(z: Pair<'_>) -> Pair<'_> {
    let Pair { re, im } = acos(z);
    Pair::new(im.abs(), re.copysign(z.im))
}

/// Area hyperbolic tangent: `log1p(4x / ((1 - x)² + y²)) / 4` and half the angle of
/// `(1 - x)(1 + x) - y² + 2yi`. Near ±1 only `y` is left of the square, and far away the real part is that of
/// `1 / z`.
pub(super) fn atanh(z: Pair<'_>) -> Pair<'_> {
    let limits = Limits::of(z.re);
    // Odd in both parts.
    let (x, y) = (z.re.abs(), z.im.abs());
    let [m, n] = by_size(x, y);
    let less = 1.0 - x;
    let square = less * less + y * y;
    let near = x.eq(1.0).and(y.lt(limits.near));
    let log = near.select(limits.near_scale / y, 4.0 * x / square).log1p();
    let log = log * near.select(0.5, 0.25) + near.select(limits.near_log, 0.0);
    let ratio = n / m;
    // Halves, whose sum is in range.
    let recip = x.ge(y).select(1.0, ratio) / (0.5 * m + 0.5 * n * ratio) * 0.5;
    let re = m.gt(limits.far).select(recip, log);
    // What is beyond this has the angle of what is there.
    let (u, v) = (x.minimum(limits.huge), y.minimum(limits.huge));
    let im = 0.5 * (2.0 * v).atan2((1.0 - u) * (1.0 + u) - v * v);
    let infinite = x.is_infinite().or(y.is_infinite());
    let re = infinite.or(x.eq(0.0)).select(0.0, re);
    let right = infinite.and(y.is_nan().not());
    let im = right.select(FRAC_PI_2, im);
    Pair::new(re.copysign(z.re), im.copysign(z.im))
}

/// Arc tangent: the area hyperbolic tangent of the number turned.
pub(super) fn atan(z: Pair<'_>) -> Pair<'_> {
    atanh(z.swapped()).swapped()
}
