//! What a device has: memory, streams, events, code, and what is kept of work until it has run.

pub(super) mod check;
pub(super) mod clock;
pub(super) mod compiled;
pub(super) mod logical;
pub(super) mod memory;
pub(super) mod physical;
pub(super) mod source;
pub(super) mod staging;
pub(super) mod submission;
pub(super) mod timeline;
