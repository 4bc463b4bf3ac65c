//! Random programs give the same bits fused, task-fused and unfused, with any window, on any number
//! of devices; and they give what an independent evaluation over ndarray admits.
//!
//! A longer run: `cargo run --release -p darray-suite -- 100000`, with more to choose in its source.

use darray_core::settings::{CpuLevel, Mode};
use darray_fusion::plan::Rule;
use darray_kernel::tree::TreeRule;
use darray_suite::campaign;
use darray_testkit::{Coverage, Options, Scale, Trial};

/// Programs in `cargo test`.
const PROGRAMS: u64 = 2400;

#[test]
fn every_mode_window_and_device_count_gives_the_reference_bits() {
    let coverage = campaign(0..PROGRAMS, Options::default()).unwrap_or_else(|f| panic!("\n{f}"));
    println!("{coverage:#?}");
    assert_eq!(coverage.programs as u64, PROGRAMS);
    covers_configurations(&coverage);
    covers_stops(&coverage);
    assert!(
        2 * coverage.fused >= coverage.programs,
        "{} of {} programs had a fused task of three or more",
        coverage.fused,
        coverage.programs
    );
    assert!(coverage.exact > 4 * coverage.near, "the oracle mostly compares bits");
}

/// Each mode on each number of devices.
fn covers_configurations(coverage: &Coverage) {
    for mode in 0..Mode::ALL.len() {
        for devices in 1..=4 {
            let runs = coverage.runs.get(&(mode, devices)).copied().unwrap_or(0);
            assert!(runs >= 200, "{} on {devices} devices: {runs} runs", Mode::ALL[mode]);
        }
    }
}

/// Each constraint and precondition. What two nests of one fused task share, they share through equal
/// partitions, so over elements only launch domains and reductions are left to stop at.
fn covers_stops(coverage: &Coverage) {
    for name in [
        "Points LaunchDomain",
        "Points TrueDependence",
        "Points AntiDependence",
        "Points Reduction",
        "Points SingleReduction",
        "Elements LaunchDomain",
        "Elements Reduction",
        // Operations that the emitter split or refused.
        "Points SelfAlias",
        "Points InjectiveWrite",
    ] {
        let seen = coverage.stops.get(name).is_some_and(|count| *count > 0);
        assert!(seen, "{name} stopped no group: {:?}", coverage.stops);
    }
}

#[test]
fn the_block_sizes_of_real_runs_give_the_same_bits_too() {
    for (scale, count) in [(Scale::Small, 200), (Scale::Large, 200)] {
        let options = Options { scale, tree_rule: TreeRule::STANDARD, ..Options::default() };
        let seeds = 10_000..10_000 + count;
        let coverage = campaign(seeds, options).unwrap_or_else(|f| panic!("\n{f}"));
        assert_eq!(coverage.programs as u64, count);
    }
}

#[test]
fn without_any_one_rule_some_program_of_500_goes_wrong() {
    for rule in [
        Rule::LaunchDomain,
        Rule::TrueDependence,
        Rule::AntiDependence,
        Rule::Reduction,
        Rule::SingleReduction,
        Rule::SelfAlias,
        Rule::InjectiveWrite,
    ] {
        let options = Options { trial: Trial::WithoutRule(rule), ..Options::default() };
        match campaign(0..500, options) {
            Ok(_) => panic!("nothing went wrong without {rule:?}"),
            Err(failure) => println!("without {rule:?}: {failure}"),
        }
    }
}

#[test]
fn other_instruction_sets_and_threads_give_the_same_bits() {
    for (first, level) in [(40_000, CpuLevel::Baseline), (50_000, CpuLevel::Avx2)] {
        let trial = Trial::Level(level);
        let options = Options { trial, scale: Scale::Large, oracle: false, ..Options::default() };
        let coverage = campaign(first..first + 150, options).unwrap_or_else(|f| panic!("\n{f}"));
        assert_eq!(coverage.programs, 150);
    }
}

#[test]
fn no_device_touches_the_memory_of_another() {
    let options = Options { trial: Trial::Isolated, ..Options::default() };
    let coverage = campaign(20_000..20_300, options).unwrap_or_else(|f| panic!("\n{f}"));
    assert_eq!(coverage.programs, 300);
}
