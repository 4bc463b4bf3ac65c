//! Stores: the data behind arrays, and who keeps them.

use crate::devices::{DeviceSet, History, Use};
use crate::stores::{Instance, Replica, Replicas, Staged, Valid, WholeBlock};
mod poison;
pub(crate) use poison::{Kept, Poison};

use darray_core::{Error, RealType, Shape};
use darray_device::{Block, Event};
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// One version of an array's data, wherever its parts lie.
///
/// Rules:
/// - it has no memory until a task writes it or a read needs it; elements never written are 0;
/// - it is live in a window while it has an owner ([`StoreOwner`]), or has not had one yet; what is
///   not live ends with its last task;
/// - it belongs to one runtime, and its number is the order of creation there, the same in every run.
///
/// Its memory goes back to the devices when the last `Arc` is dropped, behind the work that uses it.
pub struct Store {
    id: u64,
    dtype: RealType,
    shape: Shape,
    owners: AtomicU64,
    /// Its De Bruijn number in the last window that named it, counted on from the first store of the first window.
    slot: AtomicU64,
    initialised: AtomicBool,
    /// Whether it is written in parts, not all of which are known to be.
    in_parts: AtomicBool,
    /// Whether its data was given back for want of an owner.
    ended: AtomicBool,
    /// Its place among the residents, and one; 0: none.
    place: AtomicUsize,
    poison: OnceLock<Arc<Poison>>,
    replicas: Mutex<Replicas>,
    whole: WholeBlock,
    /// What was moved to the host for want of memory.
    staged: Mutex<Staged>,
    pub(crate) devices: Arc<DeviceSet>,
}

/// In `owners`: no owner was ever made.
const NEVER_OWNED: u64 = 1 << 63;

impl Store {
    /// A store with one owner or, if it is not `owned`, without any yet.
    pub(crate) fn new(
        id: u64,
        dtype: RealType,
        shape: &Shape,
        owned: bool,
        devices: Arc<DeviceSet>,
    ) -> Store {
        Store {
            id,
            dtype,
            shape: shape.clone(),
            owners: AtomicU64::new(first_owners(owned)),
            slot: AtomicU64::new(0),
            initialised: AtomicBool::new(false),
            in_parts: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            place: AtomicUsize::new(0),
            poison: OnceLock::new(),
            replicas: Mutex::default(),
            whole: WholeBlock::nothing(),
            staged: Mutex::default(),
            devices,
        }
    }

    /// Makes a store that nobody knows any more a new one, as [`new`](Self::new) does.
    pub(crate) fn begin_again(&mut self, id: u64, dtype: RealType, shape: &Shape, owned: bool) {
        (self.id, self.dtype) = (id, dtype);
        self.shape.clone_from(shape);
        *self.owners.get_mut() = first_owners(owned);
        *self.slot.get_mut() = 0;
        *self.initialised.get_mut() = false;
        *self.ended.get_mut() = false;
        // Nobody waits for a failure of what it was, or it has one.
        let unknown =
            |cell: &mut Arc<Poison>| Arc::get_mut(cell).is_some_and(|cell| cell.error().is_none());
        if !self.poison.get_mut().is_some_and(unknown) {
            self.poison.take();
        }
        self.staged.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        // Whoever had it before may have been about to write all of it.
        self.whole.set_nothing();
        *self.in_parts.get_mut() = false;
    }

    /// It will be written in parts before anybody reads it, which nothing has written yet: nothing need be cleared.
    pub(crate) fn set_in_parts(&self) {
        self.whole.set_scratch();
        self.in_parts.store(true, Ordering::Relaxed);
    }

    /// Whether it is written in parts, and nobody has read anything of it yet: parts may be missing.
    pub(crate) fn is_in_parts(&self) -> bool {
        self.in_parts.load(Ordering::Relaxed)
    }

    /// All of its parts are written: somebody has read it.
    pub(crate) fn set_all_written(&self) {
        self.in_parts.store(false, Ordering::Relaxed);
    }

    /// Element type.
    pub fn dtype(&self) -> RealType {
        self.dtype
    }

    /// Extents.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Its place among the [residents](crate::stores::Residents), who set it.
    pub(crate) fn place(&self) -> Option<usize> {
        self.place.load(Ordering::Relaxed).checked_sub(1)
    }

    pub(crate) fn set_place(&self, place: Option<usize>) {
        self.place.store(place.map_or(0, |place| place + 1), Ordering::Relaxed);
    }

    /// Order of creation in its runtime.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Whether anything can still read it after the tasks emitted so far.
    pub fn is_live(&self) -> bool {
        self.owners.load(Ordering::Relaxed) != 0
    }

    /// Number of owners.
    pub fn owners(&self) -> usize {
        (self.owners.load(Ordering::Relaxed) & !NEVER_OWNED) as usize
    }

    /// What says the De Bruijn number in a [window's numbers](crate::stores::Slots); 0: in none.
    #[inline]
    pub(crate) fn slot(&self) -> u64 {
        self.slot.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn set_slot(&self, slot: u64) {
        self.slot.store(slot, Ordering::Relaxed);
    }

    /// Whether a task before now has written it.
    pub(crate) fn is_initialised(&self) -> bool {
        self.initialised.load(Ordering::Relaxed)
    }

    pub(crate) fn set_initialised(&self) {
        self.initialised.store(true, Ordering::Relaxed);
    }

    /// Whether its data was given back because nothing could read it any more.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    pub(crate) fn set_ended(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// The failure that it carries.
    pub(crate) fn error(&self) -> Option<&Error> {
        self.poison.get()?.error()
    }

    /// The store that has the value from before the failed update, once the failure was handed on.
    #[inline]
    pub(crate) fn restored(&self) -> Option<&StoreOwner> {
        self.poison.get()?.restored()
    }

    /// It ends: it keeps the value from before a failed update no longer. Says whether another store did for it.
    pub(crate) fn let_go_value_before(&self) -> bool {
        self.poison.get().is_some_and(|poison| poison.let_go())
    }

    /// Its update failed, and nobody asks for the value from before any more.
    pub(crate) fn forget_value_before(&self) {
        self.poison.get().into_iter().for_each(|poison| poison.forget());
    }

    /// Whether a device or the host has anything of it.
    pub(crate) fn has_memory(&self) -> bool {
        let has_instance = |replica: &Replica| replica.instance.is_some();
        !self.whole.is_nothing() && self.replicas().iter().any(has_instance)
            || self.staged().count() > 0
    }

    pub(crate) fn poison_cell(&self) -> &Arc<Poison> {
        self.poison.get_or_init(Arc::default)
    }

    /// Where all of its data lies on the first device, if it has it: a look at the replicas, or what the last one saw.
    #[inline]
    pub(crate) fn whole_block(&self) -> Option<Block> {
        match self.whole.is_known() || self.finds_whole_block() {
            true => Some(self.whole.block()),
            false => None,
        }
    }

    /// Whether the replicas say where all of it lies, which is known then.
    fn finds_whole_block(&self) -> bool {
        if self.whole.is_nothing() {
            return false;
        }
        let found = match &self.replicas()[0] {
            Replica { instance: Some(instance), valid: Valid::Whole, .. } => Some(instance.block),
            _ => None,
        };
        found.into_iter().for_each(|block| self.whole.set_seen(block));
        found.is_some()
    }

    /// What is known of its data without a look at the replicas. Only the holder of the runtime's lock calls this.
    #[inline]
    pub(crate) fn whole(&self) -> &WholeBlock {
        &self.whole
    }

    /// Locks its data. Only the holder of the runtime's lock calls this.
    #[inline]
    pub(crate) fn replicas(&self) -> MutexGuard<'_, Replicas> {
        self.told(self.lock_replicas())
    }

    fn lock_replicas(&self) -> MutexGuard<'_, Replicas> {
        self.replicas.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The replicas, which are told what is known without them.
    #[inline]
    fn told<'s>(&self, mut replicas: MutexGuard<'s, Replicas>) -> MutexGuard<'s, Replicas> {
        replicas.make(self.devices.len());
        if let Some((block, history)) = self.whole.forget() {
            let instance = Some(Instance::whole(block, &self.shape, history));
            replicas[0] = Replica { instance, valid: Valid::Whole, fetched: 0 };
        }
        replicas
    }

    /// Forgets what somebody looked at where it says no more than where all of the data lies, and nothing need be ordered. Only the
    /// holder of the runtime's lock calls this.
    #[inline]
    pub(crate) fn settle(&self) {
        if self.whole.has_replicas() && self.devices.is_one() {
            self.settle_replicas();
        }
    }

    fn settle_replicas(&self) {
        let mut replicas = self.lock_replicas();
        if let [Replica { instance: Some(instance), valid: Valid::Whole, .. }] = &replicas[..]
            && instance.bounds.is_whole(&self.shape)
        {
            self.whole.set_nothing();
            self.whole.set_alone(instance.block, 0);
            *replicas = Replicas::default();
        }
    }

    /// Notes a submission to the first queue that uses all that the only device holds of it.
    pub(crate) fn note(&self, by: Use, event: Event) {
        if self.whole.note(by, event.ticket) {
            return;
        }
        if let Some(instance) = &mut self.replicas()[0].instance {
            instance.history.note(by, event);
        }
    }

    /// Locks what of its data is staged. Only the holder of the runtime's lock calls this.
    pub(crate) fn staged(&self) -> MutexGuard<'_, Staged> {
        self.staged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes all data from another store of the same type and shape.
    pub(crate) fn take_data(&self, from: &Store) {
        let (mut to, mut replicas) = (self.replicas(), from.replicas());
        to.iter_mut().zip(replicas.iter_mut()).for_each(|(to, from)| *to = std::mem::take(from));
        *self.staged() = std::mem::take(&mut from.staged());
        from.whole.set_nothing();
        self.whole.forget();
        self.set_initialised();
    }

    /// Gives its memory back to the devices.
    pub(crate) fn give_back(&mut self) {
        if let Some(block) = self.whole.take_alone() {
            self.devices.release_block(block, &History::in_order());
        }
        if self.whole.is_nothing() {
            return;
        }
        for replica in &mut self.replicas.get_mut().unwrap_or_else(PoisonError::into_inner)[..] {
            replica.valid = Valid::Nothing;
            if let Some(instance) = replica.instance.take() {
                self.devices.release_block(instance.block, &instance.history);
            }
        }
        self.whole.set_nothing();
    }

    /// As [`replicas`](Self::replicas), unless they are locked.
    pub(crate) fn try_replicas(&self) -> Option<MutexGuard<'_, Replicas>> {
        Some(self.told(self.replicas.try_lock().ok()?))
    }
}

/// The owners of a new store.
fn first_owners(owned: bool) -> u64 {
    if owned { 1 } else { NEVER_OWNED }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.give_back();
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "store {} {} {}", self.id, self.dtype, self.shape)
    }
}

/// A variable's hold on a store: while one exists, the store is live.
///
/// Cloning makes another owner of the same store. Make the first owner before emitting the task that
/// writes the store, or at least before any later flush.
pub struct StoreOwner(Arc<Store>);

impl StoreOwner {
    /// The owner of a new store that counts it already.
    pub(crate) fn first(store: Arc<Store>) -> StoreOwner {
        debug_assert_eq!(store.owners(), 1);
        StoreOwner(store)
    }

    /// A new owner.
    pub fn new(store: Arc<Store>) -> StoreOwner {
        let add = |n: u64| Some((n & !NEVER_OWNED) + 1);
        let _ = store.owners.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        StoreOwner(store)
    }

    /// The store.
    pub fn store(&self) -> &Arc<Store> {
        &self.0
    }
}

impl Clone for StoreOwner {
    fn clone(&self) -> StoreOwner {
        StoreOwner::new(self.0.clone())
    }
}

impl Drop for StoreOwner {
    fn drop(&mut self) {
        self.0.owners.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Deref for StoreOwner {
    type Target = Arc<Store>;
    fn deref(&self) -> &Arc<Store> {
        &self.0
    }
}

impl fmt::Debug for StoreOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
