//! The state of the driver: devices, memory, streams of queued work, events, modules, graphs.
//!
//! One lock guards all of it. Work is executed by the thread that waits for it (or, where the
//! schedule is eager, by the one that submits it); only host functions have a thread of their own.

pub mod code;
pub mod config;
pub mod counters;
pub mod event;
pub mod graph;
pub mod heap;
pub mod module;
pub mod operation;
pub mod pool;
pub mod product;
pub mod programs;
pub mod race;
pub mod schedule;
pub mod stream;

use crate::ptx::memory::{Denied, Memory, Region, Violation, within};
use code::{Answer, Code};
use config::{Config, Schedule};
use counters::Counters;
use event::Event;
use graph::{Executable, Graph};
use heap::{Heap, Owner, State};
use module::{Function, Module};
use pool::Pool;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{CString, c_char};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use stream::Stream;

/// A device.
#[derive(Debug)]
pub struct Device {
    /// Its memory.
    pub heap: Heap,
    /// Bytes of `cuMemAlloc` and of modules.
    pub plain: u64,
    /// Which devices' memory it may reach.
    pub peers: Vec<bool>,
    /// Holders of its primary context.
    pub retained: usize,
    /// The pool that comes with it and the one that is used.
    pub pools: [u64; 2],
    /// The error that all calls yield since a kernel failed.
    pub broken: Option<Code>,
    /// Its legacy stream and its stream of threads.
    pub streams: [u64; 2],
}

/// The driver.
#[derive(Debug, Default)]
pub struct Driver {
    /// The settings.
    pub config: Config,
    /// Whether `cuInit` has been called.
    pub initialized: bool,
    /// The devices.
    pub devices: Vec<Device>,
    /// Streams by handle.
    pub streams: BTreeMap<u64, Stream>,
    /// Events by handle.
    pub events: HashMap<u64, Arc<Event>>,
    /// Modules by handle.
    pub modules: HashMap<u64, Arc<Module>>,
    /// Texts of libraries by handle, and what they have become on each device.
    pub libraries: HashMap<u64, module::Library>,
    /// Functions by handle.
    pub functions: HashMap<u64, Function>,
    /// Pools by handle.
    pub pools: BTreeMap<u64, Pool>,
    /// Graphs by handle.
    pub graphs: HashMap<u64, Graph>,
    /// Graphs ready to be launched.
    pub executables: HashMap<u64, Executable>,
    /// Handles of the library that multiplies matrices, and the streams that were set.
    pub products: HashMap<u64, u64>,
    /// Pinned memory of the host: first address and bytes.
    pub pinned: BTreeMap<u64, u64>,
    /// Pinned memory that the driver has allocated.
    pub pinned_here: HashMap<u64, std::alloc::Layout>,
    /// What has been done so far.
    pub counters: Counters,
    /// What is known of the order of work.
    pub races: race::Races,
    /// The last error, in words.
    pub error: String,
    /// Host functions that have not returned.
    pub host_functions: usize,
    /// Names that were handed out as pointers.
    names: HashMap<String, CString>,
    next_handle: u64,
    next_sequence: u64,
    random: u64,
}

static DRIVER: OnceLock<Mutex<Driver>> = OnceLock::new();

/// Told whenever work has been done.
pub static PROGRESS: Condvar = Condvar::new();

/// The driver, for this thread alone.
pub fn lock() -> MutexGuard<'static, Driver> {
    let driver = DRIVER.get_or_init(|| Mutex::new(Driver::default()));
    driver.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Driver {
    /// Forgets everything and starts with these settings.
    pub fn start(&mut self, config: Config) {
        let (next_handle, next_sequence) = (self.next_handle, self.next_sequence);
        let addresses: Vec<Heap> = self
            .devices
            .drain(..)
            .map(|mut device| {
                device.heap.clear();
                device.heap
            })
            .collect();
        for (address, layout) in self.pinned_here.drain() {
            // SAFETY: allocated with this layout by `cuMemHostAlloc` and not freed since.
            unsafe { std::alloc::dealloc(address as *mut u8, layout) };
        }
        let names = std::mem::take(&mut self.names);
        *self = Driver { config, names, next_handle, next_sequence, ..Driver::default() };
        let count = self.config.devices;
        let mut heaps = addresses.into_iter();
        for device in 0..count {
            let heap = heaps.next().unwrap_or_else(|| Heap::new(device));
            let legacy = self.add_stream(Stream::new(device, stream::Kind::Legacy, 0));
            let thread = self.add_stream(Stream::new(device, stream::Kind::Blocking, 0));
            let pool = self.handle();
            self.pools.insert(pool, Pool::new(device, 0));
            self.devices.push(Device {
                heap,
                plain: 0,
                peers: vec![false; count],
                retained: 0,
                pools: [pool; 2],
                broken: None,
                streams: [legacy, thread],
            });
        }
        self.random = seeded(self.config.schedule);
        self.initialized = true;
    }

    /// A device as new: what its context held is gone.
    pub fn wipe(&mut self, device: usize) {
        let defaults = self.devices[device].streams;
        let pool = self.devices[device].pools[0];
        self.streams.retain(|handle, stream| stream.device != device || defaults.contains(handle));
        self.events.retain(|_, event| event.device != device);
        self.modules.retain(|_, module| module.device != device);
        self.functions.retain(|_, function| match function {
            Function::Kernel { module, .. } => module.device != device,
            Function::Library { .. } => true,
        });
        for library in self.libraries.values_mut() {
            library.modules.remove(&device);
            library.functions.retain(|(on, _), _| *on != device);
        }
        self.pools.retain(|handle, other| other.device != device || *handle == pool);
        self.pools.insert(pool, Pool::new(device, 0));
        let count = self.devices.len();
        let found = &mut self.devices[device];
        found.heap.clear();
        found.plain = 0;
        found.peers = vec![false; count];
        found.retained = 0;
        found.pools = [pool; 2];
        found.broken = None;
    }

    /// A handle that has not been given before.
    pub fn handle(&mut self) -> u64 {
        self.next_handle += 16;
        0x1_0000 + self.next_handle
    }

    /// A number for the order in which work was submitted.
    pub fn sequence(&mut self) -> u64 {
        self.next_sequence += 1;
        self.next_sequence
    }

    /// Changes settings of a driver that runs.
    pub fn change(&mut self, config: Config) {
        let devices = self.config.devices;
        if config.schedule != self.config.schedule {
            self.random = seeded(config.schedule);
        }
        self.config = Config { devices, ..config };
    }

    /// A count by its name.
    pub fn count(&self, name: &str) -> u64 {
        if let Some(device) = name.strip_prefix("allocated:") {
            let device = device.parse().ok().and_then(|at: usize| self.devices.get(at));
            return device.map_or(0, |device| device.heap.live().map(|found| found.bytes).sum());
        }
        match name {
            "streams" => {
                let alive = self.streams.values().filter(|stream| !stream.destroyed);
                (alive.count() - 2 * self.devices.len()) as u64
            }
            "events" => self.events.len() as u64,
            "modules" => self.modules.len() as u64,
            "products" => self.products.len() as u64,
            "graphs" => (self.graphs.len() + self.executables.len()) as u64,
            "pinned" => self.pinned.values().sum(),
            "queued" => self.streams.values().map(|stream| stream.queue.len() as u64).sum(),
            name => self.counters.get(name),
        }
    }

    /// A name that stays where it is.
    pub fn kept_name(&mut self, name: &str) -> *const c_char {
        let kept = self.names.entry(name.to_string());
        // Names of PTX hold no zero byte.
        kept.or_insert_with(|| CString::new(name).unwrap_or_default()).as_ptr()
    }

    /// A number below `end`.
    pub fn random(&mut self, end: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as usize % end.max(1)
    }

    /// Whether work waits until someone waits for it.
    pub fn is_lazy(&self) -> bool {
        self.config.schedule != Schedule::Eager
    }

    /// The error that a failed kernel has left on a device.
    pub fn check(&self, device: usize) -> Answer {
        self.devices[device].broken.map_or(Ok(()), Err)
    }

    /// Notes an error in words.
    pub fn report(&mut self, what: String) {
        if !self.config.quiet {
            eprintln!("[fakecuda] {what}");
        }
        self.error = what;
    }

    /// Bytes of a device's memory that are taken, cached bytes of pools included.
    pub fn used(&self, device: usize) -> u64 {
        let pools = self.pools.values().filter(|pool| pool.device == device);
        self.devices[device].plain + pools.map(|pool| pool.reserved).sum::<u64>()
    }

    /// New memory outside of pools.
    pub fn allocate_plain(&mut self, device: usize, bytes: u64, owner: Owner) -> Answer<u64> {
        self.make_room(device, bytes)?;
        let allocated = self.devices[device].heap.allocate(bytes, owner, State::Live);
        let address = allocated.ok_or(Code::OUT_OF_MEMORY)?;
        self.devices[device].plain += bytes;
        Ok(address)
    }

    /// Drops cached bytes of pools until `bytes` fit.
    pub fn make_room(&mut self, device: usize, bytes: u64) -> Answer {
        let limit = self.config.memory;
        if self.used(device) + bytes > limit {
            for pool in self.pools.values_mut().filter(|pool| pool.device == device) {
                pool.reserved = pool.used;
            }
        }
        match self.used(device) + bytes > limit {
            true => Err(Code::OUT_OF_MEMORY),
            false => Ok(()),
        }
    }

    /// Frees memory, whatever it is for.
    pub fn free(&mut self, address: u64) -> Answer {
        let device = heap::owner(address).filter(|device| *device < self.devices.len());
        let device = device.ok_or(Code::INVALID_VALUE)?;
        let found = self.devices[device].heap.get_mut(address).ok_or(Code::INVALID_VALUE)?;
        let (bytes, owner) = (found.bytes, found.owner);
        self.races.forget(address..address + bytes);
        self.devices[device].heap.free(address);
        match owner {
            Owner::Pool(pool) => {
                if let Some(pool) = self.pools.get_mut(&pool) {
                    pool.used -= bytes;
                }
            }
            Owner::Plain | Owner::Module => self.devices[device].plain -= bytes,
        }
        Ok(())
    }

    /// Whether pinned memory holds all of these bytes.
    pub fn is_pinned(&self, address: u64, bytes: u64) -> bool {
        let before = self.pinned.range(..=address).next_back();
        before.is_some_and(|(start, length)| {
            let offset = address - start;
            offset <= *length && bytes <= length - offset
        })
    }

    /// Pinned memory is no more.
    pub fn unpin(&mut self, start: u64) {
        if let Some(bytes) = self.pinned.remove(&start) {
            self.races.forget(start..start + bytes);
        }
    }

    /// The memory as a device reaches it.
    pub fn memory(&self, device: usize) -> View<'_> {
        View { driver: self, device }
    }
}

fn seeded(schedule: Schedule) -> u64 {
    match schedule {
        Schedule::Eager => 0,
        Schedule::Random(seed) => seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
    }
}

/// The memory as a device reaches it.
pub struct View<'a> {
    driver: &'a Driver,
    device: usize,
}

// SAFETY: the bytes of allocations live until they are freed, which needs the driver that is
// borrowed; nobody else reads or writes them while the lock is held. Pinned memory belongs to the
// program, which promises as much to a real driver.
unsafe impl Memory for View<'_> {
    fn watches(&self) -> bool {
        self.driver.config.races
    }

    fn note(&self, address: u64, bytes: u64, writes: bool) {
        self.driver.note(address, bytes, writes);
    }

    fn find(&self, address: u64, bytes: u64) -> Result<Region, Violation> {
        let devices = &self.driver.devices;
        if let Some(owner) = heap::owner(address).filter(|owner| *owner < devices.len()) {
            let reaches = owner == self.device
                || devices[self.device].peers[owner]
                || self.driver.pool_grants(owner, address, self.device);
            let device = self.device;
            let denied = (!reaches).then_some(Denied::NoPeerAccess { device, owner });
            return devices[owner].heap.find(address, bytes, denied);
        }
        let before = self.driver.pinned.range(..=address).next_back();
        let region = before.map(|(start, length)| Region {
            start: *start,
            bytes: *length,
            host: *start as *mut u8,
            denied: None,
        });
        within(region, address, bytes)
    }
}
