//! Machine code for runs of instructions, x86-64 with AVX2 or AVX-512.
//!
//! ```text
//! [Instruction] --lower--> Body --legalise--> Body --allocate--> Allocated --emit--> bytes --> Native
//! ```
//!
//! What stands in block-sized registers between instructions stays in the processor's registers; only
//! memory operands and registers that others read are loaded and stored. Operators and functions are
//! those of the operator table, step by step, so the bits are those of the vector loops.

mod allocate;
mod call;
mod emit;
mod encode;
mod instruction;
mod lane;
mod legalise;
mod lower;
mod memory;
mod run;
mod target;
#[cfg(test)]
mod tests;

use allocate::Accumulators;
use darray_codegen::{Instruction, StrideClass};
use memory::Executable;
pub(crate) use run::{Folded, Place, Run};
pub(crate) use target::Target;

/// A compiled run of instructions.
pub(crate) struct Native {
    memory: Executable,
    start: usize,
}

/// The pointer table and the number of elements, see [`Native::run`].
type Function = unsafe extern "sysv64" fn(*const *mut u8, usize);

impl Native {
    /// Compiles a run; none where the system gives no memory for code.
    pub fn new(run: &Run<'_>, target: Target) -> Option<Native> {
        let mut nodes = lower::lower(run).used();
        if target == Target::Avx2 {
            nodes = legalise::legalise(&nodes);
        }
        let width = lane::width(&nodes, target.bytes());
        let mut groups = target.groups(&nodes);
        let mut abreast = groups;
        if nodes.iter().any(|node| matches!(node.op, lane::Op::Held(_))) {
            // A round of the loop takes an element for each accumulator.
            groups = (Folded::LANES / width) as u8;
            abreast = if abreast < lane::MOST_GROUPS { 2 } else { groups };
        }
        let all = lane::abreast(&nodes, groups, abreast.min(groups));
        let main = allocate::allocate(&all, width, target, Accumulators::InRegisters);
        let rest = allocate::allocate(&nodes, width, target, Accumulators::InMemory);
        let (bytes, start) = emit::emit(&main, groups, &rest, width, target);
        Some(Native { memory: Executable::new(&bytes)?, start })
    }

    /// Runs on `n` elements.
    ///
    /// # Safety
    /// This machine has the instructions of the target. `pointers` has an entry for every place of the run: uniform
    /// operands, accumulators and `n` elements of the others can be read there, results written.
    #[inline]
    pub unsafe fn run(&self, pointers: *const *mut u8, n: usize) {
        // SAFETY: the bytes at `start` are a function of this type.
        unsafe {
            let function: Function = std::mem::transmute(self.memory.at(self.start));
            function(pointers, n);
        }
    }
}

/// Whether an instruction can be part of a run. `classes` says how accesses move.
pub(crate) fn can_compile(
    instruction: &Instruction,
    classes: &[StrideClass],
    target: Target,
) -> bool {
    lower::can_lower(instruction, classes, target)
}
