//! What kernels became, for people and tools.

use crate::level::Level;
use darray_codegen::{Code, Layout};
use std::fmt;
use std::sync::Arc;

/// The code of one nest of a kernel for one layout.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The kernel's text.
    pub kernel: String,
    /// Number of the nest in the kernel.
    pub nest: usize,
    /// What the code was made for.
    pub layout: Layout,
    /// What the block interpreter runs, but for runs that became functions.
    pub code: Code,
    /// Runs of instructions that became machine code, in order.
    pub functions: Vec<Function>,
}

/// A function of machine code.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its instruction set.
    pub level: Level,
    /// Constants, and the code behind them.
    pub bytes: Vec<u8>,
    /// Where the code begins in the bytes.
    pub start: usize,
    /// What the bytes from a position on are for, in order.
    pub notes: Vec<(usize, String)>,
}

/// Who is told of every [`Listing`] when it is made. Called by threads that launch kernels.
///
/// ```
/// use darray_cpu::{CpuDevices, CpuOptions, Listener};
/// let listener = Listener::new(|listing| println!("{}", listing.code));
/// let options = CpuOptions { listener: Some(listener), ..CpuOptions::default() };
/// let devices = CpuDevices::new(1, options);
/// # drop(devices);
/// ```
#[derive(Clone)]
pub struct Listener(Arc<dyn Fn(&Listing) + Send + Sync>);

impl Listener {
    /// A function that is told.
    pub fn new(tell: impl Fn(&Listing) + Send + Sync + 'static) -> Listener {
        Listener(Arc::new(tell))
    }

    pub(crate) fn tell(&self, listing: &Listing) {
        (self.0)(listing);
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}
