//! Products of a matrix with a vector.

use crate::level::Level;
use crate::rectangle::{Side, copy};
use darray_core::DType;

/// Lanes of a dot product.
const LANES: usize = 32;
/// Rows worked off together where rows are contiguous.
const ABREAST: usize = 4;
/// Rows worked off together where columns are contiguous.
const ROWS: usize = 64;

/// Dot products of rows with a vector, of one element type.
///
/// Product k is added to lane k mod 32, multiplication and addition each rounded; then lane `l` and
/// lane `l + w` are added for `w` = 16, 8, 4, 2, 1. The order is the same for row-major and
/// column-major matrices and for every instruction set.
#[derive(Clone, Copy)]
pub(super) struct Dot {
    size: usize,
    /// One row: elements, bytes from row to row, vector, count, result.
    row: unsafe fn(*const u8, i64, *const u8, usize, *mut u8),
    /// The same for [`ABREAST`] rows, whose memory is then read in as many streams.
    rows: unsafe fn(*const u8, i64, *const u8, usize, *mut u8),
    /// [`ROWS`] rows whose columns are contiguous: elements, bytes from column to column, vector,
    /// count, results.
    columns: unsafe fn(*const u8, i64, *const u8, usize, *mut u8),
}

impl Dot {
    /// For floats only.
    pub fn find(dtype: DType, level: Level) -> Option<Dot> {
        match dtype {
            DType::F64 => Some(find::<f64>(level)),
            DType::F32 => Some(find::<f32>(level)),
            _ => None,
        }
    }

    /// `out (rows, 1) = a (rows, k) . x (k)`, `x` contiguous.
    ///
    /// # Safety
    /// The operands have these sizes; the output overlaps no input.
    pub unsafe fn rows(&self, a: &Side, x: *const u8, out: &Side, rows: usize, k: usize) {
        let size = self.size;
        let (down, across) = (a.strides[0], a.strides[1]);
        let mut results = [0u64; ROWS];
        let results = results.as_mut_ptr().cast::<u8>();
        let mut space: Vec<u64> = Vec::new();
        let mut row = 0;
        // SAFETY: rows below `rows`; the buffers have room for a row and for `ROWS` results.
        unsafe {
            while row < rows {
                let from = a.pointer.wrapping_offset(row as isize * down as isize);
                let count = if down == size as i64 && across != size as i64 && rows - row >= ROWS {
                    (self.columns)(from, across, x, k, results);
                    ROWS
                } else if across == size as i64 && rows - row >= ABREAST {
                    (self.rows)(from, down, x, k, results);
                    ABREAST
                } else if across == size as i64 || k <= 1 {
                    (self.row)(from, 0, x, k, results);
                    1
                } else {
                    space.resize(k, 0);
                    let packed = Side::row_major(space.as_mut_ptr().cast(), &[k], size);
                    let strided = Side { pointer: from, strides: a.strides[1..].into() };
                    copy(&[k], &strided, &packed, size);
                    (self.row)(packed.pointer, 0, x, k, results);
                    1
                };
                let target = out.pointer.wrapping_offset(row as isize * out.strides[0] as isize);
                let to = Side { pointer: target, strides: out.strides[..1].into() };
                copy(&[count], &Side::row_major(results, &[count], size), &to, size);
                row += count;
            }
        }
    }
}

trait Float: Copy + std::ops::Add<Output = Self> + std::ops::Mul<Output = Self> + 'static {
    const ZERO: Self;
}

impl Float for f64 {
    const ZERO: f64 = 0.0;
}

impl Float for f32 {
    const ZERO: f32 = 0.0;
}

#[inline(always)]
unsafe fn dot_rows<T: Float, const N: usize>(
    a: *const u8,
    step: i64,
    x: *const u8,
    k: usize,
    out: *mut u8,
) {
    let row: [*const T; N] =
        std::array::from_fn(|row| a.wrapping_offset(row as isize * step as isize).cast());
    let x = x.cast::<T>();
    let mut lanes = [[T::ZERO; LANES]; N];
    let mut at = 0;
    // SAFETY: elements below `k` of `N` rows.
    unsafe {
        while at + LANES <= k {
            for (sums, row) in lanes.iter_mut().zip(row) {
                for (lane, sum) in sums.iter_mut().enumerate() {
                    *sum = *sum + *row.add(at + lane) * *x.add(at + lane);
                }
            }
            at += LANES;
        }
        for (number, (sums, row)) in lanes.iter_mut().zip(row).enumerate() {
            for (lane, sum) in sums.iter_mut().enumerate().take(k - at) {
                *sum = *sum + *row.add(at + lane) * *x.add(at + lane);
            }
            let mut width = LANES / 2;
            while width > 0 {
                for lane in 0..width {
                    sums[lane] = sums[lane] + sums[lane + width];
                }
                width /= 2;
            }
            out.cast::<T>().add(number).write(sums[0]);
        }
    }
}

#[inline(always)]
unsafe fn dot_columns<T: Float>(a: *const u8, step: i64, x: *const u8, k: usize, out: *mut u8) {
    let x = x.cast::<T>();
    let mut lanes = [[T::ZERO; ROWS]; LANES];
    // SAFETY: columns below `k` have `ROWS` elements.
    unsafe {
        for at in 0..k {
            let column = a.offset(at as isize * step as isize).cast::<[T; ROWS]>().read_unaligned();
            let factor = *x.add(at);
            for (sum, value) in lanes[at % LANES].iter_mut().zip(column) {
                *sum = *sum + value * factor;
            }
        }
        let mut width = LANES / 2;
        while width > 0 {
            let (left, right) = lanes.split_at_mut(width);
            for (left, right) in left.iter_mut().zip(right) {
                for (l, r) in left.iter_mut().zip(right) {
                    *l = *l + *r;
                }
            }
            width /= 2;
        }
        out.cast::<[T; ROWS]>().write(lanes[0]);
    }
}

macro_rules! define_dots {
    ($(($level:ident, $rows:ident, $columns:ident $(, $features:literal)?))+) => {
        $(
            $(#[target_feature(enable = $features)])?
            unsafe fn $rows<T: Float, const N: usize>(
                a: *const u8,
                step: i64,
                x: *const u8,
                k: usize,
                out: *mut u8,
            ) {
                // SAFETY: the caller's contract.
                unsafe { dot_rows::<T, N>(a, step, x, k, out) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn $columns<T: Float>(
                a: *const u8,
                step: i64,
                x: *const u8,
                k: usize,
                out: *mut u8,
            ) {
                // SAFETY: the caller's contract.
                unsafe { dot_columns::<T>(a, step, x, k, out) }
            }
        )+

        fn find<T: Float>(level: Level) -> Dot {
            let size = size_of::<T>();
            match level {
                $(Level::$level => Dot {
                    size,
                    row: $rows::<T, 1>,
                    rows: $rows::<T, ABREAST>,
                    columns: $columns::<T>,
                },)+
                #[allow(unreachable_patterns)]
                _ => find::<T>(Level::Baseline),
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
define_dots! {
    (Baseline, rows_baseline, columns_baseline)
    (Avx2, rows_avx2, columns_avx2, "avx2")
    (Avx512, rows_avx512, columns_avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2")
}

#[cfg(not(target_arch = "x86_64"))]
define_dots! { (Baseline, rows_baseline, columns_baseline) }
