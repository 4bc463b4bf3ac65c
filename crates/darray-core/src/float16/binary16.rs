//! IEEE 754 binary16: conversions, rounded once to nearest, ties to even. Denormals are kept,
//! what is too large becomes an infinity; NaN becomes a quiet one, with its sign and the upper bits of what it
//! carries, as by the instructions of F16C.
//!
//! They are free of branches and calls, so that loops over them become vector code; those of the crate
//! `half` ask the processor at every element or call a function.

use super::{nan, narrow};
use half::f16;

/// The bits of the infinity.
const INFINITY: u16 = 0x7c00;

/// The nearest f16.
///
/// ```
/// use darray_core::{f16, f16_from_f32};
/// assert_eq!(f16_from_f32(0.1).to_bits(), 0x2e66);
/// assert_eq!(f16_from_f32(65519.0), f16::MAX);
/// assert_eq!(f16_from_f32(65520.0), f16::INFINITY);
/// ```
#[inline(always)]
pub fn f16_from_f32(value: f32) -> f16 {
    const LEAST_NORMAL: u32 = (127 - 14) << 23;
    const TOO_LARGE: u32 = (127 + 16) << 23;
    let bits = value.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let size = bits & 0x7fff_ffff;
    // Half a unit less one, and one more where the last bit that stays is odd; then the exponent's bias.
    let rounded = size.wrapping_add(0xfff + (size >> 13 & 1)) >> 13;
    let normal = rounded.wrapping_sub((127 - 15) << 10) as u16;
    // The sum with 0.5, whose last bit is worth as much as the least denormal.
    let denormal = (f32::from_bits(size) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits()) as u16;
    let finite = if size < LEAST_NORMAL { denormal } else { normal };
    let special = if size > f32::INFINITY.to_bits() { nan::<10>(size >> 13) } else { INFINITY };
    f16::from_bits(sign | if size < TOO_LARGE { finite } else { special })
}

/// The nearest f16; not by way of f32, which would round twice.
///
/// ```
/// use darray_core::{f16_from_f32, f16_from_f64};
/// let above_a_tie = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
/// assert_eq!(f16_from_f64(above_a_tie).to_bits(), 0x3c01);
/// assert_eq!(f16_from_f32(above_a_tie as f32).to_bits(), 0x3c00);
/// ```
#[inline(always)]
pub fn f16_from_f64(value: f64) -> f16 {
    f16::from_bits(narrow::<10>(value))
}

/// The same number; a NaN becomes a quiet one that carries the same.
///
/// ```
/// use darray_core::{f16, f32_from_f16};
/// assert_eq!(f32_from_f16(f16::from_bits(1)), 2f32.powi(-24));
/// ```
#[inline(always)]
pub fn f32_from_f16(value: f16) -> f32 {
    let bits = value.to_bits();
    let sign = (bits as u32 & 0x8000) << 16;
    let size = bits as u32 & 0x7fff;
    let normal = (size << 13) + ((127 - 15) << 23);
    let denormal = (size as i32 as f32 * (1.0 / (1 << 24) as f32)).to_bits();
    let special = size << 13 | f32::INFINITY.to_bits() | ((size > INFINITY as u32) as u32) << 22;
    let finite = if size < 1 << 10 { denormal } else { normal };
    f32::from_bits(sign | if size < INFINITY as u32 { finite } else { special })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::float16::tests::rounds_to_nearest_even;

    /// Every f16.
    fn all() -> impl Iterator<Item = f16> {
        (0..=u16::MAX).map(f16::from_bits)
    }

    #[test]
    fn widening_is_exact_and_narrowing_its_inverse() {
        for value in all() {
            let wide = f32_from_f16(value);
            let reference = value.to_f32_const();
            assert_eq!(wide.to_bits(), reference.to_bits(), "{value:?}");
            let quiet = value.to_bits() | if value.is_nan() { 0x0200 } else { 0 };
            assert_eq!(f16_from_f32(wide).to_bits(), quiet, "{value:?}");
            assert_eq!(f16_from_f64(wide as f64).to_bits(), quiet, "{value:?}");
        }
    }

    #[test]
    fn narrowing_rounds_to_nearest_even() {
        rounds_to_nearest_even(
            f16::INFINITY.to_bits(),
            65536.0,
            |bits| f32_from_f16(f16::from_bits(bits)),
            |value| f16_from_f64(value).to_bits(),
            |value| f16_from_f32(value).to_bits(),
        );
    }

    #[test]
    fn far_values_are_infinities_and_zeros() {
        for (value, want) in
            [(f64::MAX, 0x7c00), (f64::MIN, 0xfc00), (1e-300, 0), (-1e-300, 0x8000)]
        {
            assert_eq!(f16_from_f64(value).to_bits(), want);
            assert_eq!(f16_from_f32(value as f32).to_bits(), want);
        }
    }

    /// The upper bits of what it carries stay, as in F16C, and it becomes quiet.
    #[test]
    fn nan_keeps_what_there_is_room_for() {
        let above_infinity = f32::INFINITY.to_bits() + 1;
        for size in (above_infinity..1 << 31).step_by(61).chain([above_infinity, 0x7fff_ffff]) {
            for bits in [size, size | 1 << 31] {
                let value = f32::from_bits(bits);
                let want = (bits >> 16 & 0x8000) as u16 | 0x7e00 | (bits >> 13 & 0x1ff) as u16;
                assert_eq!(f16_from_f32(value).to_bits(), want, "{bits:#x}");
                assert_eq!(f16::from_f32_const(value).to_bits(), want, "{bits:#x}");
                let wide = u64::from(bits >> 31) << 63 | 0x7ff << 52;
                for low in [0, 1, (1 << 29) - 1] {
                    let wide = f64::from_bits(wide | u64::from(bits & 0x7f_ffff) << 29 | low);
                    assert_eq!(f16_from_f64(wide).to_bits(), want, "{:#x}", wide.to_bits());
                }
            }
        }
        // Nothing is left of what it carries.
        assert_eq!(f16_from_f64(f64::from_bits(0x7ff << 52 | 1)).to_bits(), 0x7e00);
    }
}
