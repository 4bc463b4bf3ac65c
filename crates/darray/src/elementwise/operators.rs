//! Operators of the language, and their `try_` twins, of typed arrays.

pub(crate) mod absent;
mod arithmetic;
mod bitwise;
mod comparison;
