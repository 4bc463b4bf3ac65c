//! A kernel cut into entries: what is known of it without the arguments of a launch.

use super::cells::{Source, find_sources};
use super::entries::{NestPlans, Plan, plan_entries};
use super::guard::Guard;
use super::variant::{NestVariant, Variant};
use crate::cuda::language::math::Math;
use crate::cuda::language::operators::Functions;
use crate::error::CodegenError;
use crate::lower::lower;
use crate::program::{Node, Phase, Program};
use darray_core::RealType;
use darray_kernel::ir::Kernel;
use smallvec::SmallVec;

/// A kernel cut into entries, from which texts and launches are made.
#[derive(Clone, Debug)]
pub(crate) struct KernelPlan {
    pub program: Program,
    /// Where entries find the values of the outermost region.
    pub sources: Vec<Option<Source>>,
    /// Per nest.
    pub plans: Vec<NestPlans>,
    /// Per nest.
    guards: Vec<Option<Guard>>,
    /// Cells of the workspace.
    pub cells: u64,
    /// Whether indices have 64 bits where 32 would do.
    pub wide: bool,
    /// Threads that keep a device busy: where more could fold, they have several leaves each.
    pub busy: usize,
    pub math: Math,
}

impl KernelPlan {
    /// The plan of a verified kernel.
    pub fn new(kernel: &Kernel) -> Result<KernelPlan, CodegenError> {
        let program = lower(kernel)?;
        check_operators(&program)?;
        let sources = find_sources(&program);
        let plans = plan_entries(&program, &sources);
        let guard = |plans| Guard::new(&program, plans, &sources);
        let guards = plans.iter().map(guard).collect();
        let used = plans.iter().any(NestPlans::uses_cells);
        let in_cell = |source: &&Source| matches!(source, Source::Cell(_));
        let cells = if used { sources.iter().flatten().filter(in_cell).count() } else { 0 };
        Ok(KernelPlan {
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

    /// The entries of a variant, in order, with the nest's part of it.
    pub fn entries<'k>(
        &'k self,
        variant: &'k Variant,
    ) -> impl Iterator<Item = (&'k Plan, &'k NestVariant)> {
        let nests = self.plans.iter().zip(&variant.nests);
        nests
            .filter_map(|(plans, variant)| Some((plans, variant.as_ref()?)))
            .flat_map(|(plans, variant)| plans.entries(variant).map(move |plan| (plan, variant)))
    }

    /// The guard that a nest's vectors are computed with.
    pub fn guard(&self, nest: usize, variant: &NestVariant) -> Option<&Guard> {
        let guard = self.guards[nest].as_ref();
        guard.filter(|_| variant.vector > 1 && self.math == Math::Darray)
    }
}

/// Threads that keep a device busy: half of what an H100 holds.
const BUSY: usize = 1 << 17;

/// Every operator has an expression.
fn check_operators(program: &Program) -> Result<(), CodegenError> {
    let phases = [Phase::Before, Phase::Fold, Phase::After];
    let nodes = program.nests.iter().flat_map(|nest| phases.map(|phase| nest.nodes(phase)));
    for node in nodes.flatten() {
        let Node::Apply { operator, args, .. } = node else { continue };
        let inputs: SmallVec<[RealType; 3]> =
            args.iter().map(|arg| program.dtypes[arg.0 as usize]).collect();
        if !Functions::knows(*operator, &inputs) {
            return Err(CodegenError::Unwritten { operator: operator.name() });
        }
    }
    Ok(())
}
