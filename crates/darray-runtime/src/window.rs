//! When a window is full, and where in a loop it ends.

mod end;
mod history;
mod policy;
mod varying;

pub(crate) use end::Held;
pub(crate) use policy::{FIRST, Flushed, LARGEST, WindowPolicy};
