//! Which instructions of a nest are compiled together, and which registers are in memory.

use crate::jit::can_compile;
use darray_codegen::{Code, Instruction, Slot};

/// Fewer instructions than this are loops of their own already.
pub(super) const LEAST_RUN: usize = 2;

/// How many instructions from the front can be one run.
///
/// A run goes through its elements in groups, so a register that it reads from memory is not written by
/// it: elements of another size would lie over those of the groups to come.
pub(super) fn run_length(list: &[Instruction]) -> usize {
    let (mut read, mut written) = (Vec::new(), Vec::new());
    let fits = |instruction: &&Instruction| {
        for slot in instruction.reads() {
            if matches!(slot, Slot::Register(_)) && !written.contains(&slot) {
                read.push(slot);
            }
        }
        let out = instruction.writes();
        written.extend(out);
        can_compile(instruction) && !out.is_some_and(|out| read.contains(&out))
    };
    list.iter().take_while(fits).count()
}

/// What is known of the registers of a nest.
pub(super) struct Runs {
    /// Registers that another list than the one that writes them may read.
    shared: Vec<bool>,
    /// Registers that something reads or writes in memory.
    in_memory: Vec<bool>,
}

impl Runs {
    pub fn new(code: &Code) -> Runs {
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
                for slot in instruction.reads() {
                    if let Slot::Register(register) = slot {
                        shared[register as usize] |= !written[register as usize];
                    }
                }
                if let Some(Slot::Register(register)) = instruction.writes() {
                    written[register as usize] = true;
                }
            }
        }
        let kept = code.kept.iter().map(|&(register, _)| register);
        let sources = code.sources.iter().filter_map(|source| match source.value {
            Slot::Register(register) => Some(register),
            _ => None,
        });
        kept.chain(sources).for_each(|register| shared[register as usize] = true);
        Runs { in_memory: shared.clone(), shared }
    }

    /// Whether what a register holds is read after a run, `rest` being what follows in its list.
    pub fn is_live(&self, register: u16, rest: &[Instruction]) -> bool {
        for instruction in rest {
            if instruction.reads().contains(&Slot::Register(register)) {
                return true;
            }
            if instruction.writes() == Some(Slot::Register(register)) {
                return false;
            }
        }
        self.shared[register as usize]
    }

    /// Notes a run that was compiled.
    pub fn compiled(&mut self, run: &[Instruction], rest: &[Instruction]) {
        let mut written: Vec<u16> = Vec::new();
        for instruction in run {
            for slot in instruction.reads() {
                if let Slot::Register(register) = slot
                    && !written.contains(&register)
                {
                    self.in_memory[register as usize] = true;
                }
            }
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
        for slot in instruction.reads().into_iter().chain(instruction.writes()) {
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
