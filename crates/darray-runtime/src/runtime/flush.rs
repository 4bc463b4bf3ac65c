//! Flush: the buffered window is planned, executed and emptied.

use crate::devices::DeviceSet;
use crate::engine::Flush;
use crate::prepared::PreparedPlan;
use crate::runtime::State;
use crate::window::{FIRST, Flushed, Held, LARGEST};
use darray_fusion::footprint;
use darray_fusion::memo::Found;
use darray_fusion::order::{Order, Twin};
use darray_fusion::plan::Plan;
use darray_ir::StoreId;
use smallvec::SmallVec;
use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

thread_local! {
    /// The devices of the runtimes that this thread carries out plans of: a task may use another runtime than its own.
    static EXECUTING: RefCell<Vec<*const DeviceSet>> = const { RefCell::new(Vec::new()) };
}

/// Says that this thread carries out a plan, until it is dropped.
struct Executing(Arc<DeviceSet>);

impl Executing {
    fn begin(devices: &Arc<DeviceSet>) -> Executing {
        devices.iter().for_each(|device| device.enter());
        // A thread that ends has none any more: what it carries out then is not known.
        let _ = EXECUTING.try_with(|all| all.borrow_mut().push(Arc::as_ptr(devices)));
        Executing(devices.clone())
    }
}

impl Drop for Executing {
    fn drop(&mut self) {
        let _ = EXECUTING.try_with(|all| all.borrow_mut().pop());
        self.0.iter().for_each(|device| device.leave());
    }
}

/// Whether this thread carries out a plan of the runtime with these devices, and has its lock.
pub(crate) fn is_executing(devices: &Arc<DeviceSet>) -> bool {
    let is_it = |all: &RefCell<Vec<_>>| all.borrow().contains(&Arc::as_ptr(devices));
    EXECUTING.try_with(is_it).unwrap_or(false)
}

impl State {
    /// Whether the window is to be flushed before the next task.
    pub(crate) fn is_full(&mut self) -> bool {
        if self.window.tasks().len() < self.policy.limit() {
            return false;
        }
        if self.policy.is_looking(self.window.tasks().len()) {
            self.mark_live();
        }
        let window = &self.window;
        let held =
            |last| Held { peak: footprint::peak(window, last), left: footprint::left(window) };
        self.policy.is_full(window.tasks(), held)
    }

    /// Plans and executes the whole window.
    pub(crate) fn flush(&mut self) {
        if self.window.tasks().is_empty() {
            self.policy.begin_anew();
            return;
        }
        self.mark_live();
        let Found { plan, hit: memo_hit, same_sizes } = self.memo.plan(&self.window);
        self.learn(&plan, memo_hit);
        let tasks = self.window.tasks().len();
        let order = plan.order.as_ref();
        let twins = order.map_or(&[][..], |order| &order.twins).iter();
        let inlined = order.map_or(0, |order| order.inlined.len());
        let second = ((self.stores.len() + inlined) as u32..).map(StoreId);
        let twins: SmallVec<[(StoreId, StoreId); 2]> =
            twins.map(|twin| twin.store).zip(second).collect();
        if let Some(order) = &plan.order {
            self.bring_in_order(order);
        }
        self.number_versions();
        let prepared = self.prepare(&plan);
        // Between windows the engine has none; those for other sizes go.
        let kept = memo_hit.then(|| self.kept_calls.take(prepared.number));
        self.engine.calls = kept.filter(|_| same_sizes).unwrap_or_default();
        self.engine.counters.flushed(tasks, &prepared.counts);
        self.capture.keep(&self.window, &plan, memo_hit);
        let flush = Flush {
            window: &self.window,
            stores: &self.stores,
            versions: &self.versions,
            replaced_by: &self.replaced_by,
            order: plan.order.as_ref().map(|order| (order, tasks as u32)),
            twins: &twins,
            not_written: &plan.not_written,
            options: self.memo.options(),
        };
        let repeating = memo_hit.then(|| self.engine.devices.repeat(prepared.number));
        let executing = Executing::begin(&self.engine.devices);
        std::mem::swap(&mut self.engine.definitions, &mut self.definitions);
        self.engine.execute(flush, &prepared);
        self.note_all_written();
        let calls = std::mem::take(&mut self.engine.calls);
        if memo_hit {
            self.kept_calls.keep(prepared.number, calls);
        }
        std::mem::swap(&mut self.engine.definitions, &mut self.definitions);
        drop(executing);
        drop(repeating);
        self.end_window();
    }

    /// What the next window's size follows from.
    fn learn(&mut self, plan: &Plan, is_known: bool) {
        let window = &self.window;
        let parted = OnceCell::new();
        self.policy.flushed(Flushed {
            tasks: window.tasks(),
            elements: &|task| window.domain(task.domain).size(),
            grows_to: grows_to(plan),
            parted: &|task| parted.get_or_init(|| plan.parted(window.tasks().len()))[task],
            left: &|| footprint::left(window),
            is_known,
        });
    }

    /// Brings the window's tasks into the order in which they run. What a task replaces that is not run, nothing needs.
    fn bring_in_order(&mut self, order: &Order) {
        let mut places = vec![0; self.window.tasks().len()];
        // Of a task that runs again its own place counts, or else the last one, which writes its own store.
        for again in [true, false] {
            for (place, &task) in (0..).zip(&order.tasks) {
                if order.is_replica(place) == again
                    && let Some(known) = places.get_mut(task as usize)
                {
                    *known = place;
                }
            }
        }
        order.apply(&mut self.window);
        for number in self.stores.len()..self.window.stores().len() {
            let (dtype, shape) = {
                let store = &self.window.stores()[number];
                (store.dtype, store.shape.clone())
            };
            let owner = self.new_owner(dtype, &shape);
            owner.store().set_slot(self.slots.of(StoreId(number as u32)));
            owner.store().set_initialised();
            owner.store().whole().set_scratch();
            self.stores.push(owner.store().clone());
        }
        for version in &mut self.versions {
            version.task = places[version.task as usize];
        }
        self.versions.sort_by_key(|version| version.task);
    }

    /// Notes which stores that are written in parts have been read: all of their parts are written.
    fn note_all_written(&self) {
        if !self.stores.iter().any(|store| store.is_in_parts()) {
            return;
        }
        let args = self.window.tasks().iter().flat_map(|task| &task.args);
        let read = args.filter(|arg| arg.privilege.reads());
        read.for_each(|arg| self.stores[arg.store.0 as usize].set_all_written());
    }

    /// Notes which stores of the window can be read behind it, as things stand.
    fn mark_live(&mut self) {
        for (number, store) in self.stores.iter().enumerate() {
            self.window.set_live(StoreId(number as u32), store.is_live());
        }
    }

    /// Finds out what tasks use of what others replace.
    fn number_versions(&mut self) {
        self.replaced_by.clear();
        if self.versions.is_empty() {
            return;
        }
        self.replaced_by.resize(self.stores.len(), 0);
        for version in &mut self.versions {
            version.number = self.slots.number(version.before.slot());
            if let Some(StoreId(number)) = version.number {
                self.replaced_by[number as usize] = version.task + 1;
            }
        }
    }

    /// The prepared form of a plan; found by the plan's identity, since the memo hands out the same
    /// one again. What the memo has dropped is dropped here too, and then the codes that were for it.
    fn prepare(&mut self, plan: &Arc<Plan>) -> Arc<PreparedPlan> {
        let identity = Arc::as_ptr(plan) as usize;
        if let Some(known) = self.prepared.get(&identity) {
            return known.clone();
        }
        if self.memo_restarts != self.memo.restarts() {
            self.memo_restarts = self.memo.restarts();
            self.prepared.retain(|_, known| Arc::strong_count(&known.plan) > 1);
            self.engine.codes.sweep();
            self.kept_calls.clear();
        }
        let codes = &mut self.engine.codes;
        let prepared = Arc::new(PreparedPlan::new(&self.window, plan.clone(), codes));
        self.prepared.insert(identity, prepared.clone());
        prepared
    }
}

/// Up to how many tasks windows may cost less a task than that of a plan: all is one fused task, or what gives arrays second buffers copies
/// all of them once a window. Where it copies edges at each update, only one update a window is none.
fn grows_to(plan: &Plan) -> usize {
    let twins = plan.order.as_ref().map_or(&[][..], |order| &order.twins);
    match plan.groups_apart == 1 || twins.iter().any(Twin::is_filled_first) {
        true => LARGEST,
        false if !twins.is_empty() => 2 * FIRST,
        false => 0,
    }
}
