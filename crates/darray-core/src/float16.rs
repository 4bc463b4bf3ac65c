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
