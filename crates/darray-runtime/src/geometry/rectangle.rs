//! Rectangles of elements and sets of them.

use darray_core::Shape;
use darray_ir::builtin::Tile;
use smallvec::SmallVec;
use std::ops::Range;

/// An axis-parallel rectangle of a store's elements, in native coordinates.
///
/// Rules: one span per dimension of the store; rank 0 is the single element of a 0-d store.
///
/// ```text
/// store [4, 6]     rows 1..3, columns 2..5
///   . . . . . .
///   . . # # # .
///   . . # # # .
///   . . . . . .
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Rectangle {
    /// Outermost dimension first.
    pub spans: SmallVec<[Span; 4]>,
}

impl Clone for Rectangle {
    // Every new instance has some: at once, not span by span.
    #[inline]
    fn clone(&self) -> Rectangle {
        Rectangle { spans: SmallVec::from_slice(&self.spans) }
    }
}

/// The coordinates `lo..hi` of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First coordinate.
    pub lo: i64,
    /// One past the last; `hi <= lo` is empty.
    pub hi: i64,
}

impl Span {
    /// Number of coordinates.
    pub fn extent(self) -> usize {
        (self.hi - self.lo).max(0) as usize
    }
}

impl Rectangle {
    /// All elements of a store of this shape.
    pub fn whole(shape: &Shape) -> Rectangle {
        let mut spans = SmallVec::new();
        for &extent in shape.iter() {
            spans.push(Span { lo: 0, hi: extent as i64 });
        }
        Rectangle { spans }
    }

    /// Number of elements.
    pub fn size(&self) -> usize {
        self.spans.iter().map(|s| s.extent()).product()
    }

    /// The indices of a tile.
    pub fn of_tile(tile: &[Range<usize>]) -> Rectangle {
        let span = |range: &Range<usize>| Span { lo: range.start as i64, hi: range.end as i64 };
        Rectangle { spans: tile.iter().map(span).collect() }
    }

    /// Its indices as a tile.
    pub fn tile(&self) -> Tile {
        self.spans.iter().map(|span| span.lo as usize..span.hi as usize).collect()
    }

    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.spans.iter().any(|s| s.hi <= s.lo)
    }

    /// Whether this is all of a store of this shape.
    pub fn is_whole(&self, shape: &Shape) -> bool {
        self.spans.iter().zip(shape.iter()).all(|(s, &n)| s.lo <= 0 && s.hi >= n as i64)
    }

    /// Extents, outermost first.
    pub fn extents(&self) -> SmallVec<[usize; 4]> {
        let mut extents = SmallVec::new();
        self.spans.iter().for_each(|span| extents.push(span.extent()));
        extents
    }

    /// Whether every element of `other` is in `self`.
    #[inline]
    pub fn contains(&self, other: &Rectangle) -> bool {
        let (own, spans) = (&self.spans[..], &other.spans[..]);
        own.iter().zip(spans).all(|(a, b)| a.lo <= b.lo && b.hi <= a.hi) || other.is_empty()
    }

    /// Whether there are common elements.
    pub fn meets(&self, other: &Rectangle) -> bool {
        let mut spans = self.spans.iter().zip(&other.spans);
        spans.all(|(a, b)| a.lo.max(b.lo) < a.hi.min(b.hi))
    }

    /// The common elements, where there are any.
    pub fn intersect(&self, other: &Rectangle) -> Option<Rectangle> {
        let spans = self.spans.iter().zip(&other.spans);
        let common = Rectangle {
            spans: spans.map(|(a, b)| Span { lo: a.lo.max(b.lo), hi: a.hi.min(b.hi) }).collect(),
        };
        (!common.is_empty()).then_some(common)
    }

    /// The least rectangle that contains both; an empty one adds nothing.
    pub fn bounding(&self, other: &Rectangle) -> Rectangle {
        if self.is_empty() {
            return other.clone();
        }
        if other.is_empty() {
            return self.clone();
        }
        let spans = self.spans.iter().zip(&other.spans);
        Rectangle {
            spans: spans.map(|(a, b)| Span { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) }).collect(),
        }
    }

    /// Appends disjoint rectangles that make up `self` without `other`: at most two a dimension.
    ///
    /// ```text
    /// # # # #      1 1 1 1
    /// # o o #  ->  2 . . 3
    /// # # # #      4 4 4 4
    /// ```
    pub fn subtract(&self, other: &Rectangle, into: &mut Vec<Rectangle>) {
        let Some(common) = self.intersect(other) else {
            if !self.is_empty() {
                into.push(self.clone());
            }
            return;
        };
        let mut rest = self.clone();
        for d in 0..self.spans.len() {
            let (all, hole) = (rest.spans[d], common.spans[d]);
            if all.lo < hole.lo {
                let mut before = rest.clone();
                before.spans[d].hi = hole.lo;
                into.push(before);
            }
            if hole.hi < all.hi {
                let mut after = rest.clone();
                after.spans[d].lo = hole.hi;
                into.push(after);
            }
            rest.spans[d] = hole;
        }
    }

    /// Whether they share a whole face, so that both are one rectangle.
    pub(crate) fn touches(&self, other: &Rectangle) -> bool {
        let mut apart = false;
        for (a, b) in self.spans.iter().zip(&other.spans) {
            if a != b {
                if apart || (a.hi != b.lo && b.hi != a.lo) {
                    return false;
                }
                apart = true;
            }
        }
        apart
    }
}

/// Elements of a store as disjoint rectangles.
///
/// Rules: disjoint, none empty, neighbours that share a whole face are merged on insertion, so the
/// periodic writes of a loop do not make it grow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RectangleSet {
    /// Mostly one: what a device has of an array.
    rectangles: SmallVec<[Rectangle; 1]>,
}

impl RectangleSet {
    /// Of one rectangle, which is not empty.
    pub(crate) fn of(rectangle: Rectangle) -> RectangleSet {
        let mut rectangles = SmallVec::new();
        rectangles.push(rectangle);
        RectangleSet { rectangles }
    }

    /// The rectangles, disjoint.
    pub fn rectangles(&self) -> &[Rectangle] {
        &self.rectangles
    }

    /// Whether it holds no element.
    pub fn is_empty(&self) -> bool {
        self.rectangles.is_empty()
    }

    /// The parts of `rectangle` that are not in the set, disjoint.
    pub fn missing(&self, rectangle: &Rectangle) -> Vec<Rectangle> {
        let mut missing = Vec::new();
        if rectangle.is_empty() || self.rectangles.iter().any(|r| r.contains(rectangle)) {
            return missing;
        }
        missing.push(rectangle.clone());
        let mut next = Vec::new();
        for held in &self.rectangles {
            for part in &missing {
                part.subtract(held, &mut next);
            }
            std::mem::swap(&mut missing, &mut next);
            next.clear();
        }
        missing
    }

    /// Adds every element of `rectangle`.
    pub fn insert(&mut self, rectangle: &Rectangle) {
        for part in self.missing(rectangle) {
            self.join(part);
        }
    }

    /// Adds a part that has no element in common with the set.
    fn join(&mut self, mut part: Rectangle) {
        while let Some(at) = self.rectangles.iter().position(|r| r.touches(&part)) {
            let neighbour = self.rectangles.swap_remove(at);
            part = neighbour.bounding(&part);
        }
        self.rectangles.push(part);
    }

    /// Removes every element of `rectangle`.
    pub fn remove(&mut self, rectangle: &Rectangle) {
        let mut parts = Vec::new();
        self.rectangles.retain(|held| {
            let meets = held.meets(rectangle);
            if meets {
                held.subtract(rectangle, &mut parts);
            }
            !meets
        });
        parts.into_iter().for_each(|part| self.join(part));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rectangle(spans: &[(i64, i64)]) -> Rectangle {
        Rectangle { spans: spans.iter().map(|&(lo, hi)| Span { lo, hi }).collect() }
    }

    /// Elements of a 12 x 12 store as bits.
    fn bits(rectangles: &[Rectangle]) -> Vec<u8> {
        let mut bits = vec![0; 144];
        for r in rectangles {
            for i in r.spans[0].lo..r.spans[0].hi {
                for j in r.spans[1].lo..r.spans[1].hi {
                    bits[(i * 12 + j) as usize] += 1;
                }
            }
        }
        bits
    }

    #[test]
    fn sets_agree_with_bits_under_random_insertions_and_removals() {
        let mut state = 1u64;
        let mut next = |n: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) % n) as i64
        };
        let mut set = RectangleSet::default();
        let mut expected = vec![0u8; 144];
        for _ in 0..2000 {
            let (i, j) = (next(12), next(12));
            let r =
                rectangle(&[(i, i + 1 + next(12 - i as u64)), (j, j + 1 + next(12 - j as u64))]);
            let (mask, insert) = (bits(std::slice::from_ref(&r)), next(2) == 0);
            let missing = bits(&set.missing(&r));
            for k in 0..144 {
                assert_eq!(missing[k], mask[k] & !expected[k] & 1);
                expected[k] = if insert { expected[k] | mask[k] } else { expected[k] & !mask[k] };
            }
            if insert {
                set.insert(&r)
            } else {
                set.remove(&r)
            }
            assert_eq!(bits(set.rectangles()), expected);
        }
    }

    #[test]
    fn tiles_merge_back_to_the_whole() {
        let mut set = RectangleSet::default();
        for part in 0..4 {
            set.insert(&rectangle(&[(3 * part, 3 * part + 3), (0, 12)]));
        }
        assert_eq!(set.rectangles(), [rectangle(&[(0, 12), (0, 12)])]);
        set.remove(&rectangle(&[(0, 12), (0, 12)]));
        assert!(set.is_empty());
    }

    #[test]
    fn a_scalar_store_has_one_element() {
        let whole = Rectangle::whole(&Shape::scalar());
        let mut set = RectangleSet::default();
        assert_eq!(set.missing(&whole), std::slice::from_ref(&whole));
        set.insert(&whole);
        assert!(set.missing(&whole).is_empty());
        set.remove(&whole);
        assert!(set.is_empty());
    }
}
