//! What streams and graphs are given to do: kernels and copies.

use crate::device::state::logical::Logical;
use crate::driver::{Copy, End, Executable, Function, Graph, Grid, Kernel, Parameters, Stream};
use crate::driver::{copy, download_to, upload_from};
use crate::error::CudaError;
use std::hash::{Hash, Hasher};

/// A kernel or a copy with its arguments.
#[derive(Clone)]
pub(in crate::device) enum Operation {
    /// A kernel.
    Kernel { function: Function, grid: Grid, parameters: Kept },
    /// A copy of contiguous bytes.
    Copy { to: Place, from: Place, bytes: usize },
}

/// What a kernel is called with, for later.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(in crate::device) enum Kept {
    /// One structure of these bytes.
    One(Box<[u8]>),
    /// Any number, each in the first bytes of a word.
    Words(Box<[u64]>),
}

/// One end of a copy, and whose memory it is: a GPU's, or the host's.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::device) struct Place {
    pub end: End,
    pub gpu: Option<usize>,
}

impl Place {
    /// Memory of a device.
    pub fn device(address: u64, device: &Logical) -> Place {
        Place { end: End::Device(address), gpu: Some(device.context().card.ordinal) }
    }

    /// Pinned memory.
    pub fn host(pointer: *mut u8) -> Place {
        Place { end: End::Host(pointer), gpu: None }
    }
}

impl Operation {
    /// Queues it.
    ///
    /// # Safety
    /// The parameters are what the kernel expects; every address is valid when it runs.
    pub unsafe fn queue(&self, stream: &Stream) -> Result<(), CudaError> {
        match self {
            Operation::Kernel { function, grid, parameters } => {
                // SAFETY: the caller's contract.
                unsafe { function.launch(*grid, stream, parameters.borrowed()) }
            }
            &Operation::Copy { to, from, bytes } => match (to.end, from.end) {
                (End::Device(to), End::Device(from)) => copy(to, from, bytes, stream),
                // SAFETY: the caller's contract.
                (End::Device(to), End::Host(from)) => unsafe {
                    upload_from(to, from, bytes, stream)
                },
                // SAFETY: the caller's contract.
                (End::Host(to), End::Device(from)) => unsafe {
                    download_to(to, from, bytes, stream)
                },
                (End::Host(_), End::Host(_)) => {
                    Err(CudaError::Unsupported("copies from host to host".to_string()))
                }
            },
        }
    }

    /// Adds it to a graph, behind other nodes.
    ///
    /// # Safety
    /// As for [`queue`](Self::queue), at every launch of the graph.
    pub unsafe fn add(
        &self,
        graph: &mut Graph,
        after: &[u32],
        device: &Logical,
    ) -> Result<(), CudaError> {
        // SAFETY: the caller's contract.
        self.parts(device, |part| unsafe {
            match part {
                Part::Kernel(kernel) => graph.add_kernel(after, kernel),
                Part::Copy(copy) => graph.add_copy(after, copy),
            }
        })
    }

    /// Puts its arguments in the place of those of a node of the same form.
    ///
    /// # Safety
    /// As for [`add`](Self::add).
    pub unsafe fn set(
        &self,
        executable: &mut Executable,
        node: usize,
        device: &Logical,
    ) -> Result<(), CudaError> {
        // SAFETY: the caller's contract.
        self.parts(device, |part| unsafe {
            match part {
                Part::Kernel(kernel) => executable.set_kernel(node, kernel),
                Part::Copy(copy) => executable.set_copy(node, copy),
            }
        })
    }

    /// Whether a node with one of them can be given the other's arguments.
    pub fn has_form_of(&self, other: &Operation) -> bool {
        match (self, other) {
            (Operation::Kernel { function, .. }, Operation::Kernel { function: other, .. }) => {
                function.is(other)
            }
            (
                Operation::Copy { to, from, .. },
                Operation::Copy { to: other_to, from: other, .. },
            ) => (to.gpu, from.gpu) == (other_to.gpu, other.gpu),
            _ => false,
        }
    }

    /// Whether two of the same form have the same arguments.
    pub fn has_arguments_of(&self, other: &Operation) -> bool {
        self.arguments() == other.arguments()
    }

    /// Everything but the form.
    fn arguments(&self) -> (Option<(&Grid, &Kept)>, [u64; 3]) {
        let number = |place: &Place| match place.end {
            End::Device(address) => address,
            End::Host(pointer) => pointer as u64,
        };
        match self {
            Operation::Kernel { grid, parameters, .. } => (Some((grid, parameters)), [0; 3]),
            Operation::Copy { to, from, bytes } => {
                (None, [number(to), number(from), *bytes as u64])
            }
        }
    }

    fn parts<R>(&self, device: &Logical, f: impl FnOnce(Part<'_>) -> R) -> R {
        match self {
            Operation::Kernel { function, grid, parameters } => {
                let (grid, parameters) = (*grid, parameters.borrowed());
                f(Part::Kernel(&Kernel { function, grid, parameters }))
            }
            Operation::Copy { to, from, bytes } => {
                let (to, from, bytes) = (to.end, from.end, *bytes);
                f(Part::Copy(&Copy { to, from, bytes, context: device.context() }))
            }
        }
    }
}

impl From<Parameters<'_>> for Kept {
    fn from(parameters: Parameters<'_>) -> Kept {
        match parameters {
            Parameters::One(bytes) => Kept::One(bytes.into()),
            Parameters::Words(words) => Kept::Words(words.into()),
        }
    }
}

impl Kept {
    fn borrowed(&self) -> Parameters<'_> {
        match self {
            Kept::One(bytes) => Parameters::One(bytes),
            Kept::Words(words) => Parameters::Words(words),
        }
    }
}

/// An operation as a graph knows it.
enum Part<'p> {
    Kernel(&'p Kernel<'p>),
    Copy(&'p Copy<'p>),
}

impl Hash for Operation {
    /// Of the arguments.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.arguments().hash(state);
    }
}
