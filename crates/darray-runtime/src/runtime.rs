//! The runtime's handle and what it holds.
//!
//! What it does: `emission` (an operation becomes a task), `flush` (a window becomes a plan, which is carried out), `kept_calls`, `read`,
//! `restore` (what variables hold after a failed update), `import`, `capture`.

mod capture;
mod emission;
mod flush;
mod import;
mod kept_calls;
mod read;
mod restore;

use capture::Capture;
pub use capture::{Capturing, FlushedWindow};
pub use emission::{Emission, NewStores, StoreRef};
use flush::is_executing;
pub use import::Import;
use kept_calls::KeptCalls;

use crate::devices::{DeviceSet, Mapper};
use crate::engine::{Engine, Version};
use crate::options::RuntimeOptions;
use crate::prepared::PreparedPlan;
use crate::stats::Stats;
use crate::stores::{Slots, Store, StoreOwner};
use crate::window::WindowPolicy;
use darray_core::{RealType, Result, Shape};
use darray_device::{Device, DeviceStats, TaskDefinition};
use darray_fusion::memo::Memo;
use darray_fusion::plan::{Level, PlanOptions, Rule};
use darray_ir::Window;
use hashbrown::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// A runtime: it buffers the tasks of a program and carries them out, fused, on its devices.
///
/// Clones are handles of the same runtime; several threads may use it, and their tasks are ordered
/// as they are emitted. Nothing is carried out before a flush.
///
/// ```
/// use darray_core::{RealType, Map, Place, Shape};
/// use darray_ir::{Privilege, TaskOp};
/// use darray_runtime::{Emission, Runtime, RuntimeOptions, StoreOwner};
///
/// let devices = darray_cpu::CpuDevices::new(2, darray_cpu::CpuOptions::default());
/// let rt = Runtime::new(devices, RuntimeOptions::default());
/// let shape = Shape::new(&[3]);
/// let ones = StoreOwner::new(rt.new_store(RealType::F64, &shape));
/// let map = Map::identity(&shape);
/// rt.emit(Emission {
///     op: TaskOp::Fill,
///     name: "ones",
///     domain: &shape,
///     args: &[(ones.store().into(), &map, Privilege::Write)],
///     scalars: &[1.0.into()],
///     place: Place::caller(),
/// });
/// let values: Vec<f64> = rt.read(&ones, &map, &shape, "to_vec", Place::caller()).unwrap();
/// assert_eq!(values, [1.0; 3]);
/// assert_eq!((rt.stats().tasks, rt.stats().kernels), (1, 1));
/// ```
#[derive(Clone)]
pub struct Runtime {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    devices: Arc<DeviceSet>,
    options: RuntimeOptions,
}

/// Everything behind the runtime's lock.
pub(crate) struct State {
    pub(crate) window: Window,
    /// By De Bruijn number.
    pub(crate) stores: Vec<Arc<Store>>,
    /// Stores of the window that took the places of others in variables, in the order of their tasks.
    pub(crate) versions: Vec<Version>,
    /// See [`Flush`](crate::engine::Flush).
    pub(crate) replaced_by: Vec<u32>,
    /// Of opaque tasks, by their numbers in the window.
    pub(crate) definitions: Vec<Arc<TaskDefinition>>,
    /// Stores that ended with a window and that nobody knows any more: to be made new ones.
    pub(crate) spare: Vec<Arc<Store>>,
    next_store: u64,
    /// The numbers of the window's stores among those of all windows.
    pub(crate) slots: Slots,
    pub(crate) memo: Memo,
    /// How often the memo had started afresh when `prepared` was looked through.
    pub(crate) memo_restarts: u64,
    /// By the identity of the plan.
    pub(crate) prepared: HashMap<usize, Arc<PreparedPlan>>,
    /// Of their opaque tasks.
    pub(crate) kept_calls: KeptCalls,
    pub(crate) policy: WindowPolicy,
    pub(crate) capture: Capture,
    pub(crate) engine: Engine,
}

impl Runtime {
    /// A runtime over these devices; device `d` calls itself `DeviceId(d)`. They are this runtime's alone: what it counts on is
    /// that all tickets of their queues are its own.
    ///
    /// # Panics
    ///
    /// If there is no device, or a grid has an axis without points.
    pub fn new(devices: Vec<Arc<dyn Device>>, options: RuntimeOptions) -> Runtime {
        assert!(!devices.is_empty(), "a runtime has at least one device");
        let grid = options.grid(devices.len());
        assert!(grid.iter().all(|&points| points > 0), "every axis of a grid has points");
        let plan_options = options.plan(&devices);
        let devices = Arc::new(DeviceSet::new(devices, options.waits));
        let mapper = Mapper::new(grid, devices.len(), options.tree_rule);
        let state = State {
            window: Window::new(),
            stores: Vec::new(),
            versions: Vec::new(),
            replaced_by: Vec::new(),
            definitions: Vec::new(),
            spare: Vec::new(),
            next_store: 0,
            slots: Slots::default(),
            memo: Memo::new(plan_options),
            memo_restarts: 0,
            prepared: HashMap::new(),
            kept_calls: KeptCalls::default(),
            policy: WindowPolicy::new(options.window),
            capture: Capture { limit: options.capture, ..Capture::default() },
            engine: Engine::new(devices.clone(), mapper),
        };
        Runtime { shared: Arc::new(Shared { state: Mutex::new(state), devices, options }) }
    }

    /// A store without memory: all 0 until it is written.
    pub fn new_store(&self, dtype: RealType, shape: &Shape) -> Arc<Store> {
        self.lock().new_store(dtype, shape)
    }

    /// A store without memory, all of which will be written, in parts perhaps, before anything of it is read.
    pub fn new_store_in_parts(&self, dtype: RealType, shape: &Shape) -> Arc<Store> {
        let store = self.lock().new_store(dtype, shape);
        store.set_in_parts();
        store
    }

    /// Whether the store was made by this runtime.
    pub fn owns(&self, store: &Store) -> bool {
        Arc::ptr_eq(&store.devices, &self.shared.devices)
    }

    /// What it was made with.
    pub fn options(&self) -> &RuntimeOptions {
        &self.shared.options
    }

    /// What its windows are planned by.
    pub fn plan_options(&self) -> PlanOptions {
        self.lock().memo.options().clone()
    }

    /// Number of devices.
    pub fn device_count(&self) -> usize {
        self.shared.devices.len()
    }

    /// The devices' names.
    pub fn device_names(&self) -> Vec<String> {
        self.shared.devices.iter().map(|d| d.describe().name.clone()).collect()
    }

    /// Plans and submits everything emitted so far. Waits for it only as far as devices carry out their work where it is
    /// submitted: a CPU device alone does.
    pub fn flush(&self) {
        self.lock().flush();
    }

    /// Flushes, and waits until everything has been carried out.
    ///
    /// # Errors
    ///
    /// The first failure of a task since the last `sync`. Arrays whose update failed with it have the value from before then,
    /// if the update had changed nothing.
    pub fn sync(&self) -> Result<()> {
        let mut state = self.carry_out(self.lock());
        let Some(error) = state.engine.first_error.take() else { return Ok(()) };
        state.restore_all(&error);
        Err(error)
    }

    /// Flushes, waits until everything has been carried out, and looks at what has failed.
    pub(crate) fn carry_out<'r>(
        &'r self,
        mut state: MutexGuard<'r, State>,
    ) -> MutexGuard<'r, State> {
        state.flush();
        let ends = state.engine.ends();
        drop(state);
        for event in ends {
            // Failures reach the stores that they concern.
            let _ = self.shared.devices.device(event.device.0 as usize).wait(event);
        }
        let mut state = self.lock();
        state.engine.harvest();
        state
    }

    /// Counts that an emitter met an operation that breaks a precondition, which it therefore splits
    /// (P1) or refuses (P2). Not so where a test leaves the rule out: then this is `false`.
    pub fn enforces(&self, rule: Rule) -> bool {
        let enforced = self.options().rules.hold(rule);
        if enforced {
            self.lock().engine.counters.stops.count(Level::Points, rule);
        }
        enforced
    }

    /// Counts so far.
    pub fn stats(&self) -> Stats {
        let state = self.lock();
        let mut stats = state.engine.counters.clone();
        stats.memo_hits = state.memo.hits() - stats.memo_hits;
        stats.memo_misses = state.memo.misses() - stats.memo_misses;
        stats.memo_entries = state.memo.len() as u64;
        stats.in_flight = state.engine.pending.len() as u64;
        let devices = self.devices().stats();
        stats.codes = devices.codes;
        stats.bytes_in_use = devices.bytes_in_use;
        stats.bytes_peak = devices.bytes_peak;
        stats.shared_loops = devices.shared_loops - stats.shared_loops;
        stats.graphs = devices.graphs.since(&stats.graphs);
        stats.products = devices.products.since(&stats.products);
        stats.native = devices.native.since(&stats.native);
        stats.rows = devices.rows.since(&stats.rows);
        stats
    }

    /// Sets the counts back to 0; `codes`, `in_flight`, `bytes_in_use`, `bytes_peak` and `memo_entries` are no counts.
    pub fn reset_stats(&self) {
        let mut state = self.lock();
        // The memo and the devices count by themselves: what they had is taken off later.
        let (memo_hits, memo_misses) = (state.memo.hits(), state.memo.misses());
        let DeviceStats { graphs, products, native, rows, shared_loops, .. } =
            self.devices().stats();
        let counters = Stats { memo_hits, memo_misses, graphs, products, ..Stats::default() };
        state.engine.counters = Stats { native, rows, shared_loops, ..counters };
    }

    pub(crate) fn devices(&self) -> &DeviceSet {
        &self.shared.devices
    }

    /// # Panics
    ///
    /// In a function of an opaque task that uses the runtime which carries it out.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        let inside = is_executing(&self.shared.devices);
        assert!(!inside, "a task uses the runtime that carries it out");
        self.shared.state.lock().unwrap_or_else(|e| e.into_inner())
    }
}

impl State {
    /// A store without memory.
    pub(crate) fn new_store(&mut self, dtype: RealType, shape: &Shape) -> Arc<Store> {
        self.make_store(dtype, shape, false)
    }

    /// The owner of a new store.
    pub(crate) fn new_owner(&mut self, dtype: RealType, shape: &Shape) -> StoreOwner {
        StoreOwner::first(self.make_store(dtype, shape, true))
    }

    fn make_store(&mut self, dtype: RealType, shape: &Shape, owned: bool) -> Arc<Store> {
        let id = self.next_store;
        self.next_store += 1;
        if let Some(mut store) = self.spare.pop()
            && let Some(alone) = Arc::get_mut(&mut store)
        {
            alone.begin_again(id, dtype, shape, owned);
            return store;
        }
        Arc::new(Store::new(id, dtype, shape, owned, self.engine.devices.clone()))
    }

    /// Ends a window: its stores that nobody knows any more are kept for the next one.
    pub(crate) fn end_window(&mut self) {
        self.window.clear();
        self.definitions.clear();
        self.slots.end_window(self.stores.len());
        self.versions.clear();
        for mut store in self.stores.drain(..) {
            if self.engine.poisoned && !store.is_live() {
                store.forget_value_before();
            }
            if self.spare.len() >= MOST_SPARE || Arc::strong_count(&store) > 1 {
                store.settle();
                continue;
            }
            self.engine.residents.remove(&store);
            // Most have given it back. Whether really nobody knows them is asked when they are made new ones.
            if !store.whole().is_nothing() {
                let Some(alone) = Arc::get_mut(&mut store) else { continue };
                alone.give_back();
            }
            self.spare.push(store);
        }
    }
}

/// Stores kept to be made new ones: those of a large window.
const MOST_SPARE: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CurrentStore, Emission, StoreRef};
    use darray_core::{Map, Place, Scalar};
    use darray_cpu::{CpuDevices, CpuOptions};
    use darray_ir::{Privilege, TaskOp};

    #[test]
    fn a_runtime_can_be_shared_between_threads() {
        fn check<T: Send + Sync>() {}
        check::<Runtime>();
        check::<Arc<Store>>();
    }

    #[test]
    fn stores_are_told_apart_after_however_many_windows() {
        let rt = Runtime::new(CpuDevices::new(1, CpuOptions::default()), RuntimeOptions::default());
        let shape = Shape::new(&[3]);
        let map = Map::identity(&shape);
        let emit = |op, args: &[(StoreRef<'_>, &Map, Privilege)], scalars: &[Scalar]| {
            let (name, place) = ("test", Place::caller());
            rt.emit(Emission { op, name, domain: &shape, args, scalars, place });
        };
        // Where 32 bits are over, of numbers and of windows, and where 63 are.
        for far in [u64::from(u32::MAX), u64::from(u32::MAX) << 32, i64::MAX as u64] {
            rt.lock().slots = Slots::from(far - 5);
            for value in [1.0, 2.0, 3.0, 4.0, 5.0] {
                let [from, to] =
                    [0, 1].map(|_| StoreOwner::new(rt.new_store(RealType::F64, &shape)));
                let variable = CurrentStore::new(to.clone());
                emit(
                    TaskOp::Fill,
                    &[(from.store().into(), &map, Privilege::Write)],
                    &[value.into()],
                );
                let written = (StoreRef::Current(&variable), &map, Privilege::Write);
                emit(TaskOp::Copy, &[written, (from.store().into(), &map, Privilege::Read)], &[]);
                let read = rt.read::<f64>(&to, &map, &shape, "to_vec", Place::caller());
                assert_eq!(read.expect("no fault"), [value; 3]);
            }
        }
    }
}
