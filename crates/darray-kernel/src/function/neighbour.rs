//! The next number of a format in a direction; exact.

use crate::function::number::real::{Bits, Real};

/// The number next to `x` towards `y`; `y` where they are equal, NaN where one is NaN.
#[inline(always)]
pub fn nextafter<R: Real>(x: R, y: R) -> R {
    next_by(x, y, 1)
}

/// The bf16 next to `x` towards `y`, both being bf16 in a format of 32 bits, of which they are the upper half. `y` where they are
/// equal, NaN where one is NaN.
#[inline(always)]
pub fn next_brain<R: Real>(x: R, y: R) -> R {
    next_by(x, y, 1 << 16)
}

/// The number next to `x` towards `y` among those whose bits are multiples of `unit`.
#[inline(always)]
fn next_by<R: Real>(x: R, y: R, unit: i64) -> R {
    let zero = R::literal(0.0);
    let away_from_zero = (zero.lt(x) & x.lt(y)) | (x.lt(zero) & y.lt(x));
    let bits = x.to_bits();
    let next = R::from_bits(R::Bits::select(away_from_zero, bits + unit, bits - unit));
    let next = R::select(x.eq(zero), R::from_bits(R::Bits::literal(unit)).copysign(y), next);
    let next = R::select(x.eq(y), y, next);
    R::select(x.is_nan() | y.is_nan(), R::literal(f64::NAN), next)
}

/// The f16 next to `x` towards `y`, both being f16 in a format of 32 bits; beyond the largest it is 2^16, which f16
/// rounds to infinity. `x` where they are equal, as NumPy has it, NaN where one is NaN.
#[inline(always)]
pub fn next_half<R: Real>(x: R, y: R) -> R {
    const UNIT: i64 = 1 << (23 - 10);
    const LEAST: f64 = 1.0 / (1u64 << 24) as f64;
    const LEAST_NORMAL: f64 = 1.0 / (1u64 << 14) as f64;
    const LARGEST: f64 = 65504.0;
    let zero = R::literal(0.0);
    let away_from_zero = (zero.lt(x) & x.lt(y)) | (x.lt(zero) & y.lt(x));
    let bits = x.to_bits();
    let next = R::from_bits(R::Bits::select(away_from_zero, bits + UNIT, bits - UNIT));
    // Denormals, and the least normal number on the way to them, are a fixed step apart.
    let size = x.abs();
    let normal =
        R::literal(LEAST_NORMAL).lt(size) | (R::literal(LEAST_NORMAL).eq(size) & away_from_zero);
    let step = R::select(x.lt(y), R::literal(LEAST), R::literal(-LEAST));
    let denormal = R::select(x.eq(zero), step, (x + step).copysign(x));
    let next = R::select(normal, next, denormal);
    let next = R::select(R::literal(LARGEST).lt(size), R::literal(LARGEST).copysign(x), next);
    let next = R::select(x.eq(y), x, next);
    R::select(x.is_nan() | y.is_nan(), R::literal(f64::NAN), next)
}

#[cfg(test)]
mod tests {
    use super::{next_brain, next_half};
    use crate::function::Native;
    use darray_core::{bf16, bf16_from_f32, f16, f16_from_f32, f32_from_bf16, f32_from_f16};

    /// Up from every f16 and down again: the numbers are in the order of their bits.
    #[test]
    fn every_f16_has_its_neighbours() {
        let next = |x: f16, y: f16| {
            f16_from_f32(next_half(Native(f32_from_f16(x)), Native(f32_from_f16(y))).0)
        };
        for bits in 0..f16::INFINITY.to_bits() {
            let (low, high) = (f16::from_bits(bits), f16::from_bits(bits + 1));
            assert_eq!(next(low, f16::INFINITY).to_bits(), high.to_bits(), "{low:?}");
            assert_eq!(next(high, f16::ZERO).to_bits(), low.to_bits(), "{high:?}");
            assert_eq!(next(-low, f16::NEG_INFINITY).to_bits(), (-high).to_bits(), "-{low:?}");
            assert_eq!(next(-high, f16::ZERO).to_bits(), (-low).to_bits(), "-{high:?}");
            assert_eq!(next(low, low).to_bits(), bits);
        }
        assert_eq!(next(f16::ZERO, -f16::ONE).to_bits(), 0x8001);
        assert!(next(f16::NAN, f16::ONE).is_nan() && next(f16::ONE, f16::NAN).is_nan());
    }

    /// Up from every bf16 and down again, infinities included.
    #[test]
    fn every_bf16_has_its_neighbours() {
        let next = |x: bf16, y: bf16| {
            let wide = next_brain(Native(f32_from_bf16(x)), Native(f32_from_bf16(y))).0;
            assert!(
                wide.is_nan() || f32_from_bf16(bf16_from_f32(wide)).to_bits() == wide.to_bits()
            );
            bf16_from_f32(wide)
        };
        for bits in 0..bf16::INFINITY.to_bits() {
            let (low, high) = (bf16::from_bits(bits), bf16::from_bits(bits + 1));
            assert_eq!(next(low, bf16::INFINITY).to_bits(), high.to_bits(), "{low:?}");
            assert_eq!(next(high, bf16::ZERO).to_bits(), low.to_bits(), "{high:?}");
            assert_eq!(next(-low, bf16::NEG_INFINITY).to_bits(), (-high).to_bits(), "-{low:?}");
            assert_eq!(next(-high, bf16::ZERO).to_bits(), (-low).to_bits(), "-{high:?}");
        }
        assert_eq!(next(bf16::ZERO, -bf16::ONE).to_bits(), 0x8001);
        assert_eq!(next(bf16::ZERO, -bf16::ZERO).to_bits(), 0x8000);
        assert!(next(bf16::NAN, bf16::ONE).is_nan() && next(bf16::ONE, bf16::NAN).is_nan());
    }
}
