//! Operators of the language, and their `try_` twins, of typed arrays.

mod arithmetic;
mod bitwise;
mod comparison;
