//! Emission: from an operation of the program to a task of the window.

use crate::runtime::{Runtime, State};
use crate::store::Store;
use darray_core::{Map, Place, Scalar, Shape};
use darray_ir::{Privilege, StoreId, TaskArg, TaskOp};
use smallvec::SmallVec;
use std::sync::Arc;

/// An operation as the front end hands it over; see [`IndexTask`](darray_ir::IndexTask) for the
/// rules. The emitter has checked shapes, element types and preconditions P1 and P2.
pub struct Emission<'e> {
    /// What is computed.
    pub op: TaskOp,
    /// Its NumPy name.
    pub name: &'static str,
    /// The iteration domain.
    pub domain: &'e Shape,
    /// Outputs, then inputs; normalised maps.
    pub args: &'e [(&'e Arc<Store>, &'e Map, Privilege)],
    /// Run-time scalars, in operand order.
    pub scalars: &'e [Scalar],
    /// Where the user emitted it.
    pub place: Place,
}

impl Runtime {
    /// Appends a task to the window, and flushes the window if it is full. Nothing runs before that;
    /// what fails then is carried by the stores that the task writes.
    ///
    /// # Panics
    ///
    /// If a store belongs to another runtime, or ended with an earlier window for want of an owner.
    pub fn emit(&self, emission: Emission<'_>) {
        let mut state = self.lock();
        state.push(&emission);
        if state.window.tasks().len() >= state.policy.limit() {
            state.flush();
        }
    }
}

impl State {
    fn push(&mut self, emission: &Emission<'_>) {
        let domain = self.window.intern_domain(emission.domain);
        let mut args: SmallVec<[TaskArg; 4]> = SmallVec::new();
        for &(store, map, privilege) in emission.args {
            let map = self.window.intern_map(map);
            args.push(TaskArg { store: self.number(store), map, privilege });
            if privilege != Privilege::Read {
                store.set_initialised();
            }
        }
        let scalars = SmallVec::from_slice(emission.scalars);
        self.window.push(emission.op, emission.name, domain, args, scalars, emission.place);
    }

    /// The De Bruijn number of a store.
    #[inline]
    fn number(&mut self, store: &Arc<Store>) -> StoreId {
        if let Some(number) = store.slot(self.epoch) {
            return StoreId(number);
        }
        assert!(
            Arc::ptr_eq(&store.devices, &self.engine.devices),
            "a store is used by the runtime that made it"
        );
        assert!(!store.has_ended(), "a store is used while it has an owner");
        let id = self.window.add_store(store.dtype(), store.shape(), store.is_initialised());
        store.set_slot(self.epoch, id.0);
        self.stores.push(store.clone());
        id
    }
}
