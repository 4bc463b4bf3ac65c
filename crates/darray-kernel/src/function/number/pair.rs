//! Sums and products with their rounding errors: a pair `(high, low)` stands for `high + low`.

use crate::function::number::real::Real;

/// `a + b` and its rounding error.
#[inline(always)]
pub fn sum<R: Real>(a: R, b: R) -> (R, R) {
    let high = a + b;
    let from_b = high - a;
    (high, (a - (high - from_b)) + (b - from_b))
}

/// `a + b` and its rounding error, where `|a| >= |b|` or `a` is zero.
#[inline(always)]
pub fn ordered_sum<R: Real>(a: R, b: R) -> (R, R) {
    let high = a + b;
    (high, b - (high - a))
}

/// `a * b` and its rounding error, exact where that is no denormal.
#[inline(always)]
pub fn product<R: Real>(a: R, b: R) -> (R, R) {
    let high = a * b;
    (high, a.mul_add(b, -high))
}
