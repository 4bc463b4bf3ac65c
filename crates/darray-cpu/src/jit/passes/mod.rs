//! What becomes of straight-line code before registers are allocated.

pub(super) mod legalise;
pub(super) mod neighbours;
pub(super) mod schedule;
pub(super) mod transposed;
