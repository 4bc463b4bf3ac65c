//! NumPy's SeedSequence: from a seed to the first state of a generator.

/// Spreads entropy over a pool of four words (after O'Neill's seed_seq).
pub(super) struct SeedSequence {
    pool: [u32; 4],
}

const INIT_A: u32 = 0x43b0d7e5;
const MULTIPLY_A: u32 = 0x931e8875;
const INIT_B: u32 = 0x8b51f9dd;
const MULTIPLY_B: u32 = 0x58f38ded;
const MIX_LEFT: u32 = 0xca01f9dd;
const MIX_RIGHT: u32 = 0x4973f715;

impl SeedSequence {
    /// As `numpy.random.SeedSequence(seed)`: two words of entropy, low first.
    pub fn new(seed: u64) -> SeedSequence {
        let mut constant = INIT_A;
        let mut hash = |word: u32| {
            let word = word ^ constant;
            constant = constant.wrapping_mul(MULTIPLY_A);
            let word = word.wrapping_mul(constant);
            word ^ word >> 16
        };
        let mut pool = [seed as u32, (seed >> 32) as u32, 0, 0].map(&mut hash);
        for from in 0..4 {
            for to in (0..4).filter(|&to| to != from) {
                let right = MIX_RIGHT.wrapping_mul(hash(pool[from]));
                let mixed = MIX_LEFT.wrapping_mul(pool[to]).wrapping_sub(right);
                pool[to] = mixed ^ mixed >> 16;
            }
        }
        SeedSequence { pool }
    }

    /// Words of 64 bits, each from two of 32, low half first.
    pub fn generate<const N: usize>(&self) -> [u64; N] {
        let mut constant = INIT_B;
        let mut words = self.pool.iter().cycle().map(|&word| {
            let word = word ^ constant;
            constant = constant.wrapping_mul(MULTIPLY_B);
            let word = word.wrapping_mul(constant);
            (word ^ word >> 16) as u64
        });
        let mut next = || words.next().unwrap_or(0);
        std::array::from_fn(|_| {
            let low = next();
            next() << 32 | low
        })
    }
}
