//! The fold of a nest with the arguments of a launch.

use super::super::code::machine::Machine;
use super::super::code::{FoldLoops, Specialised, taken};
use super::super::schedule::summary::{Plain, Summary};
use super::super::schedule::{FoldSchedule, Over};
use super::Bound;
use crate::level::Level;
use crate::vector::{ColumnsOfBools, FoldInAnyOrder, columns_of_bools, find_any_order, find_count};
use darray_codegen::bind::Axes;
use darray_codegen::{FoldSource, Nest, Phase, Slot};
use darray_kernel::tree::TileTree;
use smallvec::SmallVec;
use std::sync::Arc;

/// The fold of a bound nest.
pub(in super::super) struct BoundFold {
    pub tree: TileTree,
    /// Accesses of the fold's body.
    pub accesses: SmallVec<[u16; 8]>,
    /// Reduced axes in logical order.
    pub order: SmallVec<[u8; 4]>,
    pub items: Arc<[FoldLoops]>,
    /// Where each item finds what it folds, if not in what the body computes.
    pub elements: SmallVec<[Option<u16>; 4]>,
    /// Of each item, whether the body writes what it takes to a register.
    pub in_registers: SmallVec<[bool; 4]>,
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
    /// The axis of `order` along which leaves that are a step follow one another, and how many there are for each of its indices.
    pub along: usize,
    pub row_leaves: usize,
    /// Where the function finds the elements of a leaf, if it can go that way.
    pub steps: Option<LeafSteps>,
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
    /// The fold of a nest with a tree, as its schedule says.
    pub fn new(
        (nest, specialised, level): (&Nest, &Specialised, Level),
        (tree, axes): (&TileTree, &Axes),
        (summary, schedule): (&Summary<'_>, &FoldSchedule),
        items: &Arc<[FoldLoops]>,
        slot_strides: SmallVec<[i64; 8]>,
    ) -> BoundFold {
        let (code, of_nest) = (&specialised.code, summary.nest.fold.as_ref());
        let fold = nest.fold.as_ref().expect("only called for a fold");
        let in_body = |&access: &u16| nest.accesses[usize::from(access)].1 == Phase::Fold;
        let accesses = (0..nest.accesses.len() as u16).filter(in_body).collect();
        let order = &fold.order;
        let mut position_steps: SmallVec<[i64; 4]> = SmallVec::from_elem(0, order.len());
        let (mut step, mut position) = (1i64, 0i64);
        for (number, &axis) in order.iter().enumerate().rev() {
            position_steps[number] = step;
            position = position.wrapping_add(step.wrapping_mul(axes.origins[axis as usize]));
            step = step.wrapping_mul(axes.globals[axis as usize] as i64);
        }
        let extents: SmallVec<[usize; 4]> =
            order.iter().map(|&axis| axes.extents[axis as usize]).collect();
        let is_written = |source: &FoldSource| {
            code.fold.iter().any(|instruction| instruction.writes() == Some(source.value))
                && matches!(source.value, Slot::Register(_))
        };
        let plain = of_nest.and_then(|fold| fold.plain);
        let of = |over: Over| plain.filter(|_| schedule.over == over);
        let blocks = axes.blocks(fold);
        let along = schedule.step_loop;
        let steps = schedule.function_steps.clone().map(|one| {
            let block = blocks.get(along).map_or(0, |&block| block as isize);
            let to_leaf = |access: usize| match order.get(along) {
                Some(&axis) if access < nest.accesses.len() => {
                    summary.stride(axis, access) as isize * block
                }
                _ => 0,
            };
            let of_lanes = one.iter().map(|step| step * schedule.lanes as isize).collect();
            LeafSteps { of_lanes, of_leaf: (0..one.len()).map(to_leaf).collect(), one }
        });
        BoundFold {
            tree: tree.clone(),
            accesses,
            order: SmallVec::from_slice(order),
            items: items.clone(),
            elements: code.sources.iter().map(taken).collect(),
            in_registers: code.sources.iter().map(is_written).collect(),
            any_order: of(Over::AnyOrder).and_then(|plain| AnyOrder::new(plain, level)),
            bool_columns: of(Over::BoolColumns).map(|plain| BoolColumns::new(plain, level)),
            decides: of_nest.and_then(|fold| fold.decides),
            points: extents.iter().product(),
            extents,
            blocks,
            along,
            row_leaves: schedule.row_leaves,
            steps,
            position,
            position_steps,
            slot_strides,
        }
    }

    /// Whether nothing has to be computed before elements are folded.
    pub fn are_loads(&self, machine: &Machine) -> bool {
        machine.fold.is_empty() && self.elements.iter().all(Option::is_some)
    }

    /// Whether nothing is folded but to places of elements.
    pub fn are_searches(&self) -> bool {
        self.items.iter().all(FoldLoops::indexed)
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

/// The loop for a fold in any order.
#[derive(Clone, Copy)]
pub(in super::super) struct AnyOrder {
    pub fold: FoldInAnyOrder,
    /// The access of the nest that is folded.
    pub access: u16,
}

impl AnyOrder {
    /// That for elements of an access as they are.
    pub fn new(plain: Plain, level: Level) -> Option<AnyOrder> {
        let fold = match plain.reducer {
            Some(reducer) => find_any_order(reducer, plain.dtype, level)?.row,
            None => find_count(level),
        };
        Some(AnyOrder { fold, access: plain.access as u16 })
    }
}

/// How columns of bools are folded.
#[derive(Clone, Copy)]
pub(in super::super) struct BoolColumns {
    pub loops: ColumnsOfBools,
    /// The access of the nest that is folded.
    pub access: u16,
    /// The value that decides a column; none if they are counted.
    pub decides: Option<bool>,
}

impl BoolColumns {
    /// The loops for elements of an access as they are.
    pub fn new(plain: Plain, level: Level) -> BoolColumns {
        let decides = plain.reducer.and_then(|reducer| reducer.decides());
        BoolColumns { loops: columns_of_bools(level), access: plain.access as u16, decides }
    }
}
