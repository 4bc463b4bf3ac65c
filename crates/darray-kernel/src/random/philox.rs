//! Philox4x64-10 (Salmon et al. 2011): four numbers are a keyed bijection of a counter.

use super::seed_sequence::SeedSequence;

/// A Philox stream: block `b` of four numbers is the bijection of the counter `b + 1`, as NumPy
/// counts.
///
/// ```
/// use darray_kernel::random::{Philox, unit_f64};
/// // numpy.random.Generator(numpy.random.Philox(0)).random(2)
/// let stream = Philox::from_seed(0);
/// assert_eq!(unit_f64(stream.number(0)), 0.014067035665647709);
/// assert_eq!(unit_f64(stream.number(1)), 0.2577672456246177);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Philox {
    key: [u64; 2],
    /// The upper half of the counter.
    upper: [u64; 2],
}

const ROUNDS: usize = 10;
/// Multipliers of the words 0 and 2.
const MULTIPLIERS: [u64; 2] = [0xd2e7470ee14c6c93, 0xca5a826395121157];
/// What the key grows by in each round: the fractions of the golden ratio and of the root of 3.
const WEYL: [u64; 2] = [0x9e3779b97f4a7c15, 0xbb67ae8584caa73b];

impl Philox {
    /// The stream of `numpy.random.Philox(seed)`.
    pub fn from_seed(seed: u64) -> Philox {
        Philox { key: SeedSequence::new(seed).generate(), upper: [0, 0] }
    }

    /// From its [`key`](Self::key).
    pub fn from_key(key: [i64; 4]) -> Philox {
        let [a, b, c, d] = key.map(|word| word as u64);
        Philox { key: [a, b], upper: [c, d] }
    }

    /// The two words of the key, then the upper two of the counter.
    pub fn key(self) -> [i64; 4] {
        let ([a, b], [c, d]) = (self.key, self.upper);
        [a, b, c, d].map(|word| word as i64)
    }

    /// Number `n` of the stream.
    #[inline(always)]
    pub fn number(self, n: u64) -> u64 {
        self.block(n / 4)[(n % 4) as usize]
    }

    /// Numbers `first, first + step, ..`.
    pub fn fill(self, first: u64, step: u64, out: &mut [u64]) {
        if step != 1 {
            for (k, number) in out.iter_mut().enumerate() {
                *number = self.number(first.wrapping_add(step.wrapping_mul(k as u64)));
            }
            return;
        }
        let before = (first.wrapping_neg() % 4) as usize;
        let (head, blocks) = out.split_at_mut(before.min(out.len()));
        for (k, number) in head.iter_mut().enumerate() {
            *number = self.number(first.wrapping_add(k as u64));
        }
        let block = first.wrapping_add(before as u64) / 4;
        for (k, numbers) in blocks.chunks_mut(4).enumerate() {
            let four = self.block(block.wrapping_add(k as u64));
            numbers.copy_from_slice(&four[..numbers.len()]);
        }
    }

    /// Numbers `4 b .. 4 b + 4`.
    #[inline(always)]
    fn block(self, b: u64) -> [u64; 4] {
        let mut words = [b.wrapping_add(1), 0, self.upper[0], self.upper[1]];
        let mut key = self.key;
        for _ in 0..ROUNDS {
            let product = |word: u64, k: usize| word as u128 * MULTIPLIERS[k] as u128;
            let (first, second) = (product(words[0], 0), product(words[2], 1));
            words = [
                (second >> 64) as u64 ^ words[1] ^ key[0],
                second as u64,
                (first >> 64) as u64 ^ words[3] ^ key[1],
                first as u64,
            ];
            key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
        }
        words
    }
}
