//! The sub-store that a map reaches over a tile of its domain.

use crate::geometry::{Rectangle, Span};
use darray_core::{Chart, Map, Shape};
use darray_ir::builtin::Tile;
use darray_ir::geometry::reach_of_tile;
use smallvec::{SmallVec, smallvec};
use std::ops::Range;

/// The extents of a tile.
pub(crate) fn extents(tile: &[Range<usize>]) -> SmallVec<[usize; 4]> {
    tile.iter().map(|range| range.len()).collect()
}

/// The elements of a store that a map can reach over one tile, as rectangles around them.
///
/// A native map gives its bounding rectangle. A linear map gives the interval of row-major indices
/// that it spans, cut into rectangles: a partial first row, whole rows, a partial last row.
#[derive(Clone, Debug, PartialEq)]
pub struct SubStore {
    /// Disjoint; together they hold every element reached.
    pub rectangles: SmallVec<[Rectangle; 1]>,
    /// Whether an injective map reaches every element of the rectangles.
    pub dense: bool,
    /// Whether the map speaks of linear indices, so that an instance must keep them affine.
    pub linear: bool,
    /// The map and the tile, once along each axis that moves nothing, if most elements of the rectangles are not reached.
    pub(crate) apart: Option<Box<(Map, Tile)>>,
}

impl SubStore {
    /// The sub-store of a non-empty tile. Where few elements, or rows of them, lie far apart, each has its own rectangles.
    pub fn new(map: &Map, tile: &[Range<usize>], shape: &Shape) -> SubStore {
        let all = SubStore::around(map, tile, shape);
        if all.dense {
            return all;
        }
        let mut parts: SmallVec<[(Tile, SubStore); 1]> = smallvec![(SmallVec::from(tile), all)];
        for (axis, range) in tile.iter().enumerate() {
            let count = range.len();
            if count == 1 || parts.len() * count > MOST_APART {
                continue;
            }
            // All parts along an axis are equal but for their place.
            let (first, around) = &parts[0];
            let mut one = first.clone();
            one[axis].end = one[axis].start + 1;
            if count * SubStore::around(map, &one, shape).size() >= around.size() {
                continue;
            }
            parts = parts
                .iter()
                .flat_map(|(tile, _)| {
                    range.clone().map(|at| {
                        let mut one = tile.clone();
                        one[axis] = at..at + 1;
                        let around = SubStore::around(map, &one, shape);
                        (one, around)
                    })
                })
                .collect();
        }
        let (dense, linear) =
            (parts.iter().all(|(_, part)| part.dense), map.chart == Chart::Linear);
        let rectangles = parts.into_iter().flat_map(|(_, part)| part.rectangles).collect();
        let mut sub = SubStore { rectangles, dense, linear, apart: None };
        if !dense && SPARSE * reached(map, tile) <= sub.size() {
            let moves = |axis| map.dims.iter().any(|dim| dim.axis == Some(axis as u8));
            let once = |(axis, range): (usize, &Range<usize>)| match moves(axis) {
                true => range.clone(),
                false => range.start..range.start + 1,
            };
            sub.apart = Some(Box::new((map.clone(), tile.iter().enumerate().map(once).collect())));
        }
        sub
    }

    /// As [`new`](Self::new), with all that lies between the elements.
    pub(crate) fn around(map: &Map, tile: &[Range<usize>], shape: &Shape) -> SubStore {
        let reached = reached_if_injective(map, tile);
        match map.chart {
            Chart::Native => {
                let spans = map.dims.iter().map(|dim| {
                    let range = reach_of_tile(dim, tile);
                    Span { lo: range.start, hi: range.end }
                });
                let rectangle = Rectangle { spans: spans.collect() };
                let dense = reached == Some(rectangle.size());
                SubStore { rectangles: smallvec![rectangle], dense, linear: false, apart: None }
            }
            Chart::Linear => {
                let interval = linear_interval(map, tile);
                let dense = reached == Some((interval.end - interval.start) as usize);
                let rectangles = interval_rectangles(interval, shape);
                SubStore { rectangles, dense, linear: true, apart: None }
            }
        }
    }

    /// Number of elements of the rectangles.
    fn size(&self) -> usize {
        self.rectangles.iter().map(Rectangle::size).sum()
    }

    /// The least rectangle around the sub-store.
    pub fn bounding(&self) -> Rectangle {
        let (first, rest) = self.rectangles.split_first().expect("a sub-store has a rectangle");
        rest.iter().fold(first.clone(), |all, r| all.bounding(r))
    }

    /// Whether two sub-stores of one store have a common rectangle.
    pub fn overlaps(&self, other: &SubStore) -> bool {
        let pairs =
            self.rectangles.iter().flat_map(|a| other.rectangles.iter().map(move |b| (a, b)));
        pairs.into_iter().any(|(a, b)| a.intersect(b).is_some())
    }
}

/// Of how many elements at least one is reached where it is worth while to leave the others out.
const SPARSE: usize = 2;

/// Parts of a sub-store that lie apart, at most.
const MOST_APART: usize = 8;

/// The linear indices `lo..hi` that a linear map spans over a non-empty tile.
pub fn linear_interval(map: &Map, tile: &[Range<usize>]) -> Range<i64> {
    map.dims.iter().fold(0..1, |all, dim| {
        let range = reach_of_tile(dim, tile);
        all.start + range.start..all.end + range.end - 1
    })
}

/// Elements reached by an injective map: the product of the extents that move it. `None` where an
/// axis moves two dimensions (a diagonal), unless it has one index.
fn reached_if_injective(map: &Map, tile: &[Range<usize>]) -> Option<usize> {
    let mut seen = 0u32;
    let mut reached = 1;
    for axis in map.dims.iter().filter_map(|d| d.axis) {
        let extent = tile[axis as usize].len();
        if seen & 1 << axis != 0 && extent > 1 {
            return None;
        }
        if seen & 1 << axis == 0 {
            reached *= extent;
        }
        seen |= 1 << axis;
    }
    Some(reached)
}

/// Elements reached, if each axis that moves reaches others: no fewer otherwise.
fn reached(map: &Map, tile: &[Range<usize>]) -> usize {
    let moves = |axis| map.dims.iter().any(|dim| dim.axis == Some(axis as u8));
    (0..tile.len()).filter(|&axis| moves(axis)).map(|axis| tile[axis].len()).product()
}

/// Cuts an interval of row-major indices of a store into rectangles: at most two a dimension.
///
/// ```text
/// [4, 6], 3..15:   . . . # # #     row 0, columns 3..6
///                  # # # # # #     row 1
///                  # # # . . .     row 2, columns 0..3
/// ```
pub fn interval_rectangles(interval: Range<i64>, shape: &Shape) -> SmallVec<[Rectangle; 1]> {
    let mut rectangles = SmallVec::new();
    cut(interval, shape, &mut SmallVec::new(), &mut rectangles);
    rectangles
}

fn cut(
    interval: Range<i64>,
    shape: &[usize],
    outer: &mut SmallVec<[Span; 4]>,
    into: &mut SmallVec<[Rectangle; 1]>,
) {
    if interval.is_empty() {
        return;
    }
    let Some((_, inner)) = shape.split_first() else {
        into.push(Rectangle { spans: outer.clone() });
        return;
    };
    let row = inner.iter().product::<usize>() as i64;
    let (first, last) = (interval.start / row, (interval.end - 1) / row);
    let (head, tail) = (interval.start - first * row, interval.end - last * row);
    if first == last && (head > 0 || tail < row) {
        cut_row(first, head..tail, inner, outer, into);
        return;
    }
    if head > 0 {
        cut_row(first, head..row, inner, outer, into);
    }
    let rows = Span { lo: first + (head > 0) as i64, hi: last + (tail == row) as i64 };
    if rows.lo < rows.hi {
        let mut spans = outer.clone();
        spans.push(rows);
        spans.extend(inner.iter().map(|&n| Span { lo: 0, hi: n as i64 }));
        into.push(Rectangle { spans });
    }
    if tail < row {
        cut_row(last, 0..tail, inner, outer, into);
    }
}

/// Cuts the part of one row.
fn cut_row(
    row: i64,
    part: Range<i64>,
    inner: &[usize],
    outer: &mut SmallVec<[Span; 4]>,
    into: &mut SmallVec<[Rectangle; 1]>,
) {
    outer.push(Span { lo: row, hi: row + 1 });
    cut(part, inner, outer, into);
    outer.pop();
}

#[cfg(test)]
mod tests {
    use super::*;
    use darray_core::Dim;

    #[test]
    fn intervals_are_cut_exactly() {
        for extents in [&[24][..], &[4, 6], &[1, 24], &[2, 3, 4], &[3, 1, 8], &[24, 1]] {
            let shape = Shape::new(extents);
            let strides = shape.strides();
            for lo in 0..24i64 {
                for hi in lo + 1..25 {
                    let rectangles = interval_rectangles(lo..hi, &shape);
                    assert!(rectangles.len() < 2 * shape.rank(), "{rectangles:?}");
                    let mut seen = [0; 24];
                    for r in &rectangles {
                        let mut index: SmallVec<[i64; 4]> = r.spans.iter().map(|s| s.lo).collect();
                        for _ in 0..r.size() {
                            let at: i64 = index.iter().zip(&strides).map(|(i, s)| i * s).sum();
                            seen[at as usize] += 1;
                            for d in (0..index.len()).rev() {
                                index[d] += 1;
                                if index[d] < r.spans[d].hi {
                                    break;
                                }
                                index[d] = r.spans[d].lo;
                            }
                        }
                    }
                    for (k, &count) in seen.iter().enumerate() {
                        let inside = (lo..hi).contains(&(k as i64));
                        assert_eq!(count, inside as i32, "{shape} {lo}..{hi} element {k}");
                    }
                }
            }
        }
    }

    #[test]
    fn density_is_known() {
        let shape = Shape::new(&[40, 40]);
        let sub = |count: usize, dims: &[Dim]| {
            let tile: Tile = smallvec![0..count, 2..6];
            let map = Map { chart: Chart::Native, dims: dims.iter().copied().collect() };
            SubStore::new(&map, &tile, &shape)
        };
        let rows = [Dim::along(0, 0, 1), Dim::along(1, 0, 1)];
        assert!(sub(20, &rows).dense);
        assert!(sub(20, &[Dim::along(1, 5, -1), Dim::along(0, 0, 1)]).dense);
        assert!(sub(20, &[Dim::fixed(2), Dim::along(0, 0, 1)]).dense);
        let (steps, diagonal) = ([Dim::along(0, 0, 2), Dim::fixed(0)], [rows[0], rows[0]]);
        for dims in [&steps, &diagonal] {
            let few = sub(3, dims);
            assert_eq!((few.dense, few.rectangles.len(), few.apart), (true, 3, None));
            let many = sub(20, dims);
            let tile: Tile = smallvec![0..20, 2..3];
            assert_eq!((many.dense, many.rectangles.len()), (false, 1));
            // Of 39 elements in a column 20 are most of them, of 400 in a square not.
            assert_eq!(many.apart.map(|view| view.1), (dims == &diagonal).then_some(tile));
        }
    }
}
