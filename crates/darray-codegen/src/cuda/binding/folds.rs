//! How a fold is dealt to threads: a lane each, of one leaf or of several.
//!
//! A *piece* is what the same threads fold, leaf after leaf: along one axis 2^k leaves that are a node of the tree, along the axes
//! behind it all leaves. Pieces are the leaves of the tree above them, whose values another entry combines.
//!
//! ```text
//! leaves  0   1   2   3   4       pieces of two: 0 has leaves 0 and 1, 1 has 2 and 3, 2 has 4
//! ```
//!
//! A piece is as large as it can be while enough threads are busy, so that few values are left. Where there are fewer, a leaf has
//! several threads for each of its lanes: the rounds of its *parts*.

use crate::bind::{Axes, Loop};
use crate::cuda::plan::variant::{BLOCK, Combiner, FoldVariant, PieceCount, WARP};
use crate::layout::FoldMode;
use crate::program::{FoldBody, Nest, Node, Phase, Program};
use darray_kernel::tree::TileTree;
use smallvec::SmallVec;

/// The fold of a nest with its arguments.
pub(crate) struct BoundFold {
    /// Reduced axes in the order of the tree.
    pub axes: SmallVec<[ReducedTile; 4]>,
    /// Pieces of the tile.
    pub pieces: usize,
    /// Parallel points whose threads are neighbours.
    pub columns: usize,
    /// Those of all pieces of all points.
    pub threads: usize,
    /// Row-major position of local index 0 over the global reduced axes.
    pub position: i64,
}

/// A reduced axis of a tile.
pub(crate) struct ReducedTile {
    pub extent: usize,
    /// Indices of a leaf, and of a piece.
    pub leaf: usize,
    pub piece: usize,
    /// Leaves of a piece.
    pub inside: usize,
    /// Pieces of the tile, the first of them, and those of the whole axis.
    pub pieces: usize,
    pub first: usize,
    pub whole: usize,
    /// How far the row-major position moves with the index.
    pub position: i64,
}

/// What the variant of a fold follows from.
pub(crate) struct FoldBinding<'b> {
    pub program: &'b Program,
    pub body: &'b FoldBody,
    pub tree: &'b TileTree,
    pub axes: &'b Axes,
    /// Parallel points.
    pub points: usize,
    /// The last parallel loop.
    pub last: Loop,
    /// See [`votes`].
    pub votes: i32,
    /// See [`of_folded`](super::moves::Moves::of_folded).
    pub loaded: Option<usize>,
}

impl FoldBinding<'_> {
    /// The fold for a device that so many threads keep busy.
    pub fn bind(&self, busy: usize) -> (FoldVariant, BoundFold) {
        let (mut tiles, position) = self.tiles();
        let most: usize = tiles.iter().map(|tile| tile.leaf.min(tile.extent)).product();
        let lanes = self.tree.lanes().min(most.next_power_of_two());
        let fits = most <= MOST_IN_LEAF && lanes <= BLOCK as usize;
        assert!(fits, "a leaf of {most} elements in {lanes} lanes");
        let leaves: usize = tiles.iter().map(|tile| tile.pieces).product();
        let threads = |each: usize| self.points.saturating_mul(each).saturating_mul(lanes);
        let is_kept = lanes == 1 || self.last.extent > 1 && self.votes > 0;
        let columns = if is_kept { self.last.extent.min(BLOCK as usize / lanes) } else { 1 };
        let most_rounds = most.div_ceil(lanes).next_power_of_two();
        // What a block has space for, and the device.
        let parts = (BLOCK as usize / (lanes * columns))
            .min(most_rounds / LEAST_ROUNDS)
            .min(busy / threads(leaves).max(1))
            .max(1);
        let parts = 1 << parts.ilog2();
        let most_rounds = most_rounds / parts;
        let rounds = self.rounds().min(most_rounds);
        let partial = tiles.iter().rposition(|tile| tile.pieces < tile.whole);
        if !self.tree.is_empty() {
            cut_into_pieces(&mut tiles, threads(leaves) / busy.max(1));
        }
        let pieces = match self.tree.is_empty() {
            true => 1,
            false => tiles.iter().map(|tile| tile.pieces).product(),
        };
        let combiner = self.combiner(pieces);
        let last = tiles.len().saturating_sub(1);
        let variant = FoldVariant {
            mode: match is_kept || parts > 1 || lanes > WARP as usize {
                true => FoldMode::Kept,
                false => FoldMode::Lanes,
            },
            lanes: lanes as u16,
            parts: parts as u16,
            rounds: rounds as u8,
            levels: (most_rounds / rounds).trailing_zeros() as u8,
            boxed: tiles.iter().position(|tile| tile.leaf.min(tile.extent) > 1).unwrap_or(last)
                as u8,
            several: tiles
                .iter()
                .enumerate()
                .map(|(k, tile)| ((tile.inside > 1) as u32) << k)
                .sum(),
            pieces: match pieces {
                0 => PieceCount::None,
                1 => PieceCount::One,
                _ => PieceCount::Many,
            },
            empty: self.tree.is_empty(),
            split: partial.unwrap_or(0) as u8,
            combiner,
            shared: combiner != Combiner::Thread && self.fits(combiner, pieces),
        };
        let threads = threads(pieces) * parts;
        (variant, BoundFold { axes: tiles, pieces, columns, threads, position })
    }

    /// The reduced axes, where every piece is a leaf; the position of local index 0.
    fn tiles(&self) -> (SmallVec<[ReducedTile; 4]>, i64) {
        let mut tiles: SmallVec<[ReducedTile; 4]> = SmallVec::new();
        let (mut step, mut position) = (1i64, 0i64);
        let axes = self.axes;
        for (&axis, leaf) in self.body.order.iter().zip(axes.blocks(self.body)).rev() {
            let at = axis as usize;
            let (extent, global) = (axes.extents[at], axes.globals[at]);
            let first = (axes.origins[at] as usize).div_ceil(leaf);
            let pieces = (axes.origins[at] as usize + extent).div_ceil(leaf) - first;
            let (whole, position_step) = (global.div_ceil(leaf), step);
            position = position.wrapping_add(step.wrapping_mul(axes.origins[at]));
            step = step.wrapping_mul(global as i64);
            let [piece, inside] = [leaf, 1];
            let position = position_step;
            tiles.push(ReducedTile { extent, leaf, piece, inside, pieces, first, whole, position });
        }
        tiles.reverse();
        (tiles, position)
    }

    /// How many rounds a thread loads before the first is folded: enough bytes on their way to hide how long each of
    /// them takes. Much arithmetic does not need it.
    fn rounds(&self) -> usize {
        // Loads that must not come before stores.
        let Some(loaded) = self.loaded else { return 1 };
        let cost = |node: &Node| match node {
            Node::Apply { operator, .. } => operator.cost(),
            Node::Random { .. } => LONG,
            _ => 0,
        };
        let items = self.body.items.iter();
        let held = items.map(|item| {
            let value = self.program.dtypes[item.value.0 as usize].size();
            value + if item.index.is_some() { 8 } else { 0 }
        });
        let bytes = loaded.max(held.sum()).max(1);
        match self.body.nodes.iter().map(cost).sum() {
            0..LIGHT => 1 << (BYTES_IN_FLIGHT / bytes).clamp(4, 32).ilog2(),
            LIGHT..LONG => 4,
            _ => 1,
        }
    }

    fn combiner(&self, pieces: usize) -> Combiner {
        if pieces <= if self.points < MANY { SERIAL } else { SERIAL_OF_MANY } {
            Combiner::Thread
        } else if (pieces <= SHORT_LEVEL || self.points >= MANY_WARPS)
            && self.fits(Combiner::Warp, pieces)
        {
            Combiner::Warp
        } else {
            Combiner::Block
        }
    }

    /// Whether the values of a block's points fit its shared memory.
    fn fits(&self, combiner: Combiner, pieces: usize) -> bool {
        shared_bytes(self.body, pieces).saturating_mul(combiner.points() as usize) <= SHARED
    }
}

/// Makes pieces of several leaves, where there are so many times as many threads as are needed. Pieces are whole where the tile
/// begins and ends.
fn cut_into_pieces(tiles: &mut [ReducedTile], too_many: usize) {
    let mut too_many = too_many;
    for tile in tiles.iter_mut().rev() {
        let (first, end, leaves) = (tile.first, tile.first + tile.pieces, tile.pieces);
        let is_whole = leaves == tile.whole;
        let aligned = |leaf: usize| if leaf == 0 { u32::MAX } else { leaf.trailing_zeros() };
        let level = too_many
            .checked_ilog2()
            .unwrap_or(0)
            .min(MOST_LEVELS)
            .min(leaves.next_power_of_two().trailing_zeros())
            .min(aligned(first))
            .min(if end == tile.whole { u32::MAX } else { aligned(end) });
        tile.inside = leaves.min(1 << level);
        tile.piece = tile.leaf << level;
        (tile.first, tile.whole) = (first >> level, tile.whole.div_ceil(1 << level));
        tile.pieces = leaves.div_ceil(1 << level);
        // Slots of a tile with a part of an axis do not combine along the axes before.
        if tile.pieces > 1 || !is_whole {
            return;
        }
        too_many /= leaves.max(1);
    }
}

/// The binary logarithm of the leaves of a piece along an axis, at most: each is a value that waits in every thread.
pub(crate) const MOST_LEVELS: u32 = 7;

/// Elements of a leaf, at most: numbers of elements are divided by products, see [`rounds`](crate::cuda::emit::rounds).
const MOST_IN_LEAF: usize = 1 << 15;

/// Rounds of a part of a leaf, at least.
const LEAST_ROUNDS: usize = 4;

/// Bytes that a thread has on their way.
const BYTES_IN_FLIGHT: usize = 128;

/// Costs of a fold's body below which loads are all that matters, and from which they do not.
const LIGHT: u32 = 16;
const LONG: u32 = 64;

/// Bytes of shared memory for the values and indices of pieces, 8 for each.
pub(crate) fn shared_bytes(fold: &FoldBody, pieces: usize) -> usize {
    pieces.saturating_mul(arrays(fold) * 8)
}

/// Values and indices that a piece has.
pub(crate) fn arrays(fold: &FoldBody) -> usize {
    fold.items.iter().map(|item| 1 + item.index.is_some() as usize).sum()
}

/// Bytes of shared memory that every device has for a block.
const SHARED: usize = 48 << 10;

/// Parallel points that keep a device busy with one thread each, or with a warp each.
const MANY: usize = 4096;
const MANY_WARPS: usize = 1 << 11;

/// Pieces that one thread combines rather than more: of few parallel points, of many.
const SERIAL: usize = 8;
const SERIAL_OF_MANY: usize = 64;

/// Pieces that a warp combines as soon as a block does.
const SHORT_LEVEL: usize = 128;

/// Accesses of the fold that move less along the last parallel loop than along the last reduced axis,
/// minus the opposite.
pub(crate) fn votes<'s>(
    nest: &Nest,
    fold: &FoldBody,
    kept: Loop,
    strides: impl Fn(u8) -> &'s [i64],
) -> i32 {
    let Some(&reduced) = fold.order.last().filter(|_| nest.kept > 0) else { return 0 };
    let phases = nest.accesses.iter().map(|&(_, phase)| phase);
    let pairs = phases.zip(strides(kept.axis)).zip(strides(reduced));
    let votes = pairs.filter(|((phase, _), _)| *phase == Phase::Fold).map(|((_, &k), &r)| {
        (k != 0 && r != 0) as i32 * (r.unsigned_abs().cmp(&k.unsigned_abs()) as i32)
    });
    votes.sum()
}
