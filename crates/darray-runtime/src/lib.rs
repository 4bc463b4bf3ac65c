//! The runtime of darray: it buffers index tasks, plans windows of them, and carries the plans out on
//! devices.
//!
//! Reading order: `store` (what a task works on), `current` (which version a variable holds), `submit` (an operation becomes a task),
//! `window_policy` and `flush` (a window becomes a plan), `prepared` and `executor` (a plan,
//! step by step), `mapper` (points to devices), `sub_store` and `rectangle` (what a point
//! uses), `instance`, `whole_block` and `coherence` (where data lies and how it gets where it is needed),
//! `history` and `device_set` (which waits order the work), `room` and `staged` (what goes where memory is
//! short), `kernel_step`, `reduction`, `builtin`, `scan`, `sort`, `opaque` (what is launched), `point_calls` and `kept_calls` (what is the same when
//! a window comes again), `idle_blocks` (memory between two arrays), `read` and `import` (the
//! host's side), `fault` (what happens when something fails), `recorder` (what is counted).
//!
//! It reasons about where data is, never about what may fuse: that is `darray_fusion`'s.

mod builtin;
mod codes;
mod coherence;
mod current;
mod device_set;
mod engine;
mod eviction;
mod executor;
mod fault;
mod flush;
mod history;
mod holders;
mod idle_blocks;
mod import;
mod instance;
mod kept_calls;
mod kernel_step;
mod mapper;
mod opaque;
mod options;
mod parts;
mod point_calls;
mod poison;
mod prepared;
mod read;
mod recorder;
mod rectangle;
mod reduction;
mod residents;
mod runtime;
mod scan;
mod slots;
mod sort;
mod staged;
mod store;
mod sub_store;
mod submit;
mod takeover;
mod whole_block;
mod window_end;
mod window_policy;

pub use current::CurrentStore;
#[cfg(feature = "testing")]
pub use history::WaitKind;
pub use history::Waits;
pub use import::Import;
pub use options::{RuntimeOptions, WindowSize};
pub use recorder::{FlushedWindow, Stats, Stops};
pub use runtime::{Capturing, Runtime};
pub use store::{Store, StoreOwner};
pub use submit::{Emission, NewStores, StoreRef};
