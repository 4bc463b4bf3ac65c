//! CPU devices.

use crate::builtin;
use crate::execute::{Arguments, Compiled, NEAR_BYTES, Streaming, launch};
use crate::jit::Target;
use crate::level::Level;
use crate::listing::Listener;
use crate::memory::{Located, Memory, MemoryBound, advise};
use crate::rectangle::{Side, copy};
use crate::stack::on_page;
use crate::task;
use crate::workers::Workers;
use darray_device::codes::Codes;
use darray_device::faults::Faults;
use darray_device::{
    Block, Code, Command, CommandFault, Describe, Device, DeviceId, DeviceStats, Event, Fault,
    HostBuffer, LaunchCosts, NativeStats, Queue, Rect, RowStats,
};
use darray_kernel::ir::Kernel;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

/// A launch takes 1 us, in which a thread moves 50 KB from and to memory.
const LAUNCHES: LaunchCosts = LaunchCosts { small: 2048, launch: 50_000, next_nest: 20_000 };

/// How CPU devices are made.
///
/// ```
/// use darray_cpu::{CpuDevices, CpuOptions};
/// let options = CpuOptions { memory_limit: Some(1 << 30), ..CpuOptions::default() };
/// let devices = CpuDevices::new(2, options);
/// assert_eq!(devices[1].describe().memory_limit, 1 << 30);
/// ```
#[derive(Clone, Debug)]
pub struct CpuOptions {
    /// Threads that one device uses for a large loop, the caller's included.
    pub threads: usize,
    /// Simple operations, of some 0.1 ns, below which waking other threads costs more than it saves. Those that are awake take part
    /// from an eighth on.
    pub least_parallel: usize,
    /// Bytes that each device may allocate; none: an even share of what the process [may have](MemoryBound).
    pub memory_limit: Option<u64>,
    /// Whether, while a device works, the memory of the others is inaccessible, and so are at any time the pages before
    /// and behind each block, which begins or ends at one; reaching them is a segmentation fault. Submissions to the
    /// group are then one at a time.
    #[cfg(feature = "testing")]
    pub isolate: bool,
    /// The instruction set of the loops; none: the best of the machine. A level that the machine
    /// lacks falls back to the best that it has.
    pub level: Option<Level>,
    /// The most capable instruction set of machine code that kernels become, at most that of the loops;
    /// none, or [`Level::Baseline`]: kernels are interpreted.
    pub jit: Option<Level>,
    /// Bytes that a loop touches from which its stores go past the caches: what these keep.
    pub stream_from: usize,
    /// Bytes that a nest of a kernel by rows touches from which its nests run together on blocks of rows: what a second-level
    /// cache keeps. Below, they run one after the other.
    pub rows_from: usize,
    /// The id of the first device; the others follow.
    pub first: u16,
    /// Who is told what kernels become.
    pub listener: Option<Listener>,
}

impl Default for CpuOptions {
    fn default() -> CpuOptions {
        CpuOptions {
            threads: 1,
            least_parallel: 1 << 19,
            memory_limit: None,
            #[cfg(feature = "testing")]
            isolate: false,
            level: None,
            jit: Some(Level::Avx512),
            stream_from: 32 << 20,
            rows_from: NEAR_BYTES,
            first: 0,
            listener: None,
        }
    }
}

/// Makes logical CPU devices.
#[derive(Debug)]
pub struct CpuDevices;

impl CpuDevices {
    /// `count` devices with memories of their own, that can copy from each other.
    #[allow(clippy::new_ret_no_self)]
    pub fn new(count: usize, options: CpuOptions) -> Vec<Arc<dyn Device>> {
        let level = options.level.unwrap_or(Level::Avx512).min(Level::detect());
        let target = options.jit.and_then(|jit| Target::of(jit.min(level)));
        let code = target.map_or(String::new(), |t| format!(", {} machine code", t.level()));
        let share = || MemoryBound::of_process().bytes / count.max(1) as u64;
        let limit = options.memory_limit.unwrap_or_else(share);
        let ids = (0..count).map(|k| DeviceId(options.first + k as u16));
        #[cfg(not(feature = "testing"))]
        let memory = Memory::new;
        #[cfg(feature = "testing")]
        let memory = if options.isolate { Memory::with_guards } else { Memory::new };
        let group = Arc::new(Group {
            memories: ids.clone().map(|id| Mutex::new(memory(id, limit))).collect(),
            workers: Workers::new(options.threads, options.least_parallel),
            streaming: Streaming { from: options.stream_from, together: options.rows_from },
            first: options.first,
            #[cfg(feature = "testing")]
            isolated: options.isolate.then(|| Mutex::new(())),
        });
        ids.enumerate()
            .map(|(index, id)| {
                let describe = Describe {
                    name: format!("cpu:{} ({level}{code})", id.0),
                    memory_limit: limit,
                    queues: 1,
                    launches: LAUNCHES,
                };
                Arc::new(CpuDevice {
                    group: group.clone(),
                    index,
                    id,
                    level,
                    jit: target,
                    listener: options.listener.clone(),
                    describe,
                    codes: Codes::default(),
                    tickets: AtomicU64::new(0),
                    faults: Mutex::default(),
                    faulty: AtomicBool::new(false),
                    launches: AtomicU64::new(0),
                    builtins: AtomicU64::new(0),
                    native: Arc::default(),
                    rows: Mutex::default(),
                }) as Arc<dyn Device>
            })
            .collect()
    }
}

/// What the devices share.
struct Group {
    memories: Vec<Mutex<Memory>>,
    workers: Workers,
    streaming: Streaming,
    first: u16,
    /// Held by the device that works, where memories are isolated.
    #[cfg(feature = "testing")]
    isolated: Option<Mutex<()>>,
}

/// One logical CPU device: commands run inside `submit`, on the calling thread and the workers.
///
/// Every event that a device of the group gave has happened, so there is nothing to wait for.
struct CpuDevice {
    group: Arc<Group>,
    index: usize,
    id: DeviceId,
    level: Level,
    jit: Option<Target>,
    listener: Option<Listener>,
    describe: Describe,
    codes: Codes<Compiled>,
    tickets: AtomicU64,
    faults: Mutex<Faults>,
    /// Whether there are any, stored while they are locked: until then nobody looks.
    faulty: AtomicBool,
    launches: AtomicU64,
    builtins: AtomicU64,
    native: Arc<Mutex<NativeStats>>,
    rows: Mutex<RowStats>,
}

impl CpuDevice {
    fn memory(&self) -> MutexGuard<'_, Memory> {
        lock(&self.group.memories[self.index])
    }

    /// Where a block of any device of the group lies.
    fn locate(&self, block: Block) -> Result<Located, Fault> {
        let index = (block.device.0 as usize).checked_sub(self.group.first as usize);
        match index.and_then(|index| self.group.memories.get(index)) {
            Some(memory) => lock(memory).locate(block),
            None => Err(Fault::Execution(format!("device {} is not a CPU device", block.device.0))),
        }
    }

    fn run(&self, command: &Command) -> Result<(), Fault> {
        match command {
            Command::Launch { code, args } => {
                let compiled = self.codes.get(*code)?;
                let arguments = {
                    let memory = self.memory();
                    Arguments::new(compiled.program(), args, |block| memory.locate(block))?
                };
                self.launches.fetch_add(1, Ordering::Relaxed);
                let (workers, streaming) = (&self.group.workers, self.group.streaming);
                if let Some(ran) = launch(&compiled, &arguments, workers, streaming)? {
                    ran.count(&mut lock(&self.rows));
                }
                Ok(())
            }
            Command::Builtin { name, args } => {
                self.builtins.fetch_add(1, Ordering::Relaxed);
                let memory = self.memory();
                let locate = |block| memory.locate(block);
                let call = builtin::Call::new(name, args, locate)?;
                drop(memory);
                on_page(|| call.run(&self.group.workers, self.level))
            }
            Command::Task(call) => task::run(call, self.memory()),
            Command::Copy { from, to } => self.copy(from, to),
            Command::Upload { from, to } => {
                let block = self.memory().locate(to.block)?;
                let target = Side::of_rect(to, block)?;
                let size = to.dtype.size();
                let (from, bytes) = (from.bytes(), rect_bytes(to));
                if from.len() != bytes {
                    let found = from.len();
                    return Err(Fault::Execution(format!("upload of {found} bytes to {bytes}")));
                }
                let source = Side::row_major(from.as_ptr().cast_mut(), &to.extents, size);
                // SAFETY: the source has exactly the rectangle's bytes, the target was checked
                // against its block; device memory is not host memory.
                unsafe { copy(&to.extents, &source, &target, size) };
                Ok(())
            }
            Command::Download { from, to, at } => self.download(from, to, *at),
        }
    }

    fn copy(&self, from: &Rect, to: &Rect) -> Result<(), Fault> {
        if from.extents != to.extents || from.dtype != to.dtype {
            return Err(Fault::Execution(format!(
                "copy of {:?} {} to {:?} {}",
                from.extents, from.dtype, to.extents, to.dtype
            )));
        }
        let source = Side::of_rect(from, self.locate(from.block)?)?;
        let target = Side::of_rect(to, self.memory().locate(to.block)?)?;
        #[cfg(feature = "testing")]
        self.open(from.block, true);
        // SAFETY: both sides were checked against their blocks, which the trait's user keeps
        // apart.
        unsafe { copy(&from.extents, &source, &target, from.dtype.size()) };
        #[cfg(feature = "testing")]
        self.open(from.block, false);
        Ok(())
    }

    fn download(&self, from: &Rect, to: &HostBuffer, at: usize) -> Result<(), Fault> {
        let block = self.memory().locate(from.block)?;
        let source = Side::of_rect(from, block)?;
        let mut host = lock(to);
        let (bytes, room) = (rect_bytes(from), host.byte_capacity());
        let is_whole = source.is_row_major(&from.extents, from.dtype.size());
        if host.bytes().is_empty() {
            advise(host.bytes_mut().as_mut_ptr(), room);
        }
        if is_whole {
            // SAFETY: so many bytes were checked against their block; the trait's user keeps writes apart.
            let source = unsafe { std::slice::from_raw_parts(source.pointer, bytes) };
            if host.put(at, source) {
                return Ok(());
            }
        } else if at.checked_add(bytes).is_some_and(|end| host.lengthen(end)) {
            let size = from.dtype.size();
            let target = host.bytes_mut()[at..at + bytes].as_mut_ptr();
            let target = Side::row_major(target, &from.extents, size);
            // SAFETY: the host range has exactly the rectangle's bytes, the source was checked against
            // its block.
            unsafe { copy(&from.extents, &source, &target, size) };
            return Ok(());
        }
        Err(Fault::no_room(at, bytes, room))
    }
}

/// Isolation of memories.
#[cfg(feature = "testing")]
impl CpuDevice {
    /// Closes the memories of the other devices until the guard is dropped by the end of the
    /// submission.
    fn isolate(&self) -> Option<MutexGuard<'_, ()>> {
        let guard = lock(self.group.isolated.as_ref()?);
        for (index, memory) in self.group.memories.iter().enumerate() {
            lock(memory).set_accessible(index == self.index);
        }
        Some(guard)
    }

    /// Opens or closes the memory that a block of another device lies in.
    fn open(&self, block: Block, accessible: bool) {
        if self.group.isolated.is_some() && block.device != self.id {
            let index = (block.device.0 - self.group.first) as usize;
            lock(&self.group.memories[index]).set_accessible(accessible);
        }
    }
}

impl Device for CpuDevice {
    fn describe(&self) -> &Describe {
        &self.describe
    }

    fn compile(&self, kernel: &Kernel) -> Result<Code, Fault> {
        let listener = self.listener.as_ref();
        self.codes.hold(kernel, || {
            Compiled::new(kernel, self.level, self.jit, self.native.clone(), listener)
        })
    }

    fn forget(&self, code: Code) {
        self.codes.forget(code);
    }

    fn allocate(&self, _: Queue, bytes: u64) -> Result<Block, Fault> {
        self.memory().allocate(bytes)
    }

    fn release(&self, _: Queue, block: Block, _: &[Event]) {
        self.memory().release(block);
    }

    fn submit(&self, queue: Queue, _: &[Event], work: &[Command]) -> Result<Event, Fault> {
        #[cfg(feature = "testing")]
        let _isolated = self.isolate();
        let ticket = self.tickets.fetch_add(1, Ordering::Relaxed) + 1;
        for (number, command) in work.iter().enumerate() {
            if let Err(fault) = self.run(command) {
                let fault = CommandFault { command: number as u32, fault };
                let mut faults = lock(&self.faults);
                faults.add(ticket, fault);
                self.faulty.store(true, Ordering::Release);
                break;
            }
        }
        Ok(Event { device: self.id, queue, ticket })
    }

    fn poll(&self, event: Event) -> Poll<Result<(), CommandFault>> {
        Poll::Ready(self.wait(event))
    }

    fn wait(&self, event: Event) -> Result<(), CommandFault> {
        if event.device != self.id || !self.faulty.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut faults = lock(&self.faults);
        let outcome = faults.hand_on(&event.ticket);
        self.faulty.store(!faults.is_empty(), Ordering::Release);
        outcome
    }

    fn is_synchronous(&self) -> bool {
        true
    }

    fn stats(&self) -> DeviceStats {
        let mut stats = DeviceStats {
            launches: self.launches.load(Ordering::Relaxed),
            builtins: self.builtins.load(Ordering::Relaxed),
            native: *lock(&self.native),
            rows: *lock(&self.rows),
            faults: lock(&self.faults).len() as u64,
            ..DeviceStats::default()
        };
        if self.index == 0 {
            stats.shared_loops = self.group.workers.shared();
        }
        self.codes.count(&mut stats);
        self.memory().count(&mut stats);
        stats
    }
}

fn rect_bytes(rect: &Rect) -> usize {
    rect.extents.iter().fold(rect.dtype.size(), |product, &e| product.saturating_mul(e))
}

/// A panic while a lock was held leaves nothing half-done that matters here.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
