//! The CPU as a device: kernels as machine code or by portable loops, memory, builtins.
//!
//! Reading order: `device` (the trait's implementation), `memory`, `workers` (threads), `execute` (launches: `schedule` chooses, `bind`,
//! `code`, `run`), `jit` (machine code), `vector` (portable loops), `builtin`, `task` (what programs bring along). `level` and `processor`
//! say what the machine has, `rectangle` copies, `listing` is what is shown.

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
