//! PCG64 (XSL-RR), the generator of NumPy's `default_rng`.
//!
//! The state is a 128-bit linear congruential generator `s -> M s + c`, so the `n`-th state is
//! reached in O(log n) multiplications (O'Neill 2014, section 4.3.1):
//! `s_n = M^n s + c (1 + M + .. + M^(n-1))`.

use super::seed_sequence::SeedSequence;

/// Multiplier of the generator.
const MULTIPLIER: u128 = 0x2360ed051fc65da44385df649fccf645;

/// A position in a PCG64 stream.
///
/// ```
/// use darray_kernel::random::{Pcg64, unit_f64};
/// // numpy.random.default_rng(42).random(2)
/// let mut stream = Pcg64::from_seed(42);
/// assert_eq!(unit_f64(stream.next_u64()), 0.7739560485559633);
/// assert_eq!(stream.next_f64(), 0.4388784397520523);
/// assert_eq!(Pcg64::from_seed(42).at(4999).next_f64(), 0.6152300505352921);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pcg64 {
    state: u128,
    increment: u128,
}

/// Several steps of any stream as one: the power of `M`, and by how much the increment is
/// multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Jump {
    power: u128,
    sum: u128,
}

/// Jumps of `2^i` steps.
static JUMPS: [Jump; 64] = {
    let mut jumps = [Jump { power: MULTIPLIER, sum: 1 }; 64];
    let mut i = 1;
    while i < 64 {
        jumps[i] = jumps[i - 1].then(jumps[i - 1]);
        i += 1;
    }
    jumps
};

/// Streams of an unrolled loop: products of one do not wait for those of another.
const UNROLLED: usize = 4;

impl Pcg64 {
    /// The stream of `numpy.random.default_rng(seed)`, before its first number.
    pub fn from_seed(seed: u64) -> Pcg64 {
        let [state_high, state_low, stream_high, stream_low] = SeedSequence::new(seed).generate();
        let join = |high: u64, low: u64| (high as u128) << 64 | low as u128;
        let increment = join(stream_high, stream_low) << 1 | 1;
        let mut stream = Pcg64 { state: 0, increment };
        stream.step();
        stream.state = stream.state.wrapping_add(join(state_high, state_low));
        stream.step();
        stream
    }

    /// From its [`key`](Self::key).
    pub fn from_key(key: [i64; 4]) -> Pcg64 {
        let join = |high: i64, low: i64| (high as u64 as u128) << 64 | low as u64 as u128;
        Pcg64 { state: join(key[0], key[1]), increment: join(key[2], key[3]) }
    }

    /// State and increment, high words first.
    pub fn key(self) -> [i64; 4] {
        let words = |v: u128| [(v >> 64) as i64, v as i64];
        let ([a, b], [c, d]) = (words(self.state), words(self.increment));
        [a, b, c, d]
    }

    /// The position `count` numbers later. A product for every bit of the count that is set.
    pub fn at(mut self, count: u64) -> Pcg64 {
        let mut rest = count;
        while rest != 0 {
            self.jump(JUMPS[rest.trailing_zeros() as usize]);
            rest &= rest - 1;
        }
        self
    }

    /// Numbers `first, first + step, ..`.
    pub fn fill(self, first: u64, step: u64, out: &mut [u64]) {
        let mut by = Jump::of(step);
        let mut lane = self.at(first).at(1);
        let mut states = [0; UNROLLED];
        for state in &mut states {
            *state = lane.state;
            lane.jump(by);
        }
        for _ in 0..UNROLLED.ilog2() {
            by = by.then(by);
        }
        let add = by.sum.wrapping_mul(self.increment);
        let mut draw = |numbers: &mut [u64]| {
            for (number, state) in numbers.iter_mut().zip(&mut states) {
                *number = output(*state);
                *state = by.power.wrapping_mul(*state).wrapping_add(add);
            }
        };
        let (chunks, rest) = out.as_chunks_mut::<UNROLLED>();
        chunks.iter_mut().for_each(|chunk| draw(chunk));
        draw(rest);
    }

    /// The next number, uniform in [0, 1).
    #[inline(always)]
    pub fn next_f64(&mut self) -> f64 {
        super::unit_f64(self.next_u64())
    }

    /// The next 64 bits.
    #[inline(always)]
    pub fn next_u64(&mut self) -> u64 {
        self.step();
        output(self.state)
    }

    #[inline(always)]
    fn step(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }

    #[inline(always)]
    fn jump(&mut self, by: Jump) {
        let add = by.sum.wrapping_mul(self.increment);
        self.state = by.power.wrapping_mul(self.state).wrapping_add(add);
    }
}

/// XSL-RR: the halves folded, rotated by the top six bits.
#[inline(always)]
fn output(state: u128) -> u64 {
    ((state >> 64) as u64 ^ state as u64).rotate_right((state >> 122) as u32)
}

impl Jump {
    /// `count` steps.
    fn of(count: u64) -> Jump {
        let mut all = Jump { power: 1, sum: 0 };
        let mut rest = count;
        while rest != 0 {
            all = all.then(JUMPS[rest.trailing_zeros() as usize]);
            rest &= rest - 1;
        }
        all
    }

    /// This jump, then another.
    const fn then(self, next: Jump) -> Jump {
        Jump {
            power: self.power.wrapping_mul(next.power),
            sum: next.power.wrapping_mul(self.sum).wrapping_add(next.sum),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_are_steps() {
        let start = Pcg64::from_seed(7);
        let mut walked = start;
        for n in 0..300 {
            assert_eq!(start.at(n), walked);
            assert_eq!(Pcg64::from_key(walked.key()), walked);
            walked.next_u64();
        }
        assert_eq!(start.at(u64::MAX).at(1).at(u64::MAX), start.at(u64::MAX).at(u64::MAX).at(1));
    }
}
