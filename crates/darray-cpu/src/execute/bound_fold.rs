//! The fold of a nest with the arguments of a launch.

use super::across::Across;
use super::any_order::AnyOrder;
use super::beside::Beside;
use super::bind::Bound;
use super::bool_columns::BoolColumns;
use super::compiled::FoldLoops;
use super::packed::Packing;
use super::products::Products;
use darray_codegen::bind::Axes;
use darray_codegen::{FoldMode, Nest, Node, Phase};
use darray_kernel::tree::TileTree;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// The fold of a bound nest.
pub(super) struct BoundFold {
    pub tree: TileTree,
    /// Whether the tile is one leaf, and the domain nothing else.
    pub one_leaf: bool,
    /// Leaves of a subtree, at most, that are one step of a walk where they do not wait.
    pub leaves_of_step: usize,
    pub mode: FoldMode,
    /// Accesses of the fold's body.
    pub accesses: SmallVec<[u16; 8]>,
    /// How they move.
    pub streams: SmallVec<[Stream; 8]>,
    /// Reduced axes in logical order.
    pub order: SmallVec<[u8; 4]>,
    pub items: Arc<[FoldLoops]>,
    /// By lanes: leaves along the last reduced axis that are folded together, row by row of the
    /// whole tile, so that memory is read in order; 0: each leaf alone. By kept points: lanes,
    /// each a vector of points; 0: a single one.
    pub band: usize,
    /// The kept points of a row, where those of all lanes are one vector, see
    /// [`joined_leaf`](super::fold::FoldRun::joined_leaf); else 0.
    pub joined: usize,
    /// Leaves that are folded side by side, or one after the other in rows of points, see
    /// [`FoldRun::abreast`](super::fold::FoldRun::abreast); 1: each alone.
    pub abreast: usize,
    /// By lanes: whether a leaf of all points of a block is folded before the next one, see
    /// [`leaf_of_points`](super::fold::FoldRun::leaf_of_points).
    pub by_leaf: bool,
    /// Whether lanes take their elements backwards, see [`backward_rows`](super::fold::FoldRun::backward_rows).
    pub backward: bool,
    /// How leaves are transposed, where they are folded so.
    pub across: Option<Box<Across>>,
    /// How leaves of points that are a row each are folded, where they are transposed in registers.
    pub beside: Option<Box<Beside>>,
    /// The loop of its own that the fold has, if it has one.
    pub products: Option<Products>,
    /// The loop that does not follow the tree, if there is one.
    pub any_order: Option<AnyOrder>,
    /// The same of columns of bools.
    pub bool_columns: Option<BoolColumns>,
    /// The value that decides the fold.
    pub decides: Option<u8>,
    /// Extents of the tile along the axes of `order`.
    pub extents: SmallVec<[usize; 4]>,
    /// Indices of a leaf along the axes of `order`.
    pub blocks: SmallVec<[usize; 4]>,
    /// Reduced points of the tile.
    pub points: usize,
    /// Row-major position over the global reduced axes: of local index 0, and per step of each
    /// axis of `order`.
    pub position: i64,
    pub position_steps: SmallVec<[i64; 4]>,
    /// What is copied before each leaf.
    pub packing: Packing,
    /// Bytes from one slot to the next, per access of the nest (yields only).
    pub slot_strides: SmallVec<[i64; 8]>,
}

/// An access of the body: bytes per step of the last reduced axis and of the one before, 0 without one.
#[derive(Clone, Copy)]
pub(super) struct Stream {
    pub access: usize,
    pub along: isize,
    pub around: isize,
}

impl BoundFold {
    /// The fold of a nest with a tree; `strides(axis)` are the bytes per step of all accesses.
    pub fn new<'s>(
        nest: &Nest,
        tree: TileTree,
        (mode, products, packing): (FoldMode, Option<Products>, Packing),
        items: &Arc<[FoldLoops]>,
        axes: &Axes,
        slot_strides: SmallVec<[i64; 8]>,
        strides: impl Fn(u8) -> &'s [i64],
    ) -> BoundFold {
        let fold = nest.fold.as_ref().expect("only called for a fold");
        let in_body = |&(at, &(_, phase)): &(usize, &(u16, Phase))| {
            (phase == Phase::Fold).then_some(at as u16)
        };
        let accesses: SmallVec<[u16; 8]> =
            nest.accesses.iter().enumerate().filter_map(|entry| in_body(&entry)).collect();
        let stream = |&access: &u16| {
            let access = access as usize;
            let stride = |(dim, &axis): (usize, &u8)| {
                packing.step(access, dim).unwrap_or(strides(axis)[access]) as isize
            };
            let mut inward = fold.order.iter().enumerate().rev().map(stride);
            let (along, around) = (inward.next().unwrap_or(0), inward.next().unwrap_or(0));
            Stream { access, along, around }
        };
        let streams = accesses.iter().map(stream).collect();
        let mut position_steps: SmallVec<[i64; 4]> = SmallVec::from_elem(0, fold.order.len());
        let (mut step, mut position) = (1i64, 0i64);
        for (number, &axis) in fold.order.iter().enumerate().rev() {
            position_steps[number] = step;
            position = position.wrapping_add(step.wrapping_mul(axes.origins[axis as usize]));
            step = step.wrapping_mul(axes.globals[axis as usize] as i64);
        }
        let order = &fold.order;
        let points = order.iter().map(|&axis| axes.extents[axis as usize]).product();
        let extents: SmallVec<[usize; 4]> =
            order.iter().map(|&axis| axes.extents[axis as usize]).collect();
        let blocks = axes.blocks(fold);
        let band = match mode {
            FoldMode::Lanes if packing.is_empty() => band(&extents, &blocks),
            FoldMode::Lanes => 0,
            FoldMode::Kept if products.is_some_and(|products| products.by_rows()) => 0,
            FoldMode::Kept if tree.lanes() > 1 => tree.lanes(),
            FoldMode::Kept => 0,
        };
        let leaves = extents.iter().zip(&blocks).map(|(extent, &block)| extent.div_ceil(block));
        let one_leaf = tree.is_whole() && !tree.is_empty() && leaves.product::<usize>() == 1;
        BoundFold {
            tree,
            one_leaf,
            leaves_of_step: 1,
            mode,
            accesses,
            streams,
            order: SmallVec::from_slice(order),
            items: items.clone(),
            band,
            joined: 0,
            abreast: 1,
            by_leaf: false,
            backward: false,
            across: None,
            beside: None,
            products,
            any_order: None,
            bool_columns: None,
            decides: decides(nest),
            extents,
            blocks,
            points,
            position,
            position_steps,
            packing,
            slot_strides,
        }
    }

    /// Has the leaves together that a function takes side by side, or more, if they can be: in rows of points that lie apart,
    /// and in `short` ones where leaves of several rows would read a few rows here and a few there.
    pub fn fold_together(&mut self, leaves: usize, in_rows: bool, short: bool) {
        let by_index =
            self.mode == FoldMode::Kept && self.order.len() > 1 && self.products.is_none();
        let more = in_rows || short && by_index;
        // By lanes, too, leaves of several axes of rows would read a few rows here and a few there; of two axes there is less to
        // do for a leaf of many.
        let by_lanes = self.mode == FoldMode::Lanes && leaves > 1;
        let most = if by_lanes && self.order.len() == 2 { SOME_LEAVES } else { MORE_LEAVES };
        self.abreast = match &self.across {
            Some(across) => across.leaves,
            None if !self.packing.is_empty() || self.band > 0 => 1,
            None if more || by_lanes => {
                let leaves = |axis: usize| self.extents[axis].div_ceil(self.blocks[axis]);
                self.around().map_or(1, leaves).min(most)
            }
            None => leaves,
        };
    }

    /// Bytes per step of a reduced axis, by its place in logical order, where the body of a bound nest finds an access.
    pub fn step(&self, bound: &Bound<'_>, number: usize, access: usize) -> i64 {
        let stride = || self.order.get(number).map_or(0, |&axis| bound.stride(axis, access));
        self.packing.step(access, number).unwrap_or_else(stride)
    }

    /// Indices of a leaf along the last reduced axis.
    pub fn last_block(&self) -> usize {
        self.blocks.last().copied().unwrap_or(1)
    }

    /// The reduced axis, by its place in logical order, along which rows of the body follow one another.
    pub fn around(&self) -> Option<usize> {
        let from_last = if self.mode == FoldMode::Kept { 1 } else { 2 };
        self.order.len().checked_sub(from_last)
    }

    /// Leaves of the tile.
    pub fn leaves(&self) -> usize {
        self.leaves_of(0)
    }

    /// How many leaves further the next one along an axis is, in row-major order.
    pub fn leaves_behind(&self, axis: usize) -> usize {
        self.leaves_of(axis + 1)
    }

    /// Leaves of the axes from one on.
    fn leaves_of(&self, axis: usize) -> usize {
        let sizes = self.extents[axis..].iter().zip(&self.blocks[axis..]);
        sizes.map(|(&extent, &block)| extent.div_ceil(block)).product()
    }

    /// Leaves of the tile in the order in which they are best folded: the row-major number of the one with this number,
    /// if there is one, see [`places`](Self::places).
    pub fn leaf_at(&self, place: usize) -> Option<usize> {
        let Some((axis, together)) = self.packing.group else { return Some(place) };
        let counts = self.extents.iter().zip(&self.blocks).map(|(&e, &block)| e.div_ceil(block));
        let counts: SmallVec<[usize; 4]> = counts.collect();
        // Along that axis first.
        let groups = counts[axis].div_ceil(together).max(1);
        let along = place / together % groups * together + place % together;
        let (mut rest, mut number, mut step) = (place / together / groups, 0, 1);
        for (k, &count) in counts.iter().enumerate().rev() {
            let at = if k == axis { along } else { rest % count };
            rest /= if k == axis { 1 } else { count };
            number += at * step;
            step *= count;
        }
        if along >= counts[axis] {
            return None;
        }
        Some(number)
    }

    /// Numbers of [`leaf_at`](Self::leaf_at), and how many of those in a row stay together.
    pub fn places(&self) -> (usize, usize) {
        let Some((axis, together)) = self.packing.group else {
            return (self.leaves(), self.band.max(self.abreast));
        };
        let leaves = self.extents[axis].div_ceil(self.blocks[axis]).max(1);
        (self.leaves() / leaves * leaves.next_multiple_of(together), together)
    }

    /// The indices of a leaf by its row-major number, relative to the tile's origin.
    pub fn leaf_ranges(&self, leaf: usize) -> SmallVec<[Range<usize>; 4]> {
        let mut rest = leaf;
        let mut ranges: SmallVec<[Range<usize>; 4]> = SmallVec::new();
        for (&extent, &block) in self.extents.iter().zip(&self.blocks).rev() {
            let leaves = extent.div_ceil(block);
            let start = rest % leaves * block;
            rest /= leaves;
            ranges.push(start..(start + block).min(extent));
        }
        ranges.reverse();
        ranges
    }
}

/// How many leaves form a band, see [`BoundFold::band`].
fn band(extents: &[usize], blocks: &[usize]) -> usize {
    let (Some(&extent), Some(&block)) = (extents.last(), blocks.last()) else { return 0 };
    let leaves = extent.div_ceil(block);
    let useful = extents.len() > 1 && (2..=WIDEST).contains(&leaves);
    if useful { leaves } else { 0 }
}

/// Most leaves of a band.
const WIDEST: usize = 64;

/// Leaves that are folded together where points lie in many rows, each of which is read in pieces that long.
const MORE_LEAVES: usize = 128;

/// Leaves of short rows that are folded together, a few side by side at a time, and then have their lanes combined.
const SOME_LEAVES: usize = 32;

/// The value of the one fold of a nest that nothing changes any more, if there is one and the nest does nothing else for its
/// elements.
fn decides(nest: &Nest) -> Option<u8> {
    let fold = nest.fold.as_ref()?;
    let [item] = &fold.items[..] else { return None };
    if fold.nodes.iter().any(|node| matches!(node, Node::Store { .. } | Node::Yield { .. })) {
        return None;
    }
    item.reducer.decides().map(u8::from)
}
