//! Operations of one, two and three values in the lanes of a warp.

use super::float::{
    flushed, maximum32, maximum64, minimum32, minimum64, single, single_bits, upper_half,
};
use super::integer::{self, mask, signed};
use super::lanes::{Lanes, map1, map2, map3};
use super::rounding;
use crate::ptx::code::{Binary, Number, Register, Rounding, Ternary, Unary};
use crate::ptx::types::Width;

/// `to = operator(from)`.
#[inline(always)]
pub fn unary(
    registers: &mut [Lanes],
    lanes: u32,
    operator: Unary,
    number: Number,
    to: Register,
    from: Register,
) {
    match number {
        _ if operator == Unary::Move => map1(registers, lanes, to, from, |a| a),
        Number::Unsigned(width) | Number::Signed(width) => {
            let is_signed = matches!(number, Number::Signed(_));
            let keep = mask(width);
            match operator {
                Unary::Negate => map1(registers, lanes, to, from, |a| a.wrapping_neg() & keep),
                Unary::Not => map1(registers, lanes, to, from, |a| !a & keep),
                Unary::Absolute => {
                    map1(registers, lanes, to, from, |a| signed(a, width).unsigned_abs() & keep)
                }
                Unary::Population => {
                    map1(registers, lanes, to, from, |a| u64::from(a.count_ones()))
                }
                Unary::LeadingZeros => map1(registers, lanes, to, from, |a| {
                    u64::from(a.leading_zeros() + width.bits() - 64)
                }),
                Unary::Reverse => {
                    map1(registers, lanes, to, from, |a| a.reverse_bits() >> (64 - width.bits()))
                }
                _ => {
                    let shift = operator == Unary::HighestBitShift;
                    map1(registers, lanes, to, from, |a| {
                        integer::highest_bit(a, width, is_signed, shift)
                    });
                }
            }
        }
        Number::Single { flush } => match operator {
            Unary::Negate => map1(registers, lanes, to, from, |a| {
                let a = if flush { flushed(single(a)) } else { single(a) };
                u64::from((-a).to_bits())
            }),
            Unary::Absolute => map1(registers, lanes, to, from, |a| {
                let a = if flush { flushed(single(a)) } else { single(a) };
                u64::from(a.abs().to_bits())
            }),
            Unary::SquareRoot if !flush => {
                map1(registers, lanes, to, from, |a| single_bits(single(a).sqrt()))
            }
            _ => map1(registers, lanes, to, from, |a| {
                let a = if flush { flushed(single(a)) } else { single(a) };
                let result = function(operator, a.into()) as f32;
                single_bits(if flush { flushed(result) } else { result })
            }),
        },
        Number::Double => match operator {
            Unary::Negate => map1(registers, lanes, to, from, |a| a ^ 1 << 63),
            Unary::Absolute => map1(registers, lanes, to, from, |a| a & !(1 << 63)),
            Unary::SquareRoot => {
                map1(registers, lanes, to, from, |a| f64::from_bits(a).sqrt().to_bits())
            }
            _ => map1(registers, lanes, to, from, |a| {
                function(operator, f64::from_bits(a)).to_bits()
            }),
        },
    }
}

/// A function computed in double precision.
#[inline(never)]
fn function(operator: Unary, a: f64) -> f64 {
    match operator {
        Unary::SquareRoot => a.sqrt(),
        Unary::Reciprocal => 1.0 / a,
        Unary::ReciprocalRoot => 1.0 / a.sqrt(),
        Unary::ReciprocalCoarse => upper_half(1.0 / upper_half(a)),
        Unary::ReciprocalRootCoarse => upper_half(1.0 / upper_half(a).sqrt()),
        Unary::Exponential => a.exp2(),
        Unary::Logarithm => a.log2(),
        Unary::Sine => a.sin(),
        Unary::Cosine => a.cos(),
        Unary::Tangent => a.tanh(),
        _ => f64::NAN,
    }
}

/// `to = operator(a, b)`.
#[inline(always)]
pub fn binary(
    registers: &mut [Lanes],
    lanes: u32,
    operator: Binary,
    number: Number,
    to: Register,
    from: [Register; 2],
) {
    match number {
        Number::Unsigned(width) => whole_binary(registers, lanes, operator, width, false, to, from),
        Number::Signed(width) => whole_binary(registers, lanes, operator, width, true, to, from),
        Number::Single { flush: false } => {
            let r = registers;
            let f = |value: f32| single_bits(value);
            match operator {
                Binary::Add => map2(r, lanes, to, from, |a, b| f(single(a) + single(b))),
                Binary::Subtract => map2(r, lanes, to, from, |a, b| f(single(a) - single(b))),
                Binary::Multiply => map2(r, lanes, to, from, |a, b| f(single(a) * single(b))),
                Binary::Divide => map2(r, lanes, to, from, |a, b| f(single(a) / single(b))),
                Binary::Minimum => {
                    map2(r, lanes, to, from, |a, b| f(minimum32(single(a), single(b))))
                }
                Binary::Maximum => {
                    map2(r, lanes, to, from, |a, b| f(maximum32(single(a), single(b))))
                }
                Binary::CopySign => {
                    map2(r, lanes, to, from, |a, b| (b & 0x7fff_ffff) | (a & 0x8000_0000))
                }
                _ => map2(r, lanes, to, from, |a, b| {
                    f(single_binary(operator, single(a), single(b)))
                }),
            }
        }
        Number::Single { flush: true } => map2(registers, lanes, to, from, |a, b| {
            let result = single_binary(operator, flushed(single(a)), flushed(single(b)));
            single_bits(flushed(result))
        }),
        Number::Double => {
            let r = registers;
            let d = f64::from_bits;
            match operator {
                Binary::Add => map2(r, lanes, to, from, |a, b| (d(a) + d(b)).to_bits()),
                Binary::Subtract => map2(r, lanes, to, from, |a, b| (d(a) - d(b)).to_bits()),
                Binary::Multiply => map2(r, lanes, to, from, |a, b| (d(a) * d(b)).to_bits()),
                Binary::Divide => map2(r, lanes, to, from, |a, b| (d(a) / d(b)).to_bits()),
                Binary::Minimum => map2(r, lanes, to, from, |a, b| minimum64(d(a), d(b)).to_bits()),
                Binary::Maximum => map2(r, lanes, to, from, |a, b| maximum64(d(a), d(b)).to_bits()),
                _ => map2(r, lanes, to, from, |a, b| double_binary(operator, d(a), d(b)).to_bits()),
            }
        }
    }
}

#[inline(always)]
fn whole_binary(
    registers: &mut [Lanes],
    lanes: u32,
    operator: Binary,
    width: Width,
    is_signed: bool,
    to: Register,
    from: [Register; 2],
) {
    let r = registers;
    let keep = mask(width);
    match operator {
        Binary::Add => map2(r, lanes, to, from, |a, b| a.wrapping_add(b) & keep),
        Binary::Subtract => map2(r, lanes, to, from, |a, b| a.wrapping_sub(b) & keep),
        Binary::Multiply => map2(r, lanes, to, from, |a, b| a.wrapping_mul(b) & keep),
        Binary::MultiplyWide => {
            map2(r, lanes, to, from, |a, b| integer::multiply_wide(a, b, width, is_signed))
        }
        Binary::MultiplyHigh => {
            map2(r, lanes, to, from, |a, b| integer::multiply_high(a, b, width, is_signed))
        }
        Binary::Multiply24 => map2(r, lanes, to, from, |a, b| low24(a, b, is_signed)),
        Binary::Divide => map2(r, lanes, to, from, |a, b| integer::divide(a, b, width, is_signed)),
        Binary::Remainder => {
            map2(r, lanes, to, from, |a, b| integer::remainder(a, b, width, is_signed))
        }
        Binary::And => map2(r, lanes, to, from, |a, b| a & b),
        Binary::Or => map2(r, lanes, to, from, |a, b| a | b),
        Binary::Xor => map2(r, lanes, to, from, |a, b| a ^ b),
        Binary::ShiftLeft => map2(r, lanes, to, from, |a, b| integer::shift_left(a, b, width)),
        Binary::ShiftRight => {
            map2(r, lanes, to, from, |a, b| integer::shift_right(a, b, width, is_signed))
        }
        _ => map2(r, lanes, to, from, |a, b| whole_extreme(operator, a, b, width, is_signed)),
    }
}

/// The lesser or the greater.
#[inline(always)]
fn whole_extreme(operator: Binary, a: u64, b: u64, width: Width, is_signed: bool) -> u64 {
    let less = match is_signed {
        true => signed(a, width) < signed(b, width),
        false => a < b,
    };
    let minimum = matches!(operator, Binary::Minimum | Binary::MinimumNan);
    if less == minimum { a } else { b }
}

fn low24(a: u64, b: u64, is_signed: bool) -> u64 {
    let cut = |value: u64| match is_signed {
        true => ((value as i32) << 8 >> 8) as i64 as u64,
        false => value & 0xff_ffff,
    };
    cut(a).wrapping_mul(cut(b)) & 0xffff_ffff
}

#[inline(never)]
fn single_binary(operator: Binary, a: f32, b: f32) -> f32 {
    match operator {
        Binary::Add => a + b,
        Binary::Subtract => a - b,
        Binary::Multiply => a * b,
        Binary::Divide => a / b,
        Binary::Minimum => minimum32(a, b),
        Binary::Maximum => maximum32(a, b),
        Binary::MinimumNan | Binary::MaximumNan if a.is_nan() || b.is_nan() => f32::NAN,
        Binary::MinimumNan => minimum32(a, b),
        Binary::MaximumNan => maximum32(a, b),
        Binary::AddRounded(to) => rounding::add32(a, b, to),
        Binary::SubtractRounded(to) => rounding::add32(a, -b, to),
        Binary::MultiplyRounded(to) => rounding::multiply32(a, b, to),
        Binary::DivideRounded(to) => rounding::divide32(a, b, to),
        _ => f32::NAN,
    }
}

#[inline(never)]
fn double_binary(operator: Binary, a: f64, b: f64) -> f64 {
    match operator {
        Binary::CopySign => b.copysign(a),
        Binary::MinimumNan | Binary::MaximumNan if a.is_nan() || b.is_nan() => f64::NAN,
        Binary::MinimumNan => minimum64(a, b),
        Binary::MaximumNan => maximum64(a, b),
        Binary::AddRounded(to) => rounding::add64(a, b, to),
        Binary::SubtractRounded(to) => rounding::add64(a, -b, to),
        Binary::MultiplyRounded(to) => rounding::fused64(a, b, zero_of(a, b), to),
        Binary::DivideRounded(to) => rounding::divide64(a, b, to),
        _ => f64::NAN,
    }
}

/// The zero that a sum leaves the sign of a product with.
fn zero_of(a: f64, b: f64) -> f64 {
    if a.is_sign_negative() != b.is_sign_negative() { -0.0 } else { 0.0 }
}

/// `to = operator(a, b, c)`.
#[inline(always)]
pub fn ternary(
    registers: &mut [Lanes],
    lanes: u32,
    operator: Ternary,
    number: Number,
    to: Register,
    from: [Register; 3],
) {
    let r = registers;
    match (operator, number) {
        (Ternary::Fused(Rounding::Nearest), Number::Double) => {
            let d = f64::from_bits;
            map3(r, lanes, to, from, |a, b, c| d(a).mul_add(d(b), d(c)).to_bits());
        }
        (Ternary::Fused(Rounding::Nearest), Number::Single { flush: false }) => {
            map3(r, lanes, to, from, |a, b, c| {
                single_bits(single(a).mul_add(single(b), single(c)))
            });
        }
        (Ternary::Fused(rounding), Number::Single { flush }) => {
            let f = |a: u64| if flush { flushed(single(a)) } else { single(a) };
            map3(r, lanes, to, from, |a, b, c| {
                let result = match rounding {
                    Rounding::Nearest => f(a).mul_add(f(b), f(c)),
                    _ => rounding::fused32(f(a), f(b), f(c), rounding),
                };
                single_bits(if flush { flushed(result) } else { result })
            });
        }
        (Ternary::Fused(rounding), _) => {
            let d = f64::from_bits;
            map3(r, lanes, to, from, |a, b, c| {
                rounding::fused64(d(a), d(b), d(c), rounding).to_bits()
            });
        }
        (_, Number::Signed(width)) => whole_ternary(r, lanes, operator, width, true, to, from),
        (_, Number::Unsigned(width)) => whole_ternary(r, lanes, operator, width, false, to, from),
        (_, Number::Single { .. } | Number::Double) => {}
    }
}

#[inline(always)]
fn whole_ternary(
    r: &mut [Lanes],
    lanes: u32,
    operator: Ternary,
    width: Width,
    is_signed: bool,
    to: Register,
    from: [Register; 3],
) {
    let keep = mask(width);
    match operator {
        Ternary::MultiplyAdd => {
            map3(r, lanes, to, from, |a, b, c| a.wrapping_mul(b).wrapping_add(c) & keep)
        }
        Ternary::MultiplyAddWide => map3(r, lanes, to, from, |a, b, c| {
            let sum = integer::multiply_wide(a, b, width, is_signed).wrapping_add(c);
            if width == Width::W32 { sum } else { sum & 0xffff_ffff }
        }),
        Ternary::MultiplyAddHigh => map3(r, lanes, to, from, |a, b, c| {
            integer::multiply_high(a, b, width, is_signed).wrapping_add(c) & keep
        }),
        Ternary::MultiplyAdd24 => {
            map3(r, lanes, to, from, |a, b, c| low24(a, b, is_signed).wrapping_add(c) & 0xffff_ffff)
        }
        Ternary::Extract => {
            map3(r, lanes, to, from, |a, b, c| integer::extract(a, b, c, width, is_signed))
        }
        Ternary::FunnelLeft { wrap } => {
            map3(r, lanes, to, from, |a, b, c| integer::funnel(a, b, c, true, wrap))
        }
        Ternary::FunnelRight { wrap } => {
            map3(r, lanes, to, from, |a, b, c| integer::funnel(a, b, c, false, wrap))
        }
        Ternary::Permute => map3(r, lanes, to, from, integer::permute),
        Ternary::DifferenceAdd => map3(r, lanes, to, from, |a, b, c| {
            let difference = match is_signed {
                true => signed(a, width).abs_diff(signed(b, width)),
                false => a.abs_diff(b),
            };
            difference.wrapping_add(c) & keep
        }),
        Ternary::Logic(table) => map3(r, lanes, to, from, |a, b, c| integer::logic(a, b, c, table)),
        Ternary::DotBytes { signed } => {
            map3(r, lanes, to, from, |a, b, c| integer::dot_bytes(a, b, c, signed))
        }
        Ternary::DotWords { signed, high } => {
            map3(r, lanes, to, from, |a, b, c| integer::dot_words(a, b, c, signed, high))
        }
        Ternary::Fused(_) => {}
    }
}
