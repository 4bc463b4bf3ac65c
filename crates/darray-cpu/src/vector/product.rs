//! Sums of products of rows and of columns: the folds that inner products are made of.
//!
//! Every product is rounded and then added to a lane of the reduction tree, as the operators would do it
//! one by one.

use super::moves::{LINE, fetch_later};
use super::register::{SumLanes, Vector};
use crate::level::Level;
use darray_core::DType;
use std::ops::Range;

/// Lanes of [`SumsOfProducts::rows`].
pub(crate) const LANES: usize = 32;
/// Most rows that are worked off together, whose memory is then read in as many streams.
pub(crate) const ABREAST: usize = 4;
/// Rows that are added to sums in registers.
const ROWS: usize = 8;
/// Bytes of the sums of all lanes that a first-level cache holds.
const SUMS: usize = 32 << 10;
/// Lines from those at hand to those that are asked for.
const AHEAD: usize = 9;
/// Bytes of rows that are gone through for some lanes, then for the next ones: the caches have them.
const PIECE: usize = 1 << 20;

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
    /// point is added to that of lane k mod lanes. Elements that are `near`, in a cache, are not read in order.
    pub columns:
        unsafe fn(factors: [Factor; 2], count: usize, points: usize, sums: LaneSums, near: bool),
}

/// Sums of all points of the first lane, of so many lanes that are `step` bytes apart.
#[derive(Clone, Copy)]
pub(crate) struct LaneSums {
    pub first: *mut u8,
    pub lanes: usize,
    pub step: usize,
}

impl LaneSums {
    /// Those of a lane.
    fn lane<T>(&self, lane: usize) -> *mut T {
        self.first.wrapping_add(lane * self.step).cast()
    }

    /// Those of the lanes from one of the first ones on.
    fn from(self, lane: usize) -> LaneSums {
        LaneSums { first: self.lane(lane), ..self }
    }
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

/// Columns, in strips of `C` vectors, of `N` lanes at a time where there are several.
#[inline(always)]
unsafe fn columns<V: Vector, const C: usize, const N: usize>(
    factors: [Factor; 2],
    count: usize,
    points: usize,
    sums: LaneSums,
    near: bool,
) where
    V::Element: Float,
{
    let lanes = sums.lanes;
    if !near && lanes > 1 && points * lanes * size_of::<V::Element>() <= SUMS {
        // SAFETY: the caller's contract.
        return unsafe { columns_in_order::<V>(factors, count, points, sums) };
    }
    if !near && lanes > 1 && count >= ROWS * lanes {
        // SAFETY: the caller's contract.
        return unsafe { columns_by_lane::<V>(factors, count, points, sums) };
    }
    debug_assert!(lanes < N || lanes.is_multiple_of(N));
    // Rows of a strip that are added before those of the next one.
    let row = factors[0].reduced.unsigned_abs().max(1) as usize;
    let together = match lanes {
        1 => ROWS,
        _ => (PIECE / row / lanes).max(1) * lanes,
    };
    // SAFETY: `count` elements of every point, sums of every lane and point.
    unsafe {
        for first in (0..count).step_by(together) {
            let rows = first..count.min(first + together);
            let mut point = 0;
            while point + C * V::LANES <= points {
                // Several gain nothing with one row of each, and cost more.
                let at_once = if lanes < N || rows.len() <= lanes { 1 } else { N };
                for lane in (0..lanes.min(rows.len())).step_by(at_once) {
                    let (first, sums) = (rows.start + lane, sums.from(lane));
                    match at_once {
                        1 => strip::<V, C, 1>(factors, first..rows.end, point, sums),
                        _ => strip::<V, C, N>(factors, first..rows.end, point, sums),
                    }
                }
                point += C * V::LANES;
            }
            if point < points {
                rows.for_each(|row| rest_of_row::<V::Element>(factors, row, point..points, sums));
            }
        }
    }
}

/// Columns, row by row: memory is read in order, and sums of all lanes are in the first-level cache.
#[inline(always)]
unsafe fn columns_in_order<V: Vector>(
    factors: [Factor; 2],
    count: usize,
    points: usize,
    sums: LaneSums,
) where
    V::Element: Float,
{
    let ([column, factor], whole) = (factors, points / V::LANES * V::LANES);
    // SAFETY: `count` elements of every point, sums of every lane and point.
    unsafe {
        for row in 0..count {
            let by = V::splat(factor.reduced(row));
            let lane = sums.lane::<V::Element>(row % sums.lanes);
            let values = column.reduced::<V::Element>(row);
            for point in (0..whole).step_by(V::LANES) {
                let sum = V::load(lane.add(point)).add(V::load(values.add(point)).mul(by));
                sum.store(lane.add(point));
            }
            rest_of_row::<V::Element>(factors, row, whole..points, sums);
        }
    }
}

/// Columns, some rows of a lane at once, all of them for a line of points before the next line: memory is read in few streams that
/// go on, and the sums of a lane are in the first-level cache.
#[inline(always)]
unsafe fn columns_by_lane<V: Vector>(
    factors: [Factor; 2],
    count: usize,
    points: usize,
    sums: LaneSums,
) where
    V::Element: Float,
{
    // SAFETY: `count` elements of every point, sums of every lane and point.
    unsafe {
        for lane in 0..sums.lanes.min(count) {
            let mut row = lane;
            while row + (ROWS - 1) * sums.lanes < count {
                rows_of_lane::<V, ROWS>(factors, row, points, sums);
                row += ROWS * sums.lanes;
            }
            while row < count {
                rows_of_lane::<V, 1>(factors, row, points, sums);
                row += sums.lanes;
            }
        }
    }
}

/// Adds `N` rows of a lane, this one and those behind it.
#[inline(always)]
unsafe fn rows_of_lane<V: Vector, const N: usize>(
    factors: [Factor; 2],
    first: usize,
    points: usize,
    sums: LaneSums,
) where
    V::Element: Float,
{
    let ([column, factor], of_line) = (factors, LINE / size_of::<V::Element>());
    let row = |k: usize| first + k * sums.lanes;
    let (lane, whole) = (sums.lane::<V::Element>(first % sums.lanes), points / of_line * of_line);
    // SAFETY: the caller's elements and sums; lines are whole vectors.
    unsafe {
        let by: [V; N] = std::array::from_fn(|k| V::splat(factor.reduced(row(k))));
        let values: [*const V::Element; N] = std::array::from_fn(|k| column.reduced(row(k)));
        for line in (0..whole).step_by(of_line) {
            for values in values {
                fetch_later(values.wrapping_add(line + AHEAD * of_line).cast());
            }
            for point in (line..line + of_line).step_by(V::LANES) {
                let mut sum = V::load(lane.add(point));
                for (values, by) in values.iter().zip(by) {
                    sum = sum.add(V::load(values.add(point)).mul(by));
                }
                sum.store(lane.add(point));
            }
        }
        (0..N).for_each(|k| rest_of_row::<V::Element>(factors, row(k), whole..points, sums));
    }
}

/// The points of a row that are left of vectors.
#[inline(always)]
unsafe fn rest_of_row<T: Float>(
    [column, factor]: [Factor; 2],
    row: usize,
    points: Range<usize>,
    sums: LaneSums,
) {
    let (values, sums) = (column.reduced::<T>(row), sums.lane::<T>(row % sums.lanes));
    // SAFETY: the caller's elements and sums.
    unsafe {
        let by = factor.reduced::<T>(row).read();
        for point in points {
            *sums.add(point) = *sums.add(point) + values.add(point).read() * by;
        }
    }
}

/// A strip of the rows of the first `N` lanes, whose sums stay in registers. The first of the rows is of the first lane.
#[inline(always)]
unsafe fn strip<V: Vector, const C: usize, const N: usize>(
    [column, factor]: [Factor; 2],
    rows: Range<usize>,
    point: usize,
    sums: LaneSums,
) where
    V::Element: Float,
{
    let at = |number: usize| point + number * V::LANES;
    // SAFETY: the caller's elements and sums.
    unsafe {
        let lane = |k: usize| sums.lane::<V::Element>(k);
        let mut strips: [[V; C]; N] =
            std::array::from_fn(|k| std::array::from_fn(|c| V::load(lane(k).add(at(c)))));
        let add = |strip: &mut [V; C], row: usize| {
            let by = V::splat(factor.reduced(row));
            let values = column.reduced::<V::Element>(row);
            for (number, sum) in strip.iter_mut().enumerate() {
                *sum = sum.add(V::load(values.add(at(number))).mul(by));
            }
        };
        let mut row = rows.start;
        while row + N <= rows.end {
            for (k, strip) in strips.iter_mut().enumerate() {
                add(strip, row + k);
            }
            row += sums.lanes;
        }
        for (k, strip) in strips.iter_mut().enumerate() {
            if row + k < rows.end {
                add(strip, row + k);
            }
        }
        for (k, strip) in strips.iter().enumerate() {
            for (number, sum) in strip.iter().enumerate() {
                sum.store(lane(k).add(at(number)));
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
        $abreast:literal, $together:literal $(, $features:literal)?))+) => {
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
                sums: LaneSums,
                near: bool,
            ) {
                // SAFETY: the caller's contract.
                unsafe { columns::<$vector, 4, $together>(factors, count, points, sums, near) }
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

// Vectors of a row's lanes, rows at a time, and lanes of columns at a time, so that all sums are in registers.
#[cfg(target_arch = "x86_64")]
define_sums! { find_f64:
    (Baseline, rows_f64, columns_f64, f64, 32, 1, 1)
    (Avx2, rows_f64_avx2, columns_f64_avx2, std::arch::x86_64::__m256d, 8, 1, 2, "avx2,fma")
    (Avx512, rows_f64_avx512, columns_f64_avx512, std::arch::x86_64::__m512d, 4, 4, 4,
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
}
#[cfg(target_arch = "x86_64")]
define_sums! { find_f32:
    (Baseline, rows_f32, columns_f32, f32, 32, 1, 1)
    (Avx2, rows_f32_avx2, columns_f32_avx2, std::arch::x86_64::__m256, 4, 2, 2, "avx2,fma")
    (Avx512, rows_f32_avx512, columns_f32_avx512, std::arch::x86_64::__m512, 2, 4, 4,
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
}
#[cfg(not(target_arch = "x86_64"))]
define_sums! { find_f64: (Baseline, rows_f64, columns_f64, f64, 32, 1, 1) }
#[cfg(not(target_arch = "x86_64"))]
define_sums! { find_f32: (Baseline, rows_f32, columns_f32, f32, 32, 1, 1) }

#[cfg(test)]
mod tests {
    use super::{Factor, LaneSums, find_sums_of_products};
    use crate::level::Level;
    use darray_core::DType;

    /// Sums of columns, for every lane and point, by the loop of a level or plainly.
    fn sums(
        level: Option<(Level, bool)>,
        (count, points): (usize, usize),
        lanes: usize,
        row: usize,
    ) -> Vec<u64> {
        let number = |k: usize| (k * 7919 % 1013) as f64 / 7.0 - 60.0;
        let column: Vec<f64> = (0..count * row).map(number).collect();
        let factor: Vec<f64> = (0..count).map(|k| number(3 * k + 1)).collect();
        let mut sums: Vec<f64> = (0..lanes * points).map(number).collect();
        let Some((level, near)) = level else {
            for k in 0..count {
                for point in 0..points {
                    sums[k % lanes * points + point] += column[k * row + point] * factor[k];
                }
            }
            return sums.into_iter().map(f64::to_bits).collect();
        };
        let factors = [(&column, row), (&factor, 1)].map(|(from, step)| Factor {
            at: from.as_ptr().cast(),
            reduced: 8 * step as i64,
            point: if step == 1 { 0 } else { 8 },
        });
        let found = find_sums_of_products(DType::F64, level).expect("loops for floats");
        let to = LaneSums { first: sums.as_mut_ptr().cast(), lanes, step: 8 * points };
        // SAFETY: so many elements of every row, a sum for every lane and point.
        unsafe { (found.columns)(factors, count, points, to, near) };
        sums.into_iter().map(f64::to_bits).collect()
    }

    #[test]
    fn columns_are_added_in_order_lane_by_lane() {
        let levels = || Level::ALL.into_iter().filter(|&level| level <= Level::detect());
        // In order of memory, in strips, and rows of a lane at once, of which some remain.
        let sizes =
            [(1, 64), (3, 70), (33, 70), (700, 16), (1024, 33), (200, 130), (300, 130), (590, 129)];
        for (count, points) in sizes {
            // Pieces of all rows, and of a few.
            for (lanes, row) in [1, 2, 4, 32].into_iter().flat_map(|n| [(n, 130), (n, 900)]) {
                let expected = sums(None, (count, points), lanes, row);
                for (level, near) in levels().flat_map(|level| [(level, false), (level, true)]) {
                    let own = sums(Some((level, near)), (count, points), lanes, row);
                    assert!(own == expected, "{level}: {count} x {points}, {lanes} lanes, {row}");
                }
            }
        }
    }
}
