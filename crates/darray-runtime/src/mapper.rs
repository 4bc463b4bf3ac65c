//! Which points a launch has, which tile each owns, and on which device it runs.

use crate::sub_store::Tile;
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

    pub(crate) fn rule(&self) -> TreeRule {
        self.rule
    }

    /// The tiling of an iteration domain.
    pub(crate) fn tiling(&self, domain: &Shape) -> Tiling {
        Tiling::new(domain, Grid::of(&self.policy, domain.rank()), self.rule)
    }

    /// All points of a launch over `domain`, those with empty tiles too.
    pub(crate) fn points(&self, domain: &Shape) -> SmallVec<[Point; 1]> {
        if self.points == 1 || domain.rank() == 0 {
            return smallvec![whole(domain)];
        }
        self.of(&self.tiling(domain))
    }

    /// The points of a launch over a stack of matrices: all points along one axis, which is the rows,
    /// cut as those of element-wise operations are, or an axis of the stack; that with the most parts.
    pub(crate) fn products(&self, domain: &Shape) -> SmallVec<[Point; 1]> {
        if self.points == 1 {
            return smallvec![whole(domain)];
        }
        let rows = domain.rank() - 2;
        let grid = Grid { parts: SmallVec::from_elem(1, domain.rank()) };
        let mut tiling = Tiling::new(domain, grid, self.rule);
        tiling.blocks[..rows].fill(1);
        let parts = |axis: &usize| domain[*axis].div_ceil(tiling.blocks[*axis]);
        let cut = (0..=rows).rev().max_by_key(parts).unwrap_or(rows);
        tiling.grid.parts[cut] = self.points as u32;
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
    fn products_are_cut_along_one_axis() {
        let mapper = Mapper::new(vec![2, 2], 4, TreeRule::TINY);
        let rows: Vec<_> =
            mapper.products(&Shape::new(&[9, 3])).iter().map(|p| p.tile[0].clone()).collect();
        assert_eq!(rows, [0..2, 2..4, 4..6, 6..9]);
        let stack = mapper.products(&Shape::new(&[2, 7, 9, 3]));
        let products: Vec<_> = stack.iter().map(|p| p.tile[1].clone()).collect();
        assert_eq!(products, [0..1, 1..3, 3..5, 5..7], "the axis with the most parts");
    }
}
