//! What maps reach: coverage, injectivity, disjointness, bounding boxes. All in constant time.

use darray_core::{Chart, Dim, Map, Shape};
use smallvec::SmallVec;
use std::ops::Range;

/// Whether `map` over `domain` reaches every element of a store of shape `store`.
///
/// A map stays inside its store, so one that reaches as many different elements as there are reaches
/// all.
pub fn covers(map: &Map, domain: &Shape, store: &Shape) -> bool {
    injective(map, domain) && domain.size() == store.size()
}

/// Whether no element is reached twice (precondition P2).
///
/// Native: every axis of extent above 1 moves a coordinate. Linear: sorted by step, each step is
/// larger than everything that the smaller ones span.
pub fn injective(map: &Map, domain: &Shape) -> bool {
    let moves = |axis: usize| map.dims.iter().any(|d| d.axis == Some(axis as u8));
    let each_moves = (0..domain.rank()).all(|a| domain[a] == 1 || moves(a));
    if domain.size() == 0 {
        return true;
    }
    match map.chart {
        Chart::Native => each_moves,
        Chart::Linear => {
            let mut steps: SmallVec<[(i64, i64); 4]> = map
                .dims
                .iter()
                .filter_map(|d| d.axis.map(|a| (d.step.abs(), domain[a as usize] as i64)))
                .collect();
            steps.sort_unstable();
            let mut span = 0;
            each_moves
                && steps.iter().all(|&(step, extent)| {
                    let free = step > span;
                    span += step * (extent - 1);
                    free
                })
        }
    }
}

/// Whether two accesses of one store are proven to share no element: per dimension by box or by
/// step and residue. `false` means unknown.
pub fn disjoint(a: (&Map, &Shape), b: (&Map, &Shape)) -> bool {
    if a.1.size() == 0 || b.1.size() == 0 {
        return true;
    }
    match (a.0.chart, b.0.chart) {
        (Chart::Native, Chart::Native) => a.0.dims.iter().zip(&b.0.dims).any(|(da, db)| {
            let (ra, rb) = (reach(da, a.1), reach(db, b.1));
            ra.end <= rb.start || rb.end <= ra.start || residues_differ(da.start - db.start, da, db)
        }),
        (Chart::Linear, Chart::Linear) => {
            let (ra, rb) = (linear_reach(a.0, a.1), linear_reach(b.0, b.1));
            ra.end <= rb.start || rb.end <= ra.start
        }
        _ => false,
    }
}

/// The coordinates `lo..hi` that a dimension takes over a non-empty domain.
pub fn reach(dim: &Dim, domain: &Shape) -> Range<i64> {
    let last = dim.axis.map_or(0, |a| (domain[a as usize] as i64 - 1) * dim.step);
    dim.start + last.min(0)..dim.start + last.max(0) + 1
}

/// The coordinates `lo..hi` that a dimension takes over a non-empty tile of the domain.
pub fn reach_of_tile(dim: &Dim, tile: &[Range<usize>]) -> Range<i64> {
    let Some(axis) = dim.axis else { return dim.start..dim.start + 1 };
    let range = &tile[axis as usize];
    let ends = [range.start as i64, range.end as i64 - 1].map(|i| dim.start + dim.step * i);
    ends[0].min(ends[1])..ends[0].max(ends[1]) + 1
}

/// The interval of linear indices that a linear map takes over a non-empty domain.
pub fn linear_reach(map: &Map, domain: &Shape) -> Range<i64> {
    let (mut lo, mut hi) = (0, 1);
    for dim in &map.dims {
        let r = reach(dim, domain);
        lo += r.start;
        hi += r.end - 1;
    }
    lo..hi
}

/// The box of coordinates, or the interval of linear indices, that a map takes over a non-empty domain.
pub fn bounds(map: &Map, domain: &Shape) -> SmallVec<[Range<i64>; 4]> {
    match map.chart {
        Chart::Native => map.dims.iter().map(|dim| reach(dim, domain)).collect(),
        Chart::Linear => SmallVec::from_elem(linear_reach(map, domain), 1),
    }
}

fn residues_differ(offset: i64, a: &Dim, b: &Dim) -> bool {
    let common = gcd(a.step.abs(), b.step.abs());
    common > 1 && offset % common != 0
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
