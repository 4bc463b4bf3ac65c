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

/// How a nest of a kernel goes through memory in a launch.
#[derive(Clone, Debug)]
pub struct ScheduleListing {
    /// The kernel's text.
    pub kernel: String,
    /// Number of the nest in the kernel.
    pub nest: usize,
    /// The loops, what vectors go along, and how accesses are read and written: access k of the nest is `a<k>`.
    pub schedule: String,
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
pub struct Listener {
    code: Told<Listing>,
    schedules: Option<Told<ScheduleListing>>,
}

/// A function that is told of something.
type Told<T> = Arc<dyn Fn(&T) + Send + Sync>;

impl Listener {
    /// A function that is told.
    pub fn new(tell: impl Fn(&Listing) + Send + Sync + 'static) -> Listener {
        Listener { code: Arc::new(tell), schedules: None }
    }

    /// With a function that is told of each nest of a launch, when strides and extents are new.
    ///
    /// ```
    /// use darray_cpu::Listener;
    /// let listener = Listener::new(|_| ()).with_schedules(|told| println!("{}", told.schedule));
    /// ```
    pub fn with_schedules(
        self,
        tell: impl Fn(&ScheduleListing) + Send + Sync + 'static,
    ) -> Listener {
        Listener { schedules: Some(Arc::new(tell)), ..self }
    }

    pub(crate) fn tell(&self, listing: &Listing) {
        (self.code)(listing);
    }

    /// Tells of a nest of a kernel, if anybody wants to know.
    pub(crate) fn tell_schedule(&self, kernel: &str, nest: usize, schedule: impl fmt::Display) {
        if let Some(tell) = &self.schedules {
            let (kernel, schedule) = (kernel.to_string(), schedule.to_string());
            tell(&ScheduleListing { kernel, nest, schedule });
        }
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}
