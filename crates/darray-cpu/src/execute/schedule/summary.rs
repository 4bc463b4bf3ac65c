//! All that a schedule depends on, as data: no pointers, no code.

use super::tuning::SHARED_DIVISOR_COST;
use crate::jit::Target;
use crate::level::Level;
use crate::processor::Processor;
use crate::vector::{find_any_order, find_transpose};
use darray_codegen::{FoldBody, Nest, Node, Phase, Program, StrideClass};
use darray_core::{Kind, RealType};
use darray_kernel::ir::{FoldItem, Reducer, Role, Value};
use darray_kernel::operator::Operator;
use darray_kernel::tree::TileTree;
use smallvec::SmallVec;

/// What is known of a nest before it is launched.
pub(in super::super) struct NestSummary {
    pub kept: usize,
    /// Kept axes whose index is a value, and those that are no part of a longer loop: these, and the rows of a kernel by rows.
    pub indexed: SmallVec<[u8; 4]>,
    pub alone: SmallVec<[u8; 4]>,
    pub by_rows: bool,
    pub accesses: SmallVec<[AccessSummary; 4]>,
    /// What the operators of an element cost, in additions, and its random draws.
    pub operators: u32,
    pub draws: u32,
    pub fold: Option<FoldSummary>,
    /// What code is made for, if it is.
    pub target: Option<Target>,
    pub processor: Processor,
}

/// An access of a nest.
#[derive(Clone, Copy)]
pub(in super::super) struct AccessSummary {
    pub phase: Phase,
    pub buffer: u16,
    /// Bytes of an element.
    pub size: usize,
    pub role: Role,
    pub is_load: bool,
    /// Whether all that happens to its elements is that each is written once, whatever it was.
    pub is_only_written: bool,
    /// Whether squares of such elements are transposed in registers, or as good as that.
    pub has_squares: bool,
}

/// The fold of a nest.
pub(in super::super) struct FoldSummary {
    /// Reduced axes in logical order.
    pub order: SmallVec<[u8; 4]>,
    /// Of each item, bytes of a value, and whether values come with their index.
    pub items: SmallVec<[(usize, bool); 4]>,
    pub plain: Option<Plain>,
    /// The value that nothing changes any more, if there is one and the nest does nothing else for its elements.
    pub decides: Option<u8>,
}

/// A fold of the elements of one access as they are, but that they may be widened, or counted.
#[derive(Clone, Copy)]
pub(in super::super) struct Plain {
    /// Of the nest.
    pub access: usize,
    pub dtype: RealType,
    /// None if it counts bools.
    pub reducer: Option<Reducer>,
    /// Whether there is a loop for it that follows no tree.
    pub has_loop: bool,
}

/// What is known of a nest when it is launched.
pub(in super::super) struct Summary<'s> {
    pub nest: &'s NestSummary,
    /// Along each axis.
    pub extents: &'s [usize],
    /// Bytes of every access from the start of its block, and per step: `strides[axis * accesses + access]`.
    pub offsets: &'s [i64],
    pub strides: &'s [i64],
    /// Where the block of each access begins. Only what is equal, and where lines begin, makes a difference.
    pub blocks: SmallVec<[usize; 8]>,
    pub tree: Option<TreeSummary<'s>>,
    /// Bytes from which on the caches do not keep what a nest touches.
    pub stream_from: usize,
    /// Whether a function may fold all elements of a point.
    pub with_points: bool,
    /// Whether a function may fold rows that go backwards through memory as they lie.
    pub with_reversed: bool,
}

/// The tile's part of the reduction tree.
#[derive(Clone)]
pub(in super::super) struct TreeSummary<'s> {
    pub tree: &'s TileTree,
    /// Kept points behind the innermost reduced axes.
    pub behind: usize,
    /// Indices of a leaf along each reduced axis.
    pub blocks: SmallVec<[usize; 4]>,
}

/// What is known of the code of a nest.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct CodeSummary {
    /// Block-sized registers in memory, and bytes of an element of one.
    pub registers: usize,
    pub element: usize,
    /// Operations on a block before the fold, or without one.
    pub before: usize,
    /// Whether one function is all there is to do for rows, and if it goes by indices.
    pub has_rows: bool,
    pub indexed: bool,
    /// Accesses that functions write with non-temporal stores, and those that blocks are copied to, as bits.
    pub non_temporal: u64,
    pub copied: u64,
    /// The copy that is all there is to do.
    pub copy: Option<Copied>,
    /// The function of all elements of a point.
    pub points: Option<PointsSummary>,
    /// Whether a function computes and folds the elements of a leaf.
    pub has_fold: bool,
    /// Whether nothing is computed for the fold, and the accesses that items take as they are.
    pub computes: bool,
    pub taken: SmallVec<[Option<u16>; 4]>,
    /// How many values the fold's body takes from what is before it.
    pub kept: usize,
}

/// The function of all elements of a point.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct PointsSummary {
    pub is_one_element: bool,
    /// Whether it does what comes after the fold.
    pub stores: bool,
    /// Whether it reads points that are rows of memory.
    pub is_across: bool,
}

/// A copy of one access to another, and the bytes of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Copied {
    pub from: usize,
    pub to: usize,
    pub size: usize,
}

impl NestSummary {
    /// That of a nest, for loops of a level and machine code for a target.
    pub fn new(
        program: &Program,
        nest: &Nest,
        level: Level,
        target: Option<Target>,
    ) -> NestSummary {
        let phases = [Phase::Before, Phase::Fold, Phase::After];
        let nodes = || phases.into_iter().flat_map(|phase| nest.nodes(phase));
        let loads = nodes().filter(|node| node.access().is_some());
        let loads = loads.map(|node| matches!(node, Node::Load { .. }));
        let access = |(&(number, phase), is_load): (&(u16, Phase), bool)| {
            let buffer = program.accesses[usize::from(number)].buffer;
            let of_buffer = &program.buffers[usize::from(buffer)];
            let (size, role) = (of_buffer.dtype.size(), of_buffer.role);
            let is_written = matches!(role, Role::Write | Role::Partial);
            AccessSummary {
                phase,
                buffer,
                size,
                role,
                is_load,
                is_only_written: is_written && is_only_written(nest, number, phase),
                // There are no squares of two bytes.
                has_squares: size != 2 && find_transpose(size, level).is_some(),
            }
        };
        let operators = nodes().map(|node| match node {
            Node::Apply { result, operator, args } => {
                let (to, from) = (program.dtypes[result.0 as usize], args.first());
                let from = from.map_or(to, |value| program.dtypes[value.0 as usize]);
                let is_shared = |value: &Value| program.cells.of_value[value.0 as usize].is_some();
                match operator {
                    Operator::FloorDivide | Operator::Rem | Operator::Fmod
                        if to.is_integer() && args.last().is_some_and(is_shared) =>
                    {
                        SHARED_DIVISOR_COST
                    }
                    // Loads and stores convert small integers.
                    _ if *operator == Operator::cast_to(to)
                        && [from, to].iter().all(|dtype| dtype.is_integer()) =>
                    {
                        1
                    }
                    _ => operator.cost(),
                }
            }
            _ => 0,
        });
        let draws = nodes().filter(|node| matches!(node, Node::Random { .. })).count();
        let item =
            |item: &FoldItem| (program.dtypes[item.value.0 as usize].size(), item.index.is_some());
        let rows = nest.rows().filter(|_| program.by_rows);
        NestSummary {
            kept: nest.kept,
            indexed: SmallVec::from_slice(&nest.indexed),
            // Blocks of rows are parts of one loop.
            alone: nest.indexed.iter().copied().chain(rows).collect(),
            by_rows: program.by_rows,
            accesses: nest.accesses.iter().zip(loads).map(access).collect(),
            operators: operators.sum(),
            draws: draws as u32,
            fold: nest.fold.as_ref().map(|fold| FoldSummary {
                order: SmallVec::from_slice(&fold.order),
                items: fold.items.iter().map(item).collect(),
                plain: Plain::find(program, nest, level),
                decides: decides(fold),
            }),
            target,
            processor: Processor::detect(),
        }
    }

    /// What an element costs, if a random draw costs so much.
    pub fn cost(&self, of_draw: u32) -> u32 {
        self.operators + self.draws * of_draw
    }
}

/// Whether an access is stored to once, without a mask, where the nest writes its results.
fn is_only_written(nest: &Nest, number: u16, phase: Phase) -> bool {
    let stored = |node: &&Node| {
        let stores = matches!(node, Node::Store { .. } | Node::Yield { .. });
        stores && node.access() == Some(number)
    };
    let mut stores = nest.nodes(phase).iter().filter(stored);
    let whole = |node: &Node| matches!(node, Node::Store { mask: None, .. } | Node::Yield { .. });
    let written = if nest.fold.is_some() { Phase::After } else { Phase::Before };
    phase == written && stores.next().is_some_and(whole) && stores.next().is_none()
}

/// The value that decides the one fold of a nest, if it does nothing else.
fn decides(fold: &FoldBody) -> Option<u8> {
    let [item] = &fold.items[..] else { return None };
    let writes = |node: &Node| matches!(node, Node::Store { .. } | Node::Yield { .. });
    if fold.nodes.iter().any(writes) {
        return None;
    }
    item.reducer.decides().map(u8::from)
}

impl Plain {
    /// The fold of a nest, if it is one.
    fn find(program: &Program, nest: &Nest, level: Level) -> Option<Plain> {
        let fold = nest.fold.as_ref()?;
        let [item] = &fold.items[..] else { return None };
        let dtype_of = |access: u16| {
            let buffer = program.accesses[access as usize].buffer;
            program.buffers[buffer as usize].dtype
        };
        let (value, loaded, counts) = match &fold.nodes[..] {
            [Node::Load { result, access }] => (*result, *access, false),
            [Node::Load { result, access }, Node::Apply { result: value, operator, args }]
                if args[..] == [*result] =>
            {
                let dtype = dtype_of(*access);
                let counts = *operator == Operator::ToI64
                    && item.reducer == Reducer::Sum
                    && dtype.kind() == Kind::Bool;
                let widens = dtype.is_narrow() && *operator == Operator::cast_to(dtype.compute());
                let searches = widens && item.reducer.has_index();
                if !counts && !searches {
                    return None;
                }
                (*value, *access, counts)
            }
            _ => return None,
        };
        let dtype = dtype_of(loaded);
        let is_it = |&(access, phase): &(u16, Phase)| access == loaded && phase == Phase::Fold;
        let access = nest.accesses.iter().position(is_it)?;
        let fits = value == item.value && (!counts || dtype == RealType::MASK);
        let reducer = (!counts).then_some(item.reducer);
        let has_loop = reducer.is_none_or(|it| find_any_order(it, dtype, level).is_some());
        fits.then_some(Plain { access, dtype, reducer, has_loop })
    }
}

impl FoldSummary {
    /// Whether nothing is folded but to places of elements.
    pub fn are_searches(&self) -> bool {
        self.items.iter().all(|&(_, indexed)| indexed)
    }

    /// Whether any values come with their index.
    pub fn indexed(&self) -> bool {
        self.items.iter().any(|&(_, indexed)| indexed)
    }
}

impl<'s> Summary<'s> {
    /// The strides of every access along an axis.
    pub fn strides_of(&self, axis: u8) -> &'s [i64] {
        let count = self.nest.accesses.len();
        &self.strides[usize::from(axis) * count..][..count]
    }

    /// Bytes per step of an access along an axis.
    pub fn stride(&self, axis: u8, access: usize) -> i64 {
        self.strides[usize::from(axis) * self.nest.accesses.len() + access]
    }

    /// Those along every axis.
    pub fn strides_of_access(&self, access: usize) -> impl Iterator<Item = i64> + use<'s> {
        self.strides.iter().skip(access).step_by(self.nest.accesses.len()).copied()
    }

    /// Points of the nest.
    pub fn points(&self) -> usize {
        self.extents.iter().product()
    }

    /// Bytes of an element of an access.
    pub fn size(&self, access: usize) -> usize {
        self.nest.accesses[access].size
    }

    /// The numbers of the accesses that have a bit.
    pub fn with_bits(&self) -> std::ops::Range<usize> {
        0..self.nest.accesses.len().min(64)
    }

    /// Bytes, at most, of elements that the nest goes through.
    pub fn most_bytes(&self) -> usize {
        self.points().saturating_mul(self.nest.accesses.len() * LARGEST)
    }

    /// Bytes of the arrays that the nest moves along, each counted once.
    pub fn bytes(&self, classes: &[StrideClass]) -> usize {
        let mut bytes = 0usize;
        for (access, &class) in classes.iter().enumerate() {
            let is_new = |other: usize| {
                classes[other] == StrideClass::Still || self.blocks[other] != self.blocks[access]
            };
            if class != StrideClass::Still && (0..access).all(is_new) {
                bytes = bytes.saturating_add(self.points().saturating_mul(self.size(access)));
            }
        }
        bytes
    }
}

/// Bytes of the largest element.
pub(in super::super) const LARGEST: usize = 8;

/// The bit of an access in a set; 0 where it has none.
pub(in super::super) fn bit(access: usize) -> u64 {
    1u64.checked_shl(access as u32).unwrap_or(0)
}
