//! Emission: from an operation of the program to a task of the window.

use crate::engine::Version;
use crate::runtime::{Runtime, State};
use crate::stores::{CurrentStore, Store, StoreOwner};
use darray_core::{Error, Map, Place, RealType, Result, Scalar, Shape};
use darray_device::TaskDefinition;
use darray_ir::{Privilege, StoreId, TaskArg, TaskArgs, TaskOp};
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
    pub args: &'e [(StoreRef<'e>, &'e Map, Privilege)],
    /// Run-time scalars, in operand order.
    pub scalars: &'e [Scalar],
    /// Where the user emitted it.
    pub place: Place,
}

/// A store that an operation names.
#[derive(Clone, Copy, Debug)]
pub enum StoreRef<'e> {
    /// This one.
    Store(&'e Arc<Store>),
    /// The one that a variable holds when the task is recorded.
    Current(&'e CurrentStore),
    /// A new one of this element type and shape, which the task writes.
    New(RealType, &'e Shape),
    /// A new version of what a variable holds, all of which the task writes. The variable holds it as soon as the task
    /// is recorded, so that the version before can end with the task, whenever that is carried out.
    Next(&'e CurrentStore),
}

impl<'e> From<&'e Arc<Store>> for StoreRef<'e> {
    fn from(store: &'e Arc<Store>) -> StoreRef<'e> {
        StoreRef::Store(store)
    }
}

/// The owners of the stores that an emission made, in the order of its arguments.
pub type NewStores = SmallVec<[StoreOwner; 1]>;

impl Runtime {
    /// Appends a task to the window, and flushes the window if it is full. Nothing runs before that;
    /// what fails then is carried by the stores that the task writes. Gives the stores that it made.
    ///
    /// # Panics
    ///
    /// If a store belongs to another runtime, or ended with an earlier window for want of an owner.
    pub fn emit(&self, emission: Emission<'_>) -> NewStores {
        self.record(&emission, None)
    }

    /// As [`emit`](Self::emit), for an opaque task; which of the window's definitions its operation names is
    /// found out here. Of P1 the emitter has made sure more: no array that is written shares an element
    /// with any other.
    pub fn emit_task(&self, task: &Arc<TaskDefinition>, emission: Emission<'_>) -> NewStores {
        self.record(&emission, Some(task))
    }

    /// As [`emit`](Self::emit), or [`emit_task`](Self::emit_task) for an opaque task; runs it and waits for it.
    ///
    /// # Errors
    ///
    /// The failure that what it writes carries then, whatever else has failed. `sync` does not give it again.
    pub fn emit_and_wait(
        &self,
        emission: &Emission<'_>,
        task: Option<&Arc<TaskDefinition>>,
    ) -> Result<NewStores> {
        let mut state = self.lock();
        let made = state.record(emission, task);
        let written: SmallVec<[Arc<Store>; 1]> = match state.window.tasks().last() {
            Some(task) => {
                let written = task.args.iter().filter(|arg| arg.privilege != Privilege::Read);
                written.map(|arg| state.stores[arg.store.0 as usize].clone()).collect()
            }
            None => SmallVec::new(),
        };
        let mut state = self.carry_out(state);
        let Some(error) = written.iter().find_map(|store| store.error()) else { return Ok(made) };
        let is_it = |first: &mut Error| first.to_string() == error.to_string();
        state.engine.first_error.take_if(is_it);
        written.iter().for_each(|store| state.restore(store));
        Err(error.clone())
    }

    fn record(&self, emission: &Emission<'_>, task: Option<&Arc<TaskDefinition>>) -> NewStores {
        let mut state = self.lock();
        // Not as soon as it is full: what the last operation alone has used is gone by now.
        if state.is_full() {
            state.flush();
        }
        state.record(emission, task)
    }
}

impl State {
    fn record(&mut self, emission: &Emission<'_>, task: Option<&Arc<TaskDefinition>>) -> NewStores {
        if task.is_some_and(|task| self.has_too_many_definitions(task)) {
            self.flush();
        }
        self.push(emission, task)
    }

    fn push(&mut self, emission: &Emission<'_>, task: Option<&Arc<TaskDefinition>>) -> NewStores {
        let mut made = NewStores::new();
        let domain = self.window.intern_domain(emission.domain);
        let mut args = TaskArgs::new();
        // Variables that hold what the task makes from then on, and which of that it is.
        let mut held: SmallVec<[(&CurrentStore, usize, StoreId); 1]> = SmallVec::new();
        for &(store, map, privilege) in emission.args {
            let map = self.window.intern_map(map);
            let store = match store {
                StoreRef::Store(store) => self.number(store),
                StoreRef::Current(current) => {
                    current.number(self.slots, |store| self.number(store))
                }
                StoreRef::New(dtype, shape) => self.make(dtype, shape, &mut made),
                StoreRef::Next(current) => {
                    let before = current.get();
                    let number = self.make(before.store().dtype(), before.shape(), &mut made);
                    if let Some(replaced) = self.known_number(before.store()) {
                        self.window.set_replaced(replaced);
                    }
                    held.push((current, made.len() - 1, number));
                    number
                }
            };
            args.push(TaskArg { store, map, privilege });
            if privilege != Privilege::Read {
                self.stores[store.0 as usize].set_initialised();
            }
        }
        let scalars = SmallVec::from_slice(emission.scalars);
        let mut op = emission.op;
        if let (TaskOp::Opaque(opaque), Some(task)) = (&mut op, task) {
            opaque.definition = self.definition(task);
        }
        self.window.push(op, emission.name, domain, args, scalars, emission.place);
        let task = self.window.tasks().len() as u32 - 1;
        for (current, at, number) in held {
            let before = current.replace(made[at].clone()).store().clone();
            self.versions.push(Version { task, made: number, before, number: None });
        }
        made
    }

    /// The number of a new store, which is made.
    fn make(&mut self, dtype: RealType, shape: &Shape, made: &mut NewStores) -> StoreId {
        let owner = self.new_owner(dtype, shape);
        let number = self.add(owner.store());
        made.push(owner);
        number
    }

    /// The number of a definition in the window.
    fn definition(&mut self, task: &Arc<TaskDefinition>) -> u8 {
        let known = self.definitions.iter().rposition(|known| Arc::ptr_eq(known, task));
        let number = known.unwrap_or_else(|| {
            self.definitions.push(task.clone());
            self.definitions.len() - 1
        });
        number as u8
    }

    /// Whether the window has no number left for this definition.
    fn has_too_many_definitions(&self, task: &Arc<TaskDefinition>) -> bool {
        self.definitions.len() > usize::from(u8::MAX)
            && !self.definitions.iter().any(|known| Arc::ptr_eq(known, task))
    }

    /// The De Bruijn number of a store.
    #[inline]
    fn number(&mut self, store: &Arc<Store>) -> StoreId {
        if let Some(id) = self.known_number(store) {
            return id;
        }
        assert!(
            Arc::ptr_eq(&store.devices, &self.engine.devices),
            "a store is used by the runtime that made it"
        );
        assert!(!store.has_ended(), "a store is used while it has an owner");
        self.add(store)
    }

    /// The De Bruijn number of a store that a task of the window uses.
    #[inline]
    fn known_number(&self, store: &Arc<Store>) -> Option<StoreId> {
        // Two runtimes may have got equally far: the number is that of this store or of none.
        let is_it = |id: &StoreId| {
            self.stores.get(id.0 as usize).is_some_and(|known| Arc::ptr_eq(known, store))
        };
        self.slots.number(store.slot()).filter(is_it)
    }

    fn add(&mut self, store: &Arc<Store>) -> StoreId {
        let id = self.window.add_store(store.dtype(), store.shape(), store.is_initialised());
        store.set_slot(self.slots.of(id));
        self.stores.push(store.clone());
        id
    }
}
