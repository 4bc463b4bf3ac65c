//! The runtime of darray: it buffers index tasks, plans windows of them, and carries the plans out on
//! devices.
//!
//! Reading order, in which a module imports only what stands before it: `geometry` (which elements are meant), `devices` (queues,
//! points, waits), `stores` (what a task works on, and where it lies), `stats` (what is counted), `options`, `prepared` (a plan
//! made ready), `engine` (memory, submission, failures of what is in flight), `coherence` (how data gets where it is needed, and
//! where it goes when memory is short), `steps` (what is launched), `execution` (a plan, step by step, and what happens when one
//! fails), `window` (when a window is full), `runtime` (the handle: an operation becomes a task, a window becomes a plan, the
//! host reads and imports).
//!
//! What an `Engine` or a `State` does stands with its purpose: each of these has methods in several modules.
//!
//! It reasons about where data is, never about what may fuse: that is `darray_fusion`'s.

mod coherence;
mod devices;
mod engine;
mod execution;
mod geometry;
mod options;
mod prepared;
mod runtime;
mod stats;
mod steps;
mod stores;
mod window;

#[cfg(feature = "testing")]
pub use devices::WaitKind;
pub use devices::Waits;
pub use options::{RuntimeOptions, WindowSize};
pub use runtime::{Capturing, Emission, FlushedWindow, Import, NewStores, Runtime, StoreRef};
pub use stats::{Stats, Stops};
pub use stores::{CurrentStore, Store, StoreOwner};
