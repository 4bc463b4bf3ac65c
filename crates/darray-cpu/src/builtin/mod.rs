//! Kernels that are not generated, by name.

use crate::level::Level;
use crate::memory::Located;
use crate::workers::Workers;
use darray_device::{Arg, Block, Fault};

/// A call of a builtin with its arguments checked.
pub(crate) struct Call {}

impl Call {
    /// Checks name and arguments.
    pub fn new(
        name: &'static str,
        _: &[Arg],
        _: impl Fn(Block) -> Result<Located, Fault>,
    ) -> Result<Call, Fault> {
        Err(Fault::Execution(format!("builtin {name} is unknown")))
    }

    /// Runs it.
    pub fn run(self, _: &Workers, _: Level) -> Result<(), Fault> {
        Ok(())
    }
}
