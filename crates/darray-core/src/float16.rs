//! Floats of 16 bits, and what the conversions to them share.

mod binary16;
mod brain16;

pub use binary16::{f16_from_f32, f16_from_f64, f32_from_f16};
pub use brain16::{bf16_from_f32, bf16_from_f64, f32_from_bf16};

/// The nearest float of 16 bits, so many of which are stored bits of the significand.
#[inline(always)]
fn narrow<const STORED: u32>(value: f64) -> u16 {
    let bias = (1 << (14 - STORED)) - 1;
    let least_normal = (1023 - (bias - 1)) << 52;
    let too_large = (1023 + bias + 1) << 52;
    // Its last bit is worth as much as the least denormal.
    let unit = (1023 + 53 - bias - STORED as u64) << 52;
    let dropped = 52 - STORED;
    let bits = value.to_bits();
    let sign = (bits >> 48) as u16 & 0x8000;
    let size = bits & (u64::MAX >> 1);
    let rounded = size.wrapping_add((1 << (dropped - 1)) - 1 + (size >> dropped & 1)) >> dropped;
    let normal = rounded.wrapping_sub((1023 - bias) << STORED) as u16;
    let denormal =
        (f64::from_bits(size) + f64::from_bits(unit)).to_bits().wrapping_sub(unit) as u16;
    let finite = if size < least_normal { denormal } else { normal };
    let infinity = 0x7fff >> STORED << STORED;
    let is_nan = size > f64::INFINITY.to_bits();
    let special = if is_nan { nan::<STORED>((size >> dropped) as u32) } else { infinity };
    sign | if size < too_large { finite } else { special }
}

/// The NaN that carries the upper bits of another, given down to the last that stays.
#[inline(always)]
const fn nan<const STORED: u32>(carried: u32) -> u16 {
    let quiet = 1 << (STORED - 1);
    0x7fff >> STORED << STORED | quiet | carried as u16 & (quiet - 1)
}

#[cfg(test)]
mod tests {
    /// Between neighbours the middle decides, and the middle itself goes to the even one: of all floats by their bits up to
    /// `infinity`, whose place among them is `limit`.
    pub(super) fn rounds_to_nearest_even(
        infinity: u16,
        limit: f64,
        widen: impl Fn(u16) -> f32,
        from_f64: impl Fn(f64) -> u16,
        from_f32: impl Fn(f32) -> u16,
    ) {
        for low in 0..infinity {
            let high = low + 1;
            let upper = if high == infinity { limit } else { f64::from(widen(high)) };
            let middle = (f64::from(widen(low)) + upper) / 2.0;
            let even = if low & 1 == 0 { low } else { high };
            let near = [(middle, even), (middle.next_down(), low), (middle.next_up(), high)];
            for (value, want) in near {
                assert_eq!(from_f64(value), want, "{value:e}");
                assert_eq!(from_f64(-value), want | 0x8000, "-{value:e}");
            }
            let single = middle as f32;
            let near = [(single, even), (single.next_down(), low), (single.next_up(), high)];
            for (value, want) in near {
                assert_eq!(from_f32(value), want, "{value:e}");
                assert_eq!(from_f32(-value), want | 0x8000, "-{value:e}");
            }
        }
    }
}
