//! Code: modules, libraries and their kernels.

pub(super) mod launch;
mod library;
mod module;
