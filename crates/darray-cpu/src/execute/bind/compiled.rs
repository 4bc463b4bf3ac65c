//! A kernel as one device keeps it.

use super::super::code::Codes;
use super::bindings::Bindings;
use crate::jit::Target;
use crate::level::Level;
use crate::listing::Listener;
use darray_codegen::Program;
use darray_device::{Fault, NativeStats};
use darray_kernel::ir::Kernel;
use std::sync::{Arc, Mutex, OnceLock};

/// A compiled kernel.
pub(crate) struct Compiled {
    pub(in super::super) codes: Codes,
    /// What was bound last, of each nest.
    pub(in super::super) bindings: Vec<Bindings>,
    /// The kernel, if it is one by rows, as one that is not; made where its nests had better run one after the other.
    apart: OnceLock<Box<Compiled>>,
}

impl Compiled {
    /// Compiles a verified kernel.
    ///
    /// `native` counts nests as they get their code, and `listener` is told.
    pub fn new(
        kernel: &Kernel,
        level: Level,
        target: Option<Target>,
        native: Arc<Mutex<NativeStats>>,
        listener: Option<&Listener>,
    ) -> Result<Compiled, Fault> {
        Ok(Compiled::of(Codes::new(kernel, level, target, native, listener)?))
    }

    fn of(codes: Codes) -> Compiled {
        let bindings = codes.nests.iter().map(|_| Bindings::default()).collect();
        Compiled { codes, bindings, apart: OnceLock::new() }
    }

    /// What it runs.
    pub fn program(&self) -> &Program {
        &self.codes.program
    }

    /// The kernel with nests that nothing of holds for being by rows.
    pub(in super::super) fn apart(&self) -> &Compiled {
        self.apart.get_or_init(|| Box::new(Compiled::of(self.codes.apart())))
    }
}
