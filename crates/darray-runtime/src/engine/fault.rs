//! Why steps fail.

use crate::engine::Origin;
use darray_core::{Error, ErrorKind, LiveArray, RealType, Shape};
use darray_device::Fault;

/// Why a step could not be carried out.
#[derive(Clone, Debug)]
pub(crate) enum StepFault {
    /// A device has no space, after eviction: [`ErrorKind::OutOfMemory`].
    Memory(Box<ErrorKind>),
    /// A device cannot compile the kernel.
    Compile(String),
    /// A command failed when it was submitted or while it ran.
    Execution(String),
}

impl StepFault {
    /// From a device's fault about memory for an array of this shape and type, beside these.
    pub(crate) fn new(
        fault: Fault,
        device: &str,
        (shape, dtype): (&Shape, RealType),
        live: Vec<LiveArray>,
    ) -> StepFault {
        let memory = |requested, in_use, limit, addresses| {
            let (device, shape) = (device.to_string(), shape.clone());
            StepFault::Memory(Box::new(ErrorKind::OutOfMemory {
                device,
                requested,
                in_use,
                limit,
                addresses,
                shape,
                dtype: dtype.into(),
                live,
            }))
        };
        match fault {
            Fault::OutOfMemory { requested, in_use, limit } => {
                memory(requested, in_use, limit, false)
            }
            Fault::OutOfAddresses { requested, in_use, reserved } => {
                memory(requested, in_use, reserved, true)
            }
            Fault::Compile(message) => StepFault::Compile(message),
            Fault::Execution(message) => StepFault::Execution(message),
        }
    }

    /// Whether the step has changed nothing, so that its tasks may be tried one by one.
    pub(crate) fn can_retry(&self) -> bool {
        !matches!(self, StepFault::Execution(_))
    }

    /// The error of a task for this fault.
    pub(crate) fn error(&self, origin: &Origin) -> Error {
        let kind = match self {
            StepFault::Memory(kind) => (**kind).clone(),
            StepFault::Compile(message) | StepFault::Execution(message) => ErrorKind::Execution {
                message: message.clone(),
                shapes: origin.shapes.to_vec(),
                dtypes: origin.dtypes.iter().map(|&dtype| dtype.into()).collect(),
            },
        };
        Error::new(origin.operation, kind, origin.place)
    }
}
