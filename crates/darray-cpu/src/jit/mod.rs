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
mod emit;
mod encode;
mod instruction;
mod lane;
mod legalise;
mod lower;
mod memory;
mod target;
#[cfg(test)]
mod tests;

use darray_codegen::{Instruction, Slot};
use memory::Executable;
pub(crate) use target::Target;

/// A compiled run of instructions.
pub(crate) struct Native {
    memory: Executable,
    start: usize,
}

/// The pointer table and the number of elements, see [`Native::run`].
type Function = unsafe extern "sysv64" fn(*const *mut u8, usize);

impl Native {
    /// Compiles a run of instructions; none where the system gives no memory for code.
    ///
    /// `pointer` is the position of a slot in the pointer table; registers that `is_live` after the run are
    /// stored, others are not.
    pub fn new(
        run: &[Instruction],
        target: Target,
        pointer: impl Fn(Slot) -> u16,
        is_live: impl Fn(u16) -> bool,
    ) -> Option<Native> {
        let mut nodes = lower::lower(run, pointer, is_live).used();
        if target == Target::Avx2 {
            nodes = legalise::legalise(&nodes);
        }
        let width = lane::width(&nodes, target.bytes());
        let groups = target.groups(&nodes);
        let main = allocate::allocate(&lane::abreast(&nodes, groups), width, target);
        let rest = allocate::allocate(&nodes, width, target);
        let (bytes, start) = emit::emit(&main, groups, &rest, width, target);
        Some(Native { memory: Executable::new(&bytes)?, start })
    }

    /// Runs on `n` elements.
    ///
    /// # Safety
    /// This machine has the instructions of the target. `pointers` has an entry for every slot of the run: uniform
    /// operands and `n` elements of the others can be read there, results written.
    #[inline]
    pub unsafe fn run(&self, pointers: *const *mut u8, n: usize) {
        // SAFETY: the bytes at `start` are a function of this type.
        unsafe {
            let function: Function = std::mem::transmute(self.memory.at(self.start));
            function(pointers, n);
        }
    }
}

/// Whether an instruction can be part of a run.
pub(crate) fn can_compile(instruction: &Instruction) -> bool {
    lower::can_lower(instruction)
}
