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

    /// Elements that a step of a loop asks for: two cache lines.
    const STEP: usize = 16;

    /// Forms of asking, and how far ahead that is done, in elements.
    const NONE: u8 = 0;
    const L1: u8 = 1;
    const L2: u8 = 2;
    const PREFETCH_DISTANCES: [usize; 3] = [0, 256, 136];
    /// The same of non-temporal copies into the second-level cache.
    const PREFETCH_DISTANCE_OF_COPY: usize = 392;

    /// Whether the machine has vectors of 64 bytes: of shorter ones two make a line, which non-temporal copies take
    /// longer with.
    fn is_wide() -> bool {
        is_x86_feature_detected!("avx512f")
    }

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
        let run = match is_wide() {
            true => wide::combination(form, triad),
            false => narrow::combination(form, triad),
        };
        // SAFETY: the vectors are there; `steps` whole steps lie inside the slices, and `a` begins a line.
        unsafe { run(a, b, c, steps) }
    }

    /// The sum of `a`.
    pub fn sum(form: Form, a: &[f64]) -> f64 {
        let (run, step) = match is_wide() {
            true => (wide::sum(form.prefetch), 32),
            false => (narrow::sum(form.prefetch), 16),
        };
        let steps = a.len() / step;
        // SAFETY: the vectors are there; `steps` whole steps of four lie inside the slice.
        let whole = unsafe { run(a.as_ptr(), steps) };
        whole + a[steps * step..].iter().sum::<f64>()
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

    type Combination = unsafe fn(*mut f64, *const f64, *const f64, usize);
    type Sum = unsafe fn(*const f64, usize) -> f64;

    /// The loops with vectors of one width.
    macro_rules! loops {
        ($name:ident, $feature:literal, $lanes:literal, [$load:ident $store:ident $storeu:ident $stream:ident
            $splat:ident $zero:ident $add:ident $mul:ident]) => {
            mod $name {
                use super::*;

                pub fn combination(form: Form, triad: bool) -> Combination {
                    match (triad, form.prefetch, form.streamed) {
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
                    }
                }

                pub fn sum(prefetch: Prefetch) -> Sum {
                    match prefetch {
                        Prefetch::None => sum_steps::<NONE>,
                        Prefetch::L1 => sum_steps::<L1>,
                        Prefetch::L2 => sum_steps::<L2>,
                    }
                }

                /// # Safety
                /// The machine has the feature; `a`, `b` and `c` have `steps` steps of elements; `a` begins a cache line.
                #[target_feature(enable = $feature)]
                unsafe fn steps_of<const TRIAD: bool, const PREFETCH: u8, const STREAMED: bool>(
                    a: *mut f64,
                    b: *const f64,
                    c: *const f64,
                    steps: usize,
                ) {
                    let three = $splat(3.0);
                    let is_copy = !TRIAD && STREAMED && PREFETCH == L2;
                    let ahead = if is_copy {
                        PREFETCH_DISTANCE_OF_COPY
                    } else {
                        PREFETCH_DISTANCES[PREFETCH as usize]
                    };
                    for step in 0..steps {
                        let at = step * STEP;
                        ask::<PREFETCH>(b.wrapping_add(at + ahead));
                        if TRIAD {
                            ask::<PREFETCH>(c.wrapping_add(at + ahead));
                        }
                        if !STREAMED {
                            ask::<PREFETCH>(a.wrapping_add(at + ahead));
                        }
                        for k in (at..at + STEP).step_by($lanes) {
                            // SAFETY: so many elements exist; lines begin at `a`, and `k` is a multiple of them.
                            unsafe {
                                let mut value = $load(b.add(k));
                                if TRIAD {
                                    value = $add(value, $mul(three, $load(c.add(k))));
                                }
                                match STREAMED {
                                    true => $stream(a.add(k), value),
                                    false => $store(a.add(k), value),
                                }
                            }
                        }
                    }
                    if STREAMED {
                        _mm_sfence();
                    }
                }

                /// # Safety
                /// The machine has the feature; `a` has `steps` steps of four vectors.
                #[target_feature(enable = $feature)]
                unsafe fn sum_steps<const PREFETCH: u8>(a: *const f64, steps: usize) -> f64 {
                    // Additions of four vectors do not wait for each other.
                    let mut sums = [$zero(); 4];
                    for step in 0..steps {
                        let at = step * 4 * $lanes;
                        for line in (0..4 * $lanes).step_by(STEP) {
                            ask::<PREFETCH>(
                                a.wrapping_add(at + line + PREFETCH_DISTANCES[PREFETCH as usize]),
                            );
                        }
                        for (k, sum) in sums.iter_mut().enumerate() {
                            // SAFETY: the step's elements exist.
                            *sum = $add(*sum, unsafe { $load(a.add(at + $lanes * k)) });
                        }
                    }
                    let mut elements = [0.0; 4 * $lanes];
                    for (k, &sum) in sums.iter().enumerate() {
                        // SAFETY: so many elements from there on.
                        unsafe { $storeu(elements.as_mut_ptr().add($lanes * k), sum) };
                    }
                    elements.iter().sum()
                }
            }
        };
    }

    loops!(narrow, "avx", 4, [_mm256_loadu_pd _mm256_store_pd _mm256_storeu_pd _mm256_stream_pd
        _mm256_set1_pd _mm256_setzero_pd _mm256_add_pd _mm256_mul_pd]);
    loops!(wide, "avx512f", 8, [_mm512_loadu_pd _mm512_store_pd _mm512_storeu_pd _mm512_stream_pd
        _mm512_set1_pd _mm512_setzero_pd _mm512_add_pd _mm512_mul_pd]);
}
