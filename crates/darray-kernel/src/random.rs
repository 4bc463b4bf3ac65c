//! NumPy's default random stream: SeedSequence seeding and PCG64 (XSL-RR), bit by bit.
//!
//! The state is a 128-bit linear congruential generator `s -> M s + c`, so the `n`-th state is
//! reached in O(log n) multiplications (O'Neill 2014, section 4.3.1). A double is the top 53 bits of
//! the output over 2^53, as `Generator.random()` makes it.

/// Multiplier of the generator.
const MULTIPLIER: u128 = 0x2360ed051fc65da44385df649fccf645;

/// A position in a PCG64 stream.
///
/// ```
/// use darray_kernel::random::Pcg64;
/// // numpy.random.default_rng(42).random(2)
/// let mut stream = Pcg64::from_seed(42);
/// assert_eq!(stream.next_f64(), 0.7739560485559633);
/// assert_eq!(stream.next_f64(), 0.4388784397520523);
/// assert_eq!(Pcg64::from_seed(42).at(4999).next_f64(), 0.6152300505352921);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pcg64 {
    state: u128,
    increment: u128,
}

/// `n` steps at once: for streams of which every `n`-th number is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    multiply: u128,
    add: u128,
}

impl Pcg64 {
    /// The stream of `numpy.random.default_rng(seed)`, before its first number.
    pub fn from_seed(seed: u64) -> Pcg64 {
        let words = [seed as u32, (seed >> 32) as u32];
        let sequence = SeedSequence::new(if words[1] == 0 { &words[..1] } else { &words });
        let [state_high, state_low, stream_high, stream_low] = sequence.generate();
        let join = |high: u64, low: u64| (high as u128) << 64 | low as u128;
        let increment = join(stream_high, stream_low) << 1 | 1;
        let mut stream = Pcg64 { state: 0, increment };
        stream.step();
        stream.state = stream.state.wrapping_add(join(state_high, state_low));
        stream.step();
        stream
    }

    /// From the key of [`Op::Random`](crate::ir::Op::Random): state and increment, high words first.
    pub fn from_key(key: [i64; 4]) -> Pcg64 {
        let join = |high: i64, low: i64| (high as u64 as u128) << 64 | low as u64 as u128;
        Pcg64 { state: join(key[0], key[1]), increment: join(key[2], key[3]) }
    }

    /// The key of this position.
    pub fn key(self) -> [i64; 4] {
        let words = |v: u128| [(v >> 64) as i64, v as i64];
        let ([a, b], [c, d]) = (words(self.state), words(self.increment));
        [a, b, c, d]
    }

    /// The position `count` numbers later. O(log count).
    pub fn at(self, count: u64) -> Pcg64 {
        let mut stream = self;
        stream.jump(self.jump_by(count));
        stream
    }

    /// `count` steps of this stream as one.
    pub fn jump_by(self, count: u64) -> Jump {
        let mut all = Jump { multiply: 1, add: 0 };
        let mut power = Jump { multiply: MULTIPLIER, add: self.increment };
        let mut rest = count;
        while rest > 0 {
            if rest & 1 == 1 {
                all = all.then(power);
            }
            power = power.then(power);
            rest >>= 1;
        }
        all
    }

    /// Goes on by a jump.
    #[inline(always)]
    pub fn jump(&mut self, by: Jump) {
        self.state = by.multiply.wrapping_mul(self.state).wrapping_add(by.add);
    }

    /// The next number, uniform in [0, 1).
    #[inline(always)]
    pub fn next_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9007199254740992.0)
    }

    /// The next 64 bits.
    #[inline(always)]
    pub fn next_u64(&mut self) -> u64 {
        self.step();
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        folded.rotate_right((self.state >> 122) as u32)
    }

    #[inline(always)]
    fn step(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }
}

impl Jump {
    /// This jump, then another.
    fn then(self, next: Jump) -> Jump {
        Jump {
            multiply: self.multiply.wrapping_mul(next.multiply),
            add: next.multiply.wrapping_mul(self.add).wrapping_add(next.add),
        }
    }
}

/// NumPy's SeedSequence (after O'Neill's seed_seq): spreads entropy over a pool of four words.
struct SeedSequence {
    pool: [u32; 4],
}

const INIT_A: u32 = 0x43b0d7e5;
const MULTIPLY_A: u32 = 0x931e8875;
const INIT_B: u32 = 0x8b51f9dd;
const MULTIPLY_B: u32 = 0x58f38ded;
const MIX_LEFT: u32 = 0xca01f9dd;
const MIX_RIGHT: u32 = 0x4973f715;

impl SeedSequence {
    /// From at most four words of entropy.
    fn new(entropy: &[u32]) -> SeedSequence {
        let mut constant = INIT_A;
        let mut hash = |word: u32| {
            let word = word ^ constant;
            constant = constant.wrapping_mul(MULTIPLY_A);
            let word = word.wrapping_mul(constant);
            word ^ word >> 16
        };
        let mut pool: [u32; 4] =
            std::array::from_fn(|i| hash(entropy.get(i).copied().unwrap_or(0)));
        for from in 0..4 {
            for to in (0..4).filter(|&to| to != from) {
                let right = MIX_RIGHT.wrapping_mul(hash(pool[from]));
                let mixed = MIX_LEFT.wrapping_mul(pool[to]).wrapping_sub(right);
                pool[to] = mixed ^ mixed >> 16;
            }
        }
        SeedSequence { pool }
    }

    /// Four words of 64 bits, each from two of 32, low half first.
    fn generate(&self) -> [u64; 4] {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// `default_rng(seed).random(5000)[index]` of NumPy.
    const NUMPY: &[(u64, u64, f64)] = &[
        (0, 0, 0.6369616873214543),
        (0, 1, 0.2697867137638703),
        (0, 2, 0.04097352393619469),
        (0, 3, 0.016527635528529094),
        (0, 4, 0.8132702392002724),
        (0, 5, 0.9127555772777217),
        (0, 17, 0.5414612202490917),
        (0, 1023, 0.8418772404125445),
        (0, 4999, 0.947059339597845),
        (1, 0, 0.5118216247002567),
        (1, 1, 0.9504636963259353),
        (1, 2, 0.14415961271963373),
        (1, 3, 0.9486494471372439),
        (1, 4, 0.31183145201048545),
        (1, 5, 0.42332644897257565),
        (1, 17, 0.40311298644712923),
        (1, 1023, 0.3027069692435673),
        (1, 4999, 0.8616798220997797),
        (42, 0, 0.7739560485559633),
        (42, 1, 0.4388784397520523),
        (42, 2, 0.8585979199113825),
        (42, 3, 0.6973680290593639),
        (42, 4, 0.09417734788764953),
        (42, 5, 0.9756223516367559),
        (42, 17, 0.06381725610417532),
        (42, 1023, 0.5314138115972438),
        (42, 4999, 0.6152300505352921),
        (12345, 0, 0.22733602246716966),
        (12345, 1, 0.31675833970975287),
        (12345, 2, 0.7973654573327341),
        (12345, 3, 0.6762546707509746),
        (12345, 4, 0.391109550601909),
        (12345, 5, 0.33281392786638453),
        (12345, 17, 0.3264728640701121),
        (12345, 1023, 0.5889804505951576),
        (12345, 4999, 0.06778069177541524),
        (4294967295, 0, 0.2519435680449965),
        (4294967295, 1, 0.21906579628685663),
        (4294967295, 2, 0.28728472043517017),
        (4294967295, 3, 0.6189813025326831),
        (4294967295, 4, 0.9350122911173898),
        (4294967295, 5, 0.2959666797266718),
        (4294967295, 17, 0.1437912674709918),
        (4294967295, 1023, 0.8031669622426315),
        (4294967295, 4999, 0.8311916498162488),
        (1099511627783, 0, 0.829812891829413),
        (1099511627783, 1, 0.25530515834910417),
        (1099511627783, 2, 0.15379071585298754),
        (1099511627783, 3, 0.6745045458676086),
        (1099511627783, 4, 0.7388407191925654),
        (1099511627783, 5, 0.48999541650863676),
        (1099511627783, 17, 0.695867083919376),
        (1099511627783, 1023, 0.10702710329734222),
        (1099511627783, 4999, 0.9233153447078448),
    ];

    #[test]
    fn streams_are_those_of_numpy() {
        for &(seed, index, want) in NUMPY {
            assert_eq!(Pcg64::from_seed(seed).at(index).next_f64(), want, "{seed} {index}");
        }
    }

    #[test]
    fn jumps_are_steps() {
        let start = Pcg64::from_seed(7);
        let mut walked = start;
        for n in 0..300 {
            assert_eq!(start.at(n), walked);
            assert_eq!(Pcg64::from_key(walked.key()), walked);
            walked.next_u64();
        }
        let by = start.jump_by(13);
        let mut jumped = start;
        (0..5).for_each(|_| jumped.jump(by));
        assert_eq!(jumped, start.at(65));
        assert_eq!(start.at(u64::MAX).at(1).at(u64::MAX), start.at(u64::MAX).at(u64::MAX).at(1));
    }
}
