//! Transposed copies of small matrices.

use crate::level::Level;

/// A matrix whose rows are contiguous, and where its transpose goes, whose rows are contiguous, too. Steps are bytes
/// from row to row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transposed {
    pub from: *const u8,
    pub from_step: isize,
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

/// For elements of 4 or 8 bytes.
pub(crate) fn find_transpose(size: usize, level: Level) -> Option<Transpose> {
    match (size, level) {
        #[cfg(target_arch = "x86_64")]
        (8, Level::Avx2 | Level::Avx512) => Some(x86::transpose_8),
        #[cfg(target_arch = "x86_64")]
        (4, Level::Avx2 | Level::Avx512) => Some(x86::transpose_4),
        (8, _) => Some(plain::<u64>),
        (4, _) => Some(plain::<u32>),
        _ => None,
    }
}

impl Transposed {
    /// The part that begins with a row and a column.
    fn after(self, row: usize, column: usize, size: usize) -> Transposed {
        let (across, down) = ((column * size) as isize, (row * size) as isize);
        Transposed {
            from: self.from.wrapping_offset(row as isize * self.from_step + across),
            to: self.to.wrapping_offset(column as isize * self.to_step + down),
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
    for row in 0..matrix.rows {
        for column in 0..matrix.columns {
            let Transposed { from, to, .. } = matrix.after(row, column, size_of::<T>());
            // SAFETY: the caller's contract.
            unsafe { to.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned()) };
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Transposed, plain};
    use crate::vector::LINE;
    use std::arch::x86_64::*;

    /// [`Transpose`](super::Transpose) of elements of 8 bytes.
    #[target_feature(enable = "avx2")]
    pub unsafe fn transpose_8(matrix: Transposed, ahead: isize) {
        // SAFETY: the caller's contract.
        unsafe { by_squares::<4, u64>(matrix, ahead, square_8) }
    }

    /// [`Transpose`](super::Transpose) of elements of 4 bytes.
    #[target_feature(enable = "avx2")]
    pub unsafe fn transpose_4(matrix: Transposed, ahead: isize) {
        // SAFETY: the caller's contract.
        unsafe { by_squares::<8, u32>(matrix, ahead, square_4) }
    }

    /// Square by square of `N` rows and columns, which `square` is given; what remains, element by element.
    ///
    /// # Safety
    /// As for [`Transpose`](super::Transpose).
    #[inline(always)]
    unsafe fn by_squares<const N: usize, T: Copy>(
        matrix: Transposed,
        ahead: isize,
        square: unsafe fn(Transposed),
    ) {
        let [rows, columns] = [matrix.rows, matrix.columns].map(|extent| extent / N * N);
        let line = LINE / size_of::<T>();
        for row in (0..rows).step_by(N) {
            for column in (0..columns).step_by(N) {
                let part = matrix.after(row, column, size_of::<T>());
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
            let right = matrix.after(0, columns, size_of::<T>());
            plain::<T>(Transposed { rows, ..right }, ahead);
            plain::<T>(matrix.after(rows, 0, size_of::<T>()), ahead);
        }
    }

    /// The first 4 rows and columns of a matrix.
    ///
    /// # Safety
    /// As for [`Transpose`](super::Transpose); there are so many.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn square_8(part: Transposed) {
        let from = |row: isize| part.from.wrapping_offset(row * part.from_step).cast();
        let to = |row: isize| part.to.wrapping_offset(row * part.to_step).cast();
        // SAFETY: the caller's contract.
        unsafe {
            let rows: [__m256d; 4] = std::array::from_fn(|k| _mm256_loadu_pd(from(k as isize)));
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

    /// The first 8 rows and columns of a matrix.
    ///
    /// # Safety
    /// As for [`Transpose`](super::Transpose); there are so many.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn square_4(part: Transposed) {
        let from = |row: isize| part.from.wrapping_offset(row * part.from_step).cast();
        let to = |row: isize| part.to.wrapping_offset(row * part.to_step).cast::<f32>();
        // SAFETY: the caller's contract.
        unsafe {
            let rows: [__m256; 8] = std::array::from_fn(|k| _mm256_loadu_ps(from(k as isize)));
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
            for (size, rows, columns) in
                [(8, 8, 8), (8, 9, 13), (4, 8, 16), (4, 21, 11), (8, 3, 2), (4, 1, 40), (8, 5, 0)]
            {
                let (from_step, to_step) = ((columns + 3) * size, (rows + 5) * size);
                let from: Vec<u8> = (0..rows * from_step).map(|k| (k * 7 % 251) as u8).collect();
                let mut to = vec![255; columns * to_step];
                let matrix = Transposed {
                    from: from.as_ptr(),
                    from_step: from_step as isize,
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
                        true => from[row * from_step + column * size + at % size],
                        false => 255,
                    };
                    assert_eq!(to[at], expected, "{level:?}, {size}, {rows} x {columns}, {at}");
                }
            }
        }
    }
}
