//! Sums of products along columns: of lanes, and of leaves of rows.

use super::{ABREAST, Factor, LaneSums};
use crate::processor;
use crate::vector::moves::{LINE, fetch_later};
use crate::vector::register::FirstLanes;
use std::ops::Range;

/// Rows that are added to sums in registers.
const ROWS: usize = 8;
/// Bytes of the sums of all lanes that a first-level cache holds.
const SUMS: usize = 32 << 10;
/// Lines from those at hand to those that are asked for.
const AHEAD: usize = 9;
/// Bytes of rows that are gone through for some lanes, then for the next ones: the caches have them.
const PIECE: usize = 1 << 20;

/// Columns, in strips of `C` vectors, of `N` lanes at a time where there are several.
#[inline(always)]
pub(super) unsafe fn columns<V: FirstLanes, const C: usize, const N: usize>(
    factors: [Factor; 2],
    count: usize,
    points: usize,
    sums: LaneSums,
    near: bool,
) {
    let lanes = sums.lanes;
    let one_strip = points <= C * V::LANES;
    if !near && lanes > 1 && !one_strip {
        if points * lanes * size_of::<V::Element>() <= SUMS {
            // SAFETY: the caller's contract.
            return unsafe { columns_in_order::<V, C>(factors, count, points, sums) };
        }
        if count >= ROWS * lanes {
            // SAFETY: the caller's contract.
            return unsafe { columns_by_lane::<V>(factors, count, points, sums) };
        }
    }
    debug_assert!(lanes < N || lanes.is_multiple_of(N));
    // Two lanes in registers are many ways through the rows.
    let in_order = lanes > 1 && (!near && one_strip || near && (N == 2 || processor::is_zen_5()));
    // Rows of a strip that are added before those of the next one.
    let row = factors[0].reduced.unsigned_abs().max(1) as usize;
    let together = match lanes {
        1 => ROWS,
        // Few of each lane.
        _ if count <= ROWS * lanes => count.max(1),
        _ => (PIECE / row / lanes).max(1) * lanes,
    };
    // SAFETY: `count` elements of every point, sums of every lane and point.
    unsafe {
        for first in (0..count).step_by(together) {
            let rows = first..count.min(first + together);
            let mut point = 0;
            while point + C * V::LANES <= points {
                if in_order {
                    strip_in_order::<V, C>(factors, &rows, point, sums, None);
                } else {
                    strips::<V, C, N>(factors, &rows, point, sums);
                }
                point += C * V::LANES;
            }
            let left = points - point;
            match left.div_ceil(V::LANES) {
                0 => {}
                1 => last_strip::<V, 1>(factors, &rows, points - left..points, sums),
                2 => last_strip::<V, 2>(factors, &rows, points - left..points, sums),
                3 => last_strip::<V, 3>(factors, &rows, points - left..points, sums),
                _ => last_strip::<V, 4>(factors, &rows, points - left..points, sums),
            }
        }
    }
}

/// A strip of rows, `N` lanes at a time where there are several.
#[inline(always)]
unsafe fn strips<V: FirstLanes, const C: usize, const N: usize>(
    factors: [Factor; 2],
    rows: &Range<usize>,
    point: usize,
    sums: LaneSums,
) {
    let lanes = sums.lanes;
    // Several gain nothing with one row of each, and cost more.
    let at_once = if lanes < N || rows.len() <= lanes { 1 } else { N };
    for lane in (0..lanes.min(rows.len())).step_by(at_once) {
        let (first, sums) = (rows.start + lane, sums.from(lane));
        // SAFETY: the caller's elements and sums.
        unsafe {
            match at_once {
                1 => strip::<V, C, 1>(factors, first..rows.end, point, sums, None),
                _ => strip::<V, C, N>(factors, first..rows.end, point, sums, None),
            }
        }
    }
}

/// What is left of strips: `C` vectors, not all of the last of which are points.
#[inline(always)]
unsafe fn last_strip<V: FirstLanes, const C: usize>(
    factors: [Factor; 2],
    rows: &Range<usize>,
    points: Range<usize>,
    sums: LaneSums,
) {
    // SAFETY: the caller's elements and sums.
    unsafe {
        let last = Some(V::first(points.len() - (C - 1) * V::LANES));
        match sums.lanes {
            1 => strip::<V, C, 1>(factors, rows.clone(), points.start, sums, last),
            _ => strip_in_order::<V, C>(factors, rows, points.start, sums, last),
        }
    }
}

/// Columns, row by row: memory is read in order, and sums of all lanes are in the first-level cache.
#[inline(always)]
unsafe fn columns_in_order<V: FirstLanes, const C: usize>(
    factors: [Factor; 2],
    count: usize,
    points: usize,
    sums: LaneSums,
) {
    let ([column, factor], together) = (factors, C * V::LANES);
    let strips = points / together * together;
    // SAFETY: `count` elements of every point, sums of every lane and point.
    unsafe {
        let mut lane = 0;
        for row in 0..count {
            let by = V::splat(factor.reduced(row));
            let values = column.reduced::<V::Element>(row);
            for strip in (0..strips).step_by(together) {
                let sums = sums.lane::<V::Element>(lane).add(strip);
                add_products::<V, C>(values.add(strip), by, sums, None);
            }
            rest_of_row::<V>(factors, row, strips..points, sums.lane(lane));
            lane = if lane + 1 == sums.lanes { 0 } else { lane + 1 };
        }
    }
}

/// Columns, some rows of a lane at once, all of them for a line of points before the next line: memory is read in few streams that
/// go on, and the sums of a lane are in the first-level cache.
#[inline(always)]
unsafe fn columns_by_lane<V: FirstLanes>(
    factors: [Factor; 2],
    count: usize,
    points: usize,
    sums: LaneSums,
) {
    // SAFETY: `count` elements of every point, sums of every lane and point.
    unsafe {
        for lane in 0..sums.lanes.min(count) {
            let mut row = lane;
            while row + (ROWS - 1) * sums.lanes < count {
                rows_of_lane::<V, ROWS>(factors, (row, lane), points, sums);
                row += ROWS * sums.lanes;
            }
            while row < count {
                rows_of_lane::<V, 1>(factors, (row, lane), points, sums);
                row += sums.lanes;
            }
        }
    }
}

/// Adds `N` rows of a lane, this one and those behind it.
#[inline(always)]
unsafe fn rows_of_lane<V: FirstLanes, const N: usize>(
    factors: [Factor; 2],
    (first, lane): (usize, usize),
    points: usize,
    sums: LaneSums,
) {
    let ([column, factor], of_line) = (factors, LINE / size_of::<V::Element>());
    let row = |k: usize| first + k * sums.lanes;
    let (lane, whole) = (sums.lane::<V::Element>(lane), points / of_line * of_line);
    // SAFETY: the caller's elements and sums; lines are whole vectors.
    unsafe {
        let by: [V; N] = array_of!(N, |k| V::splat(factor.reduced(row(k))));
        let values: [*const V::Element; N] = array_of!(N, |k| column.reduced(row(k)));
        for line in (0..whole).step_by(of_line) {
            for values in values {
                fetch_later(values.wrapping_add(line + AHEAD * of_line).cast());
            }
            for point in (line..line + of_line).step_by(V::LANES) {
                let mut sum = V::load(lane.add(point));
                for k in 0..N {
                    sum = sum.add(V::load(values[k].add(point)).mul(by[k]));
                }
                sum.store(lane.add(point));
            }
        }
        for k in 0..N {
            rest_of_row::<V>(factors, row(k), whole..points, lane);
        }
    }
}

/// The last points of a row.
#[inline(always)]
unsafe fn rest_of_row<V: FirstLanes>(
    [column, factor]: [Factor; 2],
    row: usize,
    points: Range<usize>,
    sums: *mut V::Element,
) {
    let (values, sums) = (column.reduced::<V::Element>(row), sums.wrapping_add(points.start));
    // SAFETY: the caller's elements and sums.
    unsafe {
        let by = V::splat(factor.reduced(row));
        for point in (0..points.len()).step_by(V::LANES) {
            let left = points.len() - point;
            let last = (left < V::LANES).then(|| V::first(left));
            add_products::<V, 1>(values.add(points.start + point), by, sums.add(point), last);
        }
    }
}

/// Adds the products of `C` vectors, or of these of the last one, with a factor.
#[inline(always)]
unsafe fn add_products<V: FirstLanes, const C: usize>(
    values: *const V::Element,
    by: V,
    sums: *mut V::Element,
    last: Option<V::First>,
) {
    for number in 0..C {
        let of = (number == C - 1).then_some(last).flatten();
        // SAFETY: the caller's elements; sums have room for whole vectors.
        unsafe {
            let (values, sums) = (values.add(number * V::LANES), sums.add(number * V::LANES));
            let sum = V::load_some(sums, of).add(V::load_some(values, of).mul(by));
            sum.store(sums);
        }
    }
}

/// A strip of rows in order, the first of which is of the first lane; the sums of all lanes are in the first-level cache.
#[inline(always)]
unsafe fn strip_in_order<V: FirstLanes, const C: usize>(
    [column, factor]: [Factor; 2],
    rows: &Range<usize>,
    point: usize,
    sums: LaneSums,
    last: Option<V::First>,
) {
    let mut values = column.reduced::<V::Element>(rows.start).wrapping_add(point);
    let mut by = factor.reduced::<V::Element>(rows.start);
    let mut left = rows.len();
    while left > 0 {
        let mut lane = sums.lane::<V::Element>(0).wrapping_add(point);
        let some = left.min(sums.lanes);
        for _ in 0..some {
            // SAFETY: the caller's elements and sums.
            unsafe { add_products::<V, C>(values, V::splat(by), lane, last) };
            lane = lane.wrapping_byte_add(sums.step);
            values = values.wrapping_byte_offset(column.reduced as isize);
            by = by.wrapping_byte_offset(factor.reduced as isize);
        }
        left -= some;
    }
}

/// A strip of the rows of the first `N` lanes, whose sums stay in registers. The first of the rows is of the first lane.
#[inline(always)]
unsafe fn strip<V: FirstLanes, const C: usize, const N: usize>(
    [column, factor]: [Factor; 2],
    rows: Range<usize>,
    point: usize,
    sums: LaneSums,
    last: Option<V::First>,
) {
    let at = |number: usize| point + number * V::LANES;
    let of = |number: usize| if number == C - 1 { last } else { None };
    let lane = |k: usize| sums.lane::<V::Element>(k);
    let values = |row: usize| column.reduced::<V::Element>(row).wrapping_add(point);
    // SAFETY: the caller's elements and sums, which have room for whole vectors.
    unsafe {
        let mut strips: [[V; C]; N] =
            array_of!(N, |k| array_of!(C, |c| V::load_some(lane(k).add(at(c)), of(c))));
        let mut row = rows.start;
        while row + N <= rows.end {
            for (k, strip) in strips.iter_mut().enumerate() {
                let by = V::splat(factor.reduced(row + k));
                add_to(strip, values(row + k), by, last);
            }
            row += sums.lanes;
        }
        for (k, strip) in strips.iter_mut().enumerate() {
            if row + k < rows.end {
                let by = V::splat(factor.reduced(row + k));
                add_to(strip, values(row + k), by, last);
            }
        }
        for (k, strip) in strips.iter().enumerate() {
            for (number, sum) in strip.iter().enumerate() {
                sum.store(lane(k).add(at(number)));
            }
        }
    }
}

/// Adds the products of `C` vectors, or of these of the last one, with a factor to sums in registers.
#[inline(always)]
unsafe fn add_to<V: FirstLanes, const C: usize>(
    sums: &mut [V; C],
    values: *const V::Element,
    by: V,
    last: Option<V::First>,
) {
    for (number, sum) in sums.iter_mut().enumerate() {
        let of = if number == C - 1 { last } else { None };
        // SAFETY: the caller's elements.
        unsafe { *sum = sum.add(V::load_some(values.add(number * V::LANES), of).mul(by)) };
    }
}

/// Leaves that are a subtree, some at once where points are few, in strips of `C` vectors.
#[inline(always)]
pub(super) unsafe fn leaves<V: FirstLanes, const C: usize>(
    [column, factor]: [Factor; 2],
    (rows, count): (usize, usize),
    points: usize,
    start: *const u8,
    waiting: LaneSums,
) {
    debug_assert!(count.is_power_of_two() && C == 4);
    // SAFETY: the elements of every leaf, and vectors for all that waits.
    unsafe {
        let start = V::splat(start.cast());
        let (whole, left) = (points / (C * V::LANES) * (C * V::LANES), points % (C * V::LANES));
        // Sums of one leaf of one strip are a chain for each vector.
        let at_once = if whole == 0 && count >= ABREAST { ABREAST } else { 1 };
        for first in (0..count).step_by(at_once) {
            let column = Factor { at: column.reduced(first * rows), ..column };
            let factor = Factor { at: factor.reduced(first * rows), ..factor };
            let next = Leaves { first, rows, waiting };
            for point in (0..whole).step_by(C * V::LANES) {
                leaf_strips::<V, C, 1>([column, factor], start, (next, point), None);
            }
            let (factors, at, vectors) = ([column, factor], (next, whole), left.div_ceil(V::LANES));
            if vectors == 0 {
                continue;
            }
            let last = Some(V::first(left - (vectors - 1) * V::LANES));
            match (vectors, at_once) {
                (1, ABREAST) => leaf_strips::<V, 1, ABREAST>(factors, start, at, last),
                (2, ABREAST) => leaf_strips::<V, 2, ABREAST>(factors, start, at, last),
                (3, ABREAST) => leaf_strips::<V, 3, ABREAST>(factors, start, at, last),
                (4, ABREAST) => leaf_strips::<V, 4, ABREAST>(factors, start, at, last),
                (1, _) => leaf_strips::<V, 1, 1>(factors, start, at, last),
                (2, _) => leaf_strips::<V, 2, 1>(factors, start, at, last),
                (3, _) => leaf_strips::<V, 3, 1>(factors, start, at, last),
                _ => leaf_strips::<V, 4, 1>(factors, start, at, last),
            }
        }
    }
}

/// Leaves of a subtree that are summed next.
#[derive(Clone, Copy)]
struct Leaves {
    /// The first one's number in the subtree.
    first: usize,
    /// Reduced indices of each.
    rows: usize,
    /// The sums that wait.
    waiting: LaneSums,
}

/// `C` vectors of points of `N` leaves, from a point on.
#[inline(always)]
unsafe fn leaf_strips<V: FirstLanes, const C: usize, const N: usize>(
    [column, factor]: [Factor; 2],
    start: V,
    (leaves, point): (Leaves, usize),
    last: Option<V::First>,
) {
    // SAFETY: the caller's elements and sums, which have room for whole vectors.
    unsafe {
        let mut sums = [[start; C]; N];
        let mut values: [*const V::Element; N] = array_of!(N, |leaf| column
            .reduced::<V::Element>(leaf * leaves.rows)
            .wrapping_add(point));
        let mut by: [*const V::Element; N] =
            array_of!(N, |leaf| factor.reduced(leaf * leaves.rows));
        for _ in 0..leaves.rows {
            for leaf in 0..N {
                add_to(&mut sums[leaf], values[leaf], V::splat(by[leaf]), last);
            }
            for leaf in 0..N {
                values[leaf] = values[leaf].wrapping_byte_offset(column.reduced as isize);
                by[leaf] = by[leaf].wrapping_byte_offset(factor.reduced as isize);
            }
        }
        for (number, sums) in sums.iter_mut().enumerate() {
            let leaf = leaves.first + number;
            // Before a leaf wait as many as its number has ones; those of its last ones are combined with it.
            let waiting = leaf.count_ones() as usize;
            let mut to = leaves.waiting.lane::<V::Element>(waiting).wrapping_add(point);
            for _ in 0..leaf.trailing_ones() {
                to = to.wrapping_byte_sub(leaves.waiting.step);
                for (number, sum) in sums.iter_mut().enumerate() {
                    *sum = V::load(to.add(number * V::LANES)).add(*sum);
                }
            }
            for (number, sum) in sums.iter().enumerate() {
                sum.store(to.add(number * V::LANES));
            }
        }
    }
}
