//! What numbers consist of, and what operations are of: for the places where steps of functions become one operation.

use super::super::lane::{Body, Lane, Op, Value};

/// What is known of a format.
pub(super) struct Format {
    pub mantissa: u8,
    pub bias: u64,
    pub one: u64,
    pub half: u64,
    pub minus_one: u64,
    /// The least normal number, and what is infinite.
    pub normal: u64,
    pub infinity: u64,
    /// `1.5 2^mantissa`.
    pub round: u64,
    /// All bits.
    pub bits: u64,
}

const F64: Format = Format {
    mantissa: 52,
    bias: 1023,
    one: 1f64.to_bits(),
    half: 0.5f64.to_bits(),
    minus_one: (-1f64).to_bits(),
    normal: f64::MIN_POSITIVE.to_bits(),
    infinity: f64::INFINITY.to_bits(),
    round: 6755399441055744f64.to_bits(),
    bits: u64::MAX,
};

const F32: Format = Format {
    mantissa: 23,
    bias: 127,
    one: 1f32.to_bits() as u64,
    half: 0.5f32.to_bits() as u64,
    minus_one: (-1f32).to_bits() as u64,
    normal: f32::MIN_POSITIVE.to_bits() as u64,
    infinity: f32::INFINITY.to_bits() as u64,
    round: 12582912f32.to_bits() as u64,
    bits: u32::MAX as u64,
};

impl Format {
    /// That of a lane, where the operations of AVX-512 are to be had.
    pub fn of(body: &Body, lane: Lane) -> Option<&'static Format> {
        match lane {
            _ if !body.has_avx512 => None,
            Lane::F64 => Some(&F64),
            Lane::F32 => Some(&F32),
            _ => None,
        }
    }

    /// The number of these bits.
    pub fn number(&self, bits: u64) -> f64 {
        if self.mantissa == F64.mantissa {
            f64::from_bits(bits)
        } else {
            f32::from_bits(bits as u32).into()
        }
    }
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
