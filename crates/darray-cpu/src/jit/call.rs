//! Calls of the loops of the table from machine code, for what is rare and long.

use crate::vector::{Compute, find_compute};
use darray_codegen::Primitive;
use darray_core::RealType;
use darray_kernel::operator::Operator;

/// Bytes of an operand, and of the result behind the operands.
pub(super) const SLOT: i32 = 64;
/// Operands at most.
pub(super) const OPERANDS: i32 = 2;

/// The address of [`apply`], and of the loop for an operator and the type of its last operand.
pub(super) fn addresses(operator: Operator, dtype: RealType) -> [u64; 2] {
    let run = find_compute(Primitive::Apply(operator), dtype);
    let run = run.unwrap_or_else(|| unreachable!("{operator} of {dtype} is in the table"));
    [apply as *const () as u64, run as *const () as u64]
}

macro_rules! define_apply {
    ($convention:literal) => {
        /// Applies a loop to the `n` elements of each operand in `area`; the results go behind them.
        ///
        /// # Safety
        /// `run` is a [`Compute`]; `area` has a slot for each operand and for the
        /// result, of up to [`SLOT`] bytes.
        unsafe extern $convention fn apply(run: usize, area: *mut u8, n: usize) {
            // SAFETY: the caller's contract.
            unsafe {
                let run: Compute = std::mem::transmute(run);
                let slot = |k: i32| area.add((SLOT * k) as usize);
                let operands = [0, 1, 1, 1].map(|k| slot(k).cast_const());
                run(operands, 0, slot(OPERANDS), n);
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
define_apply! { "sysv64" }
// Nothing calls it: no code is made for other processors.
#[cfg(not(target_arch = "x86_64"))]
define_apply! { "C" }
