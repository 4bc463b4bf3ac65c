//! Division of integers, which has no instruction: through floats, or by what takes the place of a divisor that all elements have.

use super::super::lane::{Body, Divisor, Lane, Op, Relation, Rounding, Value};
use super::operations::Operations;
use super::whole::upper_half_of_product;
use darray_core::{Compute, RealType};

/// Integers of 64 bits.
const WIDE: RealType = Compute::I64.dtype();

/// A floored division; both are 0 where the divisor is.
pub(super) struct Division {
    pub quotient: Value,
    /// With the sign of the divisor.
    pub rest: Value,
}

/// `floor(a / b)` and what is left.
pub(super) fn floored(ops: &mut Operations<'_>, a: Value, b: Value) -> Division {
    if let Some(pointer) = shared_by_all(ops, b) {
        let found = match ops.lane {
            lane @ (Lane::I64 | Lane::U64) => wide_by(ops.body, lane, (a, b), pointer.0),
            _ => narrow_by(ops, Rounding::Down, a, (b, pointer)),
        };
        return without_divisor_zero(ops, b, found);
    }
    let (zero, one) = (ops.number(0.0), ops.number(1.0));
    let none = ops.compare(Relation::Equal, b, zero);
    let divisor = ops.add(Op::Select, &[none, one, b]);
    let found = match ops.lane {
        Lane::I64 => wide(ops.body, a, divisor),
        Lane::U64 => halved(ops.body, a, divisor, |body, half| wide(body, half, divisor).quotient),
        _ => narrow(ops, Rounding::Down, a, divisor),
    };
    Division {
        quotient: ops.add(Op::Select, &[none, zero, found.quotient]),
        rest: ops.add(Op::Select, &[none, zero, found.rest]),
    }
}

/// What is left of the division rounded toward zero: it has the sign of `a`.
pub(super) fn truncated_rest(ops: &mut Operations<'_>, a: Value, b: Value) -> Value {
    if ops.lane == Lane::U64 {
        return floored(ops, a, b).rest;
    }
    if let Some(pointer) = shared_by_all(ops, b) {
        let found = match ops.lane {
            Lane::I64 => {
                let found = wide_by(ops.body, Lane::I64, (a, b), pointer.0);
                Division { rest: toward_zero(ops, found.rest, a, b), ..found }
            }
            _ => narrow_by(ops, Rounding::Zero, a, (b, pointer)),
        };
        return without_divisor_zero(ops, b, found).rest;
    }
    let (zero, one) = (ops.number(0.0), ops.number(1.0));
    let none = ops.compare(Relation::Equal, b, zero);
    let divisor = ops.add(Op::Select, &[none, one, b]);
    let rest = match ops.lane {
        Lane::I64 => {
            let Division { rest, .. } = wide(ops.body, a, divisor);
            toward_zero(ops, rest, a, divisor)
        }
        _ => narrow(ops, Rounding::Zero, a, divisor).rest,
    };
    ops.add(Op::Select, &[none, zero, rest])
}

/// The rest of a division rounded toward zero, from that of the floored one.
fn toward_zero(ops: &mut Operations<'_>, rest: Value, a: Value, divisor: Value) -> Value {
    let other = other_side(ops.body, rest, a);
    let moved = ops.add(Op::Sub, &[rest, divisor]);
    ops.add(Op::Select, &[other, moved, rest])
}

/// Without signs, by a division with signs, which half of the dividend has for sure: twice its quotient leaves less than two
/// divisors.
fn halved(
    body: &mut Body,
    a: Value,
    divisor: Value,
    divide: impl FnOnce(&mut Body, Value) -> Value,
) -> Division {
    const U: Lane = Lane::U64;
    let half = body.add(Op::ShiftRight(1), U, &[a]);
    let halves = divide(body, half);
    let quotient = body.add(Op::ShiftLeft(1), U, &[halves]);
    let product = body.add(Op::Mul, U, &[quotient, divisor]);
    let rest = body.add(Op::Sub, U, &[a, product]);
    without_sign(body, Division { quotient, rest }, a, divisor)
}

/// From a division with signs of what has none, which may leave one divisor too much: nothing is right where the divisor is negative to
/// it, and so contained once at most.
fn without_sign(body: &mut Body, found: Division, a: Value, divisor: Value) -> Division {
    const U: Lane = Lane::U64;
    let (zero, one) = (body.constant(0, U), body.constant(1, U));
    let large = body.add(Op::Compare(Relation::Less, Lane::I64), Lane::Mask, &[divisor, zero]);
    let quotient = body.add(Op::Select, U, &[large, zero, found.quotient]);
    let rest = body.add(Op::Select, U, &[large, a, found.rest]);
    let full = body.add(Op::Compare(Relation::GreaterEqual, U), Lane::Mask, &[rest, divisor]);
    let more = body.add(Op::Add, U, &[quotient, one]);
    let less = body.add(Op::Sub, U, &[rest, divisor]);
    Division {
        quotient: body.add(Op::Select, U, &[full, more, quotient]),
        rest: body.add(Op::Select, U, &[full, less, rest]),
    }
}

/// Quotient and rest, which are 0 where the divisor is.
fn without_divisor_zero(ops: &mut Operations<'_>, b: Value, found: Division) -> Division {
    let zero = ops.number(0.0);
    let none = ops.compare(Relation::Equal, b, zero);
    Division {
        quotient: ops.add(Op::Select, &[none, zero, found.quotient]),
        rest: ops.add(Op::Select, &[none, zero, found.rest]),
    }
}

/// The pointer of a divisor that all elements have.
fn shared_by_all(ops: &Operations<'_>, b: Value) -> Option<(u16, RealType)> {
    let Op::Uniform(pointer, dtype) = ops.body.nodes[b as usize].op else { return None };
    (dtype.is_integer() && Lane::of(dtype) == ops.lane).then_some((pointer, dtype))
}

/// The floats in which integers of up to 32 bits are divided: so much wider than the dividend that a quotient lies on the same side
/// of every whole number as the true one, whatever the divisor is.
fn lane_of_quotient(ops: &Operations<'_>, a: Value) -> Lane {
    if ops.bits(a) <= 16 { Lane::F32 } else { Lane::F64 }
}

/// Of integers up to 32 bits. `a + 1/2`, away from zero as the quotient is, divided by `b` lies on the same side of every whole
/// number as `a / b`, and not nearer to one than half of `1 / b`: by so little no product is wrong. Relatively that is `1 / (2 a + 1)`,
/// at least 2^-17 of dividends of 16 bits, and the errors of F32 are below 2^-22.
fn narrow_by(
    ops: &mut Operations<'_>,
    rounding: Rounding,
    a: Value,
    (divisor, (pointer, dtype)): (Value, (u16, RealType)),
) -> Division {
    let float = lane_of_quotient(ops, a);
    let (lane, body) = (ops.lane, &mut *ops.body);
    let wanted = if float == Lane::F32 { Divisor::Single } else { Divisor::Inverse };
    let inverse = body.add(Op::Divisor(pointer, dtype, wanted), wanted.lane(), &[]);
    let (bits, size) = (float.bits(), 8 * float.size());
    let constant = |body: &mut Body, value: f64| match float {
        Lane::F32 => body.constant((value as f32).to_bits().into(), float),
        _ => body.constant(value.to_bits(), float),
    };
    let dividend = body.add(Op::Convert(lane), float, &[a]);
    let half = constant(body, 0.5);
    let sign = body.constant(1 << (size - 1), bits);
    let more = body.add(Op::Mul, float, &[inverse, half]);
    let mut more = body.add(Op::AndNot, bits, &[sign, more]);
    if rounding == Rounding::Zero {
        let signs = body.add(Op::Xor, bits, &[dividend, inverse]);
        let own = body.add(Op::And, bits, &[signs, sign]);
        more = body.add(Op::Or, bits, &[more, own]);
    }
    let quotient = body.add(Op::MulAdd, float, &[dividend, inverse, more]);
    let whole = body.add(Op::Round(rounding), float, &[quotient]);
    // The least integer divided by -1 is beyond the range, and so becomes itself.
    let quotient = body.add(Op::Convert(float), lane, &[whole]);
    let product = body.add(Op::Mul, lane, &[quotient, divisor]);
    Division { quotient, rest: body.add(Op::Sub, lane, &[a, product]) }
}

/// Of 64 bits, with a sign or without.
fn wide_by(body: &mut Body, lane: Lane, (a, divisor): (Value, Value), pointer: u16) -> Division {
    // AVX2 converts no integers of 64 bits.
    match (body.has_avx512, lane) {
        (true, Lane::U64) => {
            let found = wide_by_inverse(body, lane, (a, divisor), pointer);
            without_sign(body, found, a, divisor)
        }
        (true, _) => wide_by_inverse(body, lane, (a, divisor), pointer),
        (false, Lane::U64) => {
            halved(body, a, divisor, |body, half| by_multiplier(body, half, pointer))
        }
        (false, _) => wide_by_multiplier(body, a, divisor, pointer),
    }
}

/// A product is not smaller than the quotient of the dividend and larger by less than 2^-49 of it. So the first one
/// leaves a rest of less than the divisor on the side of the dividend, or of some thousand divisors on the other side; the second
/// one a rest of less than the divisor, on either side. Of dividends near 2^63 by 1 or -1 the first one becomes -2^63, which
/// wraps as it should. A dividend without a sign leaves a rest with one, by a divisor that has one.
fn wide_by_inverse(
    body: &mut Body,
    lane: Lane,
    (a, divisor): (Value, Value),
    pointer: u16,
) -> Division {
    const I: Lane = Lane::I64;
    let inverse = body.add(Op::Divisor(pointer, WIDE, Divisor::Inverse), Lane::F64, &[]);
    let step = |body: &mut Body, lane: Lane, a: Value| {
        let dividend = body.add(Op::Convert(lane), Lane::F64, &[a]);
        let quotient = body.add(Op::Mul, Lane::F64, &[dividend, inverse]);
        let quotient = body.add(Op::Convert(Lane::F64), lane, &[quotient]);
        let product = body.add(Op::Mul, I, &[quotient, divisor]);
        (quotient, body.add(Op::Sub, I, &[a, product]))
    };
    let (first, rest) = step(body, lane, a);
    let (second, rest) = step(body, I, rest);
    let quotient = body.add(Op::Add, I, &[first, second]);
    on_side_of_divisor(body, quotient, rest, divisor)
}

/// By the upper half of a product. With `x` the dividend with the sign that it has by the size of the divisor, the floored quotient is
/// that of `n = x`, or `-1` less that of `n = -1 - x` where `x` is negative; `n` is at most `2^63`.
fn wide_by_multiplier(body: &mut Body, a: Value, divisor: Value, pointer: u16) -> Division {
    const I: Lane = Lane::I64;
    let [zero, ones] = [0, u64::MAX].map(|bits| body.constant(bits, I));
    let negative = |body: &mut Body, a: Value, b: Value| {
        let less = body.add(Op::Compare(Relation::Less, I), Lane::Mask, &[a, b]);
        body.add(Op::Select, I, &[less, ones, zero])
    };
    // Signs as -1 or 0: `a ^ sign - sign` changes that of `a`.
    let sign = negative(body, divisor, zero);
    let flipped = body.add(Op::Xor, I, &[a, sign]);
    let x = body.add(Op::Sub, I, &[flipped, sign]);
    let below = negative(body, flipped, sign);
    let n = body.add(Op::Xor, I, &[x, below]);
    let quotient = by_multiplier(body, n, pointer);
    let quotient = body.add(Op::Xor, I, &[quotient, below]);
    let product = body.add(Op::Mul, I, &[quotient, divisor]);
    Division { quotient, rest: body.add(Op::Sub, I, &[a, product]) }
}

/// The quotient of `n` up to `2^63`, which has 64 bits, by the size `d` of the divisor. `m d` is `2^(64 + s)` and less than
/// `d <= 2^(s + 1)` more, so `n m / 2^(64 + s)` is larger than `n / d` by less than `1 / d`: there is no whole number between. A divisor
/// of size 1 would be shifted by -1: its quotient is `n`.
fn by_multiplier(body: &mut Body, n: Value, pointer: u16) -> Value {
    const I: Lane = Lane::I64;
    let [multiplier, shift] = [Divisor::Multiplier, Divisor::Shift]
        .map(|wanted| body.add(Op::Divisor(pointer, WIDE, wanted), I, &[]));
    let zero = body.constant(0, I);
    let whole = upper_half_of_product(body, n, multiplier);
    let quotient = body.add(Op::ShiftDownBy, I, &[whole, shift]);
    let itself = body.add(Op::Compare(Relation::Equal, I), Lane::Mask, &[multiplier, zero]);
    body.add(Op::Select, I, &[itself, n, quotient])
}

/// The floored division from one whose rest is less than the divisor, on either side.
fn on_side_of_divisor(body: &mut Body, quotient: Value, rest: Value, divisor: Value) -> Division {
    const I: Lane = Lane::I64;
    let one = body.constant(1, I);
    let other = other_side(body, rest, divisor);
    let moved = body.add(Op::Add, I, &[rest, divisor]);
    let less = body.add(Op::Sub, I, &[quotient, one]);
    Division {
        quotient: body.add(Op::Select, I, &[other, less, quotient]),
        rest: body.add(Op::Select, I, &[other, moved, rest]),
    }
}

/// Of integers up to 32 bits: in floats so much wider that the rounded quotient lies on the same side of every
/// whole number as the true one.
fn narrow(ops: &mut Operations<'_>, rounding: Rounding, a: Value, divisor: Value) -> Division {
    let float = lane_of_quotient(ops, a);
    let (lane, body) = (ops.lane, &mut *ops.body);
    let [dividend, by] = [a, divisor].map(|value| body.add(Op::Convert(lane), float, &[value]));
    let quotient = body.add(Op::Div, float, &[dividend, by]);
    let whole = body.add(Op::Round(rounding), float, &[quotient]);
    // The least integer divided by -1 is beyond the range, and so becomes itself.
    let quotient = body.add(Op::Convert(float), lane, &[whole]);
    let product = body.add(Op::Mul, lane, &[quotient, divisor]);
    Division { quotient, rest: body.add(Op::Sub, lane, &[a, product]) }
}

/// Of 64 bits. The quotient of the rounded numbers leaves a rest of at most some thousand divisors, or a little
/// more than one; a second one leaves a little more than one, which is put on the side of the divisor.
/// Everything wraps as it should: the first quotient of the largest numbers is 2^63, as -2^63.
fn wide(body: &mut Body, a: Value, divisor: Value) -> Division {
    const I: Lane = Lane::I64;
    let float = |body: &mut Body, value: Value| body.add(Op::Convert(I), Lane::F64, &[value]);
    let by = float(body, divisor);
    let step = |body: &mut Body, a: Value| {
        let dividend = float(body, a);
        let quotient = body.add(Op::Div, Lane::F64, &[dividend, by]);
        let quotient = body.add(Op::Convert(Lane::F64), I, &[quotient]);
        let product = body.add(Op::Mul, I, &[quotient, divisor]);
        (quotient, body.add(Op::Sub, I, &[a, product]))
    };
    let (first, rest) = step(body, a);
    let (second, rest) = step(body, rest);
    let quotient = body.add(Op::Add, I, &[first, second]);
    let (zero, one) = (body.constant(0, I), body.constant(1, I));
    let Division { quotient, rest } = on_side_of_divisor(body, quotient, rest, divisor);
    // A whole divisor may be left.
    let moved = body.add(Op::Sub, I, &[rest, divisor]);
    let compare = |body: &mut Body, relation: Relation, a: Value, b: Value| {
        body.add(Op::Compare(relation, I), Lane::Mask, &[a, b])
    };
    let negative = compare(body, Relation::Less, divisor, zero);
    let below = compare(body, Relation::LessEqual, rest, divisor);
    let above = compare(body, Relation::GreaterEqual, rest, divisor);
    let full = body.add(Op::Select, Lane::Mask, &[negative, below, above]);
    let more = body.add(Op::Add, I, &[quotient, one]);
    Division {
        quotient: body.add(Op::Select, I, &[full, more, quotient]),
        rest: body.add(Op::Select, I, &[full, moved, rest]),
    }
}

/// Whether a rest is not zero and has another sign than `b`.
fn other_side(body: &mut Body, rest: Value, b: Value) -> Value {
    const I: Lane = Lane::I64;
    let zero = body.constant(0, I);
    let signs = body.add(Op::Xor, I, &[rest, b]);
    let differ = body.add(Op::Compare(Relation::Less, I), Lane::Mask, &[signs, zero]);
    let none = body.add(Op::Compare(Relation::Equal, I), Lane::Mask, &[rest, zero]);
    let some = body.add(Op::Not, Lane::Mask, &[none]);
    body.add(Op::And, Lane::Mask, &[differ, some])
}

#[cfg(test)]
mod tests {
    use super::super::lower;
    use super::Op;
    use crate::jit::Target;
    use crate::jit::run::{Place, Run, Traffic};
    use darray_codegen::{Instruction, Primitive, Slot};
    use darray_core::RealType;
    use darray_kernel::operator::Operator;

    #[test]
    fn nothing_is_divided_for_an_element_by_what_all_share() {
        let operators = [Operator::FloorDivide, Operator::Rem, Operator::Fmod];
        for (dtype, operator) in [RealType::I32, RealType::I64, RealType::U64]
            .into_iter()
            .flat_map(|dtype| operators.map(|operator| (dtype, operator)))
        {
            for uniform in [0, 2] {
                let instructions = [Instruction::Compute {
                    primitive: Primitive::Apply(operator),
                    dtype,
                    args: [0, 1].map(Slot::Access).into_iter().collect(),
                    uniform,
                    out: Slot::Access(2),
                }];
                let run = Run {
                    instructions: &instructions,
                    pointer: &|place| match place {
                        Place::Slot(Slot::Access(access)) => access,
                        _ => unreachable!("accesses alone"),
                    },
                    accesses: 0..3,
                    is_live: &|_| false,
                    traffic: Traffic::default(),
                };
                let wide = dtype.size() == 8;
                for target in [Target::Avx512, Target::Avx2] {
                    let nodes = lower(&run, target).used();
                    let count = |is: fn(&Op) -> bool| nodes.iter().filter(|n| is(&n.op)).count();
                    let divisions = count(|op| *op == Op::Div);
                    let made = count(|op| matches!(op, Op::Divisor(..)));
                    let expected = match (uniform, target) {
                        (0, _) => (1 + usize::from(wide), 0),
                        // A multiplier and a shift.
                        (_, Target::Avx2) if wide => (0, 2),
                        _ => (0, 1),
                    };
                    assert_eq!((divisions, made), expected, "{operator} {dtype} {uniform}");
                }
            }
        }
    }
}
