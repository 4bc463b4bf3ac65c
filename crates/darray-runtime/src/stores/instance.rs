//! Instances: a store's data in one device's memory.

use crate::devices::History;
use crate::geometry::{Rectangle, RectangleSet, interval_rectangles, linear_interval};
use darray_core::{Chart, Map, RealType, Shape};
use darray_device::builtin::View;
use darray_device::{Block, Rect};
use smallvec::SmallVec;
use std::ops::{Deref, DerefMut, Range};

/// What each device holds of a store; of none before somebody looks.
///
/// Of most arrays of one device nobody looks: so these take one word, and many small arrays little beside their elements.
#[derive(Debug, Default)]
pub(crate) struct Replicas(Option<Box<SmallVec<[Replica; 1]>>>);

impl Replicas {
    /// Makes one for each of so many devices, unless there are some.
    #[inline]
    pub(crate) fn make(&mut self, devices: usize) {
        self.0.get_or_insert_with(|| Box::new((0..devices).map(|_| Replica::default()).collect()));
    }
}

impl Deref for Replicas {
    type Target = [Replica];
    #[inline]
    fn deref(&self) -> &[Replica] {
        self.0.as_ref().map_or(&[], |replicas| &replicas[..])
    }
}

impl DerefMut for Replicas {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Replica] {
        self.0.as_mut().map_or(&mut [], |replicas| &mut replicas[..])
    }
}

/// What one device holds of a store.
#[derive(Debug, Default)]
pub(crate) struct Replica {
    /// Its memory, once it has some.
    pub(crate) instance: Option<Instance>,
    /// Which elements in that memory are up to date.
    pub(crate) valid: Valid,
    /// Elements that were copied there for one use each, without being noted as up to date.
    pub(crate) fetched: usize,
}

/// Which elements of a replica are up to date.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Valid {
    /// None.
    #[default]
    Nothing,
    /// Every element of the store.
    Whole,
    /// These.
    Part(RectangleSet),
}

impl Valid {
    /// Whether a rectangle is up to date, where that is plain: it may be although this says no.
    #[inline]
    pub(crate) fn holds(&self, rectangle: &Rectangle) -> bool {
        match self {
            Valid::Nothing => false,
            Valid::Whole => true,
            Valid::Part(set) => set.rectangles().iter().any(|held| held.contains(rectangle)),
        }
    }

    /// Elements of `rectangle` that are out of date.
    pub(crate) fn missing(&self, rectangle: &Rectangle) -> Vec<Rectangle> {
        match self {
            Valid::Nothing => vec![rectangle.clone()],
            Valid::Whole => Vec::new(),
            Valid::Part(set) => set.missing(rectangle),
        }
    }

    /// What is up to date, as rectangles of a store of this shape.
    pub(crate) fn rectangles(&self, shape: &Shape) -> SmallVec<[Rectangle; 2]> {
        match self {
            Valid::Nothing => SmallVec::new(),
            Valid::Whole => SmallVec::from_iter([Rectangle::whole(shape)]),
            Valid::Part(set) => set.rectangles().iter().cloned().collect(),
        }
    }

    /// Of how many rectangles it is.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        match self {
            Valid::Nothing => 0,
            Valid::Whole => 1,
            Valid::Part(set) => set.rectangles().len(),
        }
    }

    /// Whether this is one of its rectangles.
    pub(crate) fn has_part(&self, part: &Rectangle) -> bool {
        matches!(self, Valid::Part(set) if set.rectangles().contains(part))
    }

    /// Whether one of its rectangles shares a whole face with this one.
    pub(crate) fn touches(&self, part: &Rectangle) -> bool {
        matches!(self, Valid::Part(set) if set.rectangles().iter().any(|own| own.touches(part)))
    }

    pub(crate) fn insert(&mut self, rectangle: &Rectangle, shape: &Shape) {
        if *self == Valid::Whole || rectangle.is_empty() {
            return;
        }
        if rectangle.is_whole(shape) {
            *self = Valid::Whole;
            return;
        }
        let Valid::Part(set) = self else {
            *self = Valid::Part(RectangleSet::of(rectangle.clone()));
            return;
        };
        set.insert(rectangle);
        if matches!(set.rectangles(), [only] if only.is_whole(shape)) {
            *self = Valid::Whole;
        }
    }

    pub(crate) fn remove(&mut self, rectangle: &Rectangle, shape: &Shape) {
        let mut set = match std::mem::take(self) {
            Valid::Nothing => return,
            _ if rectangle.is_whole(shape) => return,
            Valid::Part(set) => set,
            Valid::Whole => RectangleSet::of(Rectangle::whole(shape)),
        };
        set.remove(rectangle);
        *self = if set.is_empty() { Valid::Nothing } else { Valid::Part(set) };
    }
}

/// A block that holds a rectangle of a store, row-major.
///
/// ```text
/// store [100, 6], instance rows 40..60:   element (i, j) lies at origin + 6*i + 1*j, origin = -240
/// ```
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) block: Block,
    /// The rectangle that it has space for.
    pub(crate) bounds: Rectangle,
    /// In elements, per dimension of the store.
    pub(crate) strides: SmallVec<[i64; 4]>,
    /// Where element (0, 0, ..) would lie, in elements from the block's start.
    pub(crate) origin: i64,
    pub(crate) history: History,
    /// How often it has been moved to a larger block.
    pub(crate) growths: u32,
    /// Whether a linear map was bound to it or is about to be: it then grows to linear bounds only,
    /// since a step may use one store by linear and by native maps.
    pub(crate) linear: bool,
}

impl Instance {
    #[inline]
    pub(crate) fn new(block: Block, bounds: Rectangle, history: History) -> Instance {
        let mut strides: SmallVec<[i64; 4]> = SmallVec::from_elem(1, bounds.spans.len());
        for d in (1..strides.len()).rev() {
            strides[d - 1] = strides[d] * bounds.spans[d].extent() as i64;
        }
        let origin = -bounds.spans.iter().zip(&strides).map(|(s, step)| s.lo * step).sum::<i64>();
        Instance { block, bounds, strides, origin, history, growths: 0, linear: false }
    }

    /// One that has space for all of a store.
    #[inline]
    pub(crate) fn whole(block: Block, shape: &Shape, history: History) -> Instance {
        let (bounds, strides) = (Rectangle::whole(shape), shape.strides());
        Instance { block, bounds, strides, origin: 0, history, growths: 0, linear: false }
    }

    /// A rectangle of the instance as a device sees it.
    pub(crate) fn rect(&self, dtype: RealType, rectangle: &Rectangle) -> Rect {
        let start = rectangle.spans.iter().zip(&self.strides).map(|(s, step)| s.lo * step);
        Rect {
            block: self.block,
            dtype,
            offset: self.origin + start.sum::<i64>(),
            extents: rectangle.extents(),
            strides: self.strides.clone(),
        }
    }

    /// The array that a map makes of it over a tile, the tile's first element at coordinates 0.
    ///
    /// # Panics
    ///
    /// If the map is linear and the instance is not, and neither is what lies between the tile's elements.
    pub(crate) fn view(&self, shape: &Shape, map: &Map, tile: &[Range<usize>]) -> View {
        let linear = map.chart == Chart::Linear;
        let origin = match linear {
            true => self.linear_origin(shape).or_else(|| self.origin_of_row(shape, map, tile)),
            false => Some(self.origin),
        };
        let mut offset = origin.expect("an instance ready for linear use");
        let mut strides: SmallVec<[i64; 4]> = SmallVec::from_elem(0, tile.len());
        for (d, dim) in map.dims.iter().enumerate() {
            let stride = if linear { 1 } else { self.strides[d] };
            offset += dim.start * stride;
            if let Some(axis) = dim.axis.map(usize::from) {
                strides[axis] += dim.step * stride;
                offset += dim.step * stride * tile[axis].start as i64;
            }
        }
        View { block: self.block, offset, strides }
    }

    /// The same as a rectangle for copies.
    pub(crate) fn view_rect(
        &self,
        (shape, dtype): (&Shape, RealType),
        map: &Map,
        tile: &[Range<usize>],
    ) -> Rect {
        let View { block, offset, strides } = self.view(shape, map, tile);
        let extents = tile.iter().map(|range| range.len()).collect();
        Rect { block, dtype, offset, extents, strides }
    }

    /// Where linear index 0 would lie for the elements of a tile, if all between them are one rectangle: these are one
    /// after the other, since the instance has space for them.
    fn origin_of_row(&self, shape: &Shape, map: &Map, tile: &[Range<usize>]) -> Option<i64> {
        let interval = linear_interval(map, tile);
        let [row] = &interval_rectangles(interval.clone(), shape)[..] else { return None };
        let first = row.spans.iter().zip(&self.strides).map(|(s, step)| s.lo * step);
        Some(self.origin + first.sum::<i64>() - interval.start)
    }

    /// Where linear index 0 would lie, if linear indices are affine here.
    ///
    /// They are when every dimension after the first one of extent above 1 is held fully.
    pub(crate) fn linear_origin(&self, shape: &Shape) -> Option<i64> {
        let low = self.bounds.spans.iter().zip(shape.strides());
        (self.bounds == linear_closure(&self.bounds, shape))
            .then(|| -low.map(|(s, step)| s.lo * step).sum::<i64>())
    }
}

/// As [`Instance::view`], of a whole domain of this rank; the instance, whose block this is, is of the whole store.
pub(crate) fn view_of_all(block: Block, shape: &Shape, map: &Map, rank: usize) -> View {
    let linear = map.chart == Chart::Linear;
    let steps = shape.strides();
    let mut offset = 0;
    let mut strides: SmallVec<[i64; 4]> = SmallVec::from_elem(0, rank);
    for (d, dim) in map.dims.iter().enumerate() {
        let stride = if linear { 1 } else { steps[d] };
        offset += dim.start * stride;
        if let Some(axis) = dim.axis.map(usize::from) {
            strides[axis] += dim.step * stride;
        }
    }
    View { block, offset, strides }
}

/// The least rectangle around `bounds` in which row-major indices of the store are affine.
pub(crate) fn linear_closure(bounds: &Rectangle, shape: &Shape) -> Rectangle {
    let mut closed = bounds.clone();
    let first = bounds.spans.iter().position(|s| s.extent() > 1).unwrap_or(bounds.spans.len());
    for (span, &n) in closed.spans.iter_mut().zip(shape.iter()).skip(first + 1) {
        (span.lo, span.hi) = (0, n as i64);
    }
    closed
}

/// The bounds of an instance that must grow from `old` to hold `needed`.
///
/// The first growths are exact (a halo stays a halo); after them every side that grows doubles, so
/// that filling an array piece by piece costs linear time.
pub(crate) fn grown(old: &Instance, needed: &Rectangle, shape: &Shape) -> Rectangle {
    const EXACT: u32 = 4;
    let mut bounds = old.bounds.bounding(needed);
    if old.growths < EXACT {
        return bounds;
    }
    for ((span, old), &n) in bounds.spans.iter_mut().zip(&old.bounds.spans).zip(shape.iter()) {
        let extent = old.extent() as i64;
        if span.hi > old.hi {
            span.hi = span.hi.max(old.hi + extent).min(n as i64);
        }
        if span.lo < old.lo {
            span.lo = span.lo.min(old.lo - extent).max(0);
        }
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Span;
    use darray_device::{DeviceId, Queue};

    fn rectangle(spans: &[(i64, i64)]) -> Rectangle {
        Rectangle { spans: spans.iter().map(|&(lo, hi)| Span { lo, hi }).collect() }
    }

    fn instance(bounds: Rectangle) -> Instance {
        let block = Block { device: DeviceId(0), handle: 1, bytes: 8 * bounds.size() as u64 };
        Instance::new(block, bounds, History::new(DeviceId(0), Queue(0), 1))
    }

    #[test]
    fn elements_are_where_the_strides_say() {
        let inner = instance(rectangle(&[(40, 60), (0, 6)]));
        let rect = inner.rect(RealType::F64, &rectangle(&[(41, 43), (2, 5)]));
        assert_eq!(
            (rect.offset, &rect.extents[..], &rect.strides[..]),
            (8, &[2, 3][..], &[6, 1][..])
        );
        assert_eq!(inner.linear_origin(&Shape::new(&[100, 6])), Some(-240));
        assert_eq!(inner.linear_origin(&Shape::new(&[100, 7])), None);
    }

    #[test]
    fn linear_closure_takes_whole_trailing_dimensions() {
        let shape = Shape::new(&[1, 9, 5]);
        let closed = linear_closure(&rectangle(&[(0, 1), (2, 4), (1, 3)]), &shape);
        assert_eq!(closed, rectangle(&[(0, 1), (2, 4), (0, 5)]));
        let row = rectangle(&[(0, 1), (2, 3), (1, 3)]);
        assert_eq!(linear_closure(&row, &shape), row);
    }

    #[test]
    fn growth_is_exact_at_first_and_doubles_later() {
        let shape = Shape::new(&[100]);
        let mut old = instance(rectangle(&[(10, 20)]));
        assert_eq!(grown(&old, &rectangle(&[(20, 21)]), &shape), rectangle(&[(10, 21)]));
        old.growths = 4;
        assert_eq!(grown(&old, &rectangle(&[(20, 21)]), &shape), rectangle(&[(10, 30)]));
        assert_eq!(grown(&old, &rectangle(&[(9, 10)]), &shape), rectangle(&[(0, 20)]));
    }

    #[test]
    fn validity_becomes_whole_and_part_again() {
        let shape = Shape::new(&[4, 4]);
        let mut valid = Valid::default();
        valid.insert(&rectangle(&[(0, 2), (0, 4)]), &shape);
        valid.insert(&rectangle(&[(2, 4), (0, 4)]), &shape);
        assert_eq!(valid, Valid::Whole);
        valid.remove(&rectangle(&[(1, 2), (0, 4)]), &shape);
        assert_eq!(valid.missing(&Rectangle::whole(&shape)), [rectangle(&[(1, 2), (0, 4)])]);
        valid.remove(&Rectangle::whole(&shape), &shape);
        assert_eq!(valid, Valid::Nothing);
    }
}
