//! A CUDA driver without a GPU, for tests.
//!
//! The shared library that this crate builds is named like the real driver and has its calls, so
//! that a program loads it in place of `libcuda.so.1`. Kernels are PTX and are interpreted.
//!
//! ```text
//! program -> exports (C interface) -> driver (memory, streams, graphs) -> ptx (interpreter)
//! ```
//!
//! What it is for: a program that passes here has no wait too few (streams take turns at random,
//! by a seed), touches no memory that it does not own (every access of every thread is checked),
//! and survives any call that fails (failures are injected by number).
//!
//! # Settings
//!
//! By variables of the environment, read at `cuInit`, or by [`FakeCuda::configure`]:
//!
//! | variable | setting | meaning |
//! |---|---|---|
//! | `FAKECUDA_DEVICES` | `devices=2` | number of devices, up to 64 |
//! | `FAKECUDA_SCHED` | `sched=eager`, `sched=random:SEED` | work runs at once, or when something waits and then in random order |
//! | `FAKECUDA_VERSION` | `version=12040` | the CUDA version that the driver says it knows; PTX of later major versions is refused then. By default 13000, and no PTX is refused |
//! | `FAKECUDA_MEMORY` | `memory=BYTES` | memory of each device; 16 GiB by default |
//! | `FAKECUDA_GRAPH_MEMORY` | `graph_memory=BYTES` | memory that must be free on the stream's device for a graph to be launched; 0 by default |
//! | `FAKECUDA_PEERS` | `peers=on` | whether devices can reach each other once that is enabled |
//! | `FAKECUDA_MOST_PEERS` | `most_peers=N` | how many devices one device can reach at once; any number by default |
//! | `FAKECUDA_FAIL` | `fail=N`, `fail=N:CODE` | the N-th call yields CODE (999 by default); 0 for none |
//! | `FAKECUDA_LASTING` | `lasting=off` | whether all calls after that one fail, too, as after an error that a GPU does not get over |
//! | `FAKECUDA_SKIP_WAIT` | `skip_wait=N` | the N-th wait of a stream for an event is left out |
//! | `FAKECUDA_SKIP_EDGE` | `skip_edge=N` | the N-th edge of graphs that are instantiated is left out |
//! | `FAKECUDA_UPDATES` | `updates=on` | whether instantiated graphs take new parameters for their nodes |
//! | `FAKECUDA_SHUFFLE_WARPS` | `shuffle_warps=on` | whether random schedules mix the warps of a block, too |
//! | `FAKECUDA_RACES` | `races=off` | whether work that reaches the same bytes, at least once to write them, is an error where neither waits for the other; kernels are slower then |
//! | `FAKECUDA_TRACE` | `trace=off` | whether calls are printed |
//! | `FAKECUDA_QUIET` | `quiet=off` | whether errors are kept off the standard error output |
//!
//! One seed gives one order of work, as long as the program calls from one thread and no functions
//! of the host wait in streams (those are called by a thread of their own, which also sees to it
//! that their streams go on where nobody waits).
//!
//! # Counts
//!
//! [`FakeCuda::count`] knows `calls`, `launches` (of one kernel: `kernel:NAME`), `instructions` (of PTX, per thread),
//! `bytes_to_device`, `bytes_to_host`, `bytes_within` a device, `bytes_between` devices,
//! `bytes_set`, `allocations`, `operations` (submitted to streams), `waits` (of streams for
//! events), `edges` (of graphs that were instantiated), `left_out_within` (edges that were left out as asked, between nodes of
//! one device), what exists now (`allocated:D` bytes on device D, `pinned` bytes, `streams`, `events`,
//! `modules`, `graphs`, `queued` operations), and every call by its name.
//!
//! # Injected failures
//!
//! All calls count but those that only give words or addresses (`cuGetErrorName`,
//! `cuGetErrorString`, `cuGetProcAddress`, `cuGetExportTable`). A call that gives something back
//! does so and then fails, as a driver does that reports an earlier error.

mod driver;
mod exports;
mod library;
pub mod ptx;
mod skip;

/// What has tests of its own.
#[doc(hidden)]
pub mod parts {
    pub use crate::driver::code::Code;
    pub use crate::driver::config::{Config, Failure, Schedule};
    pub use crate::driver::race::{Races, join};
    pub use crate::ptx::parts::*;
}

pub use library::{FakeCuda, LibraryError};
pub use skip::{skipped, without_nvrtc};
