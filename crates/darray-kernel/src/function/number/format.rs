//! What functions have to know of a floating-point format.

use crate::function::number::real::{Bits, Real};

/// Constants of a format, and the steps of functions that need nothing else.
pub(in crate::function) struct Format {
    /// Bits behind the point.
    pub mantissa: u32,
    /// The exponent in the bits of 1.
    pub bias: i64,
    /// The bits of sqrt(1/2).
    pub sqrt_half: i64,
    /// `1.5 * 2^mantissa`: added to a small number, it leaves the nearest integer in the low bits.
    pub round: f64,
    /// The leading bits of ln 2, so many that products with exponents are exact, and the rest.
    pub ln2_high: f64,
    pub ln2_low: f64,
}

pub(in crate::function) const F64: Format = Format {
    mantissa: 52,
    bias: 1023,
    sqrt_half: 0x3fe6a09e667f3bcd,
    round: 6755399441055744.0,
    ln2_high: f64::from_bits(0x3fe62e42fee00000),
    ln2_low: f64::from_bits(0x3dea39ef35793c76),
};

pub(in crate::function) const F32: Format = Format {
    mantissa: 23,
    bias: 127,
    sqrt_half: 0x3f3504f3,
    round: 12582912.0,
    ln2_high: f32::from_bits(0x3f317200) as f64,
    ln2_low: f32::from_bits(0x35bfbe8e) as f64,
};

/// `x = k ln 2 + r + c`, `|r| <= ln 2 / 2`, `c` the rounding error of `r`; `k` also in the low bits of `shifted`.
pub(in crate::function) struct ByLn2<R: Real> {
    pub shifted: R,
    pub k: R::Bits,
    pub r: R,
    pub c: R,
}

/// `u + c = 2^exponent (1 + f + c)` with `sqrt(1/2) <= 1 + f < sqrt(2)`, `f` exact.
pub(in crate::function) struct ByPowersOfTwo<R: Real> {
    pub exponent: R,
    pub f: R,
    pub c: R,
}

impl Format {
    /// `2^k`, for exponents of normal numbers.
    #[inline(always)]
    pub fn two_to<R: Real>(&self, k: R::Bits) -> R {
        R::from_bits((k + self.bias).shl(self.mantissa))
    }

    /// `p 2^n`, `n` the integer in the low bits of `shifted`, which is a sum with `round`. It is applied as
    /// `2^h 2^(n - h)`, `h = floor(n / 2)`, so that neither factor leaves the normal range: `p` being near 1, only
    /// what is denormal or overflows is rounded.
    #[inline(always)]
    pub fn times_two_to<R: Real>(&self, p: R, shifted: R) -> R {
        // The upper bits of `round` stay whole when halved, and are shifted out.
        let bits = shifted.to_bits();
        let half = bits.shr(1);
        let one = self.bias << self.mantissa;
        let first = R::from_bits(half.shl(self.mantissa) + one);
        let second = R::from_bits((bits - half).shl(self.mantissa) + one);
        p * first * second
    }

    /// A small whole number as an integer.
    #[inline(always)]
    pub fn integer<R: Real>(&self, whole: R) -> R::Bits {
        (whole + self.round).to_bits() - R::literal(self.round).to_bits()
    }

    /// For `x` up to the logarithms of the greatest numbers.
    #[inline(always)]
    pub fn by_ln2<R: Real>(&self, x: R) -> ByLn2<R> {
        let shifted = x.mul_add(R::literal(std::f64::consts::LOG2_E), R::literal(self.round));
        let n = shifted - self.round;
        let k = shifted.to_bits() - R::literal(self.round).to_bits();
        // Exact.
        let high = n.mul_add(R::literal(-self.ln2_high), x);
        let low = n * -self.ln2_low;
        let r = high + low;
        ByLn2 { shifted, k, r, c: (high - r) + low }
    }

    /// For positive normal `u`, of which `c` is a rounding error.
    #[inline(always)]
    pub fn by_powers_of_two<R: Real>(&self, u: R, c: R) -> ByPowersOfTwo<R> {
        let bits = u.to_bits();
        let one = self.bias << self.mantissa;
        let k = (bits + (one - self.sqrt_half)).shr(self.mantissa) - self.bias;
        let f = R::from_bits(bits - k.shl(self.mantissa)) - 1.0;
        let exponent = R::from_bits(k + R::literal(self.round).to_bits()) - self.round;
        let scale = R::from_bits((R::Bits::literal(self.bias) - k).shl(self.mantissa));
        // `scale` is no number where `u` is next to the greatest: there `c` says nothing.
        let huge = R::literal(1e30).lt(u);
        let c = R::select(huge, R::literal(0.0), c * scale);
        ByPowersOfTwo { exponent, f, c }
    }
}
