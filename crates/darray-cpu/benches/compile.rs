//! Microseconds from a kernel's IR to its code, interpreted and in machine code; the shortest and the median.
//!
//! `cargo bench -p darray-cpu --bench compile`, or `-- PART ROUNDS` behind it: the lines with this part alone, so many
//! rounds each.

#[path = "formula/compiling.rs"]
mod compiling;
mod formula;

use compiling::{Compiling, compile};
use darray_core::RealType;
use darray_cpu::Level;
use darray_kernel::ir::Kernel;
use formula::{black_scholes, multiply_add};

/// How often each kernel is compiled.
const ROUNDS: usize = 300;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let part = args.first().map_or("", String::as_str);
    let rounds = args.get(1).map_or(ROUNDS, |rounds| rounds.parse().expect("a number of rounds"));
    println!("{:20} {:>12}  best  median  us", "kernel", "instructions");
    let kernels = [
        ("a * b + c", multiply_add()),
        ("black_scholes f64", black_scholes(RealType::F64)),
        ("black_scholes f32", black_scholes(RealType::F32)),
    ];
    for (name, text) in kernels {
        let kernel = Kernel::parse(&text).expect("a kernel");
        let instructions = kernel.to_string().lines().filter(|line| line.contains('=')).count();
        let [avx2, avx512] = [Level::Avx2, Level::Avx512].map(Some);
        let ways = [(None, false), (avx2, false), (avx512, false), (avx2, true), (avx512, true)];
        for (jit, is_large) in ways {
            if jit.is_some_and(|level| level > Level::detect()) {
                continue;
            }
            let how = jit.map_or("interpreted", Level::name);
            let how = if is_large { format!("{how}, for large launches") } else { how.to_string() };
            if !format!("{name} {how}").contains(part) {
                continue;
            }
            let Compiling { best, median, .. } = compile(&text, jit, is_large, rounds);
            let [best, median] = [best, median].map(|time| time.as_secs_f64() * 1e6);
            println!("{name:20} {instructions:12}  {best:6.1} {median:6.1}  {how}");
        }
    }
}
