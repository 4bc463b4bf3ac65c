//! Transposed copies of bytes.

use super::{Transposed, plain};
use crate::vector::LINE;
use std::arch::x86_64::*;

/// [`Transpose`](super::Transpose) of bytes: sixteen rows, eight columns at a time.
///
/// # Safety
/// As for that.
pub(super) unsafe fn transpose_1(matrix: Transposed, ahead: isize) {
    let Transposed { from, from_step, rows, columns, .. } = matrix;
    // Eight bytes are read at a time: where rows follow one another without gaps, also of the next ones.
    let behind = columns.next_multiple_of(8) - columns;
    let readable = match usize::try_from(from_step) {
        Ok(step) if matrix.along == 1 && step > 0 && (behind == 0 || step <= columns) => {
            rows.saturating_sub(behind.div_ceil(step)) / 16 * 16
        }
        _ => 0,
    };
    for row in (0..readable).step_by(16) {
        let lines = from.wrapping_offset(row as isize * from_step + ahead);
        for line in (0..16 * from_step.unsigned_abs().min(LINE)).step_by(LINE) {
            // SAFETY: a prefetch is a hint and never faults.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(lines.wrapping_add(line).cast()) };
        }
        for column in (0..columns).step_by(8) {
            // SAFETY: the caller's contract; the eight bytes of a row end before the matrix does.
            unsafe { bytes_of_16_rows(matrix.after(row, column, 1)) };
        }
    }
    // SAFETY: the caller's contract; these are the last rows.
    unsafe { plain::<u8>(matrix.after(readable, 0, 1), ahead) };
}

/// The first sixteen rows and, of as many as there are, eight columns of a matrix of bytes. What is interleaved four
/// times with rows half as far apart each time is transposed.
///
/// # Safety
/// As for [`Transpose`](super::Transpose); there are so many rows, and eight bytes of each can be read.
#[inline(always)]
unsafe fn bytes_of_16_rows(part: Transposed) {
    // SAFETY: every x86-64 processor has the instructions; the rest is the caller's contract.
    unsafe {
        let row = |k: usize| {
            _mm_loadl_epi64(part.from.wrapping_offset(k as isize * part.from_step).cast())
        };
        let all: [__m128i; 8] = array_of!(8, |k| _mm_unpacklo_epi8(row(k), row(k + 8)));
        let all = interleaved::<1>(interleaved::<2>(interleaved::<4>(all)));
        for (column, &bytes) in all.iter().enumerate().take(part.columns.min(8)) {
            let to = part.to.wrapping_offset(column as isize * part.to_step);
            _mm_storeu_si128(to.cast(), bytes);
        }
    }
}

/// Of pairs of rows that lie so far apart the interleaved bytes: the lower half of them in place of the first, the upper half in place of the
/// second. The distance is a constant, so that the compiler keeps all rows in registers.
#[inline(always)]
fn interleaved<const APART: usize>(rows: [__m128i; 8]) -> [__m128i; 8] {
    array_of!(8, |k| {
        // Of a pair of rows and of what their columns are so far.
        let (column, rest) = (k / (2 * APART), k % APART);
        let first = column * 2 * APART + rest;
        let (first, second) = (rows[first], rows[first + APART]);
        // SAFETY: every x86-64 processor has the instructions.
        unsafe {
            match k / APART % 2 {
                0 => _mm_unpacklo_epi8(first, second),
                _ => _mm_unpackhi_epi8(first, second),
            }
        }
    })
}
