//! Sums of products of rows and of columns: the folds that inner products are made of.
//!
//! Every product is rounded and then added to a lane of the reduction tree, as the operators would do it
//! one by one.

mod columns;
mod rows;

use super::register::Vector;
#[cfg(target_arch = "x86_64")]
use super::register::{I32x8, I32x16, I64x4, I64x8};
use crate::level::Level;
use columns::{columns, leaves};
use darray_core::{Compute, DType};
use rows::rows;

/// Lanes of [`SumsOfProducts::rows`].
pub(crate) const LANES: usize = 32;
/// Reduced indices of a short leaf.
pub(crate) const LEAF: usize = 8;
/// Most rows, or leaves, that are worked off together, whose memory is then read in as many streams.
pub(crate) const ABREAST: usize = 4;

/// One factor of products: where it is at the first reduced index of the first point, and the bytes from
/// one reduced index, and from one point, to the next.
#[derive(Clone, Copy)]
pub(crate) struct Factor {
    pub at: *const u8,
    pub reduced: i64,
    pub point: i64,
}

/// See [`SumsOfProducts::rows`]: factors, count, points, out.
pub(crate) type SumsOfRows = unsafe fn([Factor; 2], usize, usize, *mut u8);

/// Sums of products of one type.
#[derive(Clone, Copy)]
pub(crate) struct SumsOfProducts {
    /// Both factors contiguous along a `count` of reduced indices: product k goes to lane k mod [`LANES`],
    /// which begins as `out` does; for every one of `points` points, `out` becomes the sum of the lanes. For floats only: integers
    /// may be added in any order, which has loops of its own.
    pub rows: Option<SumsOfRows>,
    /// The first factor contiguous along the points, the second the same for all of them: product k of a
    /// point is added to that of lane k mod lanes. Elements that are `near`, in a cache, are not read in order. Where there are
    /// fewer products than lanes, lanes without any are not touched, and may not be there.
    pub columns:
        unsafe fn(factors: [Factor; 2], count: usize, points: usize, sums: LaneSums, near: bool),
    /// The same factors over leaves of so many reduced indices each and how many of them, a power of two that are a subtree: the sums
    /// of a leaf begin as the element at `start` does, and are combined two by two. `waiting` holds the sums of all points of those
    /// that wait, and in the end what they all give, as its first vector.
    pub leaves: unsafe fn(
        factors: [Factor; 2],
        leaves: (usize, usize),
        points: usize,
        start: *const u8,
        waiting: LaneSums,
    ),
    /// Points of one strip: so many [`leaves`](Self::leaves) go through once, however long they are.
    pub few: usize,
}

/// Sums of all points of the first lane, of so many lanes that are `step` bytes apart. Behind the last point of each is room for a
/// whole vector.
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

/// For floats and integers of 32 and 64 bits.
pub(crate) fn find_sums_of_products(dtype: DType, level: Level) -> Option<SumsOfProducts> {
    match dtype.as_compute() {
        Some(Compute::F64) => Some(find_f64(level)),
        Some(Compute::F32) => Some(find_f32(level)),
        Some(Compute::I64) => Some(find_i64(level)),
        Some(Compute::I32) => Some(find_i32(level)),
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

macro_rules! define_rows {
    ($(($rows:ident, $vector:ty, $lanes:literal, $abreast:literal $(, $features:literal)?))+) => {
        $(
            $(#[target_feature(enable = $features)])?
            unsafe fn $rows(factors: [Factor; 2], count: usize, points: usize, out: *mut u8) {
                // SAFETY: the caller's contract.
                unsafe { rows::<$vector, $lanes, $abreast>(factors, count, points, out) }
            }
        )+
    };
}

macro_rules! define_sums {
    ($find:ident: $(($level:ident, $rows:expr, $columns:ident, $leaves:ident, $vector:ty, $together:literal
        $(, $features:literal)?))+) => {
        $(
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

            $(#[target_feature(enable = $features)])?
            unsafe fn $leaves(
                factors: [Factor; 2],
                count: (usize, usize),
                points: usize,
                start: *const u8,
                waiting: LaneSums,
            ) {
                // SAFETY: the caller's contract.
                unsafe { leaves::<$vector, 4>(factors, count, points, start, waiting) }
            }
        )+

        fn $find(level: Level) -> SumsOfProducts {
            match level {
                $(Level::$level => SumsOfProducts {
                    rows: $rows,
                    columns: $columns,
                    leaves: $leaves,
                    few: 4 * <$vector as Vector>::LANES,
                },)+
                #[allow(unreachable_patterns)]
                _ => $find(Level::Baseline),
            }
        }
    };
}

// Vectors of a row's lanes, rows at a time, so that all sums are in registers.
define_rows! { (rows_f64, f64, 32, 1) (rows_f32, f32, 32, 1) }
#[cfg(target_arch = "x86_64")]
define_rows! {
    (rows_f64_avx2, std::arch::x86_64::__m256d, 8, 1, "avx2,fma")
    (rows_f32_avx2, std::arch::x86_64::__m256, 4, 2, "avx2,fma")
    (rows_f64_avx512, std::arch::x86_64::__m512d, 4, 4, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
    (rows_f32_avx512, std::arch::x86_64::__m512, 2, 4, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
}

// Lanes of columns at a time, so that all sums are in registers.
#[cfg(target_arch = "x86_64")]
define_sums! { find_f64:
    (Baseline, Some(rows_f64), columns_f64, leaves_f64, f64, 1)
    (Avx2, Some(rows_f64_avx2), columns_f64_avx2, leaves_f64_avx2, std::arch::x86_64::__m256d, 2, "avx2,fma")
    (Avx512, Some(rows_f64_avx512), columns_f64_avx512, leaves_f64_avx512, std::arch::x86_64::__m512d, 4,
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
}
#[cfg(target_arch = "x86_64")]
define_sums! { find_f32:
    (Baseline, Some(rows_f32), columns_f32, leaves_f32, f32, 1)
    (Avx2, Some(rows_f32_avx2), columns_f32_avx2, leaves_f32_avx2, std::arch::x86_64::__m256, 2, "avx2,fma")
    (Avx512, Some(rows_f32_avx512), columns_f32_avx512, leaves_f32_avx512, std::arch::x86_64::__m512, 4,
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
}
#[cfg(target_arch = "x86_64")]
define_sums! { find_i64:
    (Baseline, None, columns_i64, leaves_i64, i64, 1)
    (Avx2, None, columns_i64_avx2, leaves_i64_avx2, I64x4, 2, "avx2,fma")
    (Avx512, None, columns_i64_avx512, leaves_i64_avx512, I64x8, 4, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
}
#[cfg(target_arch = "x86_64")]
define_sums! { find_i32:
    (Baseline, None, columns_i32, leaves_i32, i32, 1)
    (Avx2, None, columns_i32_avx2, leaves_i32_avx2, I32x8, 2, "avx2,fma")
    (Avx512, None, columns_i32_avx512, leaves_i32_avx512, I32x16, 4, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
}
#[cfg(not(target_arch = "x86_64"))]
define_sums! { find_f64: (Baseline, Some(rows_f64), columns_f64, leaves_f64, f64, 1) }
#[cfg(not(target_arch = "x86_64"))]
define_sums! { find_f32: (Baseline, Some(rows_f32), columns_f32, leaves_f32, f32, 1) }
#[cfg(not(target_arch = "x86_64"))]
define_sums! { find_i64: (Baseline, None, columns_i64, leaves_i64, i64, 1) }
#[cfg(not(target_arch = "x86_64"))]
define_sums! { find_i32: (Baseline, None, columns_i32, leaves_i32, i32, 1) }

#[cfg(test)]
mod tests {
    use super::{Factor, LANES, LaneSums, find_sums_of_products};
    use crate::level::Level;
    use darray_core::DType;

    fn number(k: usize) -> f64 {
        (k * 7919 % 1013) as f64 / 7.0 - 60.0
    }

    fn levels() -> impl Iterator<Item = Level> {
        Level::ALL.into_iter().filter(|&level| level <= Level::detect())
    }

    /// Sums of columns, for every lane and point, by the loop of a level or plainly.
    fn sums(
        level: Option<(Level, bool)>,
        (count, points): (usize, usize),
        lanes: usize,
        row: usize,
    ) -> Vec<u64> {
        let column: Vec<f64> = (0..count * row).map(number).collect();
        let factor: Vec<f64> = (0..count).map(|k| number(3 * k + 1)).collect();
        // Room for a vector behind the last point.
        let step = points + 8;
        let mut sums: Vec<f64> = (0..lanes * step).map(number).collect();
        let bits = |sums: Vec<f64>| {
            let of_points = sums.chunks(step).flat_map(|lane| &lane[..points]);
            of_points.map(|sum| sum.to_bits()).collect()
        };
        let Some((level, near)) = level else {
            for k in 0..count {
                for point in 0..points {
                    sums[k % lanes * step + point] += column[k * row + point] * factor[k];
                }
            }
            return bits(sums);
        };
        let factors = [(&column, row), (&factor, 1)].map(|(from, step)| Factor {
            at: from.as_ptr().cast(),
            reduced: 8 * step as i64,
            point: if step == 1 { 0 } else { 8 },
        });
        let found = find_sums_of_products(DType::F64, level).expect("loops for floats");
        let to = LaneSums { first: sums.as_mut_ptr().cast(), lanes, step: 8 * step };
        // SAFETY: so many elements of every row, a sum for every lane and point, and room behind them.
        unsafe { (found.columns)(factors, count, points, to, near) };
        bits(sums)
    }

    #[test]
    fn integers_wrap_around() {
        fn check<T: Copy + PartialEq + std::fmt::Debug>(
            dtype: DType,
            of: impl Fn(u64) -> T,
            add: impl Fn(T, [T; 2]) -> T,
        ) {
            let (rows, zero) = (64, of(0));
            let numbers = |n: usize, by: u64| -> Vec<T> {
                (1..=n as u64).map(|k| of(k.wrapping_mul(by))).collect()
            };
            for points in 1..40 {
                let column = numbers(rows * points, 0x9e37_79b9_7f4a_7c15);
                let factor = numbers(rows, 0xd1b5_4a32_d192_ed03);
                let sum = |point: usize, rows: &mut dyn Iterator<Item = usize>| {
                    rows.fold(zero, |sum, k| add(sum, [column[k * points + point], factor[k]]))
                };
                let size = size_of::<T>();
                let factors =
                    [(&column, points, size), (&factor, 1, 0)].map(|(from, step, point)| {
                        let (reduced, point) = ((step * size) as i64, point as i64);
                        Factor { at: from.as_ptr().cast(), reduced, point }
                    });
                for level in levels() {
                    let found = find_sums_of_products(dtype, level).expect("loops for integers");
                    assert!(found.rows.is_none());
                    let step = points + 16;
                    let mut sums = vec![zero; 4 * step];
                    let first = sums.as_mut_ptr().cast();
                    let to = LaneSums { first, lanes: 4, step: step * size };
                    let start = std::ptr::from_ref(&zero).cast();
                    // SAFETY: so many elements of every row, and vectors for four lanes, or leaves that wait.
                    unsafe { (found.columns)(factors, rows, points, to, false) };
                    for (lane, point) in (0..4).flat_map(|lane| (0..points).map(move |p| (lane, p)))
                    {
                        let expected = sum(point, &mut (lane..rows).step_by(4));
                        assert_eq!(sums[lane * step + point], expected, "{level} {dtype} {points}");
                    }
                    // SAFETY: as above.
                    unsafe { (found.leaves)(factors, (8, 8), points, start, to) };
                    for (point, &own) in sums[..points].iter().enumerate() {
                        assert_eq!(own, sum(point, &mut (0..rows)), "{level} {dtype} {points}");
                    }
                }
            }
        }
        check(DType::I64, |k| k as i64, |sum, [a, b]| sum.wrapping_add(a.wrapping_mul(b)));
        check(DType::I32, |k| k as i32, |sum, [a, b]| sum.wrapping_add(a.wrapping_mul(b)));
    }

    #[test]
    fn leaves_are_combined_two_by_two() {
        for (rows, leaves) in [(8, 1), (8, 2), (8, 32), (16, 4), (128, 8)] {
            for points in (1..=40).chain([70, 130]) {
                let row = points + 1;
                let column: Vec<f64> = (0..rows * leaves * row - 1).map(number).collect();
                let factor: Vec<f64> = (0..rows * leaves).map(|k| number(3 * k + 1)).collect();
                let leaf = |leaf: usize, point: usize| {
                    (leaf * rows..(leaf + 1) * rows)
                        .fold(-0.0, |sum, k| sum + column[k * row + point] * factor[k])
                };
                let expected: Vec<u64> = (0..points)
                    .map(|point| {
                        let mut sums: Vec<f64> = (0..leaves).map(|k| leaf(k, point)).collect();
                        while sums.len() > 1 {
                            sums = sums.chunks(2).map(|two| two[0] + two[1]).collect();
                        }
                        sums[0].to_bits()
                    })
                    .collect();
                for level in levels() {
                    let factors = [(&column, row), (&factor, 1)].map(|(from, step)| Factor {
                        at: from.as_ptr().cast(),
                        reduced: 8 * step as i64,
                        point: if step == 1 { 0 } else { 8 },
                    });
                    let lanes = leaves.ilog2() as usize + 1;
                    let mut sums = vec![f64::NAN; lanes * (points + 8)];
                    let waiting =
                        LaneSums { first: sums.as_mut_ptr().cast(), lanes, step: 8 * (points + 8) };
                    let found = find_sums_of_products(DType::F64, level).expect("loops for floats");
                    let start = std::ptr::from_ref(&NEUTRAL).cast();
                    // SAFETY: so many elements of every leaf, a vector with room behind it for all that waits.
                    unsafe { (found.leaves)(factors, (rows, leaves), points, start, waiting) };
                    let own: Vec<u64> = sums[..points].iter().map(|sum| sum.to_bits()).collect();
                    assert_eq!(own, expected, "{level}: {leaves} of {rows} x {points}");
                }
            }
        }
    }

    /// What sums begin with.
    const NEUTRAL: f64 = -0.0;

    #[test]
    fn rows_are_added_lane_by_lane() {
        for (count, points) in (1..=70).map(|count| (count, 7)).chain([(1000, 5), (999, 9)]) {
            // Rows that end with the memory.
            let row = count + 1;
            let rows: Vec<f64> = (0..points * row - 1).map(number).collect();
            let factor: Vec<f64> = (0..count).map(|k| number(3 * k + 1)).collect();
            let start = [0.5, -0.0][count % 2];
            let expected: Vec<u64> = (0..points)
                .map(|point| {
                    let mut lanes = [start; LANES];
                    for k in 0..count {
                        lanes[k % LANES] += rows[point * row + k] * factor[k];
                    }
                    let mut width = LANES / 2;
                    while width > 0 {
                        (0..width).for_each(|lane| lanes[lane] += lanes[lane + width]);
                        width /= 2;
                    }
                    lanes[0].to_bits()
                })
                .collect();
            for level in levels() {
                let factors = [(&rows, 8 * row as i64), (&factor, 0)].map(|(from, point)| Factor {
                    at: from.as_ptr().cast(),
                    reduced: 8,
                    point,
                });
                let mut out = vec![start; points];
                let found = find_sums_of_products(DType::F64, level).expect("loops for floats");
                let rows = found.rows.expect("a loop for rows of floats");
                // SAFETY: so many elements of every row, a sum for every point.
                unsafe { rows(factors, count, points, out.as_mut_ptr().cast()) };
                let own: Vec<u64> = out.into_iter().map(f64::to_bits).collect();
                assert_eq!(own, expected, "{level}: {points} x {count}");
            }
        }
    }

    #[test]
    fn columns_are_added_in_order_lane_by_lane() {
        // In order of memory, in strips, and rows of a lane at once, of which some remain.
        let sizes =
            [(1, 64), (3, 70), (33, 70), (700, 16), (1024, 33), (200, 130), (300, 130), (590, 129)];
        let few_points = (1..32).map(|points| (75, points));
        // Of so few that rows of all lanes are taken together: in several pieces, and a rest.
        let narrow = (1..16).flat_map(|points| [(127, points), (130, points), (3000, points)]);
        for (count, points) in few_points.chain(narrow).chain(sizes) {
            // Pieces of all rows, and of a few, and rows that follow one another.
            let rows = [130, 900, points];
            for (lanes, row) in [1, 2, 4, 32].into_iter().flat_map(|n| rows.map(|row| (n, row))) {
                let expected = sums(None, (count, points), lanes, row);
                for (level, near) in levels().flat_map(|level| [(level, false), (level, true)]) {
                    let own = sums(Some((level, near)), (count, points), lanes, row);
                    assert!(own == expected, "{level}: {count} x {points}, {lanes} lanes, {row}");
                }
            }
        }
    }
    /// Of few columns the rows of all lanes are taken together, whatever the type.
    #[test]
    fn few_columns_of_every_type_are_those_of_loops_without_vectors() {
        fn check<T: Copy>(dtype: DType, of: impl Fn(i32) -> T) {
            let numbers = |n: usize, by: usize| -> Vec<T> {
                (1..=n).map(|k| of((k * by % 2003) as i32 - 1000)).collect()
            };
            let size = size_of::<T>();
            for (count, points) in (1..=17).flat_map(|p| [(128, p), (129, p), (1024, p)]) {
                // Of the exact size, so that nothing is read behind the end where valgrind looks.
                let (column, factor) = (numbers(count * points, 7919), numbers(count, 104_729));
                let factors = [(&column, points * size, size), (&factor, size, 0)].map(
                    |(from, by, point)| {
                        let at = from.as_ptr().cast();
                        Factor { at, reduced: by as i64, point: point as i64 }
                    },
                );
                let sums = |level: Level| {
                    // Room for a vector behind the last point.
                    let step = points + 16;
                    let mut sums = numbers(LANES * step, 31);
                    let first = sums.as_mut_ptr().cast();
                    let to = LaneSums { first, lanes: LANES, step: step * size };
                    let found = find_sums_of_products(dtype, level).expect("loops");
                    // SAFETY: so many elements of every row, a sum for every lane and point, and room behind them.
                    unsafe { (found.columns)(factors, count, points, to, false) };
                    let bytes = |sum: &T| {
                        // SAFETY: a number has no padding.
                        unsafe {
                            std::slice::from_raw_parts(std::ptr::from_ref(sum).cast::<u8>(), size)
                        }
                        .to_vec()
                    };
                    sums.chunks(step)
                        .flat_map(|lane| lane[..points].iter().flat_map(bytes))
                        .collect::<Vec<u8>>()
                };
                let expected = sums(Level::Baseline);
                for level in levels() {
                    assert!(sums(level) == expected, "{level} {dtype}: {count} x {points}");
                }
            }
        }
        check(DType::F64, |k| f64::from(k) / 7.0);
        check(DType::F32, |k| k as f32 / 7.0);
        check(DType::I64, |k| i64::from(k) << 40);
        check(DType::I32, |k| k << 20);
    }
}
