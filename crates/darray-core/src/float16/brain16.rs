//! bfloat16, the upper half of an f32: conversions, rounded once to nearest, ties to even. Denormals are kept, what is too large
//! becomes an infinity; NaN becomes a quiet one, with its sign and the upper bits of what it carries, in both directions, as
//! those of [f16](super::binary16). (`vcvtneps2bf16` makes zeros of denormals, so machine code has these steps, too.)

use super::narrow;
use half::bf16;

/// What makes a NaN of 32 bits quiet.
const QUIET: u32 = 0x0040_0000;

/// The nearest bf16.
///
/// ```
/// use darray_core::{bf16, bf16_from_f32};
/// assert_eq!(bf16_from_f32(0.1).to_bits(), 0x3dcd);
/// assert_eq!(bf16_from_f32(f32::MAX), bf16::INFINITY);
/// ```
#[inline(always)]
pub fn bf16_from_f32(value: f32) -> bf16 {
    let bits = value.to_bits();
    // Half a unit less one, and one more where the last bit that stays is odd.
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1));
    let upper = if value.is_nan() { bits | QUIET } else { rounded };
    bf16::from_bits((upper >> 16) as u16)
}

/// The nearest bf16; not by way of f32, which would round twice.
///
/// ```
/// use darray_core::{bf16_from_f32, bf16_from_f64};
/// let above_a_tie = 1.0 + 2f64.powi(-8) + 2f64.powi(-40);
/// assert_eq!(bf16_from_f64(above_a_tie).to_bits(), 0x3f81);
/// assert_eq!(bf16_from_f32(above_a_tie as f32).to_bits(), 0x3f80);
/// ```
#[inline(always)]
pub fn bf16_from_f64(value: f64) -> bf16 {
    bf16::from_bits(narrow::<7>(value))
}

/// The same number; a NaN becomes a quiet one that carries the same.
///
/// ```
/// use darray_core::{bf16, f32_from_bf16};
/// assert_eq!(f32_from_bf16(bf16::from_bits(1)), 2f64.powi(-133) as f32);
/// ```
#[inline(always)]
pub fn f32_from_bf16(value: bf16) -> f32 {
    let bits = (value.to_bits() as u32) << 16;
    let is_nan = bits & 0x7fff_ffff > f32::INFINITY.to_bits();
    f32::from_bits(bits | if is_nan { QUIET } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::float16::tests::rounds_to_nearest_even;

    /// Every bf16.
    fn all() -> impl Iterator<Item = bf16> {
        (0..=u16::MAX).map(bf16::from_bits)
    }

    #[test]
    fn widening_is_exact_and_narrowing_its_inverse() {
        for value in all() {
            let wide = f32_from_bf16(value);
            assert_eq!(wide.to_bits(), value.to_f32_const().to_bits(), "{value:?}");
            let quiet = value.to_bits() | if value.is_nan() { 0x40 } else { 0 };
            assert_eq!(bf16_from_f32(wide).to_bits(), quiet, "{value:?}");
            assert_eq!(bf16_from_f64(wide as f64).to_bits(), quiet, "{value:?}");
        }
    }

    #[test]
    fn narrowing_rounds_to_nearest_even() {
        rounds_to_nearest_even(
            bf16::INFINITY.to_bits(),
            2f64.powi(128),
            |bits| f32_from_bf16(bf16::from_bits(bits)),
            |value| bf16_from_f64(value).to_bits(),
            |value| bf16_from_f32(value).to_bits(),
        );
    }

    #[test]
    fn far_values_are_infinities_and_zeros() {
        for (value, want) in
            [(f64::MAX, 0x7f80), (f64::MIN, 0xff80), (1e-300, 0), (-1e-300, 0x8000)]
        {
            assert_eq!(bf16_from_f64(value).to_bits(), want);
            assert_eq!(bf16_from_f32(value as f32).to_bits(), want);
        }
    }

    /// The upper bits of what it carries stay, and it becomes quiet.
    #[test]
    fn nan_keeps_what_there_is_room_for() {
        let above_infinity = f32::INFINITY.to_bits() + 1;
        for size in (above_infinity..1 << 31).step_by(61).chain([above_infinity, 0x7fff_ffff]) {
            for bits in [size, size | 1 << 31] {
                let value = f32::from_bits(bits);
                let want = (bits >> 16) as u16 | 0x40;
                assert_eq!(bf16_from_f32(value).to_bits(), want, "{bits:#x}");
                let wide = u64::from(bits >> 31) << 63 | 0x7ff << 52;
                for low in [0, 1, (1 << 29) - 1] {
                    let wide = f64::from_bits(wide | u64::from(bits & 0x7f_ffff) << 29 | low);
                    assert_eq!(bf16_from_f64(wide).to_bits(), want, "{:#x}", wide.to_bits());
                }
            }
        }
    }
}
