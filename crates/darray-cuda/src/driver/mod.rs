//! The CUDA driver: what this crate uses of it, thin and owned.
//!
//! Rules: every call is checked and its error names it. Where a function needs a current context, the
//! caller has bound it to the thread with [`Context::bind`]; drops bind it themselves.

mod call;
mod context;
mod event;
mod graph;
mod library;
mod module;
mod pinned;
mod pool;
mod stream;
mod transfer;

pub use context::Card;
pub(crate) use context::{Context, doubt, enter, leave};
pub(crate) use event::Event;
pub(crate) use graph::{Copy, End, Executable, Graph, Kernel};
pub use library::Driver;
pub use module::Grid;
pub(crate) use module::{Function, Module, Parameters};
pub(crate) use pinned::Pinned;
pub(crate) use pool::Pool;
pub(crate) use stream::Stream;
pub(crate) use transfer::{copy, download, download_to, peer_copy, upload, upload_from};
