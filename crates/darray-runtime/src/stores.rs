//! What tasks work on, and where it lies.
//!
//! Reading order: `store` and `current` (which version a variable holds), `instance` and `whole_block` (the memory of one on a
//! device), `staged` (what the host keeps of one for want of memory), `residents`, `slots` (numbers in a window).

mod current;
mod instance;
mod residents;
mod slots;
mod staged;
mod store;
mod whole_block;

pub use current::CurrentStore;
pub(crate) use instance::{Instance, Replica, Replicas, Valid, grown, linear_closure, view_of_all};
pub(crate) use residents::Residents;
pub(crate) use slots::Slots;
pub(crate) use staged::Staged;
pub(crate) use store::{Kept, Poison};
pub use store::{Store, StoreOwner};
pub(crate) use whole_block::WholeBlock;
