//! Element-wise nests that compute more than they move: exact functions of f32 without their rare cases.
//!
//! A correctly rounded quotient or root needs few instructions where nothing is zero, denormal, infinite or
//! NaN, and as many again to find out and to go another way. So a thread computes its elements as if all were
//! common, and a guard notes whether they were. Where not, its elements are computed again, one by one, in a
//! function that has every case; nothing was stored before. The bits are the same on both ways:
//! `kernels/quick.cuh` says why. What [`ranges`](crate::cuda::plan::ranges) tell is not asked.

use super::nodes::Emitter;
use crate::cuda::language::operators::Functions;
use crate::cuda::language::trace;
use crate::cuda::plan::guard::is_quick;
use crate::cuda::plan::ranges::{Facts, Question};
use darray_core::RealType;
use darray_kernel::function::exp::exp_f32_below_64;
use darray_kernel::function::ln::ln_f32_normal;
use darray_kernel::function::trace::Trace;
use darray_kernel::ir::Value;
use darray_kernel::operator::Operator;
use smallvec::SmallVec;

const QUICK: &str = include_str!("../../../kernels/quick.cuh");

impl Emitter<'_> {
    /// What is known where the operations of a guard begin.
    pub fn facts(&self) -> Facts {
        let known = |index| {
            let of = self.variant.known.iter().find(|&&(argument, _)| argument == index);
            of.map(|&(_, known)| known)
        };
        Facts::of(&self.plan.before, self.program, self.sources, known)
    }

    /// The quick form of an operator, with what is asked of its operands and its result; none where it has none,
    /// and outside a guard.
    pub fn quick(&mut self, result: Value, operator: Operator, args: &[Value]) -> Option<String> {
        let facts = self.guarded.as_mut()?;
        let reciprocal = operator == Operator::Div && facts.is_one(args[0]);
        let questions = facts.apply(result, operator, args);
        let inputs: SmallVec<[RealType; 3]> = args.iter().map(|&arg| self.dtype(arg)).collect();
        if !is_quick(operator, &inputs) {
            return None;
        }
        let asked = |(&arg, question)| ask(self.value(arg), question);
        let operands: Vec<String> = args.iter().zip(questions.operands).map(asked).collect();
        self.functions.file("quick.cuh", QUICK);
        Some(match operator {
            Operator::Exp => self.functions.traced("exp_f32_below_64", below_64, &operands),
            Operator::Ln => self.functions.traced("ln_f32_normal", normal, &operands),
            _ if reciprocal => format!("darray_quick_reciprocal({})", operands[1]),
            _ => {
                let quick = format!("darray_quick_{}({})", operator.name(), operands.join(", "));
                ask(quick, questions.result)
            }
        })
    }
}

/// A number of which the guard asks something.
fn ask(number: String, question: Option<Question>) -> String {
    match question {
        None => number,
        Some(Question::Within(first)) => format!("darray_within({number}, {first}, guard)"),
        Some(Question::Positive(first)) => format!("darray_positive({number}, {first}, guard)"),
        Some(Question::Below64) => format!("darray_below_64({number}, guard)"),
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
