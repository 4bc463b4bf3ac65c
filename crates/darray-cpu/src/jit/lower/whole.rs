//! Operators of integers that are made of several operations.

use super::super::lane::{Body, Lane, Op, Relation, Value};
use super::operations::Operations;
use darray_kernel::operator::Operator;

/// `a^b`: a product of squares, as many as the bits that exponents up to 63 have. The table does the rest.
pub(super) fn power(ops: &mut Operations<'_>, a: Value, b: Value) -> Value {
    let (zero, one) = (ops.number(0.0), ops.number(1.0));
    let (mut product, mut square) = (one, a);
    // Exponents from 64 on are rare: a patch has them.
    for k in 0..6 {
        let bit = ops.number(f64::from(1 << k));
        let bit = ops.add(Op::And, &[b, bit]);
        let skipped = ops.compare(Relation::Equal, bit, zero);
        let multiplied = ops.add(Op::Mul, &[product, square]);
        product = ops.add(Op::Select, &[skipped, product, multiplied]);
        square = ops.add(Op::Mul, &[square, square]);
    }
    let value = match ops.lane {
        Lane::U64 => product,
        _ => with_negative_exponents(ops, a, b, product),
    };
    let most = ops.number(63.0);
    let far = ops.compare(Relation::Less, most, b);
    ops.add(Op::Patch(Operator::Power, ops.dtype), &[far, value, a, b])
}

/// `a^b` from that of exponents which are not negative. Of others 0^b is the least value, (+-1)^b goes on, all others vanish.
fn with_negative_exponents(ops: &mut Operations<'_>, a: Value, b: Value, power: Value) -> Value {
    let (zero, one) = (ops.number(0.0), ops.number(1.0));
    let negative = ops.compare(Relation::Less, b, zero);
    let size_one = is_unit(ops, a);
    let odd = ops.add(Op::And, &[b, one]);
    let even = ops.compare(Relation::Equal, odd, zero);
    let unit = ops.add(Op::Select, &[even, one, a]);
    let inverse = ops.add(Op::Select, &[size_one, unit, zero]);
    let base_is_zero = ops.compare(Relation::Equal, a, zero);
    let least = ops.number(f64::NEG_INFINITY);
    let inverse = ops.add(Op::Select, &[base_is_zero, least, inverse]);
    ops.add(Op::Select, &[negative, inverse, power])
}

/// `1 / a` toward zero, the least value for 0.
pub(super) fn reciprocal(ops: &mut Operations<'_>, a: Value) -> Value {
    let zero = ops.number(0.0);
    let unit = is_unit(ops, a);
    let value = ops.add(Op::Select, &[unit, a, zero]);
    let none = ops.compare(Relation::Equal, a, zero);
    let least = ops.number(f64::NEG_INFINITY);
    ops.add(Op::Select, &[none, least, value])
}

/// Whether it is 1 or -1.
fn is_unit(ops: &mut Operations<'_>, a: Value) -> Value {
    let (one, minus) = (ops.number(1.0), ops.number(-1.0));
    let above = ops.compare(Relation::Equal, a, one);
    let below = ops.compare(Relation::Equal, a, minus);
    ops.body.add(Op::Or, Lane::Mask, &[above, below])
}

/// The upper 64 bits of the product of 128 bits, of products of halves. No sum of them has more than 64 bits.
pub(super) fn upper_half_of_product(body: &mut Body, a: Value, b: Value) -> Value {
    const I: Lane = Lane::I64;
    let upper = |body: &mut Body, value: Value| body.add(Op::ShiftRight(32), I, &[value]);
    let product = |body: &mut Body, a: Value, b: Value| body.add(Op::MulHalves, I, &[a, b]);
    let add = |body: &mut Body, a: Value, b: Value| body.add(Op::Add, I, &[a, b]);
    let (a_high, b_high) = (upper(body, a), upper(body, b));
    let lowest = product(body, a, b);
    let carried = upper(body, lowest);
    let middle = product(body, a_high, b);
    let middle = add(body, middle, carried);
    let half = body.constant(0xffff_ffff, I);
    let lower = body.add(Op::And, I, &[middle, half]);
    let other = product(body, a, b_high);
    let other = add(body, other, lower);
    let highest = product(body, a_high, b_high);
    let [middle, other] = [middle, other].map(|sum| upper(body, sum));
    let sum = add(body, highest, middle);
    add(body, sum, other)
}
