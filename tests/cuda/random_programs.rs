//! Random programs on CUDA devices over the fake driver: the bits of the CPU.
//!
//! A longer run: `cargo run --release -p darray-suite -- 2000 1000 cuda`.

use darray_core::settings::Mode;
use darray_suite::{campaign_of, fake_or_skip};
use darray_testkit::{Options, Scale, Trial, generate};
use std::collections::BTreeSet;

/// The programs that are chosen from: those of `integration/random_programs.rs`, which call every function.
const PROGRAMS: u64 = 2400;

/// Few programs that call every function, each the one that calls most of those that none before it calls; and all functions. Compiling
/// their kernels is what takes time.
fn covering() -> (Vec<u64>, BTreeSet<String>) {
    let functions = |seed| -> BTreeSet<String> {
        let program = generate(seed, Scale::Small);
        program.statements.iter().flat_map(|statement| statement.functions()).collect()
    };
    let mut called = BTreeSet::new();
    let mut programs: Vec<(u64, BTreeSet<String>)> =
        (0..PROGRAMS).map(|seed| (seed, functions(seed))).collect();
    let mut seeds = Vec::new();
    loop {
        programs.iter_mut().for_each(|(_, new)| new.retain(|function| !called.contains(function)));
        let most =
            programs.iter().max_by_key(|(_, new)| new.len()).filter(|(_, new)| !new.is_empty());
        let Some((seed, new)) = most else { return (seeds, called) };
        seeds.push(*seed);
        called.extend(new.iter().cloned());
    }
}

/// Runs the programs, each in so many configurations: 1 to 4 devices on shared and own GPUs, by streams and as graphs, each in
/// another order of work.
fn check(configurations: usize) {
    let Some(turn) = fake_or_skip(env!("CARGO_TARGET_TMPDIR")) else { return };
    let (seeds, functions) = covering();
    let trial = Trial::Machine(turn.machine());
    let options = Options { trial, oracle: false, configurations, ..Options::default() };
    let coverage = campaign_of(&seeds, options).unwrap_or_else(|failure| panic!("\n{failure}"));
    println!("{} programs, {:?}", coverage.programs, coverage.runs);
    assert_eq!(coverage.programs, seeds.len());
    let missing: Vec<&String> =
        functions.iter().filter(|name| !coverage.functions.contains_key(*name)).collect();
    assert!(missing.is_empty() && functions.len() > 200, "{missing:?} of {}", functions.len());
    for mode in 0..Mode::ALL.len() {
        for devices in [1, 2, 4] {
            let runs = coverage.runs.get(&(mode, devices)).copied().unwrap_or(0);
            assert!(runs >= 1, "{} on {devices} devices: {runs} runs", Mode::ALL[mode]);
        }
    }
    assert!(2 * coverage.fused >= coverage.programs, "{} fused", coverage.fused);
    // Each program runs three times on a runtime, and half of the runtimes launch graphs.
    let graphs = coverage.graphs;
    println!("{graphs:?}");
    let runs: usize = coverage.runs.values().sum();
    assert!(graphs.replayed + graphs.variants >= runs as u64 / 2, "{graphs:?} in {runs} runs");
    assert_eq!((graphs.refused, graphs.single), (0, 0));
}

#[test]
fn every_function_mode_and_number_of_devices_gives_the_bits_of_the_cpu() {
    check(2);
}

/// Each program in 24 orders in a row: one of eight is that in which work is queued, the others are random. Some minutes.
#[cfg_attr(not(feature = "long"), ignore = "takes minutes")]
#[test]
fn every_program_gives_the_bits_of_the_cpu_in_21_random_orders() {
    check(24);
}
