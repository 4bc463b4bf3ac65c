//! The device trait: memory, commands and events of one device, and nothing about arrays.
//!
//! The CPU runs inline and its events are already reached; other devices queue. Nothing above this
//! trait knows the difference.

pub mod builtin;
pub mod codes;
pub mod faults;
mod host;
mod stats;
mod task;

pub use host::{HostBuffer, HostBytes, HostBytesMut, HostElement, Plain};
pub use task::{PointArray, PointCall, TaskDefinition};

use darray_core::RealType;
use darray_kernel::ir::Kernel;
use smallvec::SmallVec;
pub use stats::{DeviceStats, GraphStats, NativeStats, ProductStats, RowStats};
use std::fmt;
use std::sync::Arc;
use std::task::Poll;

/// Which device of a runtime: an index, 0-based.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeviceId(pub u16);

/// An in-order queue of a device. Two queues are unordered without an [`Event`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Queue(pub u16);

/// A point on a queue's timeline: reached when every command submitted to `queue` up to `ticket`
/// has run. No allocation, no drop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// Whose timeline.
    pub device: DeviceId,
    /// Which queue of it.
    pub queue: Queue,
    /// Counts submissions of the queue from 1.
    pub ticket: u64,
}

/// Memory of one device: opaque, no address. Not freed by drop: see [`Device::release`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// Whose memory.
    pub device: DeviceId,
    /// The device's name for it, unique for the device's lifetime.
    pub handle: u64,
    /// Size.
    pub bytes: u64,
}

/// A strided rectangle of elements inside a block. Strides and offset count elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Rect {
    /// Where it lies.
    pub block: Block,
    /// Element type.
    pub dtype: RealType,
    /// Element of the block that index (0, 0, ..) is.
    pub offset: i64,
    /// Extents, outermost first.
    pub extents: SmallVec<[usize; 4]>,
    /// Elements per step of each axis.
    pub strides: SmallVec<[i64; 4]>,
}

/// Code compiled by one device. Not given back by drop: see [`Device::forget`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code(pub u32);

/// One launch argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// A buffer: element (c0, c1, ..) of it lies at `offset + sum(c_k * strides[k])` elements from
    /// the block's start. `offset` may be negative where coordinates start above 0.
    Buffer {
        /// Where it lies.
        block: Block,
        /// In elements.
        offset: i64,
        /// In elements, one per coordinate.
        strides: SmallVec<[i64; 4]>,
    },
    /// A [`darray_kernel::ir::Param`] (i64) or a scalar (its bits).
    Bits(u64),
}

/// Work for a queue.
#[derive(Clone)]
pub enum Command {
    /// Runs a kernel for one point. `args`: the buffers, then the params, then the scalars, each in
    /// the kernel's order.
    Launch {
        /// From [`Device::compile`].
        code: Code,
        /// See above.
        args: Vec<Arg>,
    },
    /// Runs a builtin: see [`builtin`] for the names and their arguments.
    Builtin {
        /// E.g. [`builtin::MatMul::NAME`].
        name: &'static str,
        /// E.g. from [`builtin::MatMul::encode`].
        args: Vec<Arg>,
    },
    /// Runs one point of a task that the program brought along.
    Task(Box<PointCall>),
    /// Copies a rectangle of the same extents and dtype: within the device or from a peer.
    Copy {
        /// Source; may lie on another device.
        from: Rect,
        /// Destination; lies on this device.
        to: Rect,
    },
    /// Copies host bytes (row-major elements of `to`) into a rectangle.
    Upload {
        /// Source, exactly the rectangle's elements.
        from: Arc<dyn HostBytes>,
        /// Destination.
        to: Rect,
    },
    /// Copies a rectangle to host memory, row-major, at this byte offset.
    Download {
        /// Source.
        from: Rect,
        /// Destination; elements, or the memory for them, are there already.
        to: HostBuffer,
        /// First byte written.
        at: usize,
    },
}

/// Why a device call or a command failed.
#[derive(Clone, PartialEq)]
pub enum Fault {
    /// Too little memory: the caller may free memory and ask again.
    OutOfMemory {
        /// Bytes asked for.
        requested: u64,
        /// Bytes in use.
        in_use: u64,
        /// The device's limit.
        limit: u64,
    },
    /// Too little memory, below the device's limit: the process may not reserve more addresses. The caller may
    /// free memory and ask again.
    OutOfAddresses {
        /// Bytes asked for.
        requested: u64,
        /// Bytes in use.
        in_use: u64,
        /// Bytes of addresses that the device has reserved so far.
        reserved: u64,
    },
    /// The kernel cannot be compiled by this device.
    Compile(String),
    /// A command failed while it ran.
    Execution(String),
}

impl Fault {
    /// A download of so many bytes, to host memory that has `room` for fewer behind this offset.
    pub fn no_room(at: usize, bytes: usize, room: usize) -> Fault {
        let end = at.saturating_add(bytes);
        Fault::Execution(format!("download to {at}..{end} of {room} bytes"))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::OutOfMemory { requested, in_use, limit } => {
                write!(f, "out of memory: {requested} bytes, {in_use} of {limit} in use")
            }
            Fault::OutOfAddresses { requested, in_use, reserved } => {
                write!(f, "out of addresses: {requested} bytes, {in_use} of {reserved} in use")
            }
            Fault::Compile(message) => write!(f, "compilation failed: {message}"),
            Fault::Execution(message) => f.write_str(message),
        }
    }
}

impl fmt::Debug for Fault {
    /// The text, which is what `unwrap` prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Fault {}

/// The failure of a submitted command.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandFault {
    /// Index of the command in its submission.
    pub command: u32,
    /// What happened. Later commands of the submission did not run; other submissions did.
    pub fault: Fault,
}

/// What a device is.
#[derive(Clone, Debug)]
pub struct Describe {
    /// E.g. `cpu:0 (avx512, avx512 machine code)`.
    pub name: String,
    /// Bytes that allocations may use.
    pub memory_limit: u64,
    /// Number of queues, at least 1.
    pub queues: u16,
    /// What launches take.
    pub launches: LaunchCosts,
}

/// What launches of a kind of device take beside what kernels do: a row of the table that the choice between plans goes by.
/// `darray-cli costs` measures it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchCosts {
    /// Elements up to which a loop nest takes about as long as its launch, so that several are better one kernel.
    pub small: usize,
    /// Bytes that are moved while a kernel is launched.
    pub launch: u64,
    /// Bytes that are moved while a further nest of a kernel begins.
    pub next_nest: u64,
}

/// A device. No method but `wait` and `settle` blocks on queued work, and `submit` where it is given a long transfer from
/// or to the host, or through it, which may go piece by piece. A call fails at once (nothing was queued)
/// or through its event; never both.
pub trait Device: Send + Sync {
    /// What it is.
    fn describe(&self) -> &Describe;

    /// Makes a kernel runnable. The kernel is verified. The code is kept until it is forgotten as
    /// often as it was given.
    fn compile(&self, kernel: &Kernel) -> Result<Code, Fault>;

    /// Takes back one [`compile`](Self::compile): no launch of the code is submitted any more on its
    /// account. Launches that are queued still run; what the code occupies is given back after them.
    fn forget(&self, code: Code);

    /// Memory for commands queued later on `queue`; contents undefined; aligned to 64 bytes. Fails
    /// early, so that the caller can evict and ask again.
    fn allocate(&self, queue: Queue, bytes: u64) -> Result<Block, Fault>;

    /// Gives a block back once every event of `after` has happened; without any, once `queue`, on which
    /// it was allocated, reaches this point.
    fn release(&self, queue: Queue, block: Block, after: &[Event]);

    /// Queues `work` behind `after` (events of any device). What of it runs later, the device keeps.
    fn submit(&self, queue: Queue, after: &[Event], work: &[Command]) -> Result<Event, Fault>;

    /// Whether the event has happened; `Ready(Err)` says which command failed. That is handed on once, by this or by
    /// [`known`](Self::known) or [`wait`](Self::wait): whoever asks again is told that the event has happened.
    fn poll(&self, event: Event) -> Poll<Result<(), CommandFault>>;

    /// As [`poll`](Self::poll), by what is known without another look at the device: pending, too, is what has happened
    /// since the last one.
    fn known(&self, event: Event) -> Poll<Result<(), CommandFault>> {
        self.poll(event)
    }

    /// Blocks until the event has happened. As with [`poll`](Self::poll), a failure is handed on once.
    fn wait(&self, event: Event) -> Result<(), CommandFault>;

    /// Says that what is queued until [`end`](Self::end), on this device and on those that it works
    /// with, is the work of a plan that was carried out before, so that much the same work was queued
    /// then. `plan` is the plan's number. A device may hold the work back till the end, to launch it
    /// as a whole; whoever waits for a part of it still gets it. Returns whether it does so.
    ///
    /// ```
    /// use darray_device::{Device, Queue};
    /// use darray_testdevices::ReferenceDevice;
    /// let device = &ReferenceDevice::set(1, 1 << 20)[0];
    /// assert!(!device.begin(7), "it carries out all work at once");
    /// let event = device.submit(Queue(0), &[], &[]).unwrap();
    /// device.end();
    /// assert_eq!(device.wait(event), Ok(()));
    /// ```
    fn begin(&self, plan: u64) -> bool {
        let _ = plan;
        false
    }

    /// Ends what [`begin`](Self::begin) began, on this device and on those that it works with.
    fn end(&self) {}

    /// Says that until [`leave`](Self::leave) this thread carries out a plan: of the program nothing runs on it
    /// but tasks that are submitted here.
    fn enter(&self) {}

    /// Ends what [`enter`](Self::enter) began.
    fn leave(&self) {}

    /// Whether its memory is apart from the host's, so that moving data there frees memory.
    fn is_apart(&self) -> bool {
        false
    }

    /// Whether everything has happened, or has failed, when `submit` returns: then nothing need be ordered behind it.
    fn is_synchronous(&self) -> bool {
        false
    }

    /// Blocks until everything that was queued has happened, and memory that was given back behind it is
    /// there again. What a device without memory of its own does at once.
    fn settle(&self) {}

    /// Counters.
    fn stats(&self) -> DeviceStats;
}
