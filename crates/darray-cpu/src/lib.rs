//! The CPU as a device: block interpreter, memory pool, builtins.
//!
//! Reading order: `device` (the trait's implementation), `memory`, `execute` (launches), `vector`
//! (the loops), `builtin`, `task` (what programs bring along).

mod builtin;
mod device;
mod execute;
mod jit;
mod level;
mod listing;
mod memory;
mod processor;
mod rectangle;
mod stack;
mod task;
mod vector;
mod workers;

pub use device::{CpuDevices, CpuOptions};
pub use level::Level;
pub use listing::{Function, Listener, Listing, ScheduleListing};
#[cfg(feature = "testing")]
pub use memory::kept_scratch;
pub use memory::{BoundedBy, MemoryBound};
pub use task::{CpuVariant, LocalArray, PointTask};
