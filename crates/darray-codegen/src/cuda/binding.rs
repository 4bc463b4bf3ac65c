//! A kernel with the arguments of a launch: its variant, the bytes of arguments, the workspace, the grids.

pub(crate) mod arguments;
pub(crate) mod bindings;
pub(crate) mod bound;
pub(crate) mod folds;
pub(crate) mod moves;
pub(crate) mod shape;
pub(crate) mod workspace;
