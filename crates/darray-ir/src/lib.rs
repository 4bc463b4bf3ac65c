//! Task IR of darray: index tasks over partitioned stores, buffered in a window.
//!
//! Reading order: [`task`] (what one task is), [`builtin`] (kernels that are not generated), [`privilege`], [`geometry`] (what maps reach),
//! [`tiling`] (how a launch domain cuts an iteration domain), [`window`] (the buffer and its
//! canonical form), `verify`, `print`, `parse`.
//!
//! A window is a self-contained value: tasks name stores, domains and maps by their numbers in the
//! window, so that it can be printed, parsed, compared and planned without a runtime.

pub mod builtin;
pub mod geometry;
mod hash;
pub mod numbers;
pub mod parse;
pub mod print;
pub mod privilege;
pub mod task;
pub mod tiling;
pub mod verify;
pub mod window;

pub use builtin::Builtin;
pub use hash::hash_of;
pub use numbers::{DomainId, MapId, StoreId};
pub use privilege::Privilege;
pub use task::{Distribution, IndexTask, Opaque, TaskArg, TaskArgs, TaskOp};
pub use tiling::{Grid, Tiling};
pub use window::{Window, WindowStore};
