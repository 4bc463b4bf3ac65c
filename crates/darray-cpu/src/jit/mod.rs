//! Machine code for runs of instructions, x86-64 with AVX-512.
//!
//! ```text
//! [Instruction] --lower--> Body --allocate--> Allocated --emit--> bytes --> Native
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
mod lower;
mod memory;
#[cfg(test)]
mod tests;

use darray_codegen::{Instruction, Slot};
use memory::Executable;

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
        pointer: impl Fn(Slot) -> u16,
        is_live: impl Fn(u16) -> bool,
    ) -> Option<Native> {
        let body = lower::lower(run, pointer, is_live);
        let width = body.width();
        let nodes = body.used();
        let groups = groups(&nodes);
        let main = allocate::allocate(&lane::abreast(&nodes, groups), width);
        let rest = allocate::allocate(&nodes, width);
        let (bytes, start) = emit::emit(&main, groups, &rest, width);
        Some(Native { memory: Executable::new(&bytes)?, start })
    }

    /// Runs on `n` elements.
    ///
    /// # Safety
    /// This machine has AVX-512 F, BW, DQ and VL. `pointers` has an entry for every slot of the run: uniform
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

/// How many groups to work on side by side: short code is loops of few instructions, long code has chains of
/// operations that wait for each other.
fn groups(nodes: &[lane::Node]) -> u8 {
    match nodes.iter().filter(|node| !node.op.is_remade()).count() {
        0..=12 => lane::MOST_GROUPS,
        _ => 3,
    }
}

/// Whether an instruction can be part of a run.
pub(crate) fn can_compile(instruction: &Instruction) -> bool {
    lower::can_lower(instruction)
}
