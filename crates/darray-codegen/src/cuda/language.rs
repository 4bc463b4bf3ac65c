//! CUDA C: types, constants, operators, functions.

pub(crate) mod literal;
pub(crate) mod math;
pub(crate) mod operators;
pub(crate) mod reducer;
pub(crate) mod text;
pub(crate) mod trace;
