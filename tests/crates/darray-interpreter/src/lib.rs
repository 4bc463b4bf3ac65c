//! The reference interpreter: what a kernel means, one element at a time.
//!
//! It follows the IR literally and shares with the executors only the scalar functions of the
//! operator table, the walk of the reduction tree and the random stream. Every executor is tested
//! against it. It also checks what the verifier cannot see without sizes: bounds, tiles cut at
//! blocks, and that loop iterations are independent (no element is written by one iteration and
//! touched by another).

mod conflicts;
mod launch;
mod machine;
#[cfg(test)]
mod tests;

pub use launch::{BufferArg, InterpretError, Launch};

use darray_core::Scalar;
use darray_kernel::ir::Kernel;
use darray_kernel::verify::verify;

/// Runs a kernel for one point. `memory` holds the arrays that `launch` refers to, as elements.
///
/// Gives what was written, in order: the number of the array and the element.
///
/// ```
/// use darray_core::Scalar;
/// use darray_interpreter::{BufferArg, Launch, interpret};
/// use darray_kernel::ir::Kernel;
///
/// let kernel = Kernel::parse(
///     "kernel params=3 scalars=[] b0: f64 rank 1 read b1: f64 rank 1 write {
///        for (i0: extent=p0 origin=p1 global=p0 logical=0) {
///          %0 = load b0[p1 + 1*i0]
///          %1 = mul.f64 %0 %0
///          store b1[p1 + 1*i0] %1
///        }
///      }",
/// )
/// .unwrap();
/// let elements = |v: &[f64]| v.iter().copied().map(Scalar::from).collect::<Vec<_>>();
/// let mut memory = [elements(&[1.0, 2.0, 3.0]), elements(&[0.0; 3])];
/// let launch = Launch {
///     // The first array backwards.
///     buffers: vec![BufferArg::new(0, 2, [-1]), BufferArg::new(1, 0, [1])],
///     params: vec![3, 0, 0],
///     scalars: vec![],
/// };
/// let written = interpret(&kernel, &launch, &mut memory).unwrap();
/// assert_eq!(memory[1], elements(&[9.0, 4.0, 1.0]));
/// assert_eq!(written, [(1, 0), (1, 1), (1, 2)]);
/// ```
pub fn interpret(
    kernel: &Kernel,
    launch: &Launch,
    memory: &mut [Vec<Scalar>],
) -> Result<Vec<(usize, usize)>, InterpretError> {
    let types = verify(kernel).map_err(InterpretError::Verify)?;
    launch.check(kernel, memory)?;
    machine::Machine::new(kernel, launch, memory, types).run()
}
