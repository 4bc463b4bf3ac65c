//! Powers.

use super::super::arithmetic::recip;
use super::super::operand::Factor;
use super::super::pair::Pair;
use super::super::term::Term;
use super::exponential::{exp, ln_abs};

/// `z * z`; the parts `(x - y)(x + y)` would round less, but differ from those of the product.
pub fn square(z: &Pair) -> Pair {
    z.mul(z)
}

/// To a whole power, by repeated squaring; a negative power is the reciprocal of the positive one.
pub fn powi(z: &Pair, exponent: i32) -> Pair {
    let mut left = exponent.unsigned_abs();
    let mut factor = z.clone();
    let mut product: Option<Pair> = None;
    while left > 0 {
        if left & 1 == 1 {
            product = Some(product.map_or_else(|| factor.clone(), |product| product.mul(&factor)));
        }
        left >>= 1;
        if left > 0 {
            factor = factor.mul(&factor);
        }
    }
    match product {
        // Nothing of the number, but as many elements.
        None => Pair::new(z.re.ones(), z.re.ones() * 0.0),
        Some(product) if exponent < 0 => recip(&product),
        Some(product) => product,
    }
}

/// A power of a whole scalar, as a product: that of 0 to a negative one is as [`pow`] has it.
pub fn whole(z: &Pair, exponent: i32) -> Pair {
    let power = powi(z, exponent);
    if exponent >= 0 {
        return power;
    }
    let zero = z.re.eq(0.0).and(z.im.eq(0.0));
    Pair::new(zero.select(f64::NAN, &power.re), zero.select(f64::NAN, &power.im))
}

/// `e^(w ln z)`; 1 for `w = 0`, and of `z = 0` 0 where the real part of `w` is positive, else NaN.
pub fn pow(z: &Pair, exponent: &Factor) -> Pair {
    let (size, angle) = (ln_abs(z), z.im.atan2(&z.re));
    let (re, im) = match exponent {
        Factor::Real(p) => (p.clone(), None),
        Factor::Complex(w) => (w.re.clone(), Some(&w.im)),
    };
    let power = match im {
        None => polar(z, &re, &angle),
        Some(im) => exp(&Pair::new(&re * &size - im * &angle, &re * &angle + im * &size)),
    };
    let (zero_base, mut zero_power) = (z.re.eq(0.0).and(z.im.eq(0.0)), re.eq(0.0));
    if let Some(im) = im {
        zero_power = zero_power.and(im.eq(0.0));
    }
    let of_zero = re.gt(0.0).choose(z.dtype(), 0.0, f64::NAN);
    let part = |part: &Term, one: f64| zero_power.select(one, zero_base.select(&of_zero, part));
    Pair::new(part(&power.re, 1.0), part(&power.im, 0.0))
}

/// To a real power: `|z|^p (cos pθ + i sin pθ)`.
fn polar(z: &Pair, p: &Term, angle: &Term) -> Pair {
    let (size, turned) = (z.re.hypot(&z.im).pow(p), p * angle);
    Pair::new(&size * turned.cos(), &size * turned.sin())
}
