//! PCG64 (XSL-RR 128/64, O'Neill 2014) as NumPy's `default_rng` draws doubles from it.

/// Multiplier of the 128-bit linear congruential generator.
const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

/// A stream: state before its first draw, and increment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stream {
    state: u128,
    increment: u128,
}

impl Stream {
    /// From the words of `Op::Random`: state high, state low, increment high, increment low.
    pub fn new(key: [u64; 4]) -> Stream {
        let word = |high: u64, low: u64| (high as u128) << 64 | low as u128;
        Stream { state: word(key[0], key[1]), increment: word(key[2], key[3]) }
    }

    /// The stream without its first `count` draws, in time logarithmic in `count`.
    fn advance(self, count: u64) -> Stream {
        let (mut factor, mut offset) = (1u128, 0u128);
        let (mut step, mut shift) = (MULTIPLIER, self.increment);
        let mut left = count;
        while left > 0 {
            if left & 1 == 1 {
                factor = factor.wrapping_mul(step);
                offset = offset.wrapping_mul(step).wrapping_add(shift);
            }
            shift = shift.wrapping_mul(step.wrapping_add(1));
            step = step.wrapping_mul(step);
            left >>= 1;
        }
        let state = self.state.wrapping_mul(factor).wrapping_add(offset);
        Stream { state, increment: self.increment }
    }

    /// The next draw, uniform in [0, 1).
    fn draw(&mut self) -> f64 {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        let word = folded.rotate_right((self.state >> 122) as u32);
        (word >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

/// Draws number `counters[k]` of a stream. Consecutive counters cost one step each, others a jump.
///
/// # Safety
/// `n` readable i64, room for `n` f64, aligned; the same addresses or disjoint.
pub(crate) unsafe fn random(stream: Stream, counters: *const u8, out: *mut u8, n: usize) {
    let mut at = stream;
    let mut next = 0;
    for k in 0..n {
        // SAFETY: element k of `n`.
        let counter = unsafe { counters.cast::<i64>().add(k).read() } as u64;
        if counter != next {
            at = stream.advance(counter);
        }
        next = counter.wrapping_add(1);
        // SAFETY: element k of `n`.
        unsafe { out.cast::<f64>().add(k).write(at.draw()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// State and increment of `np.random.default_rng(42)`.
    const SEED_42: [u64; 4] = [
        0xcea4_4f67_9879_8f2a,
        0xacbc_7c9d_6886_0ac8,
        0xfa50_5436_c9a8_416e,
        0x66ca_f2e2_8d25_abff,
    ];

    #[test]
    fn draws_equal_those_of_numpy() {
        let mut stream = Stream::new(SEED_42);
        let drawn = [stream.draw(), stream.draw(), stream.draw()];
        assert_eq!(drawn, [0.7739560485559633, 0.4388784397520523, 0.8585979199113825]);
    }

    #[test]
    fn jumps_equal_steps() {
        let mut stream = Stream::new(SEED_42);
        let start = stream;
        let drawn: Vec<f64> = (0..200).map(|_| stream.draw()).collect();
        let counters: Vec<i64> = vec![0, 1, 2, 50, 51, 7, 7, 199, 0, 128];
        let mut out = vec![0.0f64; counters.len()];
        // SAFETY: both have `counters.len()` elements.
        unsafe {
            random(start, counters.as_ptr().cast(), out.as_mut_ptr().cast(), counters.len());
        }
        let expected: Vec<f64> = counters.iter().map(|&c| drawn[c as usize]).collect();
        assert_eq!(out, expected);
        assert!(drawn.iter().all(|d| (0.0..1.0).contains(d)));
    }
}
