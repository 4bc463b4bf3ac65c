//! Sums of products of rows and of columns: the folds that inner products are made of.
//!
//! Every product is rounded and then added to a lane of the reduction tree, as the operators would do it
//! one by one.

use super::register::{SumLanes, Vector};
use crate::level::Level;
use darray_core::DType;

/// Lanes of [`SumsOfProducts::rows`].
pub(crate) const LANES: usize = 32;
/// Most rows that are worked off together, whose memory is then read in as many streams.
pub(crate) const ABREAST: usize = 4;
/// Rows that are added to sums in registers.
const ROWS: usize = 8;

/// One factor of products: where it is at the first reduced index of the first point, and the bytes from
/// one reduced index, and from one point, to the next.
#[derive(Clone, Copy)]
pub(crate) struct Factor {
    pub at: *const u8,
    pub reduced: i64,
    pub point: i64,
}

/// Sums of products of one float type.
#[derive(Clone, Copy)]
pub(crate) struct SumsOfProducts {
    /// Both factors contiguous along `count` reduced indices: product k goes to lane k mod [`LANES`],
    /// which begins as `out` does; for every one of `points` points, `out` becomes the sum of the lanes.
    pub rows: unsafe fn(factors: [Factor; 2], count: usize, points: usize, out: *mut u8),
    /// The first factor contiguous along the points, the second the same for all of them: product k of a
    /// point is added to `sums[k mod lanes]`, lanes being `step` bytes apart.
    pub columns: unsafe fn(
        factors: [Factor; 2],
        count: usize,
        points: usize,
        sums: *mut u8,
        lanes: usize,
        step: usize,
    ),
}

/// For floats only.
pub(crate) fn find_sums_of_products(dtype: DType, level: Level) -> Option<SumsOfProducts> {
    match dtype {
        DType::F64 => Some(find_f64(level)),
        DType::F32 => Some(find_f32(level)),
        _ => None,
    }
}

impl Factor {
    fn point<T>(&self, point: usize) -> *const T {
        self.at.wrapping_offset((point as i64 * self.point) as isize).cast()
    }

    fn reduced<T>(&self, index: usize) -> *const T {
        self.at.wrapping_offset((index as i64 * self.reduced) as isize).cast()
    }
}

/// Rows, `N` at a time; a row's lanes are `C` vectors.
#[inline(always)]
unsafe fn rows<V: SumLanes, const C: usize, const N: usize>(
    factors: [Factor; 2],
    count: usize,
    points: usize,
    out: *mut u8,
) where
    V::Element: Float,
{
    let mut point = 0;
    // SAFETY: the caller's points.
    unsafe {
        while point < points {
            let out = out.cast::<V::Element>().add(point);
            if points - point >= N {
                some_rows::<V, C, N>(factors, count, point, out);
                point += N;
            } else {
                some_rows::<V, C, 1>(factors, count, point, out);
                point += 1;
            }
        }
    }
}

#[inline(always)]
unsafe fn some_rows<V: SumLanes, const C: usize, const N: usize>(
    factors: [Factor; 2],
    count: usize,
    first: usize,
    out: *mut V::Element,
) where
    V::Element: Float,
{
    let [left, right]: [[*const V::Element; N]; 2] =
        factors.map(|factor| std::array::from_fn(|row| factor.point(first + row)));
    // SAFETY: `count` elements of `N` rows, `N` results; a vector's worth of lanes in an array.
    unsafe {
        let mut sums: [[V; C]; N] = std::array::from_fn(|row| [V::splat(out.add(row)); C]);
        let mut at = 0;
        while at + LANES <= count {
            for (row, sums) in sums.iter_mut().enumerate() {
                for (number, sum) in sums.iter_mut().enumerate() {
                    let at = at + number * V::LANES;
                    *sum = sum.add(V::load(left[row].add(at)).mul(V::load(right[row].add(at))));
                }
            }
            at += LANES;
        }
        for (row, sums) in sums.iter_mut().enumerate() {
            let mut width = C;
            if at < count {
                let mut lanes = [out.read(); LANES];
                for (number, sum) in sums.iter().enumerate() {
                    sum.store(lanes.as_mut_ptr().add(number * V::LANES));
                }
                for (lane, sum) in lanes.iter_mut().enumerate().take(count - at) {
                    *sum =
                        *sum + left[row].add(at + lane).read() * right[row].add(at + lane).read();
                }
                for (number, sum) in sums.iter_mut().enumerate() {
                    *sum = V::load(lanes.as_ptr().add(number * V::LANES));
                }
            }
            while width > 1 {
                width /= 2;
                for number in 0..width {
                    sums[number] = sums[number].add(sums[number + width]);
                }
            }
            out.add(row).write(sums[0].sum_lanes());
        }
    }
}

/// Columns, in strips of `C` vectors.
#[inline(always)]
unsafe fn columns<V: Vector, const C: usize>(
    factors: [Factor; 2],
    count: usize,
    points: usize,
    sums: *mut u8,
    lanes: usize,
    step: usize,
) where
    V::Element: Float,
{
    let [column, factor] = factors;
    // Rows of a strip that are added before those of the next one.
    let together = if lanes == 1 { ROWS } else { LANES };
    // SAFETY: `count` elements of every point, sums of every lane and point.
    unsafe {
        let lane = |row: usize| sums.add(row % lanes * step).cast::<V::Element>();
        for first in (0..count).step_by(together) {
            let rows = first..count.min(first + together);
            let mut point = 0;
            while point + C * V::LANES <= points {
                let at = |number: usize| point + number * V::LANES;
                let mut strip: [V; C] = std::array::from_fn(|c| V::load(lane(first).add(at(c))));
                for row in rows.clone() {
                    let by = V::splat(factor.reduced(row));
                    let values = column.reduced::<V::Element>(row);
                    if lanes > 1 {
                        strip = std::array::from_fn(|c| V::load(lane(row).add(at(c))));
                    }
                    for (number, sum) in strip.iter_mut().enumerate() {
                        *sum = sum.add(V::load(values.add(at(number))).mul(by));
                    }
                    if lanes > 1 {
                        for (number, sum) in strip.iter().enumerate() {
                            sum.store(lane(row).add(at(number)));
                        }
                    }
                }
                if lanes == 1 {
                    for (number, sum) in strip.iter().enumerate() {
                        sum.store(lane(first).add(at(number)));
                    }
                }
                point += C * V::LANES;
            }
            if point == points {
                continue;
            }
            for row in rows {
                let (by, sums) = (factor.reduced::<V::Element>(row).read(), lane(row));
                let values = column.reduced::<V::Element>(row);
                for point in point..points {
                    *sums.add(point) = *sums.add(point) + values.add(point).read() * by;
                }
            }
        }
    }
}

/// A float as a number, for what is left of vectors.
trait Float: Copy + std::ops::Add<Output = Self> + std::ops::Mul<Output = Self> {}

impl Float for f64 {}

impl Float for f32 {}

macro_rules! define_sums {
    ($find:ident: $(($level:ident, $rows:ident, $columns:ident, $vector:ty, $lanes:literal,
        $abreast:literal $(, $features:literal)?))+) => {
        $(
            $(#[target_feature(enable = $features)])?
            unsafe fn $rows(factors: [Factor; 2], count: usize, points: usize, out: *mut u8) {
                // SAFETY: the caller's contract.
                unsafe { rows::<$vector, $lanes, $abreast>(factors, count, points, out) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn $columns(
                factors: [Factor; 2],
                count: usize,
                points: usize,
                sums: *mut u8,
                lanes: usize,
                step: usize,
            ) {
                // SAFETY: the caller's contract.
                unsafe { columns::<$vector, 4>(factors, count, points, sums, lanes, step) }
            }
        )+

        fn $find(level: Level) -> SumsOfProducts {
            match level {
                $(Level::$level => SumsOfProducts { rows: $rows, columns: $columns },)+
                #[allow(unreachable_patterns)]
                _ => $find(Level::Baseline),
            }
        }
    };
}

// Vectors of a row's lanes, and rows at a time, so that all sums are in registers.
#[cfg(target_arch = "x86_64")]
define_sums! { find_f64:
    (Baseline, rows_f64, columns_f64, f64, 32, 1)
    (Avx2, rows_f64_avx2, columns_f64_avx2, std::arch::x86_64::__m256d, 8, 1, "avx2,fma")
    (Avx512, rows_f64_avx512, columns_f64_avx512, std::arch::x86_64::__m512d, 4, 4,
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
}
#[cfg(target_arch = "x86_64")]
define_sums! { find_f32:
    (Baseline, rows_f32, columns_f32, f32, 32, 1)
    (Avx2, rows_f32_avx2, columns_f32_avx2, std::arch::x86_64::__m256, 4, 2, "avx2,fma")
    (Avx512, rows_f32_avx512, columns_f32_avx512, std::arch::x86_64::__m512, 2, 4,
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
}
#[cfg(not(target_arch = "x86_64"))]
define_sums! { find_f64: (Baseline, rows_f64, columns_f64, f64, 32, 1) }
#[cfg(not(target_arch = "x86_64"))]
define_sums! { find_f32: (Baseline, rows_f32, columns_f32, f32, 32, 1) }
