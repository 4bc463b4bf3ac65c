//! A nest with the arguments of a launch: addresses, strides, loops.

use super::arguments::Arguments;
use super::compiled::{Compiled, FoldLoops, Specialised};
use super::order::{Loop, plan_loops};
use darray_codegen::{FoldBody, FoldMode, Layout, Nest, Node, Phase, Program, StrideClass};
use darray_device::Fault;
use darray_kernel::ir::{Access, Step};
use darray_kernel::tree::{ReducedAxis, TileTree};
use smallvec::SmallVec;
use std::sync::Arc;

/// A nest ready to run. Shared by the threads that run it.
pub(super) struct Bound<'l> {
    pub nest: &'l Nest,
    pub specialised: Arc<Specialised>,
    /// Address of every access at local index 0.
    pub bases: SmallVec<[*mut u8; 8]>,
    /// Bytes per step: `strides[axis * accesses + access]`.
    pub strides: SmallVec<[i64; 32]>,
    /// Bytes per step along the vector axis of its phase, per access.
    pub along: SmallVec<[i64; 8]>,
    /// The kept loops around the vector axis.
    pub outer: SmallVec<[Loop; 4]>,
    /// The kept vector axis; extent 1 where there is none.
    pub vector: Loop,
    /// Global index of local index 0, per axis.
    pub origins: SmallVec<[i64; 8]>,
    /// Elements per block.
    pub block: usize,
    /// Columns that all rows go through before the next ones.
    pub strip: usize,
    /// Accesses of the kept level whose next block is worth fetching early.
    pub streams: SmallVec<[u16; 8]>,
    pub fold: Option<BoundFold<'l>>,
}

/// The fold of a bound nest.
pub(super) struct BoundFold<'l> {
    pub tree: TileTree,
    pub mode: FoldMode,
    /// Accesses of the fold's body.
    pub accesses: SmallVec<[u16; 8]>,
    /// Reduced axes in logical order.
    pub order: &'l [u8],
    pub items: &'l [FoldLoops],
    /// Leaves along the last reduced axis that are folded together, row by row of the whole
    /// tile, so that memory is read in order; 0: each leaf alone.
    pub band: usize,
    /// Indices of a leaf along the last reduced axis.
    pub leaf: usize,
    /// Indices of the tile along the last reduced axis.
    pub last_extent: usize,
    /// Reduced points of the tile.
    pub points: usize,
    /// Row-major position over the global reduced axes: of local index 0, and per step of each
    /// axis of `order`.
    pub position: i64,
    pub position_steps: SmallVec<[i64; 4]>,
    /// Bytes from one slot to the next, per access of the nest (yields only).
    pub slot_strides: SmallVec<[i64; 8]>,
}

// SAFETY: the addresses are those of the launch's buffers; threads that share a bound nest write
// disjoint elements of them.
unsafe impl Sync for Bound<'_> {}

impl Bound<'_> {
    pub fn stride(&self, axis: u8, access: usize) -> i64 {
        self.strides[axis as usize * self.bases.len() + access]
    }

    /// Elements times instructions.
    pub fn work(&self) -> usize {
        let code = &self.specialised.code;
        let instructions = (code.before.len() + code.fold.len() + code.after.len()).max(1);
        let reduced = self.fold.as_ref().map_or(1, |fold| fold.points);
        [self.vector.extent, reduced, instructions]
            .iter()
            .fold(self.rows(), |product, &factor| product.saturating_mul(factor))
    }

    /// Rows: the points of the outer loops.
    pub fn rows(&self) -> usize {
        self.outer.iter().map(|l| l.extent).product()
    }
}

/// Binds nest number `number`; none when it has no point.
pub(super) fn bind<'l>(
    compiled: &'l Compiled,
    number: usize,
    arguments: &Arguments,
) -> Result<Option<Bound<'l>>, Fault> {
    let program = &compiled.program;
    let nest = &program.nests[number];
    let axes = Axes::new(nest, &arguments.params)?;
    if axes.extents[..nest.kept].contains(&0) {
        return Ok(None);
    }
    let tree = nest.fold.as_ref().map(|_| tile_tree(nest, &axes)).transpose()?;
    let addresses = Addresses::new(program, nest, &axes, tree.as_ref(), arguments)?;
    let count = addresses.bases.len();
    let strides_of = |axis: u8| {
        let from = axis as usize * count;
        &addresses.strides[from..from + count]
    };
    let mut outer = plan_loops(&axes.extents[..nest.kept], &nest.indexed, strides_of);
    let last_kept = nest.kept.saturating_sub(1) as u8;
    let vector = outer.pop().unwrap_or(Loop { axis: last_kept, extent: 1 });
    let mode = fold_mode(nest, &axes, vector.extent);
    let mut layout = Layout {
        vector: (nest.kept > 0).then_some(vector.axis),
        classes: Vec::with_capacity(count),
        mode,
    };
    let mut along: SmallVec<[i64; 8]> = SmallVec::new();
    for (access, &(number, phase)) in nest.accesses.iter().enumerate() {
        let inner = match &nest.fold {
            Some(fold) if phase == Phase::Fold && mode == FoldMode::Lanes => {
                fold.order.last().map(|&axis| (axis, axes.extents[axis as usize]))
            }
            _ => layout.vector.map(|axis| (axis, vector.extent)),
        };
        let buffer = program.accesses[number as usize].buffer;
        let size = program.buffers[buffer as usize].dtype.size() as i64;
        let stride = inner.map_or(0, |(axis, _)| strides_of(axis)[access]);
        let class = match inner {
            None => StrideClass::Still,
            // One element is contiguous.
            Some((_, 1)) => StrideClass::Unit,
            _ if stride == 0 => StrideClass::Still,
            _ if stride == size => StrideClass::Unit,
            _ => StrideClass::Strided,
        };
        layout.classes.push(class);
        along.push(if inner.is_some_and(|(_, extent)| extent == 1) { size } else { stride });
    }
    let specialised = compiled.specialised(number, &layout)?;
    let lanes = tree.as_ref().map_or(1, TileTree::lanes);
    let block = block_length(&specialised, lanes);
    // Rows of a strided access share cache lines: they are worked off a strip at a time.
    let strided = layout.classes.contains(&StrideClass::Strided);
    let strip = if strided && nest.fold.is_none() { STRIP } else { usize::MAX };
    let streams = streams(nest, &layout, &addresses, &axes.extents, block);
    let fold = tree
        .map(|tree| bound_fold(nest, tree, mode, &compiled.folds[number], &axes, addresses.slots));
    Ok(Some(Bound {
        nest,
        specialised,
        bases: addresses.bases,
        strides: addresses.strides,
        along,
        outer,
        vector,
        origins: axes.origins,
        block,
        strip,
        streams,
        fold,
    }))
}

/// Extents and origins of a nest's axes.
struct Axes {
    extents: SmallVec<[usize; 8]>,
    origins: SmallVec<[i64; 8]>,
    globals: SmallVec<[usize; 8]>,
}

impl Axes {
    fn new(nest: &Nest, params: &[i64]) -> Result<Axes, Fault> {
        let mut axes =
            Axes { extents: SmallVec::new(), origins: SmallVec::new(), globals: SmallVec::new() };
        let mut points = 1usize;
        for axis in &nest.axes {
            let [extent, origin, global] =
                [axis.extent, axis.origin, axis.global].map(|p| params[p.0 as usize]);
            let valid = usize::try_from(extent).ok().zip(usize::try_from(global).ok());
            let product = valid.and_then(|(e, _)| points.checked_mul(e.max(1)));
            let (Some((extent, global)), Some(product)) = (valid, product) else {
                return Err(Fault::Execution(format!("axis of extent {extent} in {global}")));
            };
            points = product;
            axes.extents.push(extent);
            axes.origins.push(origin);
            axes.globals.push(global);
        }
        Ok(axes)
    }
}

/// Addresses and strides of a nest's accesses, checked against their blocks.
struct Addresses {
    bases: SmallVec<[*mut u8; 8]>,
    strides: SmallVec<[i64; 32]>,
    slots: SmallVec<[i64; 8]>,
}

impl Addresses {
    fn new(
        program: &Program,
        nest: &Nest,
        axes: &Axes,
        tree: Option<&TileTree>,
        arguments: &Arguments,
    ) -> Result<Addresses, Fault> {
        let (count, rank) = (nest.accesses.len(), nest.axes.len());
        let mut addresses = Addresses {
            bases: SmallVec::new(),
            strides: SmallVec::from_elem(0, count * rank),
            slots: SmallVec::from_elem(0, count),
        };
        let yields = nest.after.iter().filter_map(|node| match node {
            Node::Yield { access, .. } => Some(*access),
            _ => None,
        });
        let yields: SmallVec<[u16; 4]> = yields.collect();
        for (at, &(number, phase)) in nest.accesses.iter().enumerate() {
            let access = &program.accesses[number as usize];
            let size = program.buffers[access.buffer as usize].dtype.size() as i64;
            let buffer = &arguments.buffers[access.buffer as usize];
            let mut reach = Reach::new(buffer.offset);
            for (dim, &stride) in access.dims.iter().zip(&buffer.strides) {
                let param = |p: darray_kernel::ir::Param| arguments.params[p.0 as usize];
                let step = match dim.step {
                    Step::Zero => 0,
                    Step::One => 1,
                    Step::MinusOne => -1,
                    Step::Any(step) => param(step),
                };
                reach.add(param(dim.start), stride);
                if let Some(axis) = dim.axis {
                    let first = axes.origins[axis as usize] as i128 + dim.shift as i128;
                    reach.first += first * step as i128 * stride as i128;
                    let stride = step.wrapping_mul(stride).wrapping_mul(size);
                    addresses.strides[axis as usize * count + at] += stride;
                }
            }
            let visible = if phase == Phase::Fold { rank } else { nest.kept };
            for axis in 0..visible {
                let stride = addresses.strides[axis * count + at] / size;
                reach.along(axes.extents[axis], stride);
            }
            if yields.contains(&number) {
                let stride = buffer.strides.first().copied().unwrap_or(0);
                addresses.slots[at] = stride.wrapping_mul(size);
                reach.along(tree.map_or(1, TileTree::slots), stride);
            }
            let empty = axes.extents[..visible].contains(&0);
            let room = buffer.block.bytes as i128 / size as i128;
            if !empty && !reach.inside(room) {
                return Err(out_of_bounds(access, &reach, room));
            }
            let offset = if empty { 0 } else { reach.first as i64 * size };
            addresses.bases.push(buffer.block.pointer.wrapping_offset(offset as isize));
        }
        Ok(addresses)
    }
}

/// The elements that an access touches, counted from the start of its block.
struct Reach {
    first: i128,
    below: i128,
    above: i128,
}

impl Reach {
    fn new(offset: i64) -> Reach {
        Reach { first: offset as i128, below: 0, above: 0 }
    }

    fn add(&mut self, start: i64, stride: i64) {
        self.first += start as i128 * stride as i128;
    }

    fn along(&mut self, extent: usize, stride: i64) {
        let span = extent.saturating_sub(1) as i128 * stride as i128;
        self.below += span.min(0);
        self.above += span.max(0);
    }

    fn inside(&self, room: i128) -> bool {
        self.first + self.below >= 0 && self.first + self.above < room
    }
}

fn out_of_bounds(access: &Access, reach: &Reach, room: i128) -> Fault {
    Fault::Execution(format!(
        "buffer {} is accessed at elements {}..={} of {room}",
        access.buffer,
        reach.first + reach.below,
        reach.first + reach.above,
    ))
}

/// The tile's part of the reduction tree.
fn tile_tree(nest: &Nest, axes: &Axes) -> Result<TileTree, Fault> {
    let fold = nest.fold.as_ref().expect("only called for a fold");
    let rule = fold.tree.rule;
    let mut reduced: SmallVec<[ReducedAxis; 4]> = SmallVec::new();
    for (number, &axis) in fold.order.iter().enumerate() {
        let at = axis as usize;
        let (extent, global) = (axes.extents[at], axes.globals[at]);
        let last = fold.tree.innermost && number + 1 == fold.order.len();
        let block = rule.block(global, last);
        let aligned = |i: usize| i.is_multiple_of(block) || i == global;
        match usize::try_from(axes.origins[at]) {
            Ok(origin)
                if origin <= global
                    && extent <= global - origin
                    && aligned(origin)
                    && aligned(origin + extent) =>
            {
                reduced.push(ReducedAxis { origin, extent, global });
            }
            _ => {
                return Err(Fault::Execution(format!(
                    "tile of {extent} from {} of {global} is not cut at blocks of {block}",
                    axes.origins[at]
                )));
            }
        }
    }
    if reduced.is_empty() {
        // A fold over no axis is one over an axis of one point.
        reduced.push(ReducedAxis { origin: 0, extent: 1, global: 1 });
    }
    Ok(TileTree::new(rule, fold.tree.innermost, &reduced))
}

/// How many leaves form a band, and their length, see [`BoundFold::band`].
fn band(fold: &FoldBody, mode: FoldMode, axes: &Axes) -> (usize, usize) {
    let Some(&last) = fold.order.last() else { return (0, 1) };
    let (extent, global) = (axes.extents[last as usize], axes.globals[last as usize]);
    let leaf = fold.tree.rule.block(global, fold.tree.innermost);
    let leaves = extent.div_ceil(leaf);
    let useful = mode == FoldMode::Lanes && fold.order.len() > 1 && (2..=WIDEST).contains(&leaves);
    (if useful { leaves } else { 0 }, leaf)
}

/// Most leaves of a band.
const WIDEST: usize = 64;

/// Lanes where the tree has them, unless there is none to vectorise over.
fn fold_mode(nest: &Nest, axes: &Axes, vector: usize) -> FoldMode {
    let Some(fold) = &nest.fold else { return FoldMode::Kept };
    let reduced = fold.order.last().map_or(1, |&axis| axes.extents[axis as usize]);
    let lanes = fold.tree.innermost && fold.tree.rule.lanes > 1;
    if nest.kept == 0 || lanes || (vector < 8 && reduced > vector) {
        FoldMode::Lanes
    } else {
        FoldMode::Kept
    }
}

/// Elements per block: what the registers and streams of a block take stays in the first-level
/// cache. Without registers nothing comes back, and longer blocks suit the hardware's prefetching.
fn block_length(specialised: &Specialised, lanes: usize) -> usize {
    let code = &specialised.code;
    if code.registers == 0 {
        return LONGEST;
    }
    let streams = specialised.layout.classes.len();
    let per_element = (code.registers as usize + code.sources.len()) * code.element + streams * 8;
    let fit = (CACHE / per_element.max(1)).clamp(128, 1024) / 64 * 64;
    fit.next_multiple_of(lanes)
}

/// Columns of a strip.
const STRIP: usize = 512;

/// Longest block.
const LONGEST: usize = 4096;

/// Contiguous accesses of a phase, without those that are less than a block from another;
/// none where everything fits into the second-level cache.
fn streams(
    nest: &Nest,
    layout: &Layout,
    addresses: &Addresses,
    extents: &[usize],
    block: usize,
) -> SmallVec<[u16; 8]> {
    let mut streams: SmallVec<[u16; 8]> = SmallVec::new();
    let points: usize = extents.iter().product();
    if points * nest.accesses.len() * 8 < NEAR {
        return streams;
    }
    for (access, &(_, phase)) in nest.accesses.iter().enumerate() {
        let address = addresses.bases[access] as usize;
        let near = |&other: &u16| {
            (addresses.bases[other as usize] as usize).abs_diff(address) < block * 8
        };
        if phase == Phase::Before
            && layout.classes[access] == StrideClass::Unit
            && !streams.iter().any(near)
        {
            streams.push(access as u16);
        }
    }
    streams
}

/// Bytes that are near enough: the second-level cache.
const NEAR: usize = 1 << 20;

/// Bytes of the first-level cache that a block may fill.
const CACHE: usize = 24 << 10;

fn bound_fold<'l>(
    nest: &'l Nest,
    tree: TileTree,
    mode: FoldMode,
    items: &'l [FoldLoops],
    axes: &Axes,
    slot_strides: SmallVec<[i64; 8]>,
) -> BoundFold<'l> {
    let fold = nest.fold.as_ref().expect("only called for a fold");
    let in_body =
        |&(at, &(_, phase)): &(usize, &(u16, Phase))| (phase == Phase::Fold).then_some(at as u16);
    let accesses = nest.accesses.iter().enumerate().filter_map(|entry| in_body(&entry)).collect();
    let mut position_steps: SmallVec<[i64; 4]> = SmallVec::from_elem(0, fold.order.len());
    let (mut step, mut position) = (1i64, 0i64);
    for (number, &axis) in fold.order.iter().enumerate().rev() {
        position_steps[number] = step;
        position = position.wrapping_add(step.wrapping_mul(axes.origins[axis as usize]));
        step = step.wrapping_mul(axes.globals[axis as usize] as i64);
    }
    let order = &fold.order;
    let points = order.iter().map(|&axis| axes.extents[axis as usize]).product();
    let (band, leaf) = band(fold, mode, axes);
    BoundFold {
        tree,
        mode,
        accesses,
        order,
        items,
        band,
        leaf,
        last_extent: order.last().map_or(1, |&axis| axes.extents[axis as usize]),
        points,
        position,
        position_steps,
        slot_strides,
    }
}
