//! Transposed copies of small matrices.

#[cfg(target_arch = "x86_64")]
mod bytes;

use crate::level::Level;

/// A matrix, and where its transpose goes, whose rows are contiguous. Steps are bytes from row to row, `along` those
/// from element to element of a row of the matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transposed {
    pub from: *const u8,
    pub from_step: isize,
    pub along: isize,
    pub to: *mut u8,
    pub to_step: isize,
    /// Rows and columns of the matrix.
    pub rows: usize,
    pub columns: usize,
}

/// Copies a matrix transposed. With every line of it, the one so many bytes after it is fetched into the second-level
/// cache.
///
/// # Safety
/// The matrix can be read and its transpose written; they do not overlap. This machine has the instructions of the level
/// that it was found for.
pub(crate) type Transpose = unsafe fn(Transposed, isize);

/// For elements of so many bytes.
pub(crate) fn find_transpose(size: usize, level: Level) -> Option<Transpose> {
    match (size, level) {
        #[cfg(target_arch = "x86_64")]
        (8, Level::Avx512) => Some(x86::transpose_8_avx512),
        #[cfg(target_arch = "x86_64")]
        (4, Level::Avx512) => Some(x86::transpose_4_avx512),
        #[cfg(target_arch = "x86_64")]
        (8, Level::Avx2) => Some(x86::transpose_8),
        #[cfg(target_arch = "x86_64")]
        (4, Level::Avx2) => Some(x86::transpose_4),
        #[cfg(target_arch = "x86_64")]
        (1, _) => Some(bytes::transpose_1),
        (8, _) => Some(plain::<u64>),
        (4, _) => Some(plain::<u32>),
        (2, _) => Some(plain::<u16>),
        #[cfg(not(target_arch = "x86_64"))]
        (1, _) => Some(plain::<u8>),
        _ => None,
    }
}

#[cfg(target_arch = "x86_64")]
impl Transposed {
    /// The part that begins with a row and a column.
    fn after(self, row: usize, column: usize, size: usize) -> Transposed {
        let (down, across) = (row as isize * self.from_step, column as isize * self.along);
        let to = column as isize * self.to_step + (row * size) as isize;
        Transposed {
            from: self.from.wrapping_offset(down + across),
            to: self.to.wrapping_offset(to),
            rows: self.rows - row,
            columns: self.columns - column,
            ..self
        }
    }
}

/// Element by element.
///
/// # Safety
/// As for [`Transpose`].
unsafe fn plain<T: Copy>(matrix: Transposed, _: isize) {
    // SAFETY: the caller's contract.
    unsafe {
        match matrix.rows {
            2 => by_elements::<T>(Transposed { rows: 2, ..matrix }),
            3 => by_elements::<T>(Transposed { rows: 3, ..matrix }),
            4 => by_elements::<T>(Transposed { rows: 4, ..matrix }),
            _ => by_elements::<T>(matrix),
        }
    }
}

/// See [`plain`]; short rows that are known are no loop.
///
/// # Safety
/// As for [`Transpose`].
#[inline(always)]
unsafe fn by_elements<T: Copy>(matrix: Transposed) {
    let Transposed { from, from_step, along, to, to_step, rows, columns } = matrix;
    for column in 0..columns as isize {
        let (mut from, to) = (
            from.wrapping_offset(column * along),
            to.wrapping_offset(column * to_step).cast::<T>(),
        );
        for row in 0..rows {
            // SAFETY: the caller's contract.
            unsafe { to.add(row).write_unaligned(from.cast::<T>().read_unaligned()) };
            from = from.wrapping_offset(from_step);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Transpose, Transposed, plain};
    use crate::vector::LINE;
    use std::arch::x86_64::*;

    /// [`Transpose`] of elements of 8 bytes.
    #[target_feature(enable = "avx512f,avx512dq,avx2")]
    pub unsafe fn transpose_8_avx512(matrix: Transposed, ahead: isize) {
        // SAFETY: the caller's contract.
        unsafe { by_squares::<8, u64>(matrix, ahead, square_8_avx512, small_8_avx512) }
    }

    /// The same of few rows or columns.
    #[target_feature(enable = "avx512f,avx2")]
    pub(super) unsafe fn small_8_avx512(matrix: Transposed, ahead: isize) {
        // SAFETY: the caller's contract.
        unsafe { by_squares::<4, u64>(matrix, ahead, square_8, gather_8_avx512) }
    }

    /// [`Transpose`] of elements of 4 bytes.
    #[target_feature(enable = "avx512f,avx2")]
    pub unsafe fn transpose_4_avx512(matrix: Transposed, ahead: isize) {
        // SAFETY: the caller's contract.
        unsafe { by_squares::<8, u32>(matrix, ahead, square_4, gather_4_avx512) }
    }

    /// [`Transpose`] of elements of 8 bytes.
    #[target_feature(enable = "avx2")]
    pub unsafe fn transpose_8(matrix: Transposed, ahead: isize) {
        // SAFETY: the caller's contract.
        unsafe { by_squares::<4, u64>(matrix, ahead, square_8, gather_8) }
    }

    /// [`Transpose`] of elements of 4 bytes.
    #[target_feature(enable = "avx2")]
    pub unsafe fn transpose_4(matrix: Transposed, ahead: isize) {
        // SAFETY: the caller's contract.
        unsafe { by_squares::<8, u32>(matrix, ahead, square_4, gather_4) }
    }

    /// Square by square of `N` rows and columns, which `square` is given, where rows of the matrix are contiguous; what
    /// remains by `rest`.
    ///
    /// # Safety
    /// As for [`Transpose`].
    #[inline(always)]
    pub(super) unsafe fn by_squares<const N: usize, T: Copy>(
        matrix: Transposed,
        ahead: isize,
        square: unsafe fn(Transposed),
        rest: Transpose,
    ) {
        let size = size_of::<T>();
        let (mut rows, mut columns) = (matrix.rows / N * N, matrix.columns / N * N);
        if matrix.along != size as isize || rows == 0 || columns == 0 {
            (rows, columns) = (0, 0);
        }
        let line = LINE / size;
        for row in (0..rows).step_by(N) {
            for column in (0..columns).step_by(N) {
                let part = matrix.after(row, column, size);
                if column % line == 0 {
                    for row in 0..N as isize {
                        let line = part.from.wrapping_offset(row * matrix.from_step + ahead);
                        // SAFETY: a prefetch is a hint and never faults.
                        unsafe { _mm_prefetch::<_MM_HINT_T1>(line.cast()) };
                    }
                }
                // SAFETY: a part of the caller's matrix with `N` rows and columns at least.
                unsafe { square(part) };
            }
        }
        // SAFETY: the caller's contract; these are the parts that squares did not reach.
        unsafe {
            let right = matrix.after(0, columns, size);
            if rows > 0 && right.columns > 0 {
                rest(Transposed { rows, ..right }, ahead);
            }
            let below = matrix.after(rows, 0, size);
            if below.rows > 0 {
                rest(below, ahead);
            }
        }
    }

    /// [`Transpose`] of elements of 8 bytes: of so many rows as a vector has elements, one column after the other.
    #[target_feature(enable = "avx512f")]
    unsafe fn gather_8_avx512(matrix: Transposed, ahead: isize) {
        let numbers: [i64; 8] = array_of!(8, |row| row as i64 * matrix.from_step as i64);
        // SAFETY: the caller's contract: vectors of an array, and elements and places of the matrix.
        unsafe {
            let numbers = _mm512_loadu_epi64(numbers.as_ptr());
            let gather = |from: *const u8, to: *mut u8| {
                let column = _mm512_i64gather_epi64::<1>(numbers, from.cast());
                _mm512_storeu_epi64(to.cast(), column);
            };
            by_columns::<8, u64>(matrix, ahead, gather);
        }
    }

    /// The same, of elements of 4 bytes.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn gather_4_avx512(matrix: Transposed, ahead: isize) {
        if matrix.from_step.unsigned_abs() > MOST_STEP {
            // SAFETY: the caller's contract.
            return unsafe { plain::<u32>(matrix, ahead) };
        }
        let numbers: [i32; 16] = array_of!(16, |row| row as i32 * matrix.from_step as i32);
        // SAFETY: as above.
        unsafe {
            let numbers = _mm512_loadu_epi32(numbers.as_ptr());
            let gather = |from: *const u8, to: *mut u8| {
                let column = _mm512_i32gather_epi32::<1>(numbers, from.cast());
                _mm512_storeu_epi32(to.cast(), column);
            };
            by_columns::<16, u32>(matrix, ahead, gather);
        }
    }

    /// [`gather_8_avx512`] with vectors of 4 elements.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn gather_8(matrix: Transposed, ahead: isize) {
        let numbers: [i64; 4] = array_of!(4, |row| row as i64 * matrix.from_step as i64);
        // SAFETY: as above.
        unsafe {
            let numbers = _mm256_loadu_si256(numbers.as_ptr().cast());
            let gather = |from: *const u8, to: *mut u8| {
                let column = _mm256_i64gather_epi64::<1>(from.cast(), numbers);
                _mm256_storeu_si256(to.cast(), column);
            };
            by_columns::<4, u64>(matrix, ahead, gather);
        }
    }

    /// [`gather_4_avx512`] with vectors of 8 elements.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn gather_4(matrix: Transposed, ahead: isize) {
        if matrix.from_step.unsigned_abs() > MOST_STEP {
            // SAFETY: the caller's contract.
            return unsafe { plain::<u32>(matrix, ahead) };
        }
        let numbers: [i32; 8] = array_of!(8, |row| row as i32 * matrix.from_step as i32);
        // SAFETY: as above.
        unsafe {
            let numbers = _mm256_loadu_si256(numbers.as_ptr().cast());
            let gather = |from: *const u8, to: *mut u8| {
                let column = _mm256_i32gather_epi32::<1>(from.cast(), numbers);
                _mm256_storeu_si256(to.cast(), column);
            };
            by_columns::<8, u32>(matrix, ahead, gather);
        }
    }

    /// Lines that are fetched at once, at most.
    const FETCHED: usize = 32;

    /// Bytes from row to row at most, so that sixteen rows lie within what 32 bits number.
    const MOST_STEP: usize = 1 << 26;

    /// Columns of `N` rows, which `gather` is given, then those of the next ones; what remains, element by element.
    ///
    /// # Safety
    /// As for [`Transpose`].
    #[inline(always)]
    unsafe fn by_columns<const N: usize, T: Copy>(
        matrix: Transposed,
        ahead: isize,
        gather: impl Fn(*const u8, *mut u8),
    ) {
        let rows = matrix.rows / N * N;
        let bytes = N * matrix.from_step.unsigned_abs();
        for row in (0..rows).step_by(N) {
            let first = matrix.from.wrapping_offset(row as isize * matrix.from_step + ahead);
            for line in (0..bytes.min(FETCHED * LINE)).step_by(LINE) {
                // SAFETY: a prefetch is a hint and never faults.
                unsafe { _mm_prefetch::<_MM_HINT_T1>(first.wrapping_add(line).cast()) };
            }
            let Transposed { mut from, mut to, .. } = matrix.after(row, 0, size_of::<T>());
            for _ in 0..matrix.columns {
                gather(from, to);
                from = from.wrapping_offset(matrix.along);
                to = to.wrapping_offset(matrix.to_step);
            }
        }
        // SAFETY: the caller's contract; these are the last rows.
        unsafe { plain::<T>(matrix.after(rows, 0, size_of::<T>()), ahead) };
    }

    /// The first 4 rows and columns of a matrix.
    ///
    /// # Safety
    /// As for [`Transpose`]; there are so many.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn square_8(part: Transposed) {
        let from = |row: isize| part.from.wrapping_offset(row * part.from_step).cast();
        let to = |row: isize| part.to.wrapping_offset(row * part.to_step).cast();
        // SAFETY: the caller's contract.
        unsafe {
            let rows: [__m256d; 4] = array_of!(4, |k| _mm256_loadu_pd(from(k as isize)));
            let pairs = [
                _mm256_unpacklo_pd(rows[0], rows[1]),
                _mm256_unpackhi_pd(rows[0], rows[1]),
                _mm256_unpacklo_pd(rows[2], rows[3]),
                _mm256_unpackhi_pd(rows[2], rows[3]),
            ];
            _mm256_storeu_pd(to(0), _mm256_permute2f128_pd::<0x20>(pairs[0], pairs[2]));
            _mm256_storeu_pd(to(1), _mm256_permute2f128_pd::<0x20>(pairs[1], pairs[3]));
            _mm256_storeu_pd(to(2), _mm256_permute2f128_pd::<0x31>(pairs[0], pairs[2]));
            _mm256_storeu_pd(to(3), _mm256_permute2f128_pd::<0x31>(pairs[1], pairs[3]));
        }
    }

    /// The first 8 rows and columns of a matrix. Pairs of columns are put together as they are loaded, which leaves
    /// two shuffles for each.
    ///
    /// # Safety
    /// As for [`Transpose`]; there are so many.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) unsafe fn square_8_avx512(part: Transposed) {
        let Transposed { from, from_step, to, to_step, .. } = part;
        for pair in 0..4 {
            let from = from.wrapping_add(16 * pair);
            let to = to.wrapping_offset(2 * pair as isize * to_step);
            // SAFETY: the caller's contract.
            unsafe {
                let even = pairs_of_rows(from, 2 * from_step);
                let odd = pairs_of_rows(from.wrapping_offset(from_step), 2 * from_step);
                _mm512_storeu_pd(to.cast(), _mm512_unpacklo_pd(even, odd));
                let next = to.wrapping_offset(to_step).cast();
                _mm512_storeu_pd(next, _mm512_unpackhi_pd(even, odd));
            }
        }
    }

    /// Two elements of 8 bytes of each of four rows.
    ///
    /// # Safety
    /// They can be read.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    unsafe fn pairs_of_rows(from: *const u8, step: isize) -> __m512d {
        // SAFETY: the caller's contract.
        unsafe {
            let [a, b, c, d] = [
                _mm_loadu_pd(from.cast()),
                _mm_loadu_pd(from.wrapping_offset(step).cast()),
                _mm_loadu_pd(from.wrapping_offset(2 * step).cast()),
                _mm_loadu_pd(from.wrapping_offset(3 * step).cast()),
            ];
            let two = _mm512_mask_broadcast_f64x2(_mm512_castpd128_pd512(a), 0b0000_1100, b);
            let two = _mm512_mask_broadcast_f64x2(two, 0b0011_0000, c);
            _mm512_mask_broadcast_f64x2(two, 0b1100_0000, d)
        }
    }

    /// The first 8 rows and columns of a matrix.
    ///
    /// # Safety
    /// As for [`Transpose`]; there are so many.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn square_4(part: Transposed) {
        let from = |row: isize| part.from.wrapping_offset(row * part.from_step).cast();
        let to = |row: isize| part.to.wrapping_offset(row * part.to_step).cast::<f32>();
        // SAFETY: the caller's contract.
        unsafe {
            let rows: [__m256; 8] = array_of!(8, |k| _mm256_loadu_ps(from(k as isize)));
            for half in [0, 4] {
                // Columns 0 and 1, or 2 and 3, of both halves of four rows.
                let low = _mm256_unpacklo_ps(rows[half], rows[half + 1]);
                let high = _mm256_unpackhi_ps(rows[half], rows[half + 1]);
                let next_low = _mm256_unpacklo_ps(rows[half + 2], rows[half + 3]);
                let next_high = _mm256_unpackhi_ps(rows[half + 2], rows[half + 3]);
                let columns = [
                    _mm256_shuffle_ps::<0x44>(low, next_low),
                    _mm256_shuffle_ps::<0xee>(low, next_low),
                    _mm256_shuffle_ps::<0x44>(high, next_high),
                    _mm256_shuffle_ps::<0xee>(high, next_high),
                ];
                for (k, &column) in columns.iter().enumerate() {
                    let k = k as isize;
                    let place = |row: isize| to(row).add(half);
                    _mm_storeu_ps(place(k), _mm256_castps256_ps128(column));
                    _mm_storeu_ps(place(k + 4), _mm256_extractf128_ps::<1>(column));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Transposed, find_transpose};
    use crate::level::Level;

    #[test]
    fn every_element_goes_to_its_place() {
        for level in Level::ALL.into_iter().filter(|&level| level <= Level::detect()) {
            let extents = [8, 4, 2, 1].into_iter().flat_map(|size| {
                let extents = [
                    (8, 8),
                    (9, 13),
                    (8, 16),
                    (21, 11),
                    (3, 2),
                    (1, 40),
                    (5, 0),
                    (37, 3),
                    (4, 23),
                    (50, 8),
                    (33, 1),
                ];
                extents
                    .into_iter()
                    .flat_map(move |(rows, columns)| [1, 2].map(|step| (size, rows, columns, step)))
            });
            for (size, rows, columns, step) in extents {
                let (from_step, to_step) = ((columns + 3) * step * size, (rows + 5) * size);
                let from: Vec<u8> = (0..rows * from_step).map(|k| (k * 7 % 251) as u8).collect();
                let mut to = vec![255; columns * to_step];
                let matrix = Transposed {
                    from: from.as_ptr(),
                    from_step: from_step as isize,
                    along: (step * size) as isize,
                    to: to.as_mut_ptr(),
                    to_step: to_step as isize,
                    rows,
                    columns,
                };
                // SAFETY: both vectors hold so many rows.
                unsafe { find_transpose(size, level).unwrap()(matrix, 64) };
                for at in 0..columns * to_step {
                    let (column, row) = (at / to_step, at % to_step / size);
                    let expected = match row < rows {
                        true => from[row * from_step + column * step * size + at % size],
                        false => 255,
                    };
                    assert_eq!(
                        to[at], expected,
                        "{level:?}, {size}, {rows} x {columns} by {step}, {at}"
                    );
                }
            }
        }
    }
}
