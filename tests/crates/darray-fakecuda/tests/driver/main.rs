//! The shared library, driven by cudarc as it is. The tests share one driver and take turns.

mod failure;
mod gpu;
mod graph;
mod host;
mod memory;
mod node;
mod peer;
mod schedule;
mod vectors;
