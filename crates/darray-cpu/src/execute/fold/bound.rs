//! The fold of a nest with the arguments of a launch.

use super::super::bind::Bound;
use super::super::compiled::{FoldLoops, Specialised};
use super::super::machine::Machine;
use super::any_order::AnyOrder;
use super::bool_columns::BoolColumns;
use super::way::FoldWay;
use crate::vector::LANES;
use darray_codegen::bind::{Axes, Loop};
use darray_codegen::{FoldMode, FoldSource, Nest, Node, Phase, Slot, StrideClass};
use darray_kernel::tree::TileTree;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// The fold of a bound nest.
pub(in super::super) struct BoundFold {
    pub tree: TileTree,
    pub mode: FoldMode,
    /// Accesses of the fold's body.
    pub accesses: SmallVec<[u16; 8]>,
    /// Reduced axes in logical order.
    pub order: SmallVec<[u8; 4]>,
    pub items: Arc<[FoldLoops]>,
    /// Where each item finds what it folds, if not in what the body computes.
    pub elements: SmallVec<[Option<u16>; 4]>,
    /// Of each item, whether the body writes what it takes to a register.
    pub in_registers: SmallVec<[bool; 4]>,
    /// See [`FoldWay::across`].
    pub across: SmallVec<[u16; 4]>,
    /// Kept points that are folded together, at most.
    pub block: usize,
    /// By lanes, kept points that walk through the tree together, at most: a call of a function is a leaf of each.
    pub points_of_walk: usize,
    /// Leaves of a subtree that are one step of a walk, at most.
    pub leaves_of_step: usize,
    /// Elements of the leaves of a step, of each kept point, at most.
    pub of_step: usize,
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
    /// The axis of `order` along which leaves that are a step follow one another.
    pub along: usize,
    /// Where the function finds the elements of a leaf, if it can go that way.
    pub steps: Option<LeafSteps>,
    /// Without a function, bytes from an element to the next one, of each item that takes them from where they lie.
    pub lines: SmallVec<[Option<isize>; 4]>,
    /// Reduced points of the tile.
    pub points: usize,
    /// Row-major position over the global reduced axes: of local index 0, and per step of each
    /// axis of `order`.
    pub position: i64,
    pub position_steps: SmallVec<[i64; 4]>,
    /// Bytes from one slot to the next, per access of the nest (yields only).
    pub slot_strides: SmallVec<[i64; 8]>,
}

/// Bytes of each access of the nest, and of what the kept level shares with the body.
pub(in super::super) struct LeafSteps {
    /// From an element of a leaf to the next one in row-major order.
    pub one: SmallVec<[isize; 8]>,
    /// From a round to the next one.
    pub of_lanes: SmallVec<[isize; 8]>,
    /// From a leaf to the next one of a step.
    pub of_leaf: SmallVec<[isize; 8]>,
}

impl BoundFold {
    /// The fold of a nest with a tree; `strides(axis)` are the bytes per step of all accesses.
    pub fn new<'s>(
        (nest, specialised, along): (&Nest, &Specialised, &[i64]),
        (tree, axes, vector): (TileTree, &Axes, Loop),
        way: &FoldWay,
        items: &Arc<[FoldLoops]>,
        slot_strides: SmallVec<[i64; 8]>,
        strides: impl Fn(u8) -> &'s [i64],
    ) -> BoundFold {
        let Specialised { layout, code, machine, .. } = specialised;
        let fold = nest.fold.as_ref().expect("only called for a fold");
        let in_body = |&(at, &(_, phase)): &(usize, &(u16, Phase))| {
            (phase == Phase::Fold).then_some(at as u16)
        };
        let accesses: SmallVec<[u16; 8]> =
            nest.accesses.iter().enumerate().filter_map(|entry| in_body(&entry)).collect();
        let mut position_steps: SmallVec<[i64; 4]> = SmallVec::from_elem(0, fold.order.len());
        let (mut step, mut position) = (1i64, 0i64);
        for (number, &axis) in fold.order.iter().enumerate().rev() {
            position_steps[number] = step;
            position = position.wrapping_add(step.wrapping_mul(axes.origins[axis as usize]));
            step = step.wrapping_mul(axes.globals[axis as usize] as i64);
        }
        let order = &fold.order;
        let extents: SmallVec<[usize; 4]> =
            order.iter().map(|&axis| axes.extents[axis as usize]).collect();
        let item = |source: &FoldSource| match source.value {
            Slot::Access(access) => Some(access),
            _ => None,
        };
        let elements = code.sources.iter().map(item).collect();
        let is_written = |source: &FoldSource| {
            code.fold.iter().any(|instruction| instruction.writes() == Some(source.value))
                && matches!(source.value, Slot::Register(_))
        };
        let in_registers = code.sources.iter().map(is_written).collect();
        let mut bound = BoundFold {
            tree,
            mode: way.mode,
            accesses,
            order: SmallVec::from_slice(order),
            items: items.clone(),
            elements,
            in_registers,
            across: way.across.clone(),
            block: 1,
            points_of_walk: 1,
            leaves_of_step: 1,
            of_step: 1,
            any_order: way.any_order,
            bool_columns: way.bool_columns,
            decides: decides(nest),
            points: extents.iter().product(),
            extents,
            blocks: axes.blocks(fold),
            along: 0,
            steps: None,
            lines: SmallVec::new(),
            position,
            position_steps,
            slot_strides,
        };
        bound.along = bound.tree.axis_of_subtrees();
        let lanes = bound.tree.lanes();
        let fits = bound.mode == FoldMode::Kept || lanes == LANES;
        let has_function = machine.fold_function.is_some() && fits;
        let loads = bound.are_loads(machine) || has_function;
        let indexed = bound.items.iter().any(|item| item.indexed);
        let steps = |access: u16| -> SmallVec<[isize; 4]> {
            bound.order.iter().map(|&axis| strides(axis)[usize::from(access)] as isize).collect()
        };
        let one_leaf = bound.extents.iter().zip(&bound.blocks).map(|(&n, &block)| 0..n.min(block));
        let one_leaf: SmallVec<[Range<usize>; 4]> = one_leaf.collect();
        let whole: SmallVec<[Range<usize>; 4]> = bound.extents.iter().map(|&n| 0..n).collect();
        let of_function = |ranges: &[Range<usize>]| -> Option<SmallVec<[isize; 8]>> {
            let mut all: SmallVec<[isize; 8]> =
                SmallVec::from_elem(0, along.len() + code.kept.len());
            for &access in &bound.accesses {
                let at = usize::from(access);
                let moves = (layout.classes[at], along[at] as isize);
                let line = line(&steps(access), ranges);
                all[at] = step_of_function(bound.mode, moves, line, ranges)?;
            }
            Some(all)
        };
        let of_items = |ranges: &[Range<usize>]| -> SmallVec<[Option<isize>; 4]> {
            let of_item = |(access, item): (&Option<u16>, &FoldLoops)| {
                is_taken(bound.mode, line(&steps((*access)?), ranges), item, ranges)
            };
            bound.elements.iter().zip(bound.items.iter()).map(of_item).collect()
        };
        let lines = of_items(&one_leaf);
        let leaf_steps = has_function.then(|| of_function(&one_leaf)).flatten().map(|one| {
            let of_lanes = one.iter().map(|step| step * lanes as isize).collect();
            let to_leaf = |at: usize| match at < along.len() {
                true => bound.to_leaf(steps(at as u16).get(bound.along).copied()),
                false => 0,
            };
            LeafSteps { of_lanes, of_leaf: (0..one.len()).map(to_leaf).collect(), one }
        });
        let in_lines = match has_function {
            true => leaf_steps.is_some(),
            false => lines.iter().all(Option::is_some),
        };
        // Of pairs all the way down several leaves are one, if they are in a line too.
        let is_pairs = bound.mode == FoldMode::Kept && lanes == 1 && !indexed;
        let whole_is_line = || match has_function {
            true => of_function(&whole).is_some(),
            false => of_items(&whole).iter().all(Option::is_some),
        };
        let go_on = is_pairs && in_lines == whole_is_line();
        bound.steps = leaf_steps;
        bound.lines = lines;
        let of_leaf = bound.of_leaf();
        // Elements may lie so that they are computed before they are folded.
        let may_fail = has_function && !in_lines;
        bound.block = match bound.mode {
            FoldMode::Lanes => 1,
            FoldMode::Kept if loads && !indexed => {
                let most = if lanes > 1 { LANE_BYTES / lanes } else { LONGEST };
                vector.extent.min(most)
            }
            FoldMode::Kept => vector.extent.min((BUFFER / of_leaf / 8).max(16)),
        };
        // Of pairs all the way down, as many as are a node.
        let is_node = go_on && of_leaf.is_power_of_two();
        let by_function = has_function && in_lines && !indexed;
        if bound.mode == FoldMode::Lanes
            && by_function
            && bound.any_order.is_none()
            && bound.decides.is_none()
            && bound.points < LEAVES / 2 * of_leaf
        {
            bound.points_of_walk = vector.extent.min(TOGETHER);
        }
        bound.leaves_of_step = match bound.mode {
            _ if bound.points_of_walk > 1 => 1,
            _ if bound.any_order.is_some() && !bound.tree.is_empty() => usize::MAX,
            FoldMode::Lanes if loads && in_lines && lanes == LANES && !indexed => LEAVES,
            FoldMode::Kept if is_node => {
                let most = if loads {
                    (NEAR / bound.block / 8).clamp(32, 1024)
                } else {
                    BUFFER / bound.block / 8
                };
                1 << (most / of_leaf).max(1).ilog2()
            }
            FoldMode::Kept if by_function && lanes > 1 => {
                1 << (NEAR / (8 * bound.block * of_leaf)).clamp(1, 8).ilog2()
            }
            _ => 1,
        };
        bound.of_step = match bound.leaves_of_step {
            usize::MAX => 0,
            _ if loads && in_lines && !indexed && !may_fail => 0,
            leaves => of_leaf * leaves,
        };
        bound
    }

    /// Whether nothing has to be computed before elements are folded.
    pub fn are_loads(&self, machine: &Machine) -> bool {
        machine.fold.is_empty() && self.elements.iter().all(Option::is_some)
    }

    /// Elements of a leaf, at most.
    pub fn of_leaf(&self) -> usize {
        self.extents
            .iter()
            .zip(&self.blocks)
            .map(|(&extent, &block)| extent.min(block).max(1))
            .product()
    }

    /// Whether the tile is one leaf, and the domain nothing else.
    pub fn is_one_leaf(&self) -> bool {
        let one = self.extents.iter().zip(&self.blocks).all(|(extent, block)| extent <= block);
        one && self.tree.is_whole() && !self.tree.is_empty()
    }

    /// Bytes from a leaf to the next one of a step, by those of an index of the axis along which they follow one another.
    pub fn to_leaf(&self, step: Option<isize>) -> isize {
        let block = self.blocks.get(self.along).map_or(0, |&block| block as isize);
        step.unwrap_or(0) * block
    }

    /// Bytes per step of a reduced axis, by its place in logical order, of an access.
    pub fn step(&self, bound: &Bound<'_>, number: usize, access: usize) -> i64 {
        self.order.get(number).map_or(0, |&axis| bound.stride(axis, access))
    }
}

/// Bytes from one element to the next, if an item takes elements of some ranges from where they lie.
pub(super) fn is_taken(
    mode: FoldMode,
    step: Option<isize>,
    item: &FoldLoops,
    ranges: &[Range<usize>],
) -> Option<isize> {
    let step = step.filter(|_| !item.indexed)?;
    match mode {
        FoldMode::Kept => Some(step),
        FoldMode::Lanes if ranges.iter().all(|range| range.len() == 1) => Some(item.size as isize),
        FoldMode::Lanes => (step == item.size as isize).then_some(step),
    }
}

/// Bytes from one element to the next of an access of this class, which moves so along the vector axis, where a function that folds
/// finds elements of some ranges: by lanes they lie side by side, or are one and the same.
pub(super) fn step_of_function(
    mode: FoldMode,
    (class, along): (StrideClass, isize),
    step: Option<isize>,
    ranges: &[Range<usize>],
) -> Option<isize> {
    let step = step?;
    let along = if class == StrideClass::Still { 0 } else { along };
    match mode {
        FoldMode::Kept => Some(step),
        FoldMode::Lanes if step == along || ranges.iter().all(|range| range.len() == 1) => {
            Some(along)
        }
        FoldMode::Lanes => None,
    }
}

/// Bytes from an element of some ranges to the next one in row-major order, if these are the same everywhere; 0 for one element.
fn line(steps: &[isize], ranges: &[Range<usize>]) -> Option<isize> {
    let (mut along, mut inside) = (None, 1);
    for (&step, range) in steps.iter().zip(ranges).rev().filter(|(_, range)| range.len() != 1) {
        match along {
            None => along = Some(step),
            Some(along) if step == along * inside => {}
            Some(_) => return None,
        }
        inside *= range.len() as isize;
    }
    Some(along.unwrap_or(0))
}

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

/// Points of rows of few leaves that walk together.
const TOGETHER: usize = 16;

/// Leaves of rows of memory that are a step.
const LEAVES: usize = 32;

/// Kept points that are folded together, at most.
const LONGEST: usize = 16384;

/// Bytes of the computed elements of a leaf, of all points, that the second-level cache holds with what they are made of.
const BUFFER: usize = 128 << 10;

/// Bytes of the elements of a step.
const NEAR: usize = 256 << 10;

/// Lanes times points, at most.
const LANE_BYTES: usize = 8192;
