//! The programs of crates/darray/examples/ as workloads that the command line and the tests run: inputs, iterations,
//! variants and results.
//!
//! A program's array code is in crates/darray/examples/ and nowhere else; what is added here is where it starts, what
//! one iteration is, the number that it comes to, by arrays and by plain loops, and how else it could have
//! been written.
//!
//! ```
//! use darray_programs::{Program, Variant, Visitor, Workload};
//!
//! struct Run;
//! impl Visitor for Run {
//!     type Output = darray::Result<Vec<f64>>;
//!     fn visit<W: Workload>(self, workload: W) -> Self::Output {
//!         let mut state = workload.prepare();
//!         workload.iterate(&mut state, Variant::Original);
//!         workload.checksum(&state)
//!     }
//! }
//! let program = Program::named("stencil").unwrap();
//! // One cell within three warm and five cold ones.
//! let sum = program.visit::<f64, _>(1, Run).unwrap()[0];
//! let cell = 0.2 * (40.0 - 3.0 * 273.15);
//! assert!((sum - (3.0 * 40.0 - 5.0 * 273.15 + cell)).abs() < 1e-9);
//! ```

mod examples;
mod oracles;
mod program;
mod steps;
pub mod task_bench;
mod workload;
mod workloads;

pub use examples::*;
pub use program::Program;
pub use workload::{Variant, Visitor, Workload};
