//! The bandwidth of memory: long arrays copied, combined and read in several forms, of which the fastest
//! is the limit.

use crate::memory::Buffer;
use crate::timing::{cut, cut_mut, median, seconds};
use std::fmt;

mod lanes;

/// What is done with the arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// `a = b`: 16 bytes per element.
    Copy,
    /// `a = b + 3 c`: 24 bytes per element.
    Triad,
    /// The sum of `a`: 8 bytes per element.
    Read,
}

impl Pattern {
    /// All patterns.
    pub const ALL: [Pattern; 3] = [Pattern::Copy, Pattern::Triad, Pattern::Read];

    /// Arrays that the pattern works on.
    pub fn arrays(self) -> usize {
        match self {
            Pattern::Copy => 2,
            Pattern::Triad => 3,
            Pattern::Read => 1,
        }
    }

    /// The pattern that reads and writes in the proportion of these bytes.
    ///
    /// ```
    /// use darray_benches::stream::Pattern;
    /// assert_eq!(Pattern::like(100, 0), Pattern::Read);
    /// assert_eq!(Pattern::like(100, 90), Pattern::Copy);
    /// assert_eq!(Pattern::like(300, 200), Pattern::Triad);
    /// assert_eq!(Pattern::like(300, 8), Pattern::Read);
    /// ```
    pub fn like(read: u64, written: u64) -> Pattern {
        match read as f64 / (written as f64).max(1.0) {
            ratio if ratio < 1.5 => Pattern::Copy,
            ratio if ratio < 8.0 => Pattern::Triad,
            _ => Pattern::Read,
        }
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::Copy => "copy",
            Pattern::Triad => "triad",
            Pattern::Read => "read",
        }
    }
}

/// Where lines are prefetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefetch {
    /// Nowhere: the hardware does that.
    None,
    /// Into the first-level cache.
    L1,
    /// Into the second-level cache.
    L2,
}

/// How memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Where lines are prefetched.
    pub prefetch: Prefetch,
    /// Stores do not go through the caches.
    pub streamed: bool,
}

impl Form {
    /// The forms in which a pattern can be run on this machine.
    pub fn all(pattern: Pattern) -> Vec<Form> {
        let with = |streamed| {
            let forms = [Prefetch::None, Prefetch::L1, Prefetch::L2];
            forms.map(|prefetch| Form { prefetch, streamed })
        };
        match (lanes::vectors(), pattern) {
            (false, _) => with(false)[..1].to_vec(),
            (true, Pattern::Read) => with(false).to_vec(),
            (true, _) => [with(false), with(true)].concat(),
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.prefetch, self.streamed) {
            (Prefetch::None, false) => "plain",
            (Prefetch::L1, false) => "prefetched",
            (Prefetch::L2, false) => "prefetched (L2)",
            (Prefetch::None, true) => "non-temporal",
            (Prefetch::L1, true) => "prefetched non-temporal",
            (Prefetch::L2, true) => "prefetched (L2) non-temporal",
        })
    }
}

/// The bandwidth of a pattern in its fastest form.
#[derive(Clone, Copy, Debug)]
pub struct Bandwidth {
    /// Which pattern.
    pub pattern: Pattern,
    /// The fastest form.
    pub form: Form,
    /// Bytes that the program reads and writes, per second.
    pub bytes_per_s: f64,
}

/// Rounds of all forms, at least.
const LEAST_ROUNDS: usize = 5;

/// Seconds that a timed pass takes at least, by repetition.
const LEAST_PASS: f64 = 5e-4;

/// The bandwidth of `pattern` on arrays of f64 of `bytes` bytes together, that so many threads share:
/// the fastest form by the medians of rounds, which take about `budget_s` seconds.
pub fn bandwidth(pattern: Pattern, bytes: usize, threads: usize, budget_s: f64) -> Bandwidth {
    let length = (bytes / pattern.arrays() / 8).max(64 * threads);
    let mut arrays = Arrays::new(pattern, length);
    let forms = Form::all(pattern);
    let first = arrays.pass(forms[0], threads, 1);
    let repeats = (LEAST_PASS / first.max(1e-9)).ceil().max(1.0) as usize;
    let round = first.max(LEAST_PASS) * forms.len() as f64;
    let rounds = ((budget_s / round) as usize).clamp(LEAST_ROUNDS, 500);
    let mut times = vec![Vec::new(); forms.len()];
    for _ in 0..rounds {
        for (form, times) in forms.iter().zip(&mut times) {
            times.push(arrays.pass(*form, threads, repeats) / repeats as f64);
        }
    }
    let moved = (length * 8 * pattern.arrays()) as f64;
    let medians = times.iter().map(|times| moved / median(times));
    let (form, bytes_per_s) =
        forms.into_iter().zip(medians).max_by(|a, b| a.1.total_cmp(&b.1)).expect("a form");
    Bandwidth { pattern, form, bytes_per_s }
}

/// The sum of some elements, read in a form: what [`Pattern::Read`] times, to be timed in turns with other work.
pub fn read(form: Form, elements: &[f64]) -> f64 {
    lanes::sum(form, elements)
}

/// The arrays of a pattern: the one that is written or summed, and what is read.
struct Arrays {
    pattern: Pattern,
    first: Buffer<f64>,
    second: Buffer<f64>,
    third: Buffer<f64>,
}

impl Arrays {
    fn new(pattern: Pattern, length: usize) -> Arrays {
        let array = |number: usize| {
            let mut buffer = Buffer::new(if number < pattern.arrays() { length } else { 0 });
            buffer.as_mut_slice().fill(number as f64);
            buffer
        };
        Arrays { pattern, first: array(0), second: array(1), third: array(2) }
    }

    /// Seconds of `repeats` passes over the arrays.
    fn pass(&mut self, form: Form, threads: usize, repeats: usize) -> f64 {
        let b = cut(self.second.as_slice(), threads);
        let c = cut(self.third.as_slice(), threads);
        let a = cut_mut(self.first.as_mut_slice(), threads);
        let parts = a.into_iter().zip(b).zip(c).collect();
        let pattern = self.pattern;
        seconds(parts, |((a, b), c): ((&mut [f64], &[f64]), &[f64])| {
            for _ in 0..repeats {
                match pattern {
                    Pattern::Copy => lanes::copy(form, a, b),
                    Pattern::Triad => lanes::triad(form, a, b, c),
                    Pattern::Read => {
                        std::hint::black_box(lanes::sum(form, a));
                    }
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, Pattern, bandwidth, lanes};

    #[test]
    fn forms_give_the_same_elements() {
        for length in [0, 7, 64, 1000] {
            let b: Vec<f64> = (0..length).map(|k| k as f64).collect();
            let c: Vec<f64> = (0..length).map(|k| 1.0 - k as f64).collect();
            let combined: Vec<f64> = (0..length).map(|k| 3.0 - 2.0 * k as f64).collect();
            for form in Form::all(Pattern::Copy) {
                let mut a = vec![9.0; length];
                lanes::copy(form, &mut a, &b);
                assert_eq!(a, b, "{form}");
                lanes::triad(form, &mut a, &b, &c);
                assert_eq!(a, combined, "{form}");
                assert_eq!(lanes::sum(form, &b), b.iter().sum::<f64>(), "{form}");
            }
        }
    }

    #[test]
    fn two_threads_share_the_arrays() {
        for pattern in Pattern::ALL {
            let measured = bandwidth(pattern, 1 << 20, 2, 0.0);
            assert!(measured.bytes_per_s > 1e6 && measured.pattern == pattern);
        }
    }
}
