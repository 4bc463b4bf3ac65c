//! Machine code against the block interpreter, over random programs: the same bits, and nearly all loops are
//! machine code.

use darray::{CpuJit, DArray, Runtime};
use darray_cpu::Level;
use darray_testkit::{Scale, generate, run, same};
use std::ops::Range;

/// Programs of both scales, beginning with this seed.
const FIRST: u64 = 50_000;
const PROGRAMS: u64 = if cfg!(feature = "long") { 10_000 } else { 800 };

/// Kernels of real runs: the blocks of reductions are those outside tests.
fn runtime(jit: CpuJit, contract: bool) -> Runtime {
    let builder = Runtime::builder().threads(1).cpu_jit(jit);
    builder.contract(contract).build().expect("a runtime")
}

#[test]
fn random_programs_give_the_bits_of_the_interpreter_in_machine_code() {
    check(FIRST..FIRST + PROGRAMS, false);
}

#[test]
fn contracted_programs_give_the_bits_of_the_interpreter_in_machine_code() {
    check(FIRST..FIRST + PROGRAMS / 4, true);
    // Of some programs the bits are others.
    let [plain, contracted] = [false, true].map(|contract| runtime(CpuJit::Off, contract));
    let differs = |seed: &u64| {
        let program = generate(*seed, Scale::Small);
        let [plain, contracted] = [&plain, &contracted]
            .map(|runtime| run(&program, runtime).expect("programs have no errors"));
        same(&plain, &contracted).is_err()
    };
    assert!((FIRST..FIRST + 200).any(|seed| differs(&seed)), "nothing was contracted");
}

/// The programs of these seeds on every target of this machine, with products and sums contracted or not.
fn check(seeds: Range<u64>, contract: bool) {
    let targets = [(CpuJit::Avx2, Level::Avx2), (CpuJit::Avx512, Level::Avx512)];
    let targets: Vec<CpuJit> = targets
        .into_iter()
        .filter(|(_, level)| *level <= Level::detect())
        .map(|(jit, _)| jit)
        .collect();
    let interpreter = runtime(CpuJit::Off, contract);
    let compiled: Vec<(CpuJit, Runtime)> =
        targets.into_iter().map(|jit| (jit, runtime(jit, contract))).collect();
    for seed in seeds.clone() {
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
        println!("{} of {nests} nests, beside {} ready: {native:#?}", jit.name(), native.ready);
        assert!(nests > seeds.end - seeds.start, "{nests} nests");
        let interpreted = native.part + native.none;
        assert!(100 * interpreted <= nests, "{interpreted} of {nests} nests: {native:#?}");
    }
}

#[test]
fn a_kernel_of_many_instructions_is_several_functions_with_the_same_bits() {
    let long = |jit: CpuJit| {
        let builder = Runtime::builder().threads(1).window(2048).cpu_jit(jit);
        let runtime = builder.build().expect("a runtime");
        let bits: Vec<u64> = runtime.scope(|| {
            let x = DArray::<f64>::range(-3.0, 3.0, 0.01);
            runtime.sync();
            let mut y = &x * 0.5;
            for k in 0..300 {
                y = (&y * (1.0 + k as f64) + &x).tanh();
            }
            y.to_vec().into_iter().map(f64::to_bits).collect()
        });
        (bits, runtime.stats())
    };
    let (expected, _) = long(CpuJit::Off);
    for (jit, level) in [(CpuJit::Avx2, Level::Avx2), (CpuJit::Avx512, Level::Avx512)] {
        if level <= Level::detect() {
            let (found, stats) = long(jit);
            assert!(found == expected, "{}", jit.name());
            assert!(stats.native.whole >= 1 && stats.native.part == 0, "{:?}", stats.native);
        }
    }
}
