//! Work of streams: kernels, copies, fills, allocations, events, host functions, graphs.

use super::Driver;
use super::code::Code;
use super::event::Event;
use super::graph::Run;
use super::heap::{self, State};
use super::module::Module;
pub use super::product::{Element, Product};
use super::race::join;
use super::schedule::HostFunction;
use crate::ptx::machine::{Reason, run};
use crate::ptx::memory::{Memory, Violation};
use crate::ptx::{Fault, Launch};
use std::sync::Arc;
use std::time::Instant;

/// Work of a stream.
#[derive(Clone, Debug)]
pub enum Operation {
    /// A kernel.
    Kernel(Arc<Kernel>),
    /// A copy.
    Copy(Arc<Copy>),
    /// Memory set to a value.
    Fill(Fill),
    /// Memory of a pool can be used from here on.
    Allocate {
        /// Its address.
        address: u64,
    },
    /// Memory is freed.
    Free {
        /// Its address.
        address: u64,
    },
    /// An event is reached.
    Record {
        /// The event.
        event: Arc<Event>,
        /// Which of its records.
        record: u64,
    },
    /// An event must be reached first.
    Wait {
        /// The event.
        event: Arc<Event>,
        /// Which of its records.
        record: u64,
    },
    /// A function of the host.
    Host(HostFunction),
    /// A graph.
    Graph(Box<Run>),
    /// A product of matrices.
    Product(Arc<Product>),
    /// Nothing: what an empty node does.
    Empty,
}

/// A kernel to be launched.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The module that holds it.
    pub module: Arc<Module>,
    /// Its index.
    pub kernel: usize,
    /// Blocks along the axes.
    pub grid: [u32; 3],
    /// Threads of a block along the axes.
    pub block: [u32; 3],
    /// Bytes of shared memory beyond those that the text declares.
    pub shared: u32,
    /// The bytes of the arguments.
    pub arguments: Vec<u8>,
}

/// One end of a copy.
#[derive(Clone, Debug)]
pub enum End {
    /// Memory of a device, or pinned memory.
    Address(u64),
    /// Memory of the host that is not pinned.
    Host(u64),
    /// Bytes that were taken when the copy was submitted.
    Staged(Arc<[u8]>),
}

/// A copy of rows of bytes.
#[derive(Clone, Debug)]
pub struct Copy {
    /// Where to.
    pub to: End,
    /// Where from.
    pub from: End,
    /// Bytes of a row.
    pub width: u64,
    /// How many rows.
    pub rows: u64,
    /// Bytes from row to row.
    pub pitches: [u64; 2],
    /// Whether it may cross devices whose peer access is not enabled.
    pub peer: bool,
}

/// Memory set to a value.
#[derive(Clone, Copy, Debug)]
pub struct Fill {
    /// Where.
    pub address: u64,
    /// The bits of an element.
    pub value: u32,
    /// Bytes of an element.
    pub element: u64,
    /// Elements of a row.
    pub width: u64,
    /// How many rows.
    pub rows: u64,
    /// Bytes from row to row.
    pub pitch: u64,
}

impl Operation {
    /// Whether a stream may capture it.
    pub fn can_be_captured(&self) -> bool {
        !matches!(self, Operation::Allocate { .. } | Operation::Free { .. })
    }

    /// Functions of the host that it has still to call.
    pub fn host_functions(&self) -> usize {
        match self {
            Operation::Host(_) => 1,
            Operation::Graph(run) => {
                let left = run.nodes.iter().zip(&run.done).filter(|(_, done)| !**done);
                left.filter(|(node, _)| matches!(node.operation, Operation::Host(_))).count()
            }
            _ => 0,
        }
    }
}

impl Driver {
    /// Executes work of a device; host functions and graphs are the schedule's.
    pub fn execute(&mut self, stream: u64, device: usize, operation: Operation) {
        let what = match (&operation, self.config.races) {
            (Operation::Kernel(kernel), true) => {
                let name = kernel.module.program.kernel_name(kernel.kernel);
                Some(format!("kernel {name}"))
            }
            (Operation::Copy(_), true) => Some("a copy".to_string()),
            (Operation::Product(_), true) => Some("a product".to_string()),
            (Operation::Fill(_), true) => Some("a fill".to_string()),
            (Operation::Free { .. }, true) => Some("freeing".to_string()),
            (Operation::Allocate { .. }, true) => Some("allocating".to_string()),
            _ => None,
        };
        if let Operation::Free { address } | Operation::Allocate { address } = &operation
            && let Some(owner) = heap::owner(*address)
            && let Some(found) = self.devices[owner].heap.holding(*address)
        {
            self.note(*address, found.bytes, true);
            // What is freed is forgotten, so the question comes first.
            if let Some(what) = &what {
                self.end(stream, device, what);
                if self.devices[device].broken.is_some() {
                    return;
                }
            }
        }
        let result = match operation {
            Operation::Kernel(kernel) => self
                .kernel(device, &kernel)
                .map_err(|fault| (fault_code(&fault), fault.to_string())),
            Operation::Copy(copy) => self
                .copy(device, &copy)
                .map_err(|why| (Code::ILLEGAL_ADDRESS, format!("copy on device {device}: {why}"))),
            Operation::Fill(fill) => self
                .fill(device, fill)
                .map_err(|why| (Code::ILLEGAL_ADDRESS, format!("fill on device {device}: {why}"))),
            Operation::Product(product) => self.multiply(device, &product).map_err(|why| {
                (Code::ILLEGAL_ADDRESS, format!("product on device {device}: {why}"))
            }),
            Operation::Allocate { address } => {
                let owner = heap::owner(address).and_then(|owner| self.devices.get_mut(owner));
                if let Some(found) = owner.and_then(|device| device.heap.get_mut(address)) {
                    found.state = State::Live;
                }
                Ok(())
            }
            Operation::Free { address } => self.execute_free(address),
            Operation::Record { event, record } => {
                let mut state = event.state();
                state.done = state.done.max(record);
                state.time = Some(Instant::now());
                if self.config.races {
                    state.clocks.insert(record, self.races.clock(stream).clone());
                }
                Ok(())
            }
            Operation::Wait { event, record } => {
                if let Some(clock) = event.state().clocks.get(&record) {
                    join(self.races.clock(stream), clock);
                }
                Ok(())
            }
            Operation::Host(_) | Operation::Graph(_) | Operation::Empty => Ok(()),
        };
        match (result, what) {
            (Err((code, what)), _) => self.break_device(device, code, what),
            (Ok(()), Some(what)) => self.end(stream, device, &what),
            (Ok(()), None) => {}
        }
    }

    /// Work that fails leaves the device unusable, and what waits there is dropped.
    pub fn break_device(&mut self, device: usize, code: Code, what: String) {
        self.report(what);
        self.devices[device].broken.get_or_insert(code);
        let mut dropped = Vec::new();
        for stream in self.streams.values_mut().filter(|stream| stream.device == device) {
            dropped.extend(stream.queue.drain(..));
        }
        for queued in dropped {
            match queued.operation {
                Operation::Record { event, record } => {
                    let mut state = event.state();
                    state.done = state.done.max(record);
                }
                Operation::Free { address } => {
                    // Freed as far as it can be: the device yields its error already.
                    self.free(address).ok();
                }
                other => self.host_functions -= other.host_functions(),
            }
        }
    }

    fn kernel(&mut self, device: usize, kernel: &Kernel) -> Result<(), Box<Fault>> {
        let seed = match self.config.shuffle_warps && self.is_lazy() {
            true => self.random(usize::MAX) as u64 | 1,
            false => 0,
        };
        let launch = Launch {
            program: &kernel.module.program,
            kernel: kernel.kernel,
            grid: kernel.grid,
            block: kernel.block,
            dynamic_shared: kernel.shared,
            arguments: &kernel.arguments,
            seed,
        };
        let report = run(&launch, &self.memory(device))?;
        self.counters.launches += 1;
        let name = launch.program.name(launch.kernel);
        *self.counters.kernels.entry(name.to_string()).or_default() += 1;
        self.counters.instructions += report.instructions;
        Ok(())
    }

    fn execute_free(&mut self, address: u64) -> Result<(), (Code, String)> {
        let owner = heap::owner(address).and_then(|owner| self.devices.get(owner));
        let state = owner.and_then(|device| device.heap.holding(address)).map(|found| found.state);
        if state == Some(State::Pending) {
            let what = format!("free before allocation: {address:#x}");
            return Err((Code::ILLEGAL_ADDRESS, what));
        }
        self.free(address).map_err(|code| (code, format!("double free: {address:#x}")))
    }

    fn copy(&mut self, device: usize, copy: &Copy) -> Result<(), Violation> {
        let (mut to_device, mut to_host, mut within, mut between) = (0, 0, 0, 0);
        for row in 0..copy.rows {
            let from = self.row(device, &copy.from, row * copy.pitches[1], copy, false)?;
            let to = self.row(device, &copy.to, row * copy.pitches[0], copy, true)?;
            // SAFETY: both ends have `width` bytes: memory of devices and pinned memory was
            // checked, staged bytes have that many, and the caller has promised the rest.
            unsafe { std::ptr::copy(from.0, to.0, copy.width as usize) };
            match (from.1, to.1) {
                (None, Some(_)) => to_device += copy.width,
                (Some(_), None) => to_host += copy.width,
                (Some(a), Some(b)) if a != b => between += copy.width,
                _ => within += copy.width,
            }
        }
        self.counters.bytes_to_device += to_device;
        self.counters.bytes_to_host += to_host;
        self.counters.bytes_within += within;
        self.counters.bytes_between += between;
        Ok(())
    }

    /// Where a row of a copy lies, and on which device.
    fn row(
        &self,
        device: usize,
        end: &End,
        offset: u64,
        copy: &Copy,
        writes: bool,
    ) -> Result<(*mut u8, Option<usize>), Violation> {
        match end {
            End::Staged(bytes) => {
                Ok((bytes.as_ptr().cast_mut().wrapping_add(offset as usize), None))
            }
            End::Host(address) => Ok(((address + offset) as *mut u8, None)),
            End::Address(address) => {
                let address = address + offset;
                let owner = heap::owner(address).filter(|owner| *owner < self.devices.len());
                let reader = if copy.peer { owner.unwrap_or(device) } else { device };
                let region = self.memory(reader).find(address, copy.width)?;
                self.note(address, copy.width, writes);
                Ok((region.host.wrapping_add((address - region.start) as usize), owner))
            }
        }
    }

    fn fill(&mut self, device: usize, fill: Fill) -> Result<(), Violation> {
        let bytes = fill.width * fill.element;
        for row in 0..fill.rows {
            let address = fill.address + row * fill.pitch;
            let region = self.memory(device).find(address, bytes)?;
            self.note(address, bytes, true);
            let start = region.host.wrapping_add((address - region.start) as usize);
            let value = fill.value.to_le_bytes();
            for at in 0..bytes as usize {
                // SAFETY: `find` has checked that there are `bytes` bytes.
                unsafe { start.add(at).write(value[at % fill.element as usize]) };
            }
        }
        self.counters.bytes_set += bytes * fill.rows;
        Ok(())
    }
}

fn fault_code(fault: &Fault) -> Code {
    match fault.reason {
        Reason::Memory(_) | Reason::Outside { .. } => Code::ILLEGAL_ADDRESS,
        Reason::Misaligned { .. } => Code::MISALIGNED_ADDRESS,
        Reason::TooLong => Code::LAUNCH_TIMEOUT,
        Reason::Trap | Reason::Deadlock | Reason::StackOverflow => Code::LAUNCH_FAILED,
    }
}
