//! Operators of the language of typed arrays.

pub(crate) mod absent;
mod arithmetic;
mod bitwise;
mod comparison;
