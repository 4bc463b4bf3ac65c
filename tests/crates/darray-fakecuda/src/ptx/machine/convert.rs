//! Numbers of one type into another.

use super::float::{flushed, single, single_bits};
use super::integer::{mask, signed};
use super::lanes::{Lanes, map1};
use super::rounding::{directed32, directed64, narrow};
use crate::ptx::code::{Conversion, Register, Rounding};
use crate::ptx::types::{Type, Width};

/// `to = from` of another type, in the lanes of a mask.
#[inline(always)]
pub fn convert(
    registers: &mut [Lanes],
    lanes: u32,
    conversion: &Conversion,
    to: Register,
    from: Register,
) {
    let Conversion { from: value, to: result, rounding, saturate, flush, register, .. } =
        *conversion;
    let plain = rounding == Rounding::Nearest && !saturate && !flush;
    match (value, result) {
        (Type::F32, Type::F64) if plain => {
            map1(registers, lanes, to, from, |a| f64::from(single(a)).to_bits());
        }
        (Type::F64, Type::F32) if plain => {
            map1(registers, lanes, to, from, |a| single_bits(f64::from_bits(a) as f32));
        }
        (Type::Signed(Width::W32), Type::F64) => {
            map1(registers, lanes, to, from, |a| f64::from(a as i32).to_bits());
        }
        (Type::Signed(Width::W32), Type::F32) if plain => {
            map1(registers, lanes, to, from, |a| single_bits(a as i32 as f32));
        }
        _ if !value.is_float() && !result.is_float() && !saturate => {
            let (source, target) = (whole_width(value), whole_width(result));
            let (keep, extend) = (mask(target), mask(register));
            match (value.is_signed(), result.is_signed()) {
                (true, true) => map1(registers, lanes, to, from, |a| {
                    signed(signed(a, source) as u64 & keep, target) as u64 & extend
                }),
                (true, false) => {
                    map1(registers, lanes, to, from, |a| signed(a, source) as u64 & keep)
                }
                (false, true) => map1(registers, lanes, to, from, |a| {
                    signed(a & mask(source) & keep, target) as u64 & extend
                }),
                (false, false) => map1(registers, lanes, to, from, |a| a & mask(source) & keep),
            }
        }
        _ => map1(registers, lanes, to, from, |a| one(a, conversion)),
    }
}

/// One value, of any types.
#[inline(never)]
fn one(bits: u64, conversion: &Conversion) -> u64 {
    let Conversion { from, to, rounding, whole, saturate, flush, register } = *conversion;
    let value = match from {
        Type::F32 if flush => f64::from(flushed(single(bits))),
        Type::F32 => f64::from(single(bits)),
        Type::F64 => f64::from_bits(bits),
        Type::F16 => half_to_double(bits as u16),
        _ if to.is_float() => return whole_to_float(bits, from, to, rounding),
        _ => return whole_to_whole(bits, conversion),
    };
    match to {
        Type::F64 => {
            let value = if whole { rounded(value, rounding) } else { value };
            held(value, saturate).to_bits()
        }
        Type::F32 => {
            let value = if whole { rounded(value, rounding) } else { value };
            let result = narrow(held(value, saturate), 0.0, rounding);
            single_bits(if flush { flushed(result) } else { result })
        }
        Type::F16 => u64::from(double_to_half(value, rounding)),
        _ => {
            let width = whole_width(to);
            if value.is_nan() {
                let wide = from == Type::F64 || width == Width::W64;
                return if wide { 1 << (width.bits() - 1) } else { 0 };
            }
            let value = rounded(value, rounding);
            match to.is_signed() {
                true => {
                    let top = i64::MAX >> (64 - width.bits());
                    // The conversion saturates at 64 bits.
                    ((value as i64).clamp(-top - 1, top)) as u64 & mask(register)
                }
                false => (value as u64).min(mask(width)),
            }
        }
    }
}

/// A float between zero and one where that is asked for; NaN counts as zero.
fn held(value: f64, saturate: bool) -> f64 {
    match saturate {
        false => value,
        true if value.is_nan() => 0.0,
        true => value.clamp(0.0, 1.0) + 0.0,
    }
}

/// The whole number next to a value.
fn rounded(value: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Nearest => value.round_ties_even(),
        Rounding::Zero => value.trunc(),
        Rounding::Down => value.floor(),
        Rounding::Up => value.ceil(),
    }
}

fn whole_to_whole(bits: u64, conversion: &Conversion) -> u64 {
    let (from, to) = (whole_width(conversion.from), whole_width(conversion.to));
    let value = match conversion.from.is_signed() {
        true => i128::from(signed(bits, from)),
        false => i128::from(bits & mask(from)),
    };
    let (low, high) = match conversion.to.is_signed() {
        true => (-(1i128 << (to.bits() - 1)), (1i128 << (to.bits() - 1)) - 1),
        false => (0, (1i128 << to.bits()) - 1),
    };
    value.clamp(low, high) as u64 & mask(conversion.register)
}

fn whole_to_float(bits: u64, from: Type, to: Type, rounding: Rounding) -> u64 {
    let width = whole_width(from);
    let value = match from.is_signed() {
        true => i128::from(signed(bits, width)),
        false => i128::from(bits & mask(width)),
    };
    match to {
        Type::F64 => {
            let nearest = value as f64;
            directed64(nearest, value.cmp(&(nearest as i128)), rounding).to_bits()
        }
        Type::F32 => {
            let nearest = value as f32;
            single_bits(directed32(nearest, value.cmp(&(nearest as i128)), rounding))
        }
        _ => u64::from(double_to_half(value as f64, rounding)),
    }
}

/// The number that a half is.
pub fn half_to_double(bits: u16) -> f64 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}

/// A number as a half.
pub fn double_to_half(value: f64, rounding: Rounding) -> u16 {
    if value.is_nan() {
        return 0x7fff;
    }
    let sign = u16::from(value.is_sign_negative()) << 15;
    let size = value.abs();
    let towards = match (rounding, sign) {
        (Rounding::Up, 0) | (Rounding::Down, 0x8000) => Rounding::Up,
        (Rounding::Nearest, _) => Rounding::Nearest,
        _ => Rounding::Zero,
    };
    if size.is_infinite() {
        return sign | 0x7c00;
    }
    let exponent = ((size.to_bits() >> 52) as i32 - 1023).max(-14);
    // The number of steps of the last place; carrying over goes into the exponent.
    let steps = match towards {
        Rounding::Nearest => (size * 2f64.powi(10 - exponent)).round_ties_even(),
        Rounding::Up => (size * 2f64.powi(10 - exponent)).ceil(),
        _ => (size * 2f64.powi(10 - exponent)).trunc(),
    };
    let bits = f64::from((exponent + 14) * 1024) + steps;
    let largest = if towards == Rounding::Zero { 31743.0 } else { 31744.0 };
    sign | bits.min(largest) as u16
}

fn whole_width(kind: Type) -> Width {
    match kind {
        Type::Bits(width) | Type::Unsigned(width) | Type::Signed(width) => width,
        _ => Width::W32,
    }
}
