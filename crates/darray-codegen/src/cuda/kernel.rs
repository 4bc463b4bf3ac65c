//! A kernel as a CUDA device keeps it.

use super::bound::{Bound, BoundNest};
use super::cells::{Source as CellSource, find_sources};
use super::entry::{entry_name, entry_text};
use super::fields::{Place, fields};
use super::folds::shared_bytes;
use super::math::Math;
use super::operators::Functions;
use super::plan::{NestPlans, Plan, Role, plan_entries};
use super::quick::Guard;
use super::variant::{BLOCK, Combiner, NestVariant, Variant};
use crate::bind::BindError;
use crate::error::CodegenError;
use crate::layout::FoldMode;
use crate::lower::lower;
use crate::program::{Node, Phase, Program};
use darray_core::DType;
use darray_kernel::ir::{Kernel, Value};
use smallvec::SmallVec;

/// A kernel cut into entries, from which texts and launches are made.
#[derive(Clone, Debug)]
pub struct CudaKernel {
    pub(super) program: Program,
    pub(super) sources: Vec<Option<CellSource>>,
    plans: Vec<NestPlans>,
    /// Per nest.
    guards: Vec<Option<Guard>>,
    /// Cells of the workspace.
    cells: u64,
    /// Whether indices have 64 bits where 32 would do.
    pub(super) wide: bool,
    /// Threads that keep a device busy: where more could fold, they have several leaves each.
    pub(super) busy: usize,
    math: Math,
}

/// Where a buffer lies: coordinates `c` are element `offset + sum(c_k * strides_k)` of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Device address of element 0 of the block; a multiple of the element's size.
    pub address: u64,
    /// Length of the block.
    pub bytes: u64,
    /// Element of the block at coordinates 0; may lie outside.
    pub offset: i64,
    /// In elements, one per coordinate.
    pub strides: SmallVec<[i64; 4]>,
}

/// The arguments of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Bindings<'a> {
    /// One per kernel buffer.
    pub buffers: &'a [Binding],
    /// One per kernel param.
    pub params: &'a [i64],
    /// The bits of every kernel scalar.
    pub scalars: &'a [u64],
}

/// A CUDA C text, to be compiled with `--fmad=false`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The text; it includes nothing.
    pub text: String,
    /// Names of its `extern "C" __global__` functions.
    pub entries: Vec<String>,
}

/// One start of an entry. Launches run in order on one stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Index into [`Source::entries`].
    pub entry: usize,
    /// Blocks.
    pub grid: u32,
    /// Threads per block.
    pub block: u32,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// The entry's only parameter, a structure passed by value.
    pub arguments: Vec<u8>,
}

impl CudaKernel {
    /// Lowers a verified kernel.
    ///
    /// # Errors
    ///
    /// If the code generator does not take its shape.
    pub fn new(kernel: &Kernel) -> Result<CudaKernel, CodegenError> {
        let program = lower(kernel)?;
        check_operators(&program)?;
        let sources = find_sources(&program);
        let plans = plan_entries(&program, &sources);
        let guard = |plans| Guard::new(&program, plans, &sources);
        let guards = plans.iter().map(guard).collect();
        let used = plans.iter().any(NestPlans::uses_cells);
        let in_cell = |source: &&CellSource| matches!(source, CellSource::Cell(_));
        let cells = if used { sources.iter().flatten().filter(in_cell).count() } else { 0 };
        Ok(CudaKernel {
            program,
            sources,
            plans,
            guards,
            cells: cells as u64,
            wide: false,
            busy: BUSY,
            math: Math::default(),
        })
    }

    /// The kernel with these elementary functions.
    pub fn with_math(mut self, math: Math) -> CudaKernel {
        self.math = math;
        self
    }

    /// The kernel with indices of 64 bits, also where those of 32 would do: for tests.
    pub fn with_wide_indices(mut self) -> CudaKernel {
        self.wide = true;
        self
    }

    /// The kernel for a device that so many threads keep busy; where more could fold, they have several leaves each.
    pub fn with_busy_threads(mut self, threads: usize) -> CudaKernel {
        self.busy = threads;
        self
    }

    /// Checks the arguments of a launch: every access against its block.
    ///
    /// # Errors
    ///
    /// If an access reaches beyond its block, or the arguments do not fit the kernel.
    pub fn prepare<'p>(&'p self, bindings: &'p Bindings<'p>) -> Result<Prepared<'p>, BindError> {
        Ok(Prepared { kernel: self, bindings, bound: Bound::new(self, bindings)? })
    }

    /// [`Prepared::variant`] of these arguments.
    ///
    /// # Errors
    ///
    /// As [`prepare`](Self::prepare).
    pub fn variant(&self, bindings: &Bindings<'_>) -> Result<Variant, BindError> {
        Ok(Bound::new(self, bindings)?.variant)
    }

    /// The text of a variant.
    pub fn source(&self, variant: &Variant) -> Source {
        let mut functions = Functions::new(self.math);
        let mut entries = Vec::new();
        let mut text = String::new();
        for (plan, nest) in self.entries(variant) {
            let name = entry_name(entries.len(), plan);
            text.push('\n');
            text.push_str(&entry_text(self, &name, plan, nest, &mut functions));
            entries.push(name);
        }
        Source { text: functions.definitions() + text.trim_start(), entries }
    }

    /// [`Prepared::workspace`] of arguments of this variant.
    ///
    /// # Panics
    ///
    /// If the arguments are not of this variant.
    pub fn workspace(&self, variant: &Variant, bindings: &Bindings<'_>) -> u64 {
        self.prepared(variant, bindings).workspace()
    }

    /// [`Prepared::launches`] of arguments of this variant.
    ///
    /// # Panics
    ///
    /// If the arguments are not of this variant.
    pub fn launches(
        &self,
        variant: &Variant,
        bindings: &Bindings<'_>,
        workspace: u64,
    ) -> Vec<Launch> {
        self.prepared(variant, bindings).launches(workspace)
    }

    fn prepared<'p>(&'p self, variant: &Variant, bindings: &'p Bindings<'p>) -> Prepared<'p> {
        let prepared = self.prepare(bindings).expect("these arguments had a variant");
        assert_eq!(prepared.bound.variant, *variant, "arguments of another variant");
        prepared
    }

    fn entries<'k>(
        &'k self,
        variant: &'k Variant,
    ) -> impl Iterator<Item = (&'k Plan, &'k NestVariant)> {
        let nests = self.plans.iter().zip(&variant.nests);
        nests
            .filter_map(|(plans, variant)| Some((plans, variant.as_ref()?)))
            .flat_map(|(plans, variant)| plans.entries(variant).map(move |plan| (plan, variant)))
    }

    /// The guard that a nest's vectors are computed with.
    pub(super) fn guard(&self, nest: usize, variant: &NestVariant) -> Option<&Guard> {
        let guard = self.guards[nest].as_ref();
        guard.filter(|_| variant.vector > 1 && self.math == Math::Darray)
    }

    /// Where a nest keeps values between its entries.
    pub(super) fn scratch(&self, nest: usize, bound: &BoundNest, variant: &NestVariant) -> Scratch {
        let program = &self.program;
        let mut end = (self.cells * 8).next_multiple_of(ALIGNMENT);
        let mut reserve = |bytes: u64| {
            let at = end;
            end = (end + bytes).next_multiple_of(ALIGNMENT);
            at
        };
        let points = bound.points as u64;
        let spills = self.plans[nest].spilled();
        let spills = spills.iter().map(|&value| (value, reserve(points * 8))).collect();
        let mut items = SmallVec::new();
        let pieces = bound.fold.as_ref().map_or(0, |fold| fold.pieces as u64);
        let list = program.nests[nest].fold.iter().flat_map(|fold| &fold.items);
        for item in list.filter(|_| pieces > 1) {
            let size = program.dtypes[item.value.0 as usize].size() as u64;
            let values = reserve(points * pieces * size);
            let indices = item.index.map_or(0, |_| reserve(points * pieces * 8));
            items.push((values, indices));
        }
        let kept = variant.fold.as_ref().is_some_and(|fold| fold.mode == FoldMode::Kept);
        let (point_step, piece_step) = if kept { (1, points) } else { (pieces, 1) };
        Scratch { spills, items, point_step, piece_step, end }
    }
}

/// A kernel with the checked arguments of one launch.
pub struct Prepared<'p> {
    kernel: &'p CudaKernel,
    bindings: &'p Bindings<'p>,
    bound: Bound,
}

impl Prepared<'_> {
    /// What the text for these arguments depends on.
    pub fn variant(&self) -> &Variant {
        &self.bound.variant
    }

    /// Lets the text be the one for any numbers, [`Variant::for_any_numbers`].
    pub fn take_any_numbers(&mut self) {
        self.bound.variant.forget_numbers();
    }

    /// Bytes of device memory that the launches need, aligned to 256: cells and values of pieces. They
    /// may hold anything at the start, and are free when the last launch has run.
    pub fn workspace(&self) -> u64 {
        let nests = self.bound.nests.iter().zip(&self.bound.variant.nests).enumerate();
        let ends = nests.filter_map(|(number, (nest, variant))| {
            Some(self.kernel.scratch(number, nest.as_ref()?, variant.as_ref()?).end)
        });
        ends.max().unwrap_or(0)
    }

    /// What to run, with a workspace at this address.
    pub fn launches(&self, workspace: u64) -> Vec<Launch> {
        let Prepared { kernel, bindings, bound } = self;
        let entries = kernel.entries(&bound.variant).enumerate();
        let launch = |(entry, (plan, variant)): (usize, (&Plan, &NestVariant))| {
            let nest = bound.nests[plan.nest].as_ref().expect("the variant's nests have points");
            let Shape { units, grid, block, shared } = shape(kernel, plan, nest, variant);
            let place = Place { kernel, bindings, bound, nest, variant, units, workspace };
            let fields = fields(&kernel.program, plan, variant);
            let mut arguments = Vec::with_capacity(fields.len() * 8);
            for field in fields {
                arguments.extend_from_slice(&place.value(plan, field).to_le_bytes());
            }
            if arguments.is_empty() {
                // An empty structure has one byte.
                arguments.push(0);
            }
            Launch { entry, grid, block, shared, arguments }
        };
        entries.map(launch).collect()
    }
}

/// Threads that keep a device busy: half of what an H100 holds.
const BUSY: usize = 1 << 17;

/// What workspace addresses are multiples of.
const ALIGNMENT: u64 = 256;

/// Where a nest keeps values between its entries, in bytes from the start of the workspace.
pub(super) struct Scratch {
    spills: SmallVec<[(Value, u64); 2]>,
    items: SmallVec<[(u64, u64); 4]>,
    /// Values of pieces from one kept point to the next, and from one piece to the next.
    pub point_step: u64,
    pub piece_step: u64,
    end: u64,
}

impl Scratch {
    /// Values of pieces of an item of the fold.
    pub fn value(&self, item: u16) -> u64 {
        self.items[item as usize].0
    }

    /// Indices of pieces of an item of the fold.
    pub fn index(&self, item: u16) -> u64 {
        self.items[item as usize].1
    }

    /// A value of the kept level, one per kept point.
    pub fn spill(&self, value: Value) -> u64 {
        let known = self.spills.iter().find(|(v, _)| *v == value);
        known.expect("only spilled values are asked for").1
    }
}

/// How many threads run an entry.
struct Shape {
    units: u64,
    grid: u32,
    block: u32,
    shared: u32,
}

fn shape(kernel: &CudaKernel, plan: &Plan, nest: &BoundNest, variant: &NestVariant) -> Shape {
    let points = nest.points as u64;
    let (units, threads) = match (plan.role, &variant.fold) {
        (Role::Single, _) => return Shape { units: 1, grid: 1, block: 1, shared: 0 },
        (Role::Leaves { .. }, Some(fold)) => {
            let bound = nest.fold.as_ref().expect("a fold's arguments");
            let (units, threads) = (points * bound.pieces as u64, fold.threads());
            if fold.mode == FoldMode::Kept && threads > 1 {
                let columns = bound.columns as u32;
                let of_block = BLOCK / (columns * threads) * columns;
                let grid = units.div_ceil(of_block.into()).clamp(1, MOST_BLOCKS) as u32;
                return Shape { units, grid, block: of_block * threads, shared: 0 };
            }
            (units, units * u64::from(threads))
        }
        (Role::Combine, Some(fold)) if fold.combiner != Combiner::Thread => {
            let of_block = fold.combiner.points();
            let grid = points.div_ceil(of_block.into()).min(MOST_BLOCKS) as u32;
            let body = kernel.program.nests[plan.nest].fold.as_ref().zip(nest.fold.as_ref());
            let bytes = body.map_or(0, |(body, fold)| shared_bytes(body, fold.pieces));
            let shared = if fold.shared { of_block * bytes as u32 } else { 0 };
            return Shape { units: points, grid, block: BLOCK, shared };
        }
        (Role::Points, _) => {
            let units = if nest.row.width > 1 { nest.rows() * nest.row.count } else { nest.points };
            (units as u64, units as u64)
        }
        _ => (points, points),
    };
    // Few threads are spread over many processors.
    let block = if threads < FEW { BLOCK / 4 } else { BLOCK };
    let grid = threads.div_ceil(block as u64).clamp(1, MOST_BLOCKS) as u32;
    Shape { units, grid, block, shared: 0 }
}

/// Blocks of a grid, at most; longer loops go round. Several for every place that a device has for
/// a block.
const MOST_BLOCKS: u64 = 4096;

/// Threads that are too few for blocks of full size.
const FEW: u64 = 1 << 16;

/// Every operator has an expression.
fn check_operators(program: &Program) -> Result<(), CodegenError> {
    let phases = [Phase::Before, Phase::Fold, Phase::After];
    let nodes = program.nests.iter().flat_map(|nest| phases.map(|phase| nest.nodes(phase)));
    for node in nodes.flatten() {
        let Node::Apply { operator, args, .. } = node else { continue };
        let inputs: SmallVec<[DType; 3]> =
            args.iter().map(|arg| program.dtypes[arg.0 as usize]).collect();
        if !Functions::knows(*operator, &inputs) {
            return Err(CodegenError::Unwritten { operator: operator.name() });
        }
    }
    Ok(())
}
