//! Floored remainder and floored division of floats, as Python's and NumPy's `%` and `//`.
//!
//! The truncated remainder is exact, so the remainder is rounded at most once.

use crate::function::number::real::Real;

/// `a mod b` with the sign of `b`, also where the result is zero; NaN where `b` is 0 or `a` infinite.
#[inline(always)]
pub fn remainder<R: Real>(a: R, b: R) -> R {
    let zero = R::literal(0.0);
    let truncated = a.rem(b);
    let floored = R::select(differ(b.lt(zero), truncated.lt(zero)), truncated + b, truncated);
    R::select(truncated.eq(zero), zero.copysign(b), floored)
}

/// `floor(a / b)` of the quotient that goes with the exact remainder, so that
/// `floor_divide(a, b) * b + remainder(a, b)` is near `a`; by 0 as `a / b`.
#[inline(always)]
pub fn floor_divide<R: Real>(a: R, b: R) -> R {
    let (zero, one) = (R::literal(0.0), R::literal(1.0));
    let rest = a.rem(b);
    let other_side = !rest.eq(zero) & differ(b.lt(zero), rest.lt(zero));
    let quotient = (a - rest) / b - R::select(other_side, one, zero);
    // The quotient is a whole number but for rounding.
    let nearest = quotient.round();
    let below = R::select(quotient.lt(nearest), nearest - one, nearest);
    let whole = R::select(R::literal(0.5).lt(quotient - below), below + one, below);
    let result = R::select(quotient.eq(zero), zero.copysign(a / b), whole);
    R::select(b.eq(zero), a / b, result)
}

/// Whether one of two holds.
#[inline(always)]
fn differ<M>(a: M, b: M) -> M
where
    M: Copy
        + std::ops::BitAnd<Output = M>
        + std::ops::BitOr<Output = M>
        + std::ops::Not<Output = M>,
{
    (a & !b) | (!a & b)
}

#[cfg(test)]
mod tests {
    use super::super::Native;
    use super::*;

    #[test]
    fn floats_are_floored() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        let rows = [
            (7.0, 2.0, 3.0),
            (-7.0, 2.0, -4.0),
            (1.0, 0.1, 9.0),
            (-0.0, 3.0, -0.0),
            (1.0, inf, 0.0),
            (-1.0, inf, -1.0),
            (1.0, -0.0, -inf),
            (0.0, 0.0, nan),
            (inf, 2.0, nan),
        ];
        for (a, b, want) in rows {
            let got = floor_divide(Native(a), Native(b)).0;
            assert!(
                got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                "{a} // {b}: {got}"
            );
            let got = floor_divide(Native(a as f32), Native(b as f32)).0;
            let want = if b == 0.1 { 9.0 } else { want as f32 };
            assert!(
                got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                "{a} // {b}: {got}"
            );
        }
    }
}
