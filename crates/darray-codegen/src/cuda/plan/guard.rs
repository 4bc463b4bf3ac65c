//! Where a guard pays: element-wise nests that compute more than they move, whose rare cases an entry leaves to a function of its own.
//! See [`quick`](crate::cuda::emit::quick) for what it does.

use super::cells::Source;
use super::entries::NestPlans;
use super::ranges::{Facts, Known};
use crate::program::{Node, Program};
use darray_core::{Compute, RealType};
use darray_kernel::function::trace::Action;
use darray_kernel::operator::Operator;
use smallvec::SmallVec;

/// Instructions that a GPU can issue in the time that a byte goes to or from its memory, at most.
const INSTRUCTIONS_PER_BYTE: usize = 8;

/// Functions with rare cases that an element must call for a guard to pay.
const LEAST: usize = 2;

/// A nest for whose vectors a guard pays.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    /// Task arguments that are divided by something: of 1 it is the reciprocal, which is quicker.
    numerators: SmallVec<[u16; 4]>,
    /// Task arguments by which some questions need not be asked.
    bounds: SmallVec<[u16; 8]>,
}

impl Guard {
    /// The guard of a nest; none where it does not pay.
    pub fn new(program: &Program, plans: &NestPlans, sources: &[Option<Source>]) -> Option<Guard> {
        let plan = plans.points()?;
        if !plan.spilled.is_empty() {
            return None;
        }
        let (mut calls, mut instructions, mut bytes) = (0, 0, 0);
        let mut numerators = SmallVec::new();
        let mut facts = Facts::of(&plan.before, program, sources, |_| Some(Known::Positive));
        for node in &plan.before {
            match node {
                Node::Store { mask: Some(_), .. } => return None,
                Node::Load { access, .. } | Node::Store { access, .. } => {
                    let buffer = program.accesses[*access as usize].buffer;
                    bytes += program.buffers[buffer as usize].dtype.size();
                }
                Node::Apply { result, operator, args } => {
                    let inputs: SmallVec<[RealType; 3]> =
                        args.iter().map(|arg| program.dtypes[arg.0 as usize]).collect();
                    let quick = is_quick(*operator, &inputs);
                    calls += usize::from(quick);
                    instructions += cost(*operator, &inputs);
                    facts.apply(*result, *operator, args);
                    if let Some(Source::Argument(index)) = sources[args[0].0 as usize]
                        && quick
                        && *operator == Operator::Div
                    {
                        numerators.push(index);
                    }
                }
                _ => {}
            }
        }
        let pays = calls >= LEAST && instructions > bytes * INSTRUCTIONS_PER_BYTE;
        let mut bounds = SmallVec::from_slice(facts.used());
        bounds.sort_unstable();
        bounds.dedup();
        pays.then_some(Guard { numerators, bounds })
    }

    /// What the text may know of these arguments.
    pub fn known(&self, scalars: &[u64]) -> SmallVec<[(u16, Known); 12]> {
        let number = |index: u16| f32::from_bits(scalars[index as usize] as u32);
        let ones = self.numerators.iter().filter(|&&index| number(index) == 1.0);
        let mut known: SmallVec<[(u16, Known); 12]> = ones.map(|&one| (one, Known::One)).collect();
        for &index in &self.bounds {
            if !known.iter().any(|&(one, _)| one == index) {
                known.extend(Known::of(number(index)).map(|bound| (index, bound)));
            }
        }
        known
    }
}

/// Whether an operator has a quick form.
pub(crate) fn is_quick(operator: Operator, inputs: &[RealType]) -> bool {
    use Operator::*;
    let known = matches!(operator, Div | Reciprocal | Sqrt | Exp | Ln);
    known && inputs.iter().all(|&dtype| is_single(dtype))
}

fn is_single(dtype: RealType) -> bool {
    dtype.as_compute() == Some(Compute::F32)
}

/// About how many instructions an operator is.
fn cost(operator: Operator, inputs: &[RealType]) -> usize {
    match operator {
        Operator::Div | Operator::Reciprocal | Operator::Sqrt => 11,
        _ => match operator.signature(inputs).and_then(|signature| signature.trace) {
            Some(trace) => {
                let free = |action| matches!(action, Action::Constant(_) | Action::Input(_));
                trace().steps.iter().filter(|step| !free(step.action)).count()
            }
            None => 1,
        },
    }
}

impl Facts {
    /// What is known before these operations of a nest.
    pub fn of(
        nodes: &[Node],
        program: &Program,
        sources: &[Option<Source>],
        known: impl Fn(u16) -> Option<Known>,
    ) -> Facts {
        let positive = nodes.iter().filter_map(|node| match node {
            Node::Apply { operator: Operator::Ln | Operator::Sqrt, args, .. } => Some(args[0]),
            _ => None,
        });
        let single = program.dtypes.iter().map(|&dtype| is_single(dtype)).collect();
        Facts::new(sources, single, positive, known)
    }
}
