//! Signs of numbers, as bits.

use super::super::lane::{Body, Lane, Op, Value};
use super::parts;

/// The bit that is the sign.
pub(super) fn sign(lane: Lane) -> u64 {
    if lane.size() == 8 { 1 << 63 } else { 1 << 31 }
}

/// With the other sign.
pub(super) fn negated(body: &mut Body, lane: Lane, value: Value) -> Value {
    let sign = body.constant(sign(lane), lane.bits());
    body.add(Op::Xor, lane.bits(), &[value, sign])
}

/// With the sign cleared.
pub(super) fn without_sign(body: &mut Body, lane: Lane, value: Value) -> Value {
    let rest = body.constant(sign(lane) - 1, lane.bits());
    body.add(Op::And, lane.bits(), &[value, rest])
}

/// The size of one number with the sign of another.
pub(super) fn with_sign(body: &mut Body, lane: Lane, value: Value, other: Value) -> Value {
    let bits = lane.bits();
    let rest = body.constant(sign(lane) - 1, bits);
    let either: Option<[Value; 2]> = parts::arguments(body, Op::Or, value);
    // The sign that both have, and the other bits that either has.
    let both = either.filter(|_| either == parts::arguments(body, Op::And, other));
    match both.filter(|_| body.has_avx512) {
        Some([a, b]) => return body.add(Op::Ternary(MAJORITY), bits, &[a, b, rest]),
        None if body.has_avx512 => {
            return body.add(Op::Ternary(CHOICE), bits, &[value, other, rest]);
        }
        None => {}
    }
    let size = body.add(Op::And, bits, &[value, rest]);
    if both.is_some() {
        // Other bits that both have are among those that either has.
        return body.add(Op::Or, bits, &[size, other]);
    }
    let sign = body.constant(sign(lane), bits);
    let sign = body.add(Op::And, bits, &[other, sign]);
    body.add(Op::Or, bits, &[size, sign])
}

/// Tables of [`Op::Ternary`]: what two and more of the bits are; `a` where `c` is set, else `b`.
pub(super) const MAJORITY: u8 = 0b1110_1000;
pub(super) const CHOICE: u8 = 0b1110_0100;
