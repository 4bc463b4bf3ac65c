//! Questions whose answer is a bit per lane.

use super::float::{flushed, single};
use super::integer::signed;
use super::lanes::{Lanes, holds2};
use crate::ptx::code::{
    Comparison, Condition, Junction, Number, Predicate, Property, Register, Relation,
};

/// The lanes in which a comparison holds.
#[inline(always)]
pub fn compare(
    registers: &[Lanes],
    comparison: Comparison,
    number: Number,
    from: [Register; 2],
) -> u32 {
    match number {
        Number::Unsigned(_) => ordered(registers, comparison.relation, from, |a| a),
        Number::Signed(width) => {
            ordered(registers, comparison.relation, from, |a| signed(a, width))
        }
        Number::Single { flush: false } => floats(registers, comparison, from, single),
        Number::Single { flush: true } => {
            floats(registers, comparison, from, |a| flushed(single(a)))
        }
        Number::Double => floats(registers, comparison, from, f64::from_bits),
    }
}

#[inline(always)]
fn ordered<T: PartialOrd>(
    r: &[Lanes],
    relation: Relation,
    from: [Register; 2],
    of: impl Fn(u64) -> T,
) -> u32 {
    match relation {
        Relation::Equal => holds2(r, from, |a, b| of(a) == of(b)),
        Relation::NotEqual => holds2(r, from, |a, b| of(a) != of(b)),
        Relation::Less => holds2(r, from, |a, b| of(a) < of(b)),
        Relation::LessEqual => holds2(r, from, |a, b| of(a) <= of(b)),
        Relation::Greater => holds2(r, from, |a, b| of(a) > of(b)),
        Relation::GreaterEqual => holds2(r, from, |a, b| of(a) >= of(b)),
        Relation::Numbers | Relation::Nan => 0,
    }
}

#[inline(always)]
fn floats<T: PartialOrd>(
    r: &[Lanes],
    comparison: Comparison,
    from: [Register; 2],
    of: impl Fn(u64) -> T,
) -> u32 {
    let nan = || holds2(r, from, |a, b| of(a) != of(a) || of(b) != of(b));
    let holds = match comparison.relation {
        Relation::Nan => 0,
        Relation::Numbers => !nan(),
        Relation::NotEqual => holds2(r, from, |a, b| of(a) != of(b)) & !nan(),
        relation => ordered(r, relation, from, &of),
    };
    if comparison.unordered { holds | nan() } else { holds }
}

/// The lanes in which a float has a property.
pub fn test(registers: &[Lanes], property: Property, number: Number, from: Register) -> u32 {
    let holds = |bits: u64| {
        let class = match number {
            Number::Double => f64::from_bits(bits).classify(),
            _ => single(bits).classify(),
        };
        use std::num::FpCategory;
        match property {
            Property::Finite => !matches!(class, FpCategory::Infinite | FpCategory::Nan),
            Property::Infinite => class == FpCategory::Infinite,
            Property::Number => class != FpCategory::Nan,
            Property::NotANumber => class == FpCategory::Nan,
            Property::Normal => class == FpCategory::Normal,
            Property::Subnormal => class == FpCategory::Subnormal,
        }
    };
    holds2(registers, [from, from], |a, _| holds(a))
}

/// The lanes in which a condition holds.
#[inline(always)]
pub fn condition(predicates: &[u32], condition: Condition) -> u32 {
    let value = predicates[usize::from(condition.predicate)];
    if condition.negated { !value } else { value }
}

/// Two answers joined.
#[inline(always)]
pub fn join(junction: Junction, a: u32, b: u32) -> u32 {
    match junction {
        Junction::And => a & b,
        Junction::Or => a | b,
        Junction::Xor => a ^ b,
    }
}

/// Sets a predicate in the lanes of a mask.
#[inline(always)]
pub fn assign(predicates: &mut [u32], to: Predicate, lanes: u32, value: u32) {
    let slot = &mut predicates[usize::from(to)];
    *slot = (*slot & !lanes) | (value & lanes);
}
