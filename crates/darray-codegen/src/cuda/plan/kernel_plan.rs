//! A kernel cut into entries: what is known of it without the arguments of a launch.

use super::cells::{Source, find_sources};
use super::entries::{NestPlans, Plan, Role, plan_entries};
use super::fields::fields;
use super::guard::Guard;
use super::variant::{NestVariant, Variant};
use crate::cuda::language::math::Math;
use crate::cuda::language::operators::Functions;
use crate::error::CodegenError;
use crate::lower::lower;
use crate::program::{Node, Phase, Program};
use darray_core::RealType;
use darray_kernel::ir::Kernel;
use smallvec::{SmallVec, smallvec};

/// Parts of nests that one launch runs.
pub(crate) type Entry<'k> = SmallVec<[(&'k Plan, &'k NestVariant); 1]>;

/// Most arguments of an entry: a launch takes 4 kB.
const MOST_FIELDS: usize = 500;

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

    /// The entries of a variant, in order: parts of nests, each with the nest's part of the variant. Several are run by one block,
    /// one behind the other.
    pub fn entries<'k>(&'k self, variant: &'k Variant) -> Vec<Entry<'k>> {
        let mut entries: Vec<Entry<'k>> = Vec::new();
        // Arguments of the last entry, if more may come to it.
        let mut last = None;
        let nests = self.plans.iter().zip(&variant.nests);
        let nests = nests.filter_map(|(plans, variant)| Some((plans, variant.as_ref()?)));
        for (plan, nest) in nests.flat_map(|(p, v)| p.entries(v).map(move |plan| (plan, v))) {
            let joins = variant.in_turn && matches!(plan.role, Role::Single | Role::Points);
            let own = joins.then(|| fields(&self.program, plan, nest).len());
            let both = last.zip(own).map(|(a, b): (usize, usize)| a + b);
            let both = both.filter(|&fields| fields <= MOST_FIELDS && own > Some(0));
            match (entries.last_mut(), both) {
                (Some(entry), Some(_)) => entry.push((plan, nest)),
                _ => entries.push(smallvec![(plan, nest)]),
            }
            last = both.or(own).filter(|&fields| fields > 0);
        }
        entries
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
