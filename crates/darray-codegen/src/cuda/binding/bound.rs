//! A kernel with the arguments of a launch: variants, and the numbers that become arguments.

use super::bindings::Bindings;
use super::folds::{BoundFold, FoldBinding, votes};
use super::moves::{Moves, Row};
use crate::bind::{Addresses, Axes, BindError, Loop, plan_loops};
use crate::cuda::plan::kernel_plan::KernelPlan;
use crate::cuda::plan::patterns::Patterns;
use crate::cuda::plan::variant::{NestVariant, SMALL, Variant};
use crate::program::{Nest, Phase, Program};
use smallvec::SmallVec;

/// A kernel with its arguments.
pub(crate) struct Bound {
    pub variant: Variant,
    /// One per nest; none where it has no point.
    pub nests: SmallVec<[Option<BoundNest>; 1]>,
    /// Address of local index 0, per access of the program.
    pub bases: SmallVec<[u64; 8]>,
}

/// A nest with its arguments.
pub(crate) struct BoundNest {
    /// The parallel loops, outermost first.
    pub loops: SmallVec<[Loop; 4]>,
    /// Parallel points.
    pub points: usize,
    /// How rows of the last parallel loop are cut into vectors.
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
    /// Iterations of the last parallel loop.
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

impl Bound {
    /// Binds every nest.
    pub fn new(kernel: &KernelPlan, bindings: &Bindings<'_>) -> Result<Bound, BindError> {
        let program = &kernel.program;
        check_counts(program, bindings)?;
        let mut bound = Bound {
            variant: Variant { nests: SmallVec::new(), in_turn: false },
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
        let loops = program.nests.iter().filter(|nest| !nest.axes.is_empty()).count();
        let are_small = bound.nests.iter().flatten().all(|nest| nest.points <= SMALL);
        bound.variant.in_turn = loops > 1 && !program.by_rows && are_small;
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
    kernel: &KernelPlan,
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
    let fold = nest.fold.as_ref().zip(tree.as_ref()).map(|(body, tree)| {
        let votes = votes(nest, body, last, strides_of);
        let loaded = moves.of_folded(body, loops.len());
        let binding = FoldBinding { program, body, tree, axes: &axes, points, last, votes, loaded };
        binding.bind(kernel.busy)
    });
    let (fold, bound_fold) = fold.unzip();
    let threads = bound_fold.as_ref().map_or(points, |fold: &BoundFold| fold.threads) as u64;
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
