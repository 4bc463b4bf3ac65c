//! The work of plans that repeat, held back and launched as graphs.

pub(super) mod batch;
pub(super) mod launcher;
pub(super) mod operation;
pub(super) mod recordings;
