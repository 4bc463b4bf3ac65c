//! Columns of at most half as many points as a vector has lanes, rows of which follow one another in memory.
//!
//! ```text
//! values     a0 b0 c0 a1 b1 c1 a2 ..      sums of lane 0, lane 1, ..:
//! factors    x0 x0 x0 x1 x1 x1 x2 ..      a b c a b c a ..
//! ```
//!
//! A row by itself would be a part of a vector. The rows of all lanes are whole vectors, whose factors are lanes of a vector of
//! factors, taken by their numbers.

use super::{Factor, LANES, LaneSums};
use crate::vector::register::{ByNumber, FirstLanes};
use std::mem::MaybeUninit;

/// Lanes of a vector, at most.
const WIDEST: usize = 16;
/// Points of all lanes, at most.
const MOST: usize = LANES * WIDEST;
/// Rows of all lanes from which on it pays to have the sums side by side.
const FEW: usize = 4;
/// Elements that are gone through before the next ones: the first-level cache holds them.
const PIECE: usize = 3072;

/// For rows of so many points, and a vector that begins with one of them: the row of each lane, counted from that of the first.
static ROWS: [[[u8; WIDEST]; WIDEST]; WIDEST] = rows();

const fn rows() -> [[[u8; WIDEST]; WIDEST]; WIDEST] {
    let mut all = [[[0; WIDEST]; WIDEST]; WIDEST];
    let mut points = 1;
    while points < WIDEST {
        let mut at = 0;
        while at < points * WIDEST {
            all[points][at / WIDEST][at % WIDEST] = ((at / WIDEST + at % WIDEST) / points) as u8;
            at += 1;
        }
        points += 1;
    }
    all
}

/// Adds the products of as many of `count` rows as are rows of all lanes, if points lie so: gives how many.
///
/// # Safety
/// There are so many elements of every row, and sums of every lane and point.
#[inline(always)]
pub(super) unsafe fn narrow<V: FirstLanes + ByNumber>(
    [column, factor]: [Factor; 2],
    count: usize,
    points: usize,
    sums: LaneSums,
) -> usize {
    let size = size_of::<V::Element>();
    let (lanes, row) = (sums.lanes, sums.lanes * points);
    let follow = column.reduced == (points * size) as i64 && factor.reduced == size as i64;
    // Of more points a row by itself is as good. Vectors come in pairs.
    let is_narrow = (2..=V::LANES / 2).contains(&points) && lanes.is_multiple_of(2 * V::LANES);
    if !V::CAN || !follow || !is_narrow || row > MOST || count < FEW * lanes {
        return 0;
    }
    let rows = count / lanes;
    let mut all = MaybeUninit::<[V::Element; MOST + WIDEST]>::uninit();
    let all: *mut V::Element = all.as_mut_ptr().cast();
    // SAFETY: so many elements of every row, and room for a vector behind the sums of every lane, all of them together
    // as well; these are written before they are read.
    unsafe {
        let first_points = V::first(points);
        for lane in 0..lanes {
            // What is too much of it the next one writes anew.
            V::load_first(sums.lane(lane), first_points).store(all.add(lane * points));
        }
        for first in (0..rows).step_by(PIECE / row) {
            let end = rows.min(first + PIECE / row);
            // Behind the factors of the last row there may be none.
            let whole = end.min(rows - 1);
            for point in (0..row).step_by(2 * V::LANES) {
                let at = [point, point + V::LANES];
                let numbers = array_of!(2, |of| ROWS[points][at[of] % points].as_ptr());
                let mut both: [V; 2] = array_of!(2, |of| V::load(all.add(at[of])));
                // Of a row of all lanes; the factors of the last one may not all be there.
                macro_rules! add {
                    ($row:expr, |$of:ident| $there:expr) => {
                        for $of in 0..2 {
                            let by = factor.reduced($row * lanes + at[$of] / points);
                            let by = V::load_some(by, $there).take(numbers[$of]);
                            let values = column.reduced::<V::Element>($row * lanes).add(at[$of]);
                            both[$of] = both[$of].add(V::load(values).mul(by));
                        }
                    };
                }
                for row in first..whole {
                    add!(row, |of| None);
                }
                if whole < end {
                    add!(whole, |of| Some(V::first(V::LANES.min(lanes - at[of] / points))));
                }
                for (of, sum) in both.into_iter().enumerate() {
                    sum.store(all.add(at[of]));
                }
            }
        }
        for lane in 0..lanes {
            V::load(all.add(lane * points)).store(sums.lane(lane));
        }
    }
    rows * lanes
}
