//! Which points a launch has, which tile each owns, and on which device it runs.

use crate::geometry::Tile;
use darray_core::Shape;
use darray_ir::{Grid, Tiling};
use darray_kernel::tree::TreeRule;
use smallvec::{SmallVec, smallvec};

/// The mapper: one grid policy for all tasks of a runtime.
///
/// Point `p` of a launch domain, row-major, runs on device `p` modulo the number of devices, so
/// equal launch domains put equal points on equal devices.
#[derive(Clone, Debug)]
pub(crate) struct Mapper {
    policy: Vec<u32>,
    points: usize,
    devices: usize,
    rule: TreeRule,
}

/// One point of a launch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    /// Row-major number in the launch domain.
    pub(crate) number: usize,
    /// Where it runs.
    pub(crate) device: usize,
    /// What it owns of the iteration domain.
    pub(crate) tile: Tile,
}

impl Point {
    pub(crate) fn is_empty(&self) -> bool {
        self.tile.iter().any(|range| range.is_empty())
    }
}

impl Mapper {
    pub(crate) fn new(policy: Vec<u32>, devices: usize, rule: TreeRule) -> Mapper {
        let points = policy.iter().map(|&p| p as usize).product();
        Mapper { policy, points, devices, rule }
    }

    /// Whether every launch has one point.
    #[inline]
    pub(crate) fn is_one(&self) -> bool {
        self.points == 1
    }

    /// The points of a launch, at most.
    pub(crate) fn most_points(&self) -> usize {
        self.points
    }

    pub(crate) fn rule(&self) -> TreeRule {
        self.rule
    }

    /// The tiling of an iteration domain.
    pub(crate) fn tiling(&self, domain: &Shape) -> Tiling {
        Tiling::new(domain, Grid::of(&self.policy, domain.rank()), self.rule)
    }

    /// The tiling of a kernel's domain, whose reductions may have domains of their own with the same rows.
    pub(crate) fn kernel_tiling<'d>(
        &self,
        domain: &Shape,
        reduced: impl IntoIterator<Item = &'d Shape>,
    ) -> Tiling {
        let mut tiling = self.tiling(domain);
        for other in reduced.into_iter().filter(|other| *other != domain) {
            tiling.blocks[0] = tiling.blocks[0].max(self.rule.cuts(other)[0]);
        }
        tiling
    }

    /// All points of a kernel, those with empty tiles too.
    pub(crate) fn kernel_points<'d>(
        &self,
        domain: &Shape,
        reduced: impl IntoIterator<Item = &'d Shape>,
    ) -> SmallVec<[Point; 1]> {
        if self.points == 1 || domain.rank() == 0 {
            return smallvec![whole(domain)];
        }
        self.of(&self.kernel_tiling(domain, reduced))
    }

    /// All points of a launch over `domain`, those with empty tiles too.
    pub(crate) fn points(&self, domain: &Shape) -> SmallVec<[Point; 1]> {
        if self.points == 1 || domain.rank() == 0 {
            return smallvec![whole(domain)];
        }
        self.of(&self.tiling(domain))
    }

    /// The points of a scan along an axis, in blocks of so many indices.
    pub(crate) fn scanned(
        &self,
        domain: &Shape,
        axis: usize,
        block: usize,
    ) -> SmallVec<[Point; 1]> {
        if self.points == 1 {
            return smallvec![whole(domain)];
        }
        let mut tiling = self.tiling(domain);
        tiling.blocks[axis] = tiling.blocks[axis].max(block);
        self.of(&tiling)
    }

    /// The points of a launch over a stack of matrices: all points along one axis, which is the rows,
    /// cut as those of element-wise operations are if that gives a part to each point, or an axis of the stack; that with
    /// the most parts.
    pub(crate) fn products(&self, domain: &Shape) -> SmallVec<[Point; 1]> {
        if self.points == 1 {
            return smallvec![whole(domain)];
        }
        let rows = domain.rank() - 2;
        let block = self.tiling(domain).blocks[rows];
        let fits = domain[rows].div_ceil(block) >= self.points;
        let block = if fits { block } else { self.rule.alone as usize };
        let parts = |axis: &usize| domain[*axis].div_ceil(if *axis == rows { block } else { 1 });
        let cut = (0..=rows).rev().max_by_key(parts).unwrap_or(rows);
        self.cut(domain, cut, if cut == rows { block } else { 1 })
    }

    /// The points of a launch that needs an axis whole: those of kernels if they do not cut it and all
    /// have elements, else all points along the longest other axis, cut as kernels do where that
    /// leaves no point without elements.
    pub(crate) fn across(&self, domain: &Shape, axis: usize) -> SmallVec<[Point; 1]> {
        let others = (0..domain.rank()).rev().filter(|&other| other != axis);
        let Some(cut) = others.max_by_key(|&other| domain[other]).filter(|_| self.points > 1)
        else {
            return smallvec![whole(domain)];
        };
        let tiling = self.tiling(domain);
        if tiling.grid.parts[axis] == 1 {
            let points = self.of(&tiling);
            if !points.iter().any(Point::is_empty) {
                return points;
            }
        }
        let block = tiling.blocks[cut];
        let fits = domain[cut].div_ceil(block) >= self.points;
        self.cut(domain, cut, if fits { block } else { 1 })
    }

    /// The points of a launch along one axis: parts that differ by one element at most.
    pub(crate) fn along(&self, domain: &Shape, axis: usize) -> SmallVec<[Point; 1]> {
        match self.points > 1 && domain[axis] > 1 {
            true => self.cut(domain, axis, 1),
            false => smallvec![whole(domain)],
        }
    }

    /// All points along one axis, cut at multiples of a number of indices.
    fn cut(&self, domain: &Shape, axis: usize, block: usize) -> SmallVec<[Point; 1]> {
        let mut grid = Grid { parts: SmallVec::from_elem(1, domain.rank()) };
        grid.parts[axis] = self.points as u32;
        let mut tiling = Tiling::new(domain, grid, self.rule);
        tiling.blocks[axis] = block;
        self.of(&tiling)
    }

    fn of(&self, tiling: &Tiling) -> SmallVec<[Point; 1]> {
        let point = |number| Point {
            number,
            device: number % self.devices,
            tile: tiling.tile(&tiling.grid.point(number)),
        };
        (0..tiling.grid.points()).map(point).collect()
    }
}

fn whole(domain: &Shape) -> Point {
    Point { number: 0, device: 0, tile: domain.iter().map(|&n| 0..n).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_cycle_over_devices() {
        let mapper = Mapper::new(vec![2, 2], 3, TreeRule::TINY);
        let points = mapper.points(&Shape::new(&[4, 16]));
        let places: Vec<_> = points.iter().map(|p| (p.device, &p.tile[..])).collect();
        assert_eq!(
            places,
            [(0, &[0..2, 0..8][..]), (1, &[0..2, 8..16]), (2, &[2..4, 0..8]), (0, &[2..4, 8..16])]
        );
        assert_eq!(mapper.points(&Shape::scalar()).len(), 1);
        assert_eq!(mapper.points(&Shape::new(&[16])).len(), 4);
    }

    #[test]
    fn axes_that_are_needed_whole_are_not_cut() {
        let mapper = Mapper::new(vec![2, 2], 4, TreeRule::TINY);
        let tiles = |points: SmallVec<[Point; 1]>| -> Vec<Vec<std::ops::Range<usize>>> {
            points.iter().map(|point| point.tile.to_vec()).collect()
        };
        let shape = Shape::new(&[3, 9, 6]);
        let rows = tiles(mapper.across(&shape, 1));
        assert_eq!(rows[1], [0..3, 0..9, 1..3]);
        assert_eq!((rows.len(), &rows[3][2]), (4, &(4..6)));
        let kernels = mapper.points(&Shape::new(&[4, 16, 9]));
        assert_eq!(mapper.across(&Shape::new(&[4, 16, 9]), 2), kernels);
        assert_eq!(mapper.across(&Shape::new(&[9]), 0).len(), 1);
        let parts = tiles(mapper.along(&Shape::new(&[1, 10]), 1));
        assert_eq!(
            parts.iter().map(|p| p[1].clone()).collect::<Vec<_>>(),
            [0..2, 2..5, 5..7, 7..10]
        );
    }

    #[test]
    fn products_are_cut_along_one_axis() {
        let mapper = Mapper::new(vec![2, 2], 4, TreeRule::TINY);
        let rows: Vec<_> =
            mapper.products(&Shape::new(&[9, 3])).iter().map(|p| p.tile[0].clone()).collect();
        assert_eq!(rows, [0..2, 2..4, 4..6, 6..9]);
        // Blocks of four rows of one column would leave a device without any.
        assert_eq!(mapper.tiling(&Shape::new(&[9, 1])).blocks[..], [4, 4]);
        let column = mapper.products(&Shape::new(&[9, 1]));
        assert_eq!(column.iter().map(|p| p.tile[0].clone()).collect::<Vec<_>>(), rows);
        let stack = mapper.products(&Shape::new(&[2, 7, 9, 3]));
        let products: Vec<_> = stack.iter().map(|p| p.tile[1].clone()).collect();
        assert_eq!(products, [0..1, 1..3, 3..5, 5..7], "the axis with the most parts");
    }
}
