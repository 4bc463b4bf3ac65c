//! The devices of a runtime: their queues, which points they run, which waits order their work, what they compiled.
//!
//! Reading order: `mapper` (points to devices), `history` and `device_set` (which waits order the work), `codes`, `idle_blocks`
//! (memory between two arrays).

mod codes;
mod device_set;
mod history;
mod idle_blocks;
mod mapper;

pub(crate) use codes::{CodeTable, KernelCodes};
pub(crate) use device_set::DeviceSet;
pub(crate) use history::{COMPUTE, Events, History, Use};
pub use history::{WaitKind, Waits};
pub(crate) use idle_blocks::IdleBlocks;
pub(crate) use mapper::{Mapper, Point};
