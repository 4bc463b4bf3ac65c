//! Kernels of several loop nests.

mod in_turn;
mod inlined;
mod rows;
