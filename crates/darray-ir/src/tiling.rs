//! How a launch domain cuts an iteration domain into tiles.

use darray_core::Shape;
use darray_kernel::tree::TreeRule;
use smallvec::SmallVec;
use std::ops::Range;

/// The launch domain of a task: the number of points along each axis of its iteration domain.
///
/// Two launch domains are equal when they have the same rank and the same parts; rank counts, so
/// that one device groups as many devices do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    /// Points per axis; at least 1.
    pub parts: SmallVec<[u32; 4]>,
}

/// A grid over an iteration domain: which rectangle each point owns.
///
/// An axis of extent `n` that may be cut every `b` indices ([`TreeRule::cuts`]) has `nb = ceil(n / b)` blocks; part `p` of `P` starts at
/// `min(n, b * floor(p * nb / P))`. Tile boundaries are therefore multiples of blocks, tiles differ
/// by at most one block, and tiles can be empty.
///
/// ```text
/// n = 10, b = 2, P = 4:   |0 1|2 3 4 5|... parts start at 0, 2, 4, 6 (5 blocks: 1 + 1 + 1 + 2)
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tiling {
    /// The iteration domain.
    pub domain: Shape,
    /// The launch domain.
    pub grid: Grid,
    /// Indices along each axis at whose multiples it may be cut.
    pub blocks: SmallVec<[usize; 4]>,
}

impl Grid {
    /// The launch domain of an iteration domain of this rank under a policy: axis `k` gets
    /// `policy[k]` points; what the rank lacks is multiplied into the last axis; rank 0 has one
    /// point.
    pub fn of(policy: &[u32], rank: usize) -> Grid {
        let mut parts: SmallVec<[u32; 4]> = SmallVec::from_elem(1, rank);
        for (k, &count) in policy.iter().enumerate() {
            if rank > 0 {
                parts[k.min(rank - 1)] *= count;
            }
        }
        Grid { parts }
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.parts.iter().map(|&p| p as usize).product()
    }

    /// The coordinates of the point with this row-major number.
    pub fn point(&self, mut number: usize) -> SmallVec<[u32; 4]> {
        let mut point: SmallVec<[u32; 4]> = SmallVec::from_elem(0, self.parts.len());
        for (coordinate, &parts) in point.iter_mut().zip(&self.parts).rev() {
            *coordinate = (number % parts as usize) as u32;
            number /= parts as usize;
        }
        point
    }
}

impl Tiling {
    /// The tiling of `domain` by `grid` under `rule`.
    pub fn new(domain: &Shape, grid: Grid, rule: TreeRule) -> Tiling {
        let blocks = rule.cuts(domain);
        Tiling { domain: domain.clone(), grid, blocks }
    }

    /// The indices of `axis` that part `part` owns.
    pub fn part(&self, axis: usize, part: u32) -> Range<usize> {
        let (n, block) = (self.domain[axis], self.blocks[axis]);
        let (blocks, parts) = (n.div_ceil(block), self.grid.parts[axis] as usize);
        let start = |p: usize| n.min(block * (p * blocks / parts));
        start(part as usize)..start(part as usize + 1)
    }

    /// The rectangle of a point, one range per axis.
    pub fn tile(&self, point: &[u32]) -> SmallVec<[Range<usize>; 4]> {
        point.iter().enumerate().map(|(axis, &part)| self.part(axis, part)).collect()
    }
}
