//! Element-wise nests that compute more than they move: exact functions of f32 without their rare cases.
//!
//! A correctly rounded quotient or root needs few instructions where nothing is zero, denormal, infinite or
//! NaN, and as many again to find out and to go another way. So a thread computes its elements as if all were
//! common, and a guard notes whether they were. Where not, its elements are computed again, one by one, in a
//! function that has every case; nothing was stored before. The bits are the same on both ways:
//! `kernels/cuda/quick.cuh` says why.

use super::cells::Source;
use super::nodes::Emitter;
use super::operators::Functions;
use super::plan::NestPlans;
use super::trace;
use crate::program::{Node, Program};
use darray_core::{DType, Scalar};
use darray_kernel::function::exp::exp_f32_below_64;
use darray_kernel::function::ln::ln_f32_normal;
use darray_kernel::function::trace::{Action, Trace};
use darray_kernel::ir::Value;
use darray_kernel::operator::Operator;
use smallvec::SmallVec;

const QUICK: &str = include_str!("../../../../kernels/cuda/quick.cuh");

/// Instructions that a GPU can issue in the time that a byte goes to or from its memory, at most.
const INSTRUCTIONS_PER_BYTE: usize = 8;

/// Functions with rare cases that an element must call for a guard to pay.
const LEAST: usize = 2;

/// A nest for whose vectors a guard pays.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    /// Task arguments that something is divided by: of 1 it is the reciprocal, which is quicker.
    numerators: SmallVec<[u16; 4]>,
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
        for node in &plan.before {
            match node {
                Node::Store { mask: Some(_), .. } => return None,
                Node::Load { access, .. } | Node::Store { access, .. } => {
                    let buffer = program.accesses[*access as usize].buffer;
                    bytes += program.buffers[buffer as usize].dtype.size();
                }
                Node::Apply { operator, args, .. } => {
                    let inputs: SmallVec<[DType; 3]> =
                        args.iter().map(|arg| program.dtypes[arg.0 as usize]).collect();
                    let quick = is_quick(*operator, &inputs);
                    calls += usize::from(quick);
                    instructions += cost(*operator, &inputs);
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
        pays.then_some(Guard { numerators })
    }

    /// The numerators that are 1 in these arguments.
    pub fn ones(&self, scalars: &[u64]) -> SmallVec<[u16; 4]> {
        let one = Scalar::from(1f32).bits();
        self.numerators.iter().copied().filter(|&index| scalars[index as usize] == one).collect()
    }
}

/// Whether an operator has a quick form.
fn is_quick(operator: Operator, inputs: &[DType]) -> bool {
    use Operator::*;
    let known = matches!(operator, Div | Reciprocal | Sqrt | Exp | Ln);
    known && inputs.iter().all(|&dtype| dtype == DType::F32)
}

/// About how many instructions an operator is.
fn cost(operator: Operator, inputs: &[DType]) -> usize {
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

/// What a nest that is computed with a guard knows.
#[derive(Default)]
pub(super) struct Guarded {
    /// Quotients: normal numbers, as the guard asks.
    quotients: Vec<Value>,
}

impl Emitter<'_> {
    /// The quick form of an operator, after the lines that ask for its range; none where it has none, and
    /// outside a guard.
    pub fn quick(&mut self, result: Value, operator: Operator, args: &[Value]) -> Option<String> {
        let inputs: Vec<DType> = args.iter().map(|&arg| self.dtype(arg)).collect();
        if self.guarded.is_none() || !is_quick(operator, &inputs) {
            return None;
        }
        let names: Vec<String> = args.iter().map(|&arg| self.value(arg)).collect();
        self.functions.file("quick.cuh", QUICK);
        let one = self.argument(args[0]).is_some_and(|index| self.variant.ones.contains(&index));
        let guarded = self.guarded.as_mut()?;
        Some(match operator {
            Operator::Exp => {
                self.text.line(format!("guard.below = guard.below && {} < 64.0f;", names[0]));
                self.functions.traced("exp_f32_below_64", below_64, &names)
            }
            Operator::Ln => {
                let asks =
                    if guarded.quotients.contains(&args[0]) { "signless" } else { "positive" };
                self.text.line(format!("darray_{asks}({}, guard);", names[0]));
                self.functions.traced("ln_f32_normal", normal, &names)
            }
            Operator::Div if one => format!("darray_quick_reciprocal({}, guard)", names[1]),
            _ => {
                if operator == Operator::Div {
                    guarded.quotients.push(result);
                }
                format!("darray_quick_{}({}, guard)", operator.name(), names.join(", "))
            }
        })
    }
}

impl Functions {
    /// A call of the function with these steps.
    fn traced(&mut self, name: &str, trace: fn() -> Trace, args: &[String]) -> String {
        let name = format!("darray_{name}");
        if !self.is_defined(&name) {
            let text = trace::definition(&name, &trace(), |_| unreachable!("it has no table"));
            self.file(&name, &text);
        }
        format!("{name}({})", args.join(", "))
    }
}

fn below_64() -> Trace {
    Trace::record::<f32>(1, |x| exp_f32_below_64(x[0]))
}

fn normal() -> Trace {
    Trace::record::<f32>(1, |x| ln_f32_normal(x[0]))
}

#[cfg(test)]
mod tests {
    /// The next number of a sequence in which every mantissa comes up, between 1 and 2.
    fn next(state: &mut u64) -> f32 {
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f32::from_bits(0x3f80_0000 | (*state >> 41) as u32)
    }

    /// The steps of `quick.cuh`. That GPUs' own approximations are good enough for the last one of roots and
    /// reciprocals too, NVRTC relies on: its exact functions have the same steps.
    #[test]
    fn quotients_and_roots_are_exact_from_good_approximations() {
        let mut state = 1;
        for _ in 0..2_000_000 {
            let (a, b) = (next(&mut state), next(&mut state));
            let best = 1.0 / b;
            for near in [best.next_down(), best, best.next_up()] {
                let r = near.mul_add((-b).mul_add(near, 1.0), near);
                assert!(r == best || near != best, "1 / {b:e}");
                let q = a * r;
                assert_eq!(r.mul_add((-b).mul_add(q, a), q), a / b, "{a:e} / {b:e} from {near:e}");
            }
            for x in [a, 2.0 * a] {
                let r = 1.0 / x.sqrt();
                let near = x * r;
                let root = (-near).mul_add(near, x).mul_add(r * 0.5, near);
                assert_eq!(root, x.sqrt(), "the root of {x:e}");
            }
        }
    }
}
