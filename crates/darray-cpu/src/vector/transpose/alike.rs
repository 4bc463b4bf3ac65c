//! Many small matrices that are alike: a call for all of them.

use super::{Transposed, plain};
use crate::level::Level;

/// Matrices that are alike: how many, and bytes from one to the next, and from where one goes to where the next one does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alike {
    pub count: usize,
    pub from: isize,
    pub to: isize,
}

/// Copies small matrices that are alike transposed, the first of which is this one, as a [`Transpose`] does.
///
/// # Safety
/// As for a [`Transpose`] of each.
pub(crate) type TransposeAlike = unsafe fn(Transposed, Alike, isize);

/// For elements of so many bytes.
pub(crate) fn find_transpose_alike(size: usize, level: Level) -> Option<TransposeAlike> {
    match (size, level) {
        #[cfg(target_arch = "x86_64")]
        (8, Level::Avx512) => Some(x86::transpose_alike_8_avx512),
        #[cfg(target_arch = "x86_64")]
        (4, Level::Avx512) => Some(x86::transpose_alike_4_avx512),
        #[cfg(target_arch = "x86_64")]
        (8, Level::Avx2) => Some(x86::transpose_alike_8),
        #[cfg(target_arch = "x86_64")]
        (4, Level::Avx2) => Some(x86::transpose_alike_4),
        (8, _) => Some(plain_alike::<u64>),
        (4, _) => Some(plain_alike::<u32>),
        (2, _) => Some(plain_alike::<u16>),
        (1, _) => Some(plain_alike::<u8>),
        _ => None,
    }
}

/// [`TransposeAlike`] of any elements.
unsafe fn plain_alike<T: Copy>(matrix: Transposed, alike: Alike, ahead: isize) {
    // SAFETY: the caller's contract.
    unsafe { each(matrix, alike, |matrix| plain::<T>(matrix, ahead)) }
}

/// Calls `one` with each of some matrices.
#[inline(always)]
unsafe fn each(matrix: Transposed, alike: Alike, one: impl Fn(Transposed)) {
    for number in 0..alike.count as isize {
        one(Transposed {
            from: matrix.from.wrapping_offset(number * alike.from),
            to: matrix.to.wrapping_offset(number * alike.to),
            ..matrix
        });
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::x86::{
        by_squares, gather_4, gather_4_avx512, gather_8, small_8_avx512, square_4, square_8,
        square_8_avx512,
    };
    use super::{Alike, Transposed, each};

    /// [`TransposeAlike`] of elements of 8 bytes.
    #[target_feature(enable = "avx512f,avx512dq,avx2")]
    pub unsafe fn transpose_alike_8_avx512(matrix: Transposed, alike: Alike, ahead: isize) {
        // SAFETY: the caller's contract.
        unsafe {
            each(matrix, alike, |matrix| {
                by_squares::<8, u64>(matrix, ahead, square_8_avx512, small_8_avx512)
            })
        }
    }

    /// [`TransposeAlike`] of elements of 4 bytes.
    #[target_feature(enable = "avx512f,avx2")]
    pub unsafe fn transpose_alike_4_avx512(matrix: Transposed, alike: Alike, ahead: isize) {
        // SAFETY: the caller's contract.
        unsafe {
            each(matrix, alike, |matrix| {
                by_squares::<8, u32>(matrix, ahead, square_4, gather_4_avx512)
            })
        }
    }

    /// [`TransposeAlike`] of elements of 8 bytes.
    #[target_feature(enable = "avx2")]
    pub unsafe fn transpose_alike_8(matrix: Transposed, alike: Alike, ahead: isize) {
        // SAFETY: the caller's contract.
        unsafe {
            each(matrix, alike, |matrix| by_squares::<4, u64>(matrix, ahead, square_8, gather_8))
        }
    }

    /// [`TransposeAlike`] of elements of 4 bytes.
    #[target_feature(enable = "avx2")]
    pub unsafe fn transpose_alike_4(matrix: Transposed, alike: Alike, ahead: isize) {
        // SAFETY: the caller's contract.
        unsafe {
            each(matrix, alike, |matrix| by_squares::<8, u32>(matrix, ahead, square_4, gather_4))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Alike, find_transpose_alike};
    use crate::level::Level;
    use crate::vector::Transposed;

    #[test]
    fn every_element_of_all_matrices_goes_to_its_place() {
        for level in Level::ALL.into_iter().filter(|&level| level <= Level::detect()) {
            for (size, rows, columns) in [8, 4, 2, 1].into_iter().flat_map(|size| {
                [(8, 8), (16, 8), (3, 8), (9, 5)].map(|(rows, columns)| (size, rows, columns))
            }) {
                const COUNT: usize = 3;
                let (from_step, to_step) = (COUNT * columns * size, (COUNT * rows + 1) * size);
                let from: Vec<u8> = (0..rows * from_step).map(|k| (k * 7 % 251) as u8).collect();
                let mut to = vec![255; columns * to_step];
                let matrix = Transposed {
                    from: from.as_ptr(),
                    from_step: from_step as isize,
                    along: size as isize,
                    to: to.as_mut_ptr(),
                    to_step: to_step as isize,
                    rows,
                    columns,
                };
                let [next, place] = [columns, rows].map(|extent| (extent * size) as isize);
                let alike = Alike { count: COUNT, from: next, to: place };
                // SAFETY: both vectors hold so many matrices side by side.
                unsafe { find_transpose_alike(size, level).unwrap()(matrix, alike, 64) };
                for at in 0..columns * to_step {
                    let (column, row) = (at / to_step, at % to_step / size);
                    let (number, row) = (row / rows, row % rows);
                    let expected = match number < COUNT {
                        true => {
                            from[row * from_step + (number * columns + column) * size + at % size]
                        }
                        false => 255,
                    };
                    assert_eq!(to[at], expected, "{level:?}, {size}, {rows} x {columns}, {at}");
                }
            }
        }
    }
}
