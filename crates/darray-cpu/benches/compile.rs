//! Microseconds from a kernel's IR to its code, interpreted and in machine code; the shortest and the median.
//!
//! `cargo bench -p darray-cpu --bench compile`

#[path = "formula/compiling.rs"]
mod compiling;
mod formula;

use compiling::compile;
use darray_core::DType;
use darray_cpu::Level;
use darray_kernel::ir::Kernel;
use formula::{black_scholes, multiply_add};

/// How often each kernel is compiled.
const ROUNDS: usize = 300;

fn main() {
    println!("{:20} {:>12}  best  median  us", "kernel", "instructions");
    let kernels = [
        ("a * b + c", multiply_add()),
        ("black_scholes f64", black_scholes(DType::F64)),
        ("black_scholes f32", black_scholes(DType::F32)),
    ];
    for (name, text) in kernels {
        let kernel = Kernel::parse(&text).expect("a kernel");
        let instructions = kernel.to_string().lines().filter(|line| line.contains('=')).count();
        for jit in [None, Some(Level::Avx2), Some(Level::Avx512)] {
            if jit.is_some_and(|level| level > Level::detect()) {
                continue;
            }
            let [best, median] = compile(&text, jit, ROUNDS).map(|time| time.as_secs_f64() * 1e6);
            let how = jit.map_or("interpreted", Level::name);
            println!("{name:20} {instructions:12}  {best:6.1} {median:6.1}  {how}");
        }
    }
}
