//! Machine code against the block interpreter, over random programs: the same bits, and nearly all loops are
//! machine code.

use darray::{CpuJit, Runtime};
use darray_cpu::Level;
use darray_kernel::tree::TreeRule;
use darray_testkit::{Scale, generate, run, same};

/// Programs of both scales, beginning with this seed.
const FIRST: u64 = 50_000;
const PROGRAMS: u64 = if cfg!(feature = "long") { 10_000 } else { 800 };

/// Kernels of real runs: the blocks of reductions are those outside tests.
fn runtime(jit: CpuJit) -> Runtime {
    let builder = Runtime::builder().threads(1).tree_rule(TreeRule::STANDARD).cpu_jit(jit);
    builder.build().expect("a runtime")
}

#[test]
fn random_programs_give_the_bits_of_the_interpreter_in_machine_code() {
    let targets = [(CpuJit::Avx2, Level::Avx2), (CpuJit::Avx512, Level::Avx512)];
    let targets: Vec<CpuJit> = targets
        .into_iter()
        .filter(|(_, level)| *level <= Level::detect())
        .map(|(jit, _)| jit)
        .collect();
    let interpreter = runtime(CpuJit::Off);
    let compiled: Vec<(CpuJit, Runtime)> =
        targets.into_iter().map(|jit| (jit, runtime(jit))).collect();
    for seed in FIRST..FIRST + PROGRAMS {
        let scale = if seed % 4 == 0 { Scale::Large } else { Scale::Small };
        let program = generate(seed, scale);
        let expected = run(&program, &interpreter).expect("programs have no errors");
        for (jit, runtime) in &compiled {
            let found = run(&program, runtime).expect("programs have no errors");
            if let Err(difference) = same(&expected, &found) {
                panic!("seed {seed}, {}: {difference}\n{program}", jit.name());
            }
        }
    }
    assert_eq!(interpreter.stats().native.whole, 0);
    for (jit, runtime) in &compiled {
        let native = runtime.stats().native;
        let nests = native.whole + native.part + native.none;
        println!("{} of {nests} nests: {native:#?}", jit.name());
        assert!(nests > PROGRAMS, "{nests} nests");
        if *jit == CpuJit::Avx512 {
            let interpreted = native.part + native.none;
            assert!(100 * interpreted <= nests, "{interpreted} of {nests} nests: {native:#?}");
        }
    }
}
