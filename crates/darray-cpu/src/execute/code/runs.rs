//! Which instructions of a nest are compiled together, and which registers are in memory.

use super::super::schedule::tuning::{RUN_COST, RUN_INSTRUCTIONS};
use crate::jit::{Folded, Target, can_compile, element_sizes};
use darray_codegen::{Code, FoldSource, Instruction, Primitive, Slot, StrideClass};

/// Whether an instruction makes elements in a loop of its own rather than computing with them: copies
/// between a strided access and a block, results of folds, random draws.
pub(in super::super) fn is_move(instruction: &Instruction) -> bool {
    matches!(
        instruction,
        Instruction::Gather { .. }
            | Instruction::Scatter { .. }
            | Instruction::Random { .. }
            | Instruction::Yield { .. }
    )
}

/// Whether an instruction is an elementary function.
pub(in super::super) fn is_costly(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Compute { primitive, .. } if primitive.is_costly())
}

/// The cost of an elementary function.
fn cost(instruction: &Instruction) -> u32 {
    match instruction {
        Instruction::Compute { primitive, .. } if primitive.is_costly() => {
            let Primitive::Apply(operator) = primitive;
            operator.cost()
        }
        _ => 0,
    }
}

/// How many instructions from the front can be one run. `classes` says how accesses move.
///
/// A run goes through its elements in groups, so where it reads a register from memory and writes it, the elements
/// that it writes are no larger: else they would lie over those of the groups to come.
pub(in super::super) fn run_length(list: &[Instruction], classes: &[StrideClass]) -> usize {
    let (mut read, mut written) = (Vec::new(), Vec::new());
    let fits = |instruction: &&Instruction| {
        if !can_compile(instruction, classes, &written) {
            return false;
        }
        let slots = instruction.reads();
        let is_read = |slot: &Slot| matches!(slot, Slot::Register(_)) && !written.contains(slot);
        let reads = slots.iter().any(is_read);
        let out = instruction.writes();
        let mut fits = true;
        if reads || !read.is_empty() {
            let (inputs, output) = element_sizes(instruction);
            read.extend(slots.iter().copied().zip(inputs).filter(|(slot, _)| is_read(slot)));
            fits = !read.iter().any(|&(slot, size)| Some(slot) == out && size < output);
        }
        written.extend(out);
        fits
    };
    let mut costs = 0;
    let is_cheap = |instruction: &&Instruction| {
        costs += cost(instruction);
        costs <= RUN_COST
    };
    list.iter().take(RUN_INSTRUCTIONS).take_while(is_cheap).take_while(fits).count()
}

/// What follows a run in its list.
#[derive(Clone, Copy)]
pub(in super::super) struct Rest<'c> {
    pub instructions: &'c [Instruction],
}

/// What is known of the registers of a nest.
pub(in super::super) struct Runs {
    /// What they are compiled for.
    pub target: Target,
    /// Registers that another list than the one that writes them may read.
    shared: Vec<bool>,
    /// Registers that something reads or writes in memory.
    in_memory: Vec<bool>,
}

impl Runs {
    /// `separate`: the folds that are not in the function that makes what they take.
    pub fn new(code: &Code, separate: &[Folded], target: Target) -> Runs {
        let count = code.registers as usize;
        let mut shared = vec![false; count];
        let lists = [
            &code.before_row,
            &code.before,
            &code.fold_row,
            &code.fold,
            &code.after_row,
            &code.after,
        ];
        for list in lists {
            let mut written = vec![false; count];
            for instruction in list {
                for slot in instruction.reads().iter() {
                    if let Slot::Register(register) = *slot {
                        shared[register as usize] |= !written[register as usize];
                    }
                }
                if let Some(Slot::Register(register)) = instruction.writes() {
                    written[register as usize] = true;
                }
            }
        }
        let kept = code.kept.iter().map(|&(register, _)| register);
        // Others are read by the function that makes them, but for those made above the fold.
        let above = |source: &&FoldSource| {
            !code.fold.iter().any(|instruction| instruction.writes() == Some(source.value))
        };
        let above = code.sources.iter().filter(above).map(|source| source.value);
        let separate = separate.iter().map(|fold| fold.source.value);
        let sources = above.chain(separate).filter_map(|value| match value {
            Slot::Register(register) => Some(register),
            _ => None,
        });
        kept.chain(sources).for_each(|register| shared[register as usize] = true);
        Runs { target, in_memory: shared.clone(), shared }
    }

    /// Whether what a register holds is read after a run.
    pub fn is_live(&self, register: u16, rest: Rest<'_>) -> bool {
        let slot = Slot::Register(register);
        for instruction in rest.instructions {
            if instruction.reads().contains(&slot) {
                return true;
            }
            if instruction.writes() == Some(slot) {
                return false;
            }
        }
        self.shared[register as usize]
    }

    /// Notes a run that was compiled.
    pub fn compiled(&mut self, run: &[Instruction], rest: Rest<'_>) {
        let mut written: Vec<u16> = Vec::new();
        let mut read = |slot: Slot, written: &[u16]| {
            if let Slot::Register(register) = slot
                && !written.contains(&register)
            {
                self.in_memory[register as usize] = true;
            }
        };
        for instruction in run {
            instruction.reads().iter().for_each(|&slot| read(slot, &written));
            if let Some(Slot::Register(register)) = instruction.writes() {
                written.push(register);
            }
        }
        for register in written {
            self.in_memory[register as usize] |= self.is_live(register, rest);
        }
    }

    /// Notes an instruction that was not.
    pub fn interpreted(&mut self, instruction: &Instruction) {
        for slot in instruction.reads().iter().copied().chain(instruction.writes()) {
            if let Slot::Register(register) = slot {
                self.in_memory[register as usize] = true;
            }
        }
    }

    /// Whether any register is in memory.
    pub fn in_memory(&self) -> bool {
        self.in_memory.contains(&true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use darray_codegen::Primitive;
    use darray_core::RealType;
    use darray_kernel::operator::Operator;

    #[test]
    fn few_functions_are_one_run() {
        let length = |operators: &[Operator]| {
            let compute = |&operator: &Operator| Instruction::Compute {
                primitive: Primitive::Apply(operator),
                dtype: RealType::F64,
                args: [Slot::Register(0)].into_iter().collect(),
                uniform: 0,
                out: Slot::Register(1),
            };
            run_length(&operators.iter().map(compute).collect::<Vec<_>>(), &[])
        };
        assert_eq!(length(&[Operator::Abs; 300]), RUN_INSTRUCTIONS);
        for operator in [Operator::Exp, Operator::Sin, Operator::Erf] {
            let most = (RUN_COST / operator.cost()) as usize;
            assert!((4..20).contains(&most), "{operator}");
            assert_eq!(length(&[operator; 40]), most, "{operator}");
        }
        // What costs little comes along.
        let both = [[Operator::Sin; 4], [Operator::Neg; 4]].concat();
        assert_eq!(length(&both), 8);
    }
}
