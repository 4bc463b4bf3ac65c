//! Arithmetic of whole numbers whose bits are extended with zeros to 64.

use crate::ptx::types::Width;

/// All bits of a width.
#[inline(always)]
pub fn mask(width: Width) -> u64 {
    u64::MAX >> (64 - width.bits())
}

/// The value with its sign extended.
#[inline(always)]
pub fn signed(value: u64, width: Width) -> i64 {
    let unused = 64 - width.bits();
    ((value << unused) as i64) >> unused
}

/// The upper half of a product.
#[inline(always)]
pub fn multiply_high(a: u64, b: u64, width: Width, is_signed: bool) -> u64 {
    if width == Width::W64 {
        return match is_signed {
            true => ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64,
            false => ((u128::from(a) * u128::from(b)) >> 64) as u64,
        };
    }
    let product = match is_signed {
        true => (signed(a, width) * signed(b, width)) as u64,
        false => a * b,
    };
    (product >> width.bits()) & mask(width)
}

/// The whole product of numbers of up to 32 bits.
#[inline(always)]
pub fn multiply_wide(a: u64, b: u64, width: Width, is_signed: bool) -> u64 {
    let product = match is_signed {
        true => signed(a, width).wrapping_mul(signed(b, width)) as u64,
        false => a.wrapping_mul(b),
    };
    match width {
        Width::W8 => product & 0xffff,
        Width::W16 => product & 0xffff_ffff,
        Width::W32 | Width::W64 => product,
    }
}

/// The quotient; all ones where the divisor is zero, as the hardware has it.
#[inline(always)]
pub fn divide(a: u64, b: u64, width: Width, is_signed: bool) -> u64 {
    if b == 0 {
        return mask(width);
    }
    match is_signed {
        true => signed(a, width).wrapping_div(signed(b, width)) as u64 & mask(width),
        false => a / b,
    }
}

/// The remainder; the dividend where the divisor is zero.
#[inline(always)]
pub fn remainder(a: u64, b: u64, width: Width, is_signed: bool) -> u64 {
    if b == 0 {
        return a;
    }
    match is_signed {
        true => signed(a, width).wrapping_rem(signed(b, width)) as u64 & mask(width),
        false => a % b,
    }
}

/// Shifted to the left; zero from the width on.
#[inline(always)]
pub fn shift_left(a: u64, distance: u64, width: Width) -> u64 {
    let shifted = a << (distance & 63);
    if distance >= u64::from(width.bits()) { 0 } else { shifted & mask(width) }
}

/// Shifted to the right; filled with the sign from the width on.
#[inline(always)]
pub fn shift_right(a: u64, distance: u64, width: Width, is_signed: bool) -> u64 {
    let distance = distance.min(u64::from(width.bits()));
    match is_signed {
        true => (signed(a, width) >> distance.min(63)) as u64 & mask(width),
        false => a.checked_shr(distance as u32).unwrap_or(0),
    }
}

/// Bits from a place on, the last one extended where the type has a sign.
pub fn extract(a: u64, place: u64, length: u64, width: Width, is_signed: bool) -> u64 {
    let (place, length) = ((place & 255) as u32, (length & 255) as u32);
    let top = width.bits() - 1;
    let sign = if !is_signed || length == 0 { 0 } else { (a >> (place + length - 1).min(top)) & 1 };
    let mut result = 0;
    for bit in 0..width.bits() {
        let inside = bit < length && place + bit <= top;
        let value = if inside { (a >> (place + bit)) & 1 } else { sign };
        result |= value << bit;
    }
    result
}

/// `what` put into the bits of `into` from a place on.
#[inline(always)]
pub fn insert(what: u64, into: u64, place: u64, length: u64, width: Width) -> u64 {
    let (place, length) = ((place & 255) as u32, (length & 255) as u32);
    let ones = if length >= 64 { u64::MAX } else { (1 << length) - 1 };
    let field = ones.checked_shl(place).unwrap_or(0) & mask(width);
    (into & !field) | (what.checked_shl(place).unwrap_or(0) & field)
}

/// Two words as one, shifted.
#[inline(always)]
pub fn funnel(low: u64, high: u64, distance: u64, left: bool, wrap: bool) -> u64 {
    let both = (high << 32) | (low & 0xffff_ffff);
    let distance = if wrap { distance & 31 } else { distance.min(32) };
    match left {
        true => ((both << distance) >> 32) & 0xffff_ffff,
        false => (both >> distance) & 0xffff_ffff,
    }
}

/// Bytes of two words, picked by four digits of a selector.
pub fn permute(low: u64, high: u64, selector: u64) -> u64 {
    let both = (high << 32) | (low & 0xffff_ffff);
    let byte = |at: u64| {
        let pick = (selector >> (4 * at)) & 15;
        let byte = (both >> (8 * (pick & 7))) & 255;
        let byte = match pick & 8 {
            0 => byte,
            _ => (byte >> 7) * 255,
        };
        byte << (8 * at)
    };
    byte(0) | byte(1) | byte(2) | byte(3)
}

/// A function of three bits at every place.
#[inline(always)]
pub fn logic(a: u64, b: u64, c: u64, table: u8) -> u64 {
    let mut result = 0;
    for row in 0..8u8 {
        if table >> row & 1 == 1 {
            let pick = |value: u64, bit: u8| if row & bit != 0 { value } else { !value };
            result |= pick(a, 4) & pick(b, 2) & pick(c, 1);
        }
    }
    result & 0xffff_ffff
}

/// The place of the highest bit that differs from the sign; all ones where there is none.
pub fn highest_bit(a: u64, width: Width, is_signed: bool, shift: bool) -> u64 {
    let value = match is_signed && signed(a, width) < 0 {
        true => !a & mask(width),
        false => a,
    };
    match value.checked_ilog2() {
        None => 0xffff_ffff,
        Some(place) if shift => u64::from(width.bits() - 1 - place),
        Some(place) => u64::from(place),
    }
}

/// The products of four bytes, and a sum.
pub fn dot_bytes(a: u64, b: u64, c: u64, signs: [bool; 2]) -> u64 {
    let products = (0..4).map(|at| part::<8>(a, at, signs[0]) * part::<8>(b, at, signs[1]));
    (products.sum::<i64>() as u64).wrapping_add(c) & 0xffff_ffff
}

/// The products of two words of 16 bits and the two upper or lower bytes, and a sum.
pub fn dot_words(a: u64, b: u64, c: u64, signs: [bool; 2], high: bool) -> u64 {
    let first = if high { 2 } else { 0 };
    let products =
        (0..2).map(|at| part::<16>(a, at, signs[0]) * part::<8>(b, first + at, signs[1]));
    (products.sum::<i64>() as u64).wrapping_add(c) & 0xffff_ffff
}

/// Number `at` of the parts of so many bits.
fn part<const BITS: u32>(value: u64, at: u32, is_signed: bool) -> i64 {
    let upper = (value >> (BITS * at) << (64 - BITS)) as i64;
    if is_signed { upper >> (64 - BITS) } else { (upper as u64 >> (64 - BITS)) as i64 }
}
