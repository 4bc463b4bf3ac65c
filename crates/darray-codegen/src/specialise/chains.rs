//! Arithmetic in one pass.

use super::steps::{Kind, Step, Steps};
use crate::code::{Link, Primitive};
use crate::program::{Nest, Program};
use darray_kernel::ir::Value;
use smallvec::SmallVec;

/// Most links of a chain.
const LONGEST: usize = 32;

/// Joins float operators into chains where the value between them is used once, in the same phase.
///
/// ```text
/// %3 = mul %0 %1
/// %4 = add %3 %2         =>      %5 = chain %0, mul %1, add %2, div_into c0
/// %5 = div c0 %4
/// ```
///
/// Where both operands could go on, the longer chain does.
pub(super) fn fuse_chains(program: &Program, nest: &Nest, steps: &mut Steps) {
    let mut uses = vec![0u32; program.dtypes.len()];
    let mut definition = vec![usize::MAX; program.dtypes.len()];
    for (position, step) in steps.list.iter().enumerate().filter(|(_, step)| step.needed) {
        step.args.iter().for_each(|arg| uses[arg.0 as usize] += 1);
        if let Some(result) = step.result {
            definition[result.0 as usize] = position;
        }
    }
    for item in nest.fold.iter().flat_map(|fold| &fold.items) {
        uses[item.value.0 as usize] += 1;
    }
    for position in 0..steps.list.len() {
        let step = &steps.list[position];
        let Some(operator) = arithmetic(program, step) else { continue };
        let mut best: Option<(usize, usize, usize)> = None;
        for (operand, arg) in step.args.iter().enumerate() {
            let from = definition[arg.0 as usize];
            let Some(before) = steps.list.get(from) else { continue };
            let length = length(program, before);
            let fits = length > 0
                && length < LONGEST
                && uses[arg.0 as usize] == 1
                && before.phase == step.phase
                && program.cells.of_value[arg.0 as usize].is_none();
            if fits && best.is_none_or(|(_, _, most)| length > most) {
                best = Some((operand, from, length));
            }
        }
        let Some((operand, from, _)) = best else { continue };
        let Some(link) = Link::of(operator, operand) else { continue };
        let mut links = SmallVec::new();
        let mut args: SmallVec<[Value; 5]> = SmallVec::new();
        if let Kind::Chain(known) = &mut steps.list[from].kind {
            links = std::mem::take(known);
            args = std::mem::take(&mut steps.list[from].args);
        } else if let Kind::Apply(Primitive::Apply(first)) = steps.list[from].kind {
            // The chain begins with an operand that is a block.
            let before = &steps.list[from];
            let start = before.args.iter().position(|&a| !steps.is_uniform(a, before.phase));
            let start = start.expect("an operator of one uniform operands is uniform");
            links.extend(Link::of(first, start));
            args.push(before.args[start]);
            push_others(&mut args, &before.args, start);
        } else {
            unreachable!("only arithmetic has a length")
        }
        links.push(link);
        steps.list[from].needed = false;
        let step = &mut steps.list[position];
        push_others(&mut args, &step.args, operand);
        step.kind = Kind::Chain(links);
        step.args = args;
    }
}

/// Adds all values but one.
fn push_others(args: &mut SmallVec<[Value; 5]>, of: &[Value], but: usize) {
    for (_, &arg) in of.iter().enumerate().filter(|&(k, _)| k != but) {
        args.push(arg);
    }
}

/// The operator of a step that a chain can go on with.
fn arithmetic(program: &Program, step: &Step) -> Option<darray_kernel::operator::Operator> {
    let Kind::Apply(Primitive::Apply(operator)) = step.kind else { return None };
    let float = step.result.is_some_and(|r| program.dtypes[r.0 as usize].is_float());
    (step.needed && !step.uniform && float && Link::of(operator, 0).is_some()).then_some(operator)
}

/// Links of the chain that a step would begin or is; 0 if it cannot be one.
fn length(program: &Program, step: &Step) -> usize {
    match &step.kind {
        Kind::Chain(links) if step.needed => links.len(),
        _ => arithmetic(program, step).is_some() as usize,
    }
}
