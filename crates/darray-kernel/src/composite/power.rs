//! Powers.

use super::division::reciprocal;
use super::exponential::{exp, ln_abs};
use super::pair::Pair;
use super::term::Term;

/// By binary exponentiation, least significant bit first; none for the power 0.
fn product<T: Copy>(base: T, exponent: u32, multiply: impl Fn(T, T) -> T) -> Option<T> {
    let (mut left, mut factor, mut product) = (exponent, base, None);
    while left > 0 {
        if left & 1 == 1 {
            product = Some(product.map_or(factor, |product| multiply(product, factor)));
        }
        left >>= 1;
        if left > 0 {
            factor = multiply(factor, factor);
        }
    }
    product
}

/// To a whole power; a negative one is the reciprocal of the positive one.
pub(super) fn powi(x: Term<'_>, exponent: i32) -> Term<'_> {
    let power = product(x, exponent.unsigned_abs(), |a, b| a * b).unwrap_or_else(|| x.number(1.0));
    if exponent < 0 { 1.0 / power } else { power }
}

/// The same of a complex number.
pub(super) fn complex_powi(z: Pair<'_>, exponent: i32) -> Pair<'_> {
    match product(z, exponent.unsigned_abs(), Pair::mul) {
        // Nothing of the number.
        None => Pair::new(z.re.number(1.0), z.re.number(0.0)),
        Some(product) if exponent < 0 => reciprocal(product),
        Some(product) => product,
    }
}

/// A power of a whole scalar, as a product: that of 0 to a negative one is as [`complex_pow`] has it.
pub(super) fn whole(z: Pair<'_>, exponent: i32) -> Pair<'_> {
    let power = complex_powi(z, exponent);
    if exponent >= 0 {
        return power;
    }
    let zero = z.re.eq(0.0).and(z.im.eq(0.0));
    Pair::new(zero.select(f64::NAN, power.re), zero.select(f64::NAN, power.im))
}

/// `e^(w ln z)`; 1 for `w = 0`, and of `z = 0` 0 where the real part of `w` is positive, else NaN.
pub(super) fn complex_pow<'r>(z: Pair<'r>, Pair { re, im }: Pair<'r>) -> Pair<'r> {
    let (size, angle) = (ln_abs(z), z.im.atan2(z.re));
    let power = exp(Pair::new(re * size - im * angle, re * angle + im * size));
    with_zeros(z, re, re.eq(0.0).and(im.eq(0.0)), power)
}

/// The same to a real power: `|z|^p (cos pθ + i sin pθ)`.
pub(super) fn real_pow<'r>(z: Pair<'r>, p: Term<'r>) -> Pair<'r> {
    let (size, turned) = (z.re.hypot(z.im).pow(p), p * z.im.atan2(z.re));
    with_zeros(z, p, p.eq(0.0), Pair::new(size * turned.cos(), size * turned.sin()))
}

/// A power where neither the number nor the exponent, whose real part this is, is zero, and what it is else.
fn with_zeros<'r>(z: Pair<'r>, re: Term<'r>, zero_power: Term<'r>, power: Pair<'r>) -> Pair<'r> {
    let zero_base = z.re.eq(0.0).and(z.im.eq(0.0));
    let of_zero = re.gt(0.0).select(0.0, f64::NAN);
    let part = |part: Term<'r>, one: f64| zero_power.select(one, zero_base.select(of_zero, part));
    Pair::new(part(power.re, 1.0), part(power.im, 0.0))
}
