//! What logarithms begin and end with, in few operations of AVX-512.
//!
//! A positive finite number is `x = 2^k (1 + f)` with `t / 2 <= 1 + f < t`. Functions scale denormals up by `2^s`, add to the
//! bits what carries into the exponent from `t` on, and take `s` from `k` again. AVX-512 has both parts of `x = 2^e m`,
//! `1 <= m < 2`, of denormals as well; with `m >= t`, `k` is `e + 1` and `1 + f` is `m / 2`: the same bits. Of other numbers `k`
//! and `f` become something else, and it does not matter: functions replace their results for these. Logarithms do it in
//! the end, where one operation chooses from a table.

use super::super::lane::{Body, Lane, Op, Relation, Value};
use super::parts::{Format, argument, arguments, constant, sum};

/// `f`, where it is the difference of these.
pub(super) fn fraction(body: &mut Body, lane: Lane, [m, one]: [Value; 2]) -> Option<Value> {
    let format = Format::of(body, lane)?;
    if constant(body, one)? != format.one {
        return None;
    }
    let (bits, carries) =
        whole_bits(body, format, lane, m).or_else(|| put_together(body, format, lane, m))?;
    let (m, reaches) =
        significand(body, format, lane, (scaled(body, format, lane, bits)?, carries));
    let [half, one, minus_one] =
        [format.half, format.one, format.minus_one].map(|bits| body.constant(bits, lane));
    let factor = body.add(Op::Select, lane, &[reaches, half, one]);
    Some(body.add(Op::MulAdd, lane, &[m, factor, minus_one]))
}

/// `bits - k 2^mantissa`: the bits, and what carries into their exponent.
fn whole_bits(body: &Body, format: &Format, lane: Lane, m: Value) -> Option<(Value, u64)> {
    let [bits, power] = arguments(body, Op::Sub, m)?;
    let k = argument(body, Op::ShiftLeft(format.mantissa), power)?;
    let (shifted, less) = sum(body, lane.bits(), k)?;
    let carried = exponent_bits(body, format, lane, shifted)?;
    let is_it = carried.0 == bits && less == format.bias.wrapping_neg() & format.bits;
    is_it.then_some(carried)
}

/// The mantissa with what carries, and `t / 2` in front of it: the bits, and what carries.
fn put_together(body: &Body, format: &Format, lane: Lane, m: Value) -> Option<(Value, u64)> {
    let (mantissa, least) = sum(body, lane.bits(), m)?;
    let [shifted, mask] = arguments(body, Op::And, mantissa)?;
    let (bits, carries) = sum(body, lane.bits(), shifted)?;
    let is_it = constant(body, mask)? == (1 << format.mantissa) - 1
        && least == format.one.wrapping_sub(carries);
    is_it.then_some((bits, carries))
}

/// `k` as a number, where it is the sum or the difference of these.
pub(super) fn exponent(
    body: &mut Body,
    (op, lane): (Op, Lane),
    [k, shift]: [Value; 2],
) -> Option<Value> {
    let format = Format::of(body, lane)?;
    // A small integer in the low bits of `round`, less `round`.
    let [whole, round] = arguments(body, Op::Sub, k)?;
    let (shifted, offset) = sum(body, lane.bits(), whole)?;
    let (bits, carries) = exponent_bits(body, format, lane, shifted)?;
    let number = scaled(body, format, lane, bits)?;
    let [denormal, doublings, zero] = arguments(body, Op::Select, shift)?;
    let doublings = constant(body, doublings)?;
    let doublings = format.number(doublings);
    let taken = if op == Op::Sub { doublings } else { -doublings };
    let is_it = constant(body, round)? == format.round
        && offset == format.round - format.bias
        && (denormal, constant(body, zero)?) == (number.denormal, 0)
        && taken == number.doublings as f64;
    if !is_it {
        return None;
    }
    let (_, reaches) = significand(body, format, lane, (number, carries));
    let exponent = body.add(Op::Exponent, lane, &[number.x]);
    let [one, zero] = [format.one, 0].map(|bits| body.constant(bits, lane));
    let more = body.add(Op::Select, lane, &[reaches, one, zero]);
    Some(body.add(Op::Add, lane, &[exponent, more]))
}

/// `bits` and what is added to them, of which this is the exponent.
fn exponent_bits(body: &Body, format: &Format, lane: Lane, shifted: Value) -> Option<(Value, u64)> {
    sum(body, lane.bits(), argument(body, Op::ShiftRight(format.mantissa), shifted)?)
}

/// A number, and by how many powers of two it is scaled up where it is denormal.
#[derive(Clone, Copy)]
struct Scaled {
    x: Value,
    denormal: Value,
    doublings: u64,
}

/// `x < least ? x 2^s : x`.
fn scaled(body: &Body, format: &Format, lane: Lane, value: Value) -> Option<Scaled> {
    let [denormal, product, x] = arguments(body, Op::Select, value)?;
    let [multiplied, scale] = arguments(body, Op::Mul, product)?;
    let [compared, least] = arguments(body, Op::Compare(Relation::Less, lane), denormal)?;
    let scale = constant(body, scale)?;
    let doublings = (scale >> format.mantissa).checked_sub(format.bias)?;
    let is_power = scale & ((1 << format.mantissa) - 1) == 0 && doublings < format.bias;
    let is_it = (multiplied, compared) == (x, x) && constant(body, least)? == format.normal;
    (is_power && is_it).then_some(Scaled { x, denormal, doublings })
}

/// `m`, and whether it is `t` or more, which is where bits carry that this is added to.
fn significand(
    body: &mut Body,
    format: &Format,
    lane: Lane,
    (number, carries): (Scaled, u64),
) -> (Value, Value) {
    let m = body.add(Op::Significand, lane, &[number.x]);
    let t = (format.one + (1 << format.mantissa)).wrapping_sub(carries) & format.bits;
    let t = body.constant(t, lane);
    (m, body.add(Op::Compare(Relation::LessEqual, lane), Lane::Mask, &[t, m]))
}

/// `y`, the logarithm of `x` if that is positive and finite, else what it is, where this chooses between them.
pub(super) fn special(body: &mut Body, lane: Lane, [less, y, x]: [Value; 3]) -> Option<Value> {
    let format = Format::of(body, lane)?;
    let is_below = |body: &Body, mask: Value, relation: Relation, bound: u64| {
        let [compared, with] = arguments(body, Op::Compare(relation, lane), mask)?;
        (compared == x && constant(body, with)? == bound).then_some(())
    };
    is_below(body, less, Relation::Less, format.infinity)?;
    let [zero, lowest, y] = arguments(body, Op::Select, y)?;
    is_below(body, zero, Relation::Equal, 0)?;
    let [negative, none, y] = arguments(body, Op::Select, y)?;
    is_below(body, negative, Relation::Less, 0)?;
    // The signs, and of what is no number the highest bit.
    let sign = format.bits & !(format.bits >> 1);
    let quiet = 1 << (format.mantissa - 1);
    let values = [constant(body, lowest)?, constant(body, none)?];
    if values != [sign | format.infinity, sign | format.infinity | quiet] {
        return None;
    }
    let table = body.constant(SPECIAL, lane.bits());
    Some(body.add(Op::Special, lane, &[y, x, table]))
}

/// The table of [`special`], four bits for each kind of `x`, from the lowest on: what is no number, quiet and signalling, gives
/// itself, zero -inf, one `y`, -inf what is no number, inf itself, negative numbers what is no number, positive ones `y`.
const SPECIAL: u64 = {
    let (y, x, none, lowest) = (0, 1, 3, 4);
    let kinds = [x, x, lowest, y, none, x, none, y];
    let (mut table, mut kind) = (0, 0);
    while kind < kinds.len() {
        table |= kinds[kind] << (4 * kind);
        kind += 1;
    }
    table
};
