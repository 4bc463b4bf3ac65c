//! Compiling is so quick that kernels are compiled when they are first launched.

#[path = "../benches/formula/compiling.rs"]
mod compiling;
#[path = "../benches/formula/mod.rs"]
mod formula;

use compiling::compile;
use darray_core::DType;
use darray_cpu::Level;
use formula::{black_scholes, multiply_add};
use std::time::Duration;

/// The bounds are about five times what a quiet machine needs.
#[test]
fn machine_code_is_made_in_fractions_of_a_millisecond() {
    let level = Level::detect();
    for (text, bound) in [(multiply_add(), 300), (black_scholes(DType::F64), 1500)] {
        let [best, _] = compile(&text, Some(level), 20);
        assert!(best < Duration::from_micros(bound), "{best:?} of {bound} us:\n{text}");
    }
}
