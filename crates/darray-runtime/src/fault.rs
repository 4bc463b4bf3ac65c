//! Failures: which stores they poison, and what is tried first.

use crate::engine::Engine;
use crate::executor::Flush;
use crate::poison::Poison;
use crate::store::Store;
use darray_core::{DType, Error, ErrorKind, LiveArray, Place, Shape};
use darray_device::{Event, Fault};
use darray_ir::{IndexTask, StoreId, Window};
use smallvec::SmallVec;
use std::sync::Arc;

/// Why a step could not be carried out.
#[derive(Clone, Debug)]
pub(crate) enum StepFault {
    /// A device has no room, after eviction: [`ErrorKind::OutOfMemory`].
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
        (shape, dtype): (&Shape, DType),
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
                dtype,
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
                dtypes: origin.dtypes.to_vec(),
            },
        };
        Error::new(origin.operation, kind, origin.place)
    }
}

/// The task that an error names.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) operation: &'static str,
    pub(crate) place: Place,
    /// Of the task's arrays, outputs first.
    pub(crate) shapes: SmallVec<[Shape; 3]>,
    pub(crate) dtypes: SmallVec<[DType; 3]>,
}

impl Origin {
    pub(crate) fn new(window: &Window, task: &IndexTask) -> Origin {
        let (shapes, dtypes) = (SmallVec::new(), SmallVec::new());
        let mut origin = Origin { operation: task.name, place: task.place, shapes, dtypes };
        origin.begin_again(window, task);
        origin
    }

    /// Makes it the origin of another task, in the same memory.
    fn begin_again(&mut self, window: &Window, task: &IndexTask) {
        (self.operation, self.place) = (task.name, task.place);
        self.shapes.clear();
        self.dtypes.clear();
        for arg in &task.args {
            let store = window.store(arg.store);
            self.shapes.push(store.shape.clone());
            self.dtypes.push(store.dtype);
        }
    }
}

/// The task that is being carried out.
#[derive(Default)]
pub(crate) struct CurrentOrigin {
    /// Kept for its memory where it is not `set`.
    origin: Option<Origin>,
    set: bool,
    shared: Option<Arc<Origin>>,
}

impl From<Origin> for CurrentOrigin {
    fn from(origin: Origin) -> CurrentOrigin {
        CurrentOrigin { origin: Some(origin), set: true, shared: None }
    }
}

impl CurrentOrigin {
    /// Begins a task.
    pub(crate) fn set(&mut self, window: &Window, task: &IndexTask) {
        match &mut self.origin {
            Some(origin) => origin.begin_again(window, task),
            None => self.origin = Some(Origin::new(window, task)),
        }
        (self.set, self.shared) = (true, None);
    }

    /// Begins a task whose arrays are those of the origin that was kept of it, which is made where there is none. From
    /// another line of the program it is another one.
    pub(crate) fn share(
        &mut self,
        window: &Window,
        task: &IndexTask,
        kept: &mut Option<Arc<Origin>>,
    ) {
        let named =
            |origin: &Arc<Origin>| (origin.operation, origin.place) == (task.name, task.place);
        let origin = match kept.take().filter(named) {
            Some(origin) => origin,
            None => Arc::new(Origin::new(window, task)),
        };
        (self.set, self.shared) = (true, Some(origin.clone()));
        *kept = Some(origin);
    }

    /// No task is carried out.
    pub(crate) fn end(&mut self) {
        (self.set, self.shared) = (false, None);
    }

    /// The task, for work in flight.
    pub(crate) fn get(&mut self) -> Option<Arc<Origin>> {
        if !self.set {
            return None;
        }
        if self.shared.is_none() {
            self.shared = self.origin.as_ref().map(|origin| Arc::new(origin.clone()));
        }
        self.shared.clone()
    }
}

impl Engine {
    /// Names the task that failures of the following work belong to: the last of these.
    #[inline]
    pub(crate) fn set_origin(&mut self, flush: Flush<'_>, tasks: &[u32]) {
        // Work that fails at once is named by the caller.
        if self.devices.several_queues()
            && let Some(&task) = tasks.last()
        {
            self.origin.set(flush.window, &flush.window.tasks()[task as usize]);
        }
    }

    /// As [`set_origin`](Self::set_origin), for a task whose name and arrays are as they were when this was kept.
    #[inline]
    pub(crate) fn keep_origin(
        &mut self,
        flush: Flush<'_>,
        task: u32,
        kept: &mut Option<Arc<Origin>>,
    ) {
        if self.devices.several_queues() {
            self.origin.share(flush.window, &flush.window.tasks()[task as usize], kept);
        }
    }
}

/// The stores that these tasks write, each with the last task that writes it.
pub(crate) fn written(window: &Window, tasks: &[u32]) -> Vec<(StoreId, u32)> {
    let mut written: Vec<(StoreId, u32)> = Vec::new();
    for &number in tasks {
        let task = &window.tasks()[number as usize];
        for arg in &task.args[..task.outputs()] {
            match written.iter_mut().find(|(store, _)| *store == arg.store) {
                Some((_, last)) => *last = number,
                None => written.push((arg.store, number)),
            }
        }
    }
    written
}

/// The first failure among the stores that these tasks use.
pub(crate) fn inherited<'s>(
    window: &Window,
    stores: &'s [Arc<Store>],
    tasks: &[u32],
) -> Option<&'s Error> {
    let args = tasks.iter().flat_map(|&t| &window.tasks()[t as usize].args);
    args.into_iter().find_map(|arg| stores[arg.store.0 as usize].error())
}

/// Work whose event was not reached when it was submitted.
pub(crate) struct Pending {
    pub(crate) event: Event,
    pub(crate) origin: Arc<Origin>,
    pub(crate) outputs: SmallVec<[Arc<Poison>; 2]>,
    pub(crate) inputs: SmallVec<[Arc<Poison>; 4]>,
}
