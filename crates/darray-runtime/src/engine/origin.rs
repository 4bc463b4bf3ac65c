//! The tasks that errors name.

use darray_core::{Place, RealType, Shape};
use darray_ir::{IndexTask, Window};
use smallvec::SmallVec;
use std::sync::Arc;

/// The task that an error names.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) operation: &'static str,
    pub(crate) place: Place,
    /// Of the task's arrays, outputs first.
    pub(crate) shapes: SmallVec<[Shape; 3]>,
    pub(crate) dtypes: SmallVec<[RealType; 3]>,
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
