//! The order in which an element of a matrix product of floats is summed: a formula of the inner extent, so that results do not
//! depend on tiles, threads, devices, layouts or instruction sets.
//!
//! The inner extent is cut into blocks of [`BLOCK`]; the last one may have fewer. The products of a block are one chain of
//! fused multiply-adds in the order of k, from -0.0, so that a single product keeps its sign. The sums of blocks are
//! added two by two, as a binary counter carries, which is the aligned tree of [reductions](crate::tree):
//!
//! ```text
//! blocks   0   1   2   3   4
//!           \ /     \ /    |
//!            +       +     |
//!             \     /      |
//!                +         |
//!                 \       /
//!                     +
//! ```
//!
//! Rounding errors grow with the block and with the logarithm of the number of blocks, not with the inner extent.
//!
//! At most [`levels`] sums of an element wait at a time, one at each level; [`Join`] says which of them a block's sum is added
//! to, and where the result waits. [`sum`] does all of it for one element.

use std::ops::Range;

/// How many products are one chain. Part of the semantics: another number gives other roundings. Every executor works off so
/// much of the inner extent, or a whole number of parts of it, at a time.
pub const BLOCK: usize = 256;

/// How many sums of an element wait at a time, at most.
///
/// ```
/// use darray_kernel::product::{BLOCK, levels};
/// assert_eq!([0, 1, BLOCK].map(levels), [0; 3]);
/// assert_eq!([BLOCK + 1, 2 * BLOCK, 2 * BLOCK + 1, 4 * BLOCK, 5 * BLOCK].map(levels), [1, 1, 2, 2, 3]);
/// ```
pub fn levels(inner: usize) -> usize {
    let last = inner.div_ceil(BLOCK).saturating_sub(1);
    (usize::BITS - last.leading_zeros()) as usize
}

/// What becomes of the sum of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Join {
    /// Bit l: what waits at level l is added before it, the lowest level first.
    pub before: usize,
    /// The level at which the result waits; none if it is the element.
    pub waits: Option<usize>,
}

impl Join {
    /// Of a block by its number.
    ///
    /// ```
    /// use darray_kernel::product::{BLOCK, Join};
    /// let inner = 6 * BLOCK;
    /// let joins = [0, 1, 2, 3, 4, 5].map(|block| Join::of(block, inner));
    /// assert_eq!(joins.map(|join| join.before), [0b000, 0b001, 0b000, 0b011, 0b000, 0b101]);
    /// assert_eq!(joins.map(|join| join.waits), [Some(0), Some(1), Some(0), Some(2), Some(0), None]);
    /// ```
    pub fn of(block: usize, inner: usize) -> Join {
        if (block + 1).saturating_mul(BLOCK) >= inner {
            return Join { before: block, waits: None };
        }
        let level = block.trailing_ones();
        Join { before: (1 << level) - 1, waits: Some(level as usize) }
    }

    /// The levels of the sums that are added before the block's, in this order.
    pub fn levels(self) -> impl Iterator<Item = usize> {
        let rests =
            std::iter::successors(Some(self.before), |rest| Some(rest & rest.wrapping_sub(1)));
        rests.take_while(|&rest| rest != 0).map(|rest| rest.trailing_zeros() as usize)
    }
}

/// The blocks of an inner extent, and what becomes of their sums.
///
/// ```
/// use darray_kernel::product::{BLOCK, blocks};
/// let all: Vec<_> = blocks(BLOCK + 3).map(|(indices, join)| (indices, join.waits)).collect();
/// assert_eq!(all, [(0..BLOCK, Some(0)), (BLOCK..BLOCK + 3, None)]);
/// ```
pub fn blocks(inner: usize) -> impl Iterator<Item = (Range<usize>, Join)> {
    (0..inner.div_ceil(BLOCK)).map(move |block| {
        let first = block * BLOCK;
        (first..inner.min(first + BLOCK), Join::of(block, inner))
    })
}

/// An element: `chain` sums the products of a block, `add` adds two sums, that of earlier blocks first. None without products.
///
/// ```
/// use darray_kernel::product::{BLOCK, sum};
/// let name = |indices: std::ops::Range<usize>| (indices.start / BLOCK).to_string();
/// let join = |a: String, b: String| format!("({a}{b})");
/// assert_eq!(sum(6 * BLOCK, name, join).unwrap(), "(((01)(23))(45))");
/// assert_eq!(sum(0, name, join), None);
/// ```
pub fn sum<V>(
    inner: usize,
    mut chain: impl FnMut(Range<usize>) -> V,
    mut add: impl FnMut(V, V) -> V,
) -> Option<V> {
    let mut deferred: Vec<Option<V>> = (0..levels(inner)).map(|_| None).collect();
    for (indices, join) in blocks(inner) {
        let mut sum = chain(indices);
        for level in join.levels() {
            sum = add(deferred[level].take().expect("a deferred sum is there"), sum);
        }
        match join.waits {
            Some(level) => deferred[level] = Some(sum),
            None => return Some(sum),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of a node, by its definition.
    fn node(first: usize, end: usize) -> String {
        if end - first == 1 {
            return first.to_string();
        }
        let half = (end - first).next_power_of_two() / 2;
        format!("({}{})", node(first, first + half), node(first + half, end))
    }

    #[test]
    fn blocks_are_added_as_leaves_of_reductions_are() {
        for count in 1..70 {
            let inner = count * BLOCK - 1;
            let name = |indices: Range<usize>| {
                assert!(indices.len() == BLOCK || indices.end == inner);
                (indices.start / BLOCK).to_string()
            };
            let found = sum(inner, name, |a, b| format!("({a}{b})"));
            assert_eq!(found, Some(node(0, count)), "{count}");
            let most = blocks(inner).filter_map(|(_, join)| join.waits).max();
            assert_eq!(levels(inner), most.map_or(0, |level| level + 1), "{count}");
        }
    }
}
