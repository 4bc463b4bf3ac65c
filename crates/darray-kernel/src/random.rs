//! Random streams: numbered draws of NumPy's generators, bit by bit.
//!
//! A [`Stream`] gives number `n` without those before it, so the elements of an array can be drawn in
//! any order and anywhere. [`draw`] is what [`Op::Random`](crate::ir::Op::Random) means.

mod pcg64;
mod philox;
mod seed_sequence;

use darray_core::{Compute, RealType, Scalar};
pub use pcg64::Pcg64;
pub use philox::Philox;
use std::fmt;

/// A source of random bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum BitGenerator {
    /// NumPy's default, see [`Pcg64`].
    Pcg64,
    /// Counter-based, see [`Philox`].
    Philox,
}

impl BitGenerator {
    /// Every generator.
    pub const ALL: [BitGenerator; 2] = [BitGenerator::Pcg64, BitGenerator::Philox];

    /// The name used in texts.
    pub const fn name(self) -> &'static str {
        match self {
            BitGenerator::Pcg64 => "pcg64",
            BitGenerator::Philox => "philox",
        }
    }

    /// The generator with this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<BitGenerator> {
        BitGenerator::ALL.into_iter().find(|g| g.name() == name)
    }

    /// The key of the stream that NumPy's generator has for a seed.
    ///
    /// ```
    /// use darray_kernel::random::{BitGenerator, Philox};
    /// assert_eq!(BitGenerator::Philox.key(3), Philox::from_seed(3).key());
    /// ```
    pub fn key(self, seed: u64) -> [i64; 4] {
        match self {
            BitGenerator::Pcg64 => Pcg64::from_seed(seed).key(),
            BitGenerator::Philox => Philox::from_seed(seed).key(),
        }
    }
}

impl fmt::Display for BitGenerator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The numbers of a generator with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Of PCG64.
    Pcg64(Pcg64),
    /// Of Philox.
    Philox(Philox),
}

impl Stream {
    /// The stream with this key: for PCG64 state and increment (high words first), for Philox its
    /// key and the upper half of its counter.
    pub fn new(generator: BitGenerator, key: [i64; 4]) -> Stream {
        match generator {
            BitGenerator::Pcg64 => Stream::Pcg64(Pcg64::from_key(key)),
            BitGenerator::Philox => Stream::Philox(Philox::from_key(key)),
        }
    }

    /// 64 bits: number `n` of the stream.
    ///
    /// ```
    /// use darray_kernel::random::{BitGenerator, Stream, unit_f64};
    /// // numpy.random.default_rng(42).random(2)
    /// let stream = Stream::new(BitGenerator::Pcg64, BitGenerator::Pcg64.key(42));
    /// assert_eq!(unit_f64(stream.number(1)), 0.4388784397520523);
    /// ```
    #[inline(always)]
    pub fn number(self, n: u64) -> u64 {
        match self {
            Stream::Pcg64(stream) => stream.at(n).next_u64(),
            Stream::Philox(stream) => stream.number(n),
        }
    }

    /// Numbers `first, first + step, ..`: faster than one by one. The last is below 2^64.
    pub fn fill(self, first: u64, step: u64, out: &mut [u64]) {
        match self {
            Stream::Pcg64(stream) => stream.fill(first, step, out),
            Stream::Philox(stream) => stream.fill(first, step, out),
        }
    }
}

/// Whether numbers of this type can be drawn: f64, f32 and i64.
pub const fn is_drawn(dtype: RealType) -> bool {
    matches!(dtype.as_compute(), Some(Compute::F64 | Compute::F32 | Compute::I64))
}

/// Draw `n` of a stream as this type:
///
/// - f64: the top 53 bits of number `n` over 2^53, NumPy's `random()`;
/// - f32: the top 24 bits of half `n` over 2^24, NumPy's `random(dtype=float32)`; numbers have two
///   halves, the low one first;
/// - i64: all bits of number `n`.
///
/// # Panics
///
/// If the type is another one, see [`is_drawn`].
pub fn draw(stream: Stream, dtype: RealType, n: u64) -> Scalar {
    match dtype.as_compute() {
        Some(Compute::F64) => unit_f64(stream.number(n)).into(),
        Some(Compute::F32) => unit_f32(half(stream.number(n / 2), n)).into(),
        Some(Compute::I64) => (stream.number(n) as i64).into(),
        _ => panic!("random numbers of type {dtype}"),
    }
}

/// The top 53 bits over 2^53: uniform in [0, 1).
#[inline(always)]
pub fn unit_f64(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / 9007199254740992.0)
}

/// The top 24 bits over 2^24: uniform in [0, 1).
#[inline(always)]
pub fn unit_f32(bits: u32) -> f32 {
    (bits >> 8) as f32 * (1.0 / 16777216.0)
}

/// The half of a number that half `n` of the stream is.
#[inline(always)]
pub fn half(number: u64, n: u64) -> u32 {
    (number >> (32 * (n & 1))) as u32
}

#[cfg(test)]
mod tests;
