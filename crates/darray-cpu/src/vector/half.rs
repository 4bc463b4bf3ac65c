//! Conversions between f16 and f32 by the instructions of F16C; the loops of the table give the same bits.

use super::elementwise::Compute;
use crate::level::Level;
use darray_core::DType;
use darray_kernel::operator::Operator;

/// The loop for an operator and the type of its operand, if there is an instruction for it.
pub(super) fn find_half(operator: Operator, dtype: DType, level: Level) -> Option<Compute> {
    match (operator, dtype, level) {
        (_, _, Level::Baseline) => None,
        #[cfg(target_arch = "x86_64")]
        (Operator::ToF32, DType::F16, _) => Some(x86::widen),
        #[cfg(target_arch = "x86_64")]
        (Operator::ToF16, DType::F32, _) => Some(x86::narrow),
        _ => None,
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    /// Elements of a vector.
    const N: usize = 8;

    /// f16 to f32.
    ///
    /// # Safety
    /// As for [`Compute`](super::Compute); the machine has F16C.
    #[target_feature(enable = "avx2,f16c")]
    pub unsafe fn widen(
        a: *const u8,
        _: *const u8,
        _: *const u8,
        _: *const u8,
        out: *mut u8,
        n: usize,
    ) {
        let (a, out, whole) = (a.cast::<u16>(), out.cast::<f32>(), n / N * N);
        // SAFETY: whole vectors lie inside both; of the last one, as many elements as there are.
        unsafe {
            for at in (0..whole).step_by(N) {
                let halves = _mm_loadu_si128(a.add(at).cast());
                _mm256_storeu_ps(out.add(at), _mm256_cvtph_ps(halves));
            }
            let (mut halves, mut singles) = ([0u16; N], [0f32; N]);
            a.add(whole).copy_to_nonoverlapping(halves.as_mut_ptr(), n - whole);
            let last = _mm256_cvtph_ps(_mm_loadu_si128(halves.as_ptr().cast()));
            _mm256_storeu_ps(singles.as_mut_ptr(), last);
            out.add(whole).copy_from_nonoverlapping(singles.as_ptr(), n - whole);
        }
    }

    /// f32 to f16, to nearest, ties to even. The result may be where the operand is: a vector is read before what
    /// lies at most half as far is written.
    ///
    /// # Safety
    /// As for [`widen`].
    #[target_feature(enable = "avx2,f16c")]
    pub unsafe fn narrow(
        a: *const u8,
        _: *const u8,
        _: *const u8,
        _: *const u8,
        out: *mut u8,
        n: usize,
    ) {
        const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT;
        let (a, out, whole) = (a.cast::<f32>(), out.cast::<u16>(), n / N * N);
        // SAFETY: as in `widen`.
        unsafe {
            for at in (0..whole).step_by(N) {
                let halves = _mm256_cvtps_ph::<NEAREST>(_mm256_loadu_ps(a.add(at)));
                _mm_storeu_si128(out.add(at).cast(), halves);
            }
            let (mut singles, mut halves) = ([0f32; N], [0u16; N]);
            a.add(whole).copy_to_nonoverlapping(singles.as_mut_ptr(), n - whole);
            let last = _mm256_cvtps_ph::<NEAREST>(_mm256_loadu_ps(singles.as_ptr()));
            _mm_storeu_si128(halves.as_mut_ptr().cast(), last);
            out.add(whole).copy_from_nonoverlapping(halves.as_ptr(), n - whole);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::elementwise::{Compute, find_apply};
    use super::*;
    use darray_core::{f16, f32_from_f16};

    /// The loop of the table and that of the instruction, if the machine has it.
    fn loops(operator: Operator, dtype: DType) -> Option<[Compute; 2]> {
        let level = Level::detect();
        let table = find_apply(operator, dtype, 0, level).expect("a row of the table");
        Some([table, find_half(operator, dtype, level)?])
    }

    fn run<A, O: Copy>(compute: Compute, from: &[A], n: usize, nothing: O) -> Vec<O> {
        let (mut out, a) = (vec![nothing; from.len()], from.as_ptr().cast());
        // SAFETY: both have at least `n` elements.
        unsafe { compute(a, a, a, a, out.as_mut_ptr().cast(), n) };
        out
    }

    #[test]
    fn every_f16_widens_as_in_the_table() {
        let Some([table, half]) = loops(Operator::ToF32, DType::F16) else { return };
        let from: Vec<u16> = (0..=u16::MAX).collect();
        let [table, half] = [table, half].map(|f| run(f, &from, from.len(), 0f32));
        for (&bits, (a, b)) in from.iter().zip(table.iter().zip(&half)) {
            assert_eq!(a.to_bits(), b.to_bits(), "{bits:#x}");
            assert_eq!(a.to_bits(), f32_from_f16(f16::from_bits(bits)).to_bits(), "{bits:#x}");
        }
    }

    /// Some of all numbers, all ties, every NaN.
    #[test]
    fn f32_narrow_as_in_the_table() {
        let Some([table, half]) = loops(Operator::ToF16, DType::F32) else { return };
        let compare = |from: Vec<u32>| {
            let [table, half] = [table, half].map(|f| run(f, &from, from.len(), 0u16));
            for (bits, (a, b)) in from.iter().zip(table.iter().zip(&half)) {
                assert_eq!(a, b, "{bits:#x}");
            }
        };
        compare((0..=u32::MAX).step_by(2039).collect());
        let wide = |h: u32| f32_from_f16(f16::from_bits(h as u16)).to_bits();
        compare((0..0x7c00).map(|h| wide(h) + 0x1000).collect());
        for sign in [0, 1 << 31] {
            for first in (f32::INFINITY.to_bits()..1 << 31).step_by(1 << 16) {
                compare((first..first + (1 << 16)).map(|bits| bits | sign).collect());
            }
        }
    }

    #[test]
    fn no_element_beyond_the_last_is_written() {
        let (Some([_, widen]), Some([_, narrow])) =
            (loops(Operator::ToF32, DType::F16), loops(Operator::ToF16, DType::F32))
        else {
            return;
        };
        for n in 0..40 {
            let wide = run(widen, &[0x3c00u16; 40], n, 7f32);
            assert!(wide.iter().enumerate().all(|(k, &v)| v == if k < n { 1.0 } else { 7.0 }));
            let small = run(narrow, &[1f32; 40], n, 7u16);
            assert!(small.iter().enumerate().all(|(k, &v)| v == if k < n { 0x3c00 } else { 7 }));
        }
    }
}
