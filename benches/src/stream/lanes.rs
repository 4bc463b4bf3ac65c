//! Loops over arrays of f64, by vectors where the machine has them.

use super::Form;

/// Whether the loops have other forms than the plain one here.
pub(super) fn vectors() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// `a = b`.
pub(super) fn copy(form: Form, a: &mut [f64], b: &[f64]) {
    #[cfg(target_arch = "x86_64")]
    if vectors() {
        return x86::combine(form, a, b, b, false);
    }
    let _ = form;
    a.copy_from_slice(b);
}

/// `a = b + 3 c`.
pub(super) fn triad(form: Form, a: &mut [f64], b: &[f64], c: &[f64]) {
    #[cfg(target_arch = "x86_64")]
    if vectors() {
        return x86::combine(form, a, b, c, true);
    }
    let _ = form;
    a.iter_mut().zip(b).zip(c).for_each(|((a, b), c)| *a = b + 3.0 * c);
}

/// The sum of `a`.
pub(super) fn sum(form: Form, a: &[f64]) -> f64 {
    #[cfg(target_arch = "x86_64")]
    if vectors() {
        return x86::sum(form, a);
    }
    let _ = form;
    a.iter().sum()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::Prefetch;
    use super::Form;
    use std::arch::x86_64::*;

    /// Elements that a step of a loop works on: two cache lines.
    const STEP: usize = 16;

    /// Forms of asking, and how far ahead that is done, in elements.
    const NONE: u8 = 0;
    const L1: u8 = 1;
    const L2: u8 = 2;
    const AHEAD: [usize; 3] = [0, 256, 128];
    /// The same of copies past the caches into the second-level cache.
    const AHEAD_OF_COPY: usize = 384;

    /// `a = b`, or `a = b + 3 c` for a `triad`.
    pub fn combine(form: Form, a: &mut [f64], b: &[f64], c: &[f64], triad: bool) {
        assert!(a.len() <= b.len() && a.len() <= c.len());
        let skip = a.as_ptr().align_offset(64).min(a.len());
        let steps = (a.len() - skip) / STEP;
        let end = skip + steps * STEP;
        for k in (0..skip).chain(end..a.len()) {
            a[k] = if triad { b[k] + 3.0 * c[k] } else { b[k] };
        }
        let (a, b, c) = (a[skip..].as_mut_ptr(), b[skip..].as_ptr(), c[skip..].as_ptr());
        // SAFETY: AVX is there; `steps` whole steps lie inside the slices, and `a` begins a line.
        unsafe {
            let run = match (triad, form.prefetch, form.streamed) {
                (false, Prefetch::None, false) => steps_of::<false, NONE, false>,
                (false, Prefetch::L1, false) => steps_of::<false, L1, false>,
                (false, Prefetch::L2, false) => steps_of::<false, L2, false>,
                (false, Prefetch::None, true) => steps_of::<false, NONE, true>,
                (false, Prefetch::L1, true) => steps_of::<false, L1, true>,
                (false, Prefetch::L2, true) => steps_of::<false, L2, true>,
                (true, Prefetch::None, false) => steps_of::<true, NONE, false>,
                (true, Prefetch::L1, false) => steps_of::<true, L1, false>,
                (true, Prefetch::L2, false) => steps_of::<true, L2, false>,
                (true, Prefetch::None, true) => steps_of::<true, NONE, true>,
                (true, Prefetch::L1, true) => steps_of::<true, L1, true>,
                (true, Prefetch::L2, true) => steps_of::<true, L2, true>,
            };
            run(a, b, c, steps);
        }
    }

    /// # Safety
    /// The machine has AVX; `a`, `b` and `c` have `steps` steps of elements; `a` begins a cache line.
    #[target_feature(enable = "avx")]
    unsafe fn steps_of<const TRIAD: bool, const PREFETCH: u8, const STREAMED: bool>(
        a: *mut f64,
        b: *const f64,
        c: *const f64,
        steps: usize,
    ) {
        let three = _mm256_set1_pd(3.0);
        let is_copy = !TRIAD && STREAMED && PREFETCH == L2;
        let ahead = if is_copy { AHEAD_OF_COPY } else { AHEAD[PREFETCH as usize] };
        for step in 0..steps {
            let at = step * STEP;
            ask::<PREFETCH>(b.wrapping_add(at + ahead));
            if TRIAD {
                ask::<PREFETCH>(c.wrapping_add(at + ahead));
            }
            if !STREAMED {
                ask::<PREFETCH>(a.wrapping_add(at + ahead));
            }
            for k in (at..at + STEP).step_by(4) {
                // SAFETY: `k + 4` elements exist; lines begin at `a`, and `k` is a multiple of 4.
                unsafe {
                    let mut value = _mm256_loadu_pd(b.add(k));
                    if TRIAD {
                        let product = _mm256_mul_pd(three, _mm256_loadu_pd(c.add(k)));
                        value = _mm256_add_pd(value, product);
                    }
                    match STREAMED {
                        true => _mm256_stream_pd(a.add(k), value),
                        false => _mm256_store_pd(a.add(k), value),
                    }
                }
            }
        }
        if STREAMED {
            _mm_sfence();
        }
    }

    /// The sum of `a`.
    pub fn sum(form: Form, a: &[f64]) -> f64 {
        let steps = a.len() / STEP;
        // SAFETY: AVX is there; `steps` whole steps lie inside the slice.
        let whole = unsafe {
            match form.prefetch {
                Prefetch::None => sum_steps::<NONE>(a.as_ptr(), steps),
                Prefetch::L1 => sum_steps::<L1>(a.as_ptr(), steps),
                Prefetch::L2 => sum_steps::<L2>(a.as_ptr(), steps),
            }
        };
        whole + a[steps * STEP..].iter().sum::<f64>()
    }

    /// # Safety
    /// The machine has AVX; `a` has `steps` steps of elements.
    #[target_feature(enable = "avx")]
    unsafe fn sum_steps<const PREFETCH: u8>(a: *const f64, steps: usize) -> f64 {
        let mut sums = [_mm256_setzero_pd(); STEP / 4];
        for step in 0..steps {
            let at = step * STEP;
            ask::<PREFETCH>(a.wrapping_add(at + AHEAD[PREFETCH as usize]));
            for (k, sum) in sums.iter_mut().enumerate() {
                // SAFETY: the step's elements exist.
                *sum = _mm256_add_pd(*sum, unsafe { _mm256_loadu_pd(a.add(at + 4 * k)) });
            }
        }
        let mut elements = [0.0; STEP];
        for (k, &sum) in sums.iter().enumerate() {
            // SAFETY: four elements from `4 k` on.
            unsafe { _mm256_storeu_pd(elements.as_mut_ptr().add(4 * k), sum) };
        }
        elements.iter().sum()
    }

    /// Asks for the two lines from an address on, in a form; any address will do.
    #[inline(always)]
    fn ask<const PREFETCH: u8>(address: *const f64) {
        let lines = [0, 8].map(|k| address.wrapping_add(k).cast());
        // SAFETY: a prefetch is a hint and never faults.
        unsafe {
            match PREFETCH {
                L1 => lines.map(|line| _mm_prefetch::<_MM_HINT_T0>(line)),
                L2 => lines.map(|line| _mm_prefetch::<_MM_HINT_T1>(line)),
                _ => return,
            };
        }
    }
}
