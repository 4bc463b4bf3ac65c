//! Sums of products along rows.

use super::{Factor, LANES};
use crate::processor;
use crate::vector::register::{FirstLanes, SumLanes};
use std::ops::Range;

/// Bytes of rows that are worked off one by one on Zen 5: the four of several at once came late, though one behind the other in
/// memory.
const SHORT: usize = 2048;

/// Rows, `N` at a time; a row's lanes are `C` vectors.
#[inline(always)]
pub(super) unsafe fn rows<V: SumLanes + FirstLanes, const C: usize, const N: usize>(
    factors: [Factor; 2],
    count: usize,
    points: usize,
    out: *mut u8,
) {
    // SAFETY: the caller's points.
    unsafe {
        if count * size_of::<V::Element>() <= SHORT && processor::is_zen_5() {
            return one_by_one::<V, C>(factors, count, 0..points, out.cast());
        }
        let mut point = 0;
        while point + N <= points {
            some_rows::<V, C, N>(factors, count, point, out.cast());
            point += N;
        }
        one_by_one::<V, C>(factors, count, point..points, out.cast());
    }
}

/// One row after the other.
#[inline(always)]
unsafe fn one_by_one<V: SumLanes + FirstLanes, const C: usize>(
    factors: [Factor; 2],
    count: usize,
    points: Range<usize>,
    out: *mut V::Element,
) {
    let mut left = factors[0].point::<V::Element>(points.start);
    let mut right = factors[1].point::<V::Element>(points.start);
    let whole = count / LANES * LANES;
    for point in points {
        // SAFETY: `count` elements of every row, and its result.
        unsafe {
            let mut sums = [V::splat(out.add(point)); C];
            for at in (0..whole).step_by(LANES) {
                add_lanes::<V, C>([left.add(at), right.add(at)], &mut sums);
            }
            if whole < count {
                add_rest::<V, C>([left.add(whole), right.add(whole)], count - whole, &mut sums);
            }
            out.add(point).write(sum_of_lanes::<V, C>(sums));
        }
        left = left.wrapping_byte_offset(factors[0].point as isize);
        right = right.wrapping_byte_offset(factors[1].point as isize);
    }
}

/// Several rows at once.
#[inline(always)]
unsafe fn some_rows<V: SumLanes + FirstLanes, const C: usize, const N: usize>(
    factors: [Factor; 2],
    count: usize,
    first: usize,
    out: *mut V::Element,
) {
    let rows: [[*const V::Element; 2]; N] =
        array_of!(N, |row| array_of!(2, |of| factors[of].point(first + row)));
    let whole = count / LANES * LANES;
    // SAFETY: `count` elements of `N` rows, and their results.
    unsafe {
        let mut sums: [[V; C]; N] = array_of!(N, |row| [V::splat(out.add(first + row)); C]);
        for at in (0..whole).step_by(LANES) {
            for (row, sums) in sums.iter_mut().enumerate() {
                let [left, right] = rows[row];
                add_lanes::<V, C>([left.add(at), right.add(at)], sums);
            }
        }
        for (row, mut sums) in sums.into_iter().enumerate() {
            let [left, right] = rows[row];
            if whole < count {
                add_rest::<V, C>([left.add(whole), right.add(whole)], count - whole, &mut sums);
            }
            out.add(first + row).write(sum_of_lanes::<V, C>(sums));
        }
    }
}

/// Adds a product to every lane.
#[inline(always)]
unsafe fn add_lanes<V: FirstLanes, const C: usize>(
    [left, right]: [*const V::Element; 2],
    sums: &mut [V; C],
) {
    for (number, sum) in sums.iter_mut().enumerate() {
        let at = number * V::LANES;
        // SAFETY: the caller's elements.
        unsafe { *sum = sum.add(V::load(left.add(at)).mul(V::load(right.add(at)))) };
    }
}

/// The sum of all lanes, the lower half plus the upper one until one is left.
#[inline(always)]
unsafe fn sum_of_lanes<V: SumLanes, const C: usize>(mut sums: [V; C]) -> V::Element {
    let mut width = C;
    // SAFETY: registers.
    unsafe {
        while width > 1 {
            width /= 2;
            for number in 0..width {
                sums[number] = sums[number].add(sums[number + width]);
            }
        }
        sums[0].sum_lanes()
    }
}

/// Adds the products of the last elements of a row, fewer than there are lanes.
#[inline(always)]
unsafe fn add_rest<V: FirstLanes, const C: usize>(
    [left, right]: [*const V::Element; 2],
    count: usize,
    sums: &mut [V; C],
) {
    let (whole, rest) = (count / V::LANES, count % V::LANES);
    // SAFETY: the caller's elements.
    unsafe {
        for (number, sum) in sums.iter_mut().enumerate() {
            let at = number * V::LANES;
            let (left, right) = (left.wrapping_add(at), right.wrapping_add(at));
            if number < whole {
                *sum = sum.add(V::load(left).mul(V::load(right)));
            } else if number == whole && rest > 0 {
                let first = V::first(rest);
                let product = V::load_first(left, first).mul(V::load_first(right, first));
                *sum = sum.with_first(sum.add(product), first);
            }
        }
    }
}
