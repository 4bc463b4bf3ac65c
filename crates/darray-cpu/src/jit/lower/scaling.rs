//! Products with powers of two, as exponentials end with, in one operation.
//!
//! `p 2^n` may leave the normal range in parts only, so functions multiply by `2^h` and `2^(n - h)`, `h = floor(n / 2)`,
//! whose exponents they put together from the low bits of `s = n + 1.5 2^m`. The first product is exact, so one
//! operation that rounds `p 2^n` once gives the same bits.

use super::super::lane::{Body, Lane, Op, Value};

/// The product of two numbers where it is `p 2^n`; else none.
pub(super) fn times_power_of_two(
    body: &mut Body,
    lane: Lane,
    factors: [Value; 2],
) -> Option<Value> {
    let (p, shifted) = match lane {
        _ if !body.has_avx512 => return None,
        Lane::F64 => double(body, factors)?,
        Lane::F32 => single(body, factors)?,
        _ => return None,
    };
    let round = body.constant(if lane == Lane::F64 { ROUND_F64 } else { ROUND_F32 }, lane);
    let n = body.add(Op::Sub, lane, &[shifted, round]);
    Some(body.add(Op::Scale, lane, &[p, n]))
}

/// Bits of `1.5 2^52` and `1.5 2^23`.
pub(super) const ROUND_F64: u64 = 6755399441055744f64.to_bits();
pub(super) const ROUND_F32: u64 = 12582912f32.to_bits() as u64;

/// `p` and `s` of `(e 2^h + 2^h) 2^(n - h)`, `p = e + 1`, with `h = (n + 4096) / 2 - 2048` of bits.
fn double(body: &mut Body, [product, second]: [Value; 2]) -> Option<(Value, Value)> {
    let lane = Lane::I64;
    let exponent = argument(body, Op::ShiftLeft(52), second)?;
    let (rest, by) = sum(body, lane, exponent)?;
    let [shifted, half] = arguments(body, Op::Sub, rest)?;
    let (all, more) = sum(body, lane, argument(body, Op::ShiftRight(1), half)?)?;
    let [e, first, addend] = arguments(body, Op::MulAdd, product)?;
    let (is_half, less) = sum(body, lane, argument(body, Op::ShiftLeft(52), first)?)?;
    let offsets = [more, less, by]
        == [
            4096u64.wrapping_sub(ROUND_F64),
            1023u64.wrapping_sub(2048),
            3071u64.wrapping_sub(ROUND_F64),
        ];
    if (all, is_half, addend) != (shifted, half, first) || !offsets {
        return None;
    }
    let one = body.constant(1f64.to_bits(), Lane::F64);
    Some((body.add(Op::Add, Lane::F64, &[e, one]), shifted))
}

/// `p` and `s` of `p 2^h 2^(n - h)`, with `h` of the bits of `s`, whose upper ones are shifted out.
fn single(body: &mut Body, [product, second]: [Value; 2]) -> Option<(Value, Value)> {
    let lane = Lane::I32;
    let power = |body: &Body, value: Value| {
        let (shifted, by) = sum(body, lane, value)?;
        let exponent = argument(body, Op::ShiftLeft(23), shifted)?;
        (by == 127 << 23).then_some(exponent)
    };
    let [p, first] = arguments(body, Op::Mul, product)?;
    let [shifted, half] = arguments(body, Op::Sub, power(body, second)?)?;
    let all = argument(body, Op::ShiftRight(1), half)?;
    let (is_half, from) = (power(body, first)?, round_of(body, shifted)?);
    ((all, is_half) == (shifted, half) && from == ROUND_F32).then_some((p, shifted))
}

/// The constant that a number is rounded to a whole one by.
fn round_of(body: &Body, shifted: Value) -> Option<u64> {
    let [_, _, round] = arguments(body, Op::MulAdd, shifted)?;
    constant(body, round)
}

/// What an operation is of.
pub(super) fn arguments<const N: usize>(body: &Body, op: Op, value: Value) -> Option<[Value; N]> {
    let node = &body.nodes[value as usize];
    if node.op == op { node.args[..].try_into().ok() } else { None }
}

pub(super) fn argument(body: &Body, op: Op, value: Value) -> Option<Value> {
    arguments(body, op, value).map(|[argument]| argument)
}

/// A sum of integers: a value and a constant.
pub(super) fn sum(body: &Body, lane: Lane, value: Value) -> Option<(Value, u64)> {
    let [value, by] =
        arguments(body, Op::Add, value).filter(|_| body.nodes[value as usize].lane == lane)?;
    Some((value, constant(body, by)?))
}

pub(super) fn constant(body: &Body, value: Value) -> Option<u64> {
    match body.nodes[value as usize].op {
        Op::Constant(bits) => Some(bits),
        _ => None,
    }
}
