//! A kernel with the arguments of a launch: variants, and the numbers that become arguments.

use super::kernel::{BLOCK, Bindings, CudaKernel};
use super::moves::{Moves, Row};
use super::patterns::Patterns;
use super::variant::{Combiner, FoldVariant, LeafCount, NestVariant, Variant};
use crate::bind::{Addresses, Axes, BindError, LaunchArguments, Loop, Place, plan_loops};
use crate::layout::FoldMode;
use crate::program::{FoldBody, Nest, Phase, Program};
use darray_kernel::ir::Param;
use darray_kernel::tree::TileTree;
use smallvec::SmallVec;

/// A kernel with its arguments.
pub(super) struct Bound {
    pub variant: Variant,
    /// One per nest; none where it has no point.
    pub nests: SmallVec<[Option<BoundNest>; 1]>,
    /// Address of local index 0, per access of the program.
    pub bases: SmallVec<[u64; 8]>,
}

/// A nest with its arguments.
pub(super) struct BoundNest {
    /// The kept loops, outermost first.
    pub loops: SmallVec<[Loop; 4]>,
    /// Kept points.
    pub points: usize,
    /// How rows of the last kept loop are cut into vectors.
    pub row: Row,
    /// Elements per step of loops and reduced axes.
    pub strides: Patterns<i64>,
    /// Global index of local index 0, per axis.
    pub origins: SmallVec<[i64; 4]>,
    /// Elements from one slot to the next, per access of the nest.
    pub slots: SmallVec<[i64; 8]>,
    pub fold: Option<BoundFold>,
}

impl BoundNest {
    /// Iterations of the last kept loop.
    pub fn row_extent(&self) -> usize {
        self.loops.last().map_or(1, |last| last.extent)
    }

    /// How often it runs.
    pub fn rows(&self) -> usize {
        self.points / self.row_extent()
    }

    /// Elements of a row that its vectors cover.
    pub fn covered(&self) -> usize {
        self.row.count * self.row.width as usize
    }
}

/// The fold of a nest with its arguments.
pub(super) struct BoundFold {
    /// Reduced axes in the order of the tree.
    pub axes: SmallVec<[ReducedTile; 4]>,
    /// Leaves of the tile.
    pub leaves: usize,
    /// Row-major position of local index 0 over the global reduced axes.
    pub position: i64,
}

/// A reduced axis of a tile.
pub(super) struct ReducedTile {
    pub extent: usize,
    /// Indices per leaf.
    pub block: usize,
    /// Leaves of the tile, the first of them, and those of the whole axis.
    pub leaves: usize,
    pub first: usize,
    pub whole: usize,
    /// How far the row-major position moves with the index.
    pub position: i64,
}

impl LaunchArguments for Bindings<'_> {
    fn param(&self, param: Param) -> i64 {
        self.params[param.0 as usize]
    }

    fn place(&self, buffer: u16) -> Place<'_> {
        let binding = &self.buffers[buffer as usize];
        Place { bytes: binding.bytes, offset: binding.offset, strides: &binding.strides }
    }
}

impl Bound {
    /// Binds every nest.
    pub fn new(kernel: &CudaKernel, bindings: &Bindings<'_>) -> Result<Bound, BindError> {
        let program = &kernel.program;
        check_counts(program, bindings)?;
        let mut bound = Bound {
            variant: Variant { nests: SmallVec::new() },
            nests: SmallVec::new(),
            bases: SmallVec::from_elem(0, program.accesses.len()),
        };
        for (number, nest) in program.nests.iter().enumerate() {
            let (variant, nest) = match bind_nest(kernel, nest, bindings, &mut bound.bases)? {
                Some((mut variant, nest)) => {
                    if let Some(guard) = kernel.guard(number, &variant) {
                        variant.known = guard.known(bindings.scalars);
                    }
                    (Some(variant), Some(nest))
                }
                None => (None, None),
            };
            bound.variant.nests.push(variant);
            bound.nests.push(nest);
        }
        Ok(bound)
    }
}

fn check_counts(program: &Program, bindings: &Bindings<'_>) -> Result<(), BindError> {
    let count = |what, expected: usize, found: usize| match expected == found {
        true => Ok(()),
        false => Err(BindError::Count { what, expected, found }),
    };
    count("buffers", program.buffers.len(), bindings.buffers.len())?;
    count("params", program.params as usize, bindings.params.len())?;
    count("scalars", program.scalars.len(), bindings.scalars.len())?;
    for (buffer, binding) in program.buffers.iter().zip(bindings.buffers) {
        count("strides", buffer.rank as usize, binding.strides.len())?;
    }
    Ok(())
}

fn bind_nest(
    kernel: &CudaKernel,
    nest: &Nest,
    bindings: &Bindings<'_>,
    bases: &mut [u64],
) -> Result<Option<(NestVariant, BoundNest)>, BindError> {
    let program = &kernel.program;
    let axes = Axes::new(nest, bindings)?;
    if axes.extents[..nest.kept].contains(&0) {
        return Ok(None);
    }
    let tree = nest.fold.as_ref().map(|fold| axes.tile_tree(fold)).transpose()?;
    let addresses = Addresses::new(program, nest, &axes, tree.as_ref(), bindings)?;
    let count = nest.accesses.len();
    // Sizes are powers of two.
    let mut shifts: SmallVec<[u32; 8]> = SmallVec::new();
    for (&(access, _), &offset) in nest.accesses.iter().zip(&addresses.offsets) {
        let buffer = program.accesses[access as usize].buffer as usize;
        bases[access as usize] = bindings.buffers[buffer].address.wrapping_add_signed(offset);
        shifts.push(program.buffers[buffer].dtype.size().trailing_zeros());
    }
    let strides_of = |axis: u8| {
        let from = axis as usize * count;
        &addresses.strides[from..from + count]
    };
    let in_fold = |access: usize| nest.accesses[access].1 == Phase::Fold;
    let loops = plan_loops(&axes.extents[..nest.kept], &nest.indexed, in_fold, strides_of);
    let points = axes.extents[..nest.kept].iter().product();
    let reduced = nest.fold.as_ref().map_or(&[][..], |fold| &fold.order);
    let mut patterns = Patterns::new(loops.len() + reduced.len());
    let along = |axis: u8, access: usize| strides_of(axis)[access] >> shifts[access];
    for access in 0..count {
        let kept = loops.iter().map(|l| along(l.axis, access));
        let folded = reduced.iter().map(|&axis| match axes.extents[axis as usize] {
            0 | 1 => 0,
            _ => along(axis, access),
        });
        patterns.push(kept.chain(folded));
    }
    let bases: SmallVec<[u64; 8]> =
        nest.accesses.iter().map(|&(access, _)| bases[access as usize]).collect();
    let moves = Moves { program, nest, patterns: &patterns, bases: &bases };
    // Before folds, points go one by one.
    let row = moves.of_points(if nest.fold.is_some() { &[] } else { &loops });
    let last = loops.last().copied().unwrap_or(Loop { axis: 0, extent: 1 });
    let bound_fold = nest.fold.as_ref().map(|fold| bound_fold(fold, &axes));
    let fold = nest.fold.as_ref().zip(tree.as_ref()).zip(bound_fold.as_ref()).map(
        |((fold, tree), bound)| {
            let votes = votes(nest, fold, last, strides_of);
            let mut variant = fold_variant(fold, tree, bound, points, last, votes);
            if variant.mode == FoldMode::Lanes && !variant.short {
                variant.width = moves.of_lanes(fold, loops.len(), tree.lanes());
            }
            let loaded = moves.of_folded(fold, loops.len());
            let values = fold.items.iter().map(|item| &program.dtypes[item.value.0 as usize]);
            let values = values.map(|dtype| dtype.size()).sum();
            let lanes = tree.lanes();
            let space = shared_bytes(fold, BLOCK as usize);
            let units = points * bound.leaves;
            let busy = kernel.busy;
            let work = Work { loaded, values, space, units, lanes, busy };
            variant.team = work.team(&variant, bound);
            variant
        },
    );
    let leaves = bound_fold.as_ref().map_or(1, |fold| fold.leaves.max(1));
    let lanes = nest.fold.as_ref().map_or(1, |fold| fold.tree.lanes as usize);
    let threads = points.saturating_mul(leaves).saturating_mul(lanes) as u64;
    let longest = axes.extents.iter().copied().max().unwrap_or(0) as u64;
    let variant = NestVariant {
        wide: kernel.wide || addresses.farthest.max(threads).max(longest) >= NARROW,
        loops: loops.iter().map(|l| nest.indexed.contains(&l.axis).then_some(l.axis)).collect(),
        patterns: patterns.classes(),
        vector: row.width,
        shifts: row.shifts.clone(),
        rest: row.rest,
        known: SmallVec::new(),
        fold,
    };
    let slots = addresses.slots.iter().zip(&shifts).map(|(bytes, shift)| bytes >> shift).collect();
    let bound = BoundNest {
        loops,
        points,
        row,
        strides: patterns,
        origins: axes.origins,
        slots,
        fold: bound_fold,
    };
    Ok(Some((variant, bound)))
}

/// Below this, indices and the steps of grids fit 32 bits.
const NARROW: u64 = 1 << 30;

fn bound_fold(fold: &FoldBody, axes: &Axes) -> BoundFold {
    let mut tiles: SmallVec<[ReducedTile; 4]> = SmallVec::new();
    let (mut step, mut position) = (1i64, 0i64);
    for (&axis, block) in fold.order.iter().zip(axes.blocks(fold)).rev() {
        let at = axis as usize;
        let (extent, global) = (axes.extents[at], axes.globals[at]);
        let first = (axes.origins[at] as usize).div_ceil(block);
        let leaves = (axes.origins[at] as usize + extent).div_ceil(block) - first;
        let whole = global.div_ceil(block);
        tiles.push(ReducedTile { extent, block, leaves, first, whole, position: step });
        position = position.wrapping_add(step.wrapping_mul(axes.origins[at]));
        step = step.wrapping_mul(global as i64);
    }
    tiles.reverse();
    let empty = fold.order.iter().any(|&axis| axes.globals[axis as usize] == 0);
    let leaves = if empty { 1 } else { tiles.iter().map(|axis| axis.leaves).product() };
    BoundFold { axes: tiles, leaves, position }
}

fn fold_variant(
    fold: &FoldBody,
    tree: &TileTree,
    bound: &BoundFold,
    points: usize,
    last: Loop,
    votes: i32,
) -> FoldVariant {
    let lanes = tree.lanes();
    let reduced = bound.axes.last().map_or(1, |axis| axis.extent);
    let kept = last.extent >= 32 && (reduced <= SHORT || votes > 0);
    let mode = match lanes {
        2..=32 if !kept => FoldMode::Lanes,
        _ => FoldMode::Kept,
    };
    let leaves = match bound.leaves {
        0 => LeafCount::None,
        1 => LeafCount::One,
        _ => LeafCount::Many,
    };
    let partial = bound.axes.iter().rposition(|axis| axis.leaves < axis.whole);
    let split = if tree.is_empty() { fold.order.len() } else { partial.unwrap_or(0) };
    let fits = |combiner: Combiner| {
        let points = combiner.points() as usize;
        shared_bytes(fold, bound.leaves).saturating_mul(points) <= SHARED
    };
    let combiner = if bound.leaves <= if points < MANY { SERIAL } else { LONG } {
        Combiner::Thread
    } else if (bound.leaves <= SHORT_LEVEL || points >= MANY_WARPS) && fits(Combiner::Warp) {
        Combiner::Warp
    } else {
        Combiner::Block
    };
    let row = bound.axes.last().map_or(1, |axis| axis.block.min(axis.extent));
    let columns = if mode == FoldMode::Lanes { row.div_ceil(lanes) } else { row };
    FoldVariant {
        mode,
        width: 1,
        columns: columns.clamp(1, MOST_AT_ONCE).next_power_of_two() as u8,
        team: 0,
        leaves,
        empty: tree.is_empty(),
        split: split as u8,
        short: fold.order.len() > 1 && reduced < 8 * lanes,
        combiner,
        shared: combiner != Combiner::Thread && fits(combiner),
    }
}

/// What the leaves of a fold take.
struct Work {
    /// See [`Moves::of_folded`].
    loaded: Option<usize>,
    /// Bytes of the values that an element has for the fold's items.
    values: usize,
    /// Bytes of the accumulators of a block, one per thread.
    space: usize,
    /// Leaves of all kept points.
    units: usize,
    lanes: usize,
    /// Threads that keep the device busy.
    busy: usize,
}

impl Work {
    /// [`FoldVariant::team`].
    fn team(&self, variant: &FoldVariant, bound: &BoundFold) -> u8 {
        let leaf = |axis: &ReducedTile| axis.block.min(axis.extent);
        let columns = bound.axes.last().map_or(0, leaf).div_ceil(self.lanes);
        let rows = bound.axes.iter().rev().skip(1).map(leaf).product::<usize>();
        let groups = rows * columns;
        match (variant.mode, self.loaded) {
            (FoldMode::Lanes, Some(loaded)) => {
                let width = variant.width as usize;
                let threads = self.units * self.lanes / width;
                if threads >= self.busy || groups < FEW_GROUPS {
                    return 0;
                }
                let fits = |team: &usize| BLOCK as usize * team * self.values <= STAGED;
                let ahead = AHEAD / loaded.max(1);
                let needed = (groups * self.lanes).div_ceil(BLOCK as usize).next_power_of_two();
                let most = MOST_AT_ONCE.min(ahead).min(needed).max(width);
                let sizes = std::iter::successors(Some(MOST_AT_ONCE), |team| Some(team / 2));
                let sizes = sizes.take_while(|&team| team >= width.max(1));
                sizes.filter(|&team| team <= most).find(fits).unwrap_or(0) as u8
            }
            (FoldMode::Kept, _) if self.lanes > 1 && self.units < self.busy => {
                let shared = groups > 1 && self.space <= SHARED;
                if shared { (BLOCK as usize / self.lanes) as u8 } else { 0 }
            }
            _ => 0,
        }
    }
}

/// Elements of a lane in a leaf that are too few for a block to share them.
const FEW_GROUPS: usize = 8;

/// Bytes that a thread has on their way, and elements of a leaf that it takes at once, at most.
const AHEAD: usize = 192;
const MOST_AT_ONCE: usize = 32;

/// Bytes of shared memory for what a block has computed and not yet folded.
const STAGED: usize = 32 << 10;

/// Bytes of shared memory for the values and indices of leaves, 8 for each.
pub(super) fn shared_bytes(fold: &FoldBody, leaves: usize) -> usize {
    leaves.saturating_mul(leaf_arrays(fold) * 8)
}

/// Values and indices that a leaf has.
pub(super) fn leaf_arrays(fold: &FoldBody) -> usize {
    fold.items.iter().map(|item| 1 + item.index.is_some() as usize).sum()
}

/// Bytes of shared memory that every device has for a block.
const SHARED: usize = 48 << 10;

/// Reduced extents up to which a kept point is one thread's.
const SHORT: usize = 8;

/// Kept points that keep a device busy with one thread each, or with a warp each.
const MANY: usize = 4096;
const MANY_WARPS: usize = 1 << 11;

/// Leaves that one thread combines rather than more: of few kept points, of many.
const SERIAL: usize = 8;
const LONG: usize = 64;

/// Leaves that a warp combines as soon as a block does.
const SHORT_LEVEL: usize = 128;

/// Accesses of the fold that move less along the last kept loop than along the last reduced axis,
/// minus the opposite.
fn votes<'s>(nest: &Nest, fold: &FoldBody, kept: Loop, strides: impl Fn(u8) -> &'s [i64]) -> i32 {
    let Some(&reduced) = fold.order.last().filter(|_| nest.kept > 0) else { return 0 };
    let phases = nest.accesses.iter().map(|&(_, phase)| phase);
    let pairs = phases.zip(strides(kept.axis)).zip(strides(reduced));
    let votes = pairs.filter(|((phase, _), _)| *phase == Phase::Fold).map(|((_, &k), &r)| {
        (k != 0 && r != 0) as i32 * (r.unsigned_abs().cmp(&k.unsigned_abs()) as i32)
    });
    votes.sum()
}
