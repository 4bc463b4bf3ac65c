//! Random kernels with arguments, and their runs on devices, for differential tests of executors.
//!
//! Every case is verified, in bounds and free of conflicts, so the interpreter runs it. Cases cover
//! top-level operations, `for`, `fold` and `for { fold }`, all element types, operators and reducers,
//! broadcast and permuted accesses, steps of both signs, shifts, strided and reversed arrays, masked
//! and in-place stores (through one buffer or two), stores inside folds, tiles of larger domains, empty axes, random numbers,
//! NaNs, infinities, signed zeros and denormals.
//!
//! ```
//! use darray_interpreter::interpret;
//! use darray_differential::{Options, first_difference, random_kernel};
//!
//! let case = random_kernel(17, &Options::default());
//! let (mut once, mut again) = (case.memory.clone(), case.memory.clone());
//! interpret(&case.kernel, &case.launch, &mut once).unwrap();
//! interpret(&case.kernel, &case.launch, &mut again).unwrap();
//! assert_eq!(first_difference(&once, &again), None);
//! ```

mod arrays;
mod dice;
mod generator;
mod on_device;
#[cfg(test)]
mod tests;

pub use dice::Dice;
pub use on_device::{run, to_bytes, to_scalars};

use darray_core::Scalar;
use darray_interpreter::Launch;
use darray_kernel::ir::Kernel;

/// Sizes and kinds of the cases.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Most indices of a tile along one axis; one axis in eight gets that many, others fewer.
    pub longest: usize,
    /// Most iterations of one loop nest.
    pub iterations: usize,
    /// Most operations per region, beside loads and stores.
    pub operations: usize,
    /// Whether results of folds over whole domains are used by further operations.
    pub fold_results: bool,
}

impl Default for Options {
    /// Up to 300 indices and 2,000 iterations, 8 operations.
    fn default() -> Options {
        Options { longest: 300, iterations: 2000, operations: 8, fold_results: true }
    }
}

/// A kernel with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// A verified kernel.
    pub kernel: Kernel,
    /// Arguments in bounds of the memory. A buffer lies in an array of its own unless its
    /// `no_alias` is unset: then it lies exactly where another one does.
    pub launch: Launch,
    /// The arrays before the run.
    pub memory: Vec<Vec<Scalar>>,
}

/// The case of a seed: always the same one.
pub fn random_kernel(seed: u64, options: &Options) -> Case {
    generator::Generator::new(seed, options).case()
}

/// Whether two scalars have the same type and bits, all NaNs counting as equal.
pub fn same(a: Scalar, b: Scalar) -> bool {
    let nan = |s: Scalar| s.dtype().is_float() && s.to_f64().is_nan();
    a == b || (a.dtype() == b.dtype() && nan(a) && nan(b))
}

/// The first element (array, element, left, right) in which two memories differ; all NaNs count as
/// equal.
pub fn first_difference(
    left: &[Vec<Scalar>],
    right: &[Vec<Scalar>],
) -> Option<(usize, usize, Scalar, Scalar)> {
    assert_eq!(left.len(), right.len(), "memories have as many arrays");
    for (array, (l, r)) in left.iter().zip(right).enumerate() {
        assert_eq!(l.len(), r.len(), "array {array} has as many elements");
        let differs = l.iter().zip(r).position(|(l, r)| !same(*l, *r));
        if let Some(element) = differs {
            return Some((array, element, l[element], r[element]));
        }
    }
    None
}
