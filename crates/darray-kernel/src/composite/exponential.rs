//! The exponential function, logarithms and square roots.

use super::limits::Limits;
use super::pair::{Pair, by_size};
use super::term::Term;

/// `e^x (cos y + i sin y)`. Above the range of `exp` factors are split off: `cos y` or `sin y` may bring the
/// product back. One is multiplied with those first, so that the smallest of them lose no digits, and for the
/// smallest of all there are two.
pub(super) fn exp(Pair { re: x, im: y }: Pair<'_>) -> Pair<'_> {
    let limits = Limits::of(x);
    let (large, huge) = (x.gt(limits.exp), x.gt(2.0 * limits.exp));
    let off = huge.select(2.0 * limits.exp, large.select(limits.exp, 0.0));
    let size = (x - off).exp();
    let first = large.select(limits.exp_factor, 1.0);
    let second = huge.select(limits.exp_factor, 1.0);
    let re = y.cos() * first * size * second;
    let im = y.sin() * first * size * second;
    // Of the infinities in no direction: inf + NaN i, and 0.
    let lost = x.is_infinite().and(y.is_finite().not());
    let re = lost.select(x.exp(), re);
    let im = lost.and(x.lt(0.0)).select(y.number(0.0).copysign(y), im);
    Pair::new(re, y.eq(0.0).select(y, im))
}

/// `ln|z| + i arg z`.
pub(super) fn ln(z: Pair<'_>) -> Pair<'_> {
    Pair::new(ln_abs(z), z.im.atan2(z.re))
}

/// `ln|z|`.
///
/// For `|z|²` between 1/2 and 2 as `log1p(|z|² - 1) / 2`, with `|z|² - 1` to twice the precision, since the
/// difference may cancel all digits. Elsewhere as `ln m + log1p((n / m)²) / 2` of the larger part `m` and the
/// smaller part `n`, neither of which overflows.
pub(super) fn ln_abs(Pair { re: x, im: y }: Pair<'_>) -> Term<'_> {
    let [m, n] = by_size(x, y);
    let (p, q) = (m * m, n * n);
    let square = p + q;
    let near = square.ge(0.5).and(square.le(2.0));
    let ratio = m.eq(0.0).select(0.0, n / m);
    let above_one = near.select(square_minus_one(m, n, p, q), ratio * ratio);
    let re = near.select(0.0, m.ln()) + 0.5 * above_one.log1p();
    x.is_infinite().or(y.is_infinite()).select(f64::INFINITY, re)
}

/// `m² + n² - 1` of numbers whose squares are rounded to `p >= q`, for `p` at most 2: with what each
/// operation has rounded off (Dekker 1971, Knuth's two-sum).
fn square_minus_one<'r>(m: Term<'r>, n: Term<'r>, p: Term<'r>, q: Term<'r>) -> Term<'r> {
    let off_squares = m.mul_add(m, -p) + n.mul_add(n, -q);
    // Exact for p above 1.
    let less = p - 1.0;
    let off_less = p - (less + 1.0);
    let sum = less + q;
    let other = sum - less;
    let off_sum = (less - (sum - other)) + (q - other);
    sum + (off_sum + off_less + off_squares)
}

/// Base 10 or 2: the natural logarithm times this factor.
pub(super) fn log_times(z: Pair<'_>, factor: f64) -> Pair<'_> {
    ln(z).scale(factor)
}

/// The root with a real part that is not negative: `t = sqrt((|x| + |z|) / 2)` is its larger part, and
/// `y / 2t` the other.
pub(super) fn sqrt(Pair { re: x, im: y }: Pair<'_>) -> Pair<'_> {
    let limits = Limits::of(x);
    let [m, _] = by_size(x, y);
    let (large, small) = (m.gt(limits.large), m.lt(limits.small));
    let [small_scale, small_root] = limits.small_scale;
    let scale = large.select(0.25, small.select(small_scale, 1.0));
    let unscale = large.select(2.0, small.select(small_root, 1.0));
    let (a, b) = (x * scale, y * scale);
    let t = (0.5 * (a.abs() + a.hypot(b))).sqrt();
    let other = m.eq(0.0).select(b, b / (2.0 * t));
    let right = x.signbit().not();
    let re = right.select(t, other.abs());
    let im = right.select(other, t.copysign(y));
    let infinite = y.is_infinite();
    Pair::new(infinite.select(f64::INFINITY, re * unscale), infinite.select(y, im * unscale))
}
