//! Which device has which part of a view.

use crate::geometry::{Rectangle, Span, SubStore, interval_rectangles, linear_interval};
use crate::stores::Replica;
use darray_core::{Chart, Map, Shape};

/// A part of a view that one device has, where it can be told by strides; or that no device has.
#[derive(Debug, PartialEq)]
pub(crate) struct Held {
    pub(crate) device: Option<usize>,
    /// Indices of the view's domain.
    pub(crate) indices: Rectangle,
}

/// In how many pieces a view may be had, where as many bytes as these would be had at once: one more costs about as much as
/// this many bytes that nobody asked for.
pub(crate) fn most_pieces(bytes: usize) -> usize {
    const BYTES_OF_A_PIECE: usize = 4096;
    const FEW: usize = 64;
    bytes / BYTES_OF_A_PIECE + FEW
}

/// A store, seen by a map.
pub(crate) struct Holders<'h> {
    pub(crate) replicas: &'h [Replica],
    pub(crate) map: &'h Map,
    pub(crate) shape: &'h Shape,
    /// The device that is asked first.
    pub(crate) first: usize,
}

impl Holders<'_> {
    /// Who has what of some indices, which are not empty: no element that they do not reach. None where that is more
    /// than so many parts, as of a view of linear indices it may be where devices have columns.
    pub(crate) fn of(&self, indices: &Rectangle, most: usize) -> Option<Vec<Held>> {
        let mut found = Vec::new();
        let few = match self.map.chart {
            Chart::Native => {
                self.cut(indices, &mut found);
                found.len() <= most
            }
            Chart::Linear => self.split(indices, most, &mut found),
        };
        few.then_some(found)
    }

    fn devices(&self) -> impl Iterator<Item = usize> {
        let others = (0..self.replicas.len()).filter(|&device| device != self.first);
        std::iter::once(self.first).chain(others)
    }

    /// The device that has all elements around these indices, or that none has any of them.
    fn holder(&self, indices: &Rectangle) -> Option<Option<usize>> {
        let tile = indices.tile();
        let parts = match self.map.chart {
            Chart::Native => SubStore::around(self.map, &tile, self.shape).rectangles,
            Chart::Linear => interval_rectangles(linear_interval(self.map, &tile), self.shape),
        };
        let is_native = self.map.chart == Chart::Native;
        let has_all = |&device: &usize| {
            let Replica { instance, valid, .. } = &self.replicas[device];
            let has = |part| valid.holds(part) || valid.missing(part).is_empty();
            let Some(instance) = instance else { return false };
            // One rectangle of linear indices lies in a row of rows: that is affine in any instance.
            let is_affine = is_native || parts.len() == 1;
            (is_affine || instance.linear_origin(self.shape).is_some()) && parts.iter().all(has)
        };
        if let Some(device) = self.devices().find(has_all) {
            return Some(Some(device));
        }
        let meets = |held: &Rectangle| parts.iter().any(|part| part.meets(held));
        let has_some = |replica: &Replica| replica.valid.rectangles(self.shape).iter().any(meets);
        (!self.replicas.iter().any(has_some)).then_some(None)
    }

    /// Of a native map: what a rectangle holds is a rectangle of indices.
    fn cut(&self, indices: &Rectangle, found: &mut Vec<Held>) {
        if let Some(device) = self.holder(indices) {
            found.push(Held { device, indices: indices.clone() });
            return;
        }
        let (mut missing, mut rest) = (vec![indices.clone()], Vec::new());
        for device in self.devices() {
            for held in self.replicas[device].valid.rectangles(self.shape) {
                let Some(held) = preimage(self.map, indices, &held) else { continue };
                for part in &missing {
                    if let Some(indices) = part.intersect(&held) {
                        found.push(Held { device: Some(device), indices });
                    }
                    part.subtract(&held, &mut rest);
                }
                std::mem::swap(&mut missing, &mut rest);
                rest.clear();
            }
        }
        found.extend(missing.into_iter().map(|indices| Held { device: None, indices }));
    }

    /// Of a linear map: indices are halved along the axis that goes furthest until one device has all around them.
    fn split(&self, indices: &Rectangle, most: usize, found: &mut Vec<Held>) -> bool {
        if let Some(device) = self.holder(indices) {
            self.add(Held { device, indices: indices.clone() }, found);
            return found.len() <= most;
        }
        let reach = |axis: usize| {
            let along = self.map.dims.iter().filter(|dim| dim.axis == Some(axis as u8));
            let step: i64 = along.map(|dim| dim.step).sum();
            step.unsigned_abs() * (indices.spans[axis].extent() as u64 - 1)
        };
        let furthest = (0..indices.spans.len()).max_by_key(|&axis| reach(axis));
        let axis = furthest.expect("the element of a scalar is one device's or nobody's");
        let Span { lo, hi } = indices.spans[axis];
        let middle = lo + (hi - lo) / 2;
        [Span { lo, hi: middle }, Span { lo: middle, hi }].into_iter().all(|half| {
            let mut indices = indices.clone();
            indices.spans[axis] = half;
            self.split(&indices, most, found)
        })
    }

    /// Adds a part, to the last one if that can be.
    fn add(&self, part: Held, found: &mut Vec<Held>) {
        if let Some(last) = found.last_mut()
            && last.device == part.device
            && last.indices.touches(&part.indices)
        {
            let both = last.indices.bounding(&part.indices);
            if self.holder(&both) == Some(part.device) {
                last.indices = both;
                return;
            }
        }
        found.push(part);
    }
}

/// Those of some indices that a native map sends into a rectangle of the store.
fn preimage(map: &Map, indices: &Rectangle, rectangle: &Rectangle) -> Option<Rectangle> {
    let mut indices = indices.clone();
    for (dim, span) in map.dims.iter().zip(&rectangle.spans) {
        let Some(axis) = dim.axis else {
            if dim.start < span.lo || dim.start >= span.hi {
                return None;
            }
            continue;
        };
        // lo <= start + step * i < hi
        let (lo, hi) = (span.lo - dim.start, span.hi - 1 - dim.start);
        let (first, last) = if dim.step > 0 {
            (ceil_div(lo, dim.step), hi.div_euclid(dim.step))
        } else {
            (ceil_div(-hi, -dim.step), (-lo).div_euclid(-dim.step))
        };
        let all = &mut indices.spans[axis as usize];
        *all = Span { lo: all.lo.max(first), hi: all.hi.min(last + 1) };
    }
    (!indices.is_empty()).then_some(indices)
}

fn ceil_div(a: i64, b: i64) -> i64 {
    -(-a).div_euclid(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use darray_core::Dim;
    use smallvec::smallvec;

    #[test]
    fn preimages_are_exact() {
        let indices = Rectangle::whole(&Shape::new(&[7]));
        for (start, step) in [(0, 1), (3, 2), (20, -3), (6, -1), (2, 3)] {
            let map = Map { chart: Chart::Native, dims: smallvec![Dim::along(0, start, step)] };
            for lo in 0..24 {
                for hi in lo + 1..25 {
                    let expected: Vec<i64> =
                        (0..7).filter(|i| (lo..hi).contains(&(start + step * i))).collect();
                    let found =
                        preimage(&map, &indices, &Rectangle { spans: smallvec![Span { lo, hi }] });
                    let found =
                        found.map_or(Vec::new(), |r| (r.spans[0].lo..r.spans[0].hi).collect());
                    assert_eq!(found, expected, "{start} + {step}i in {lo}..{hi}");
                }
            }
        }
    }
}
