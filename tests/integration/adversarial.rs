//! Devices that delay commands and run them in any legal order change nothing; a missing wait does.

use darray::Runtime;
use darray_runtime::WaitKind;
use darray_suite::{PROGRAMS, campaign};
use darray_testkit::{Options, Trial, reordering_cpus, tiny};

/// Orders of execution per program and number of devices.
const SEEDS: u64 = if cfg!(feature = "long") { 50 } else { 24 };

#[test]
fn every_program_gives_the_same_bits_in_any_order_of_execution() {
    for (name, program) in PROGRAMS {
        let plain = Runtime::builder().threads(1).testing(tiny()).build();
        let expected = plain.expect("a runtime").scope(program);
        for seed in 0..SEEDS {
            let devices = 1 + seed as usize % 4;
            let builder = Runtime::builder().devices(reordering_cpus(devices, seed));
            // A window of 5 makes several flushes overlap.
            let window = if seed % 2 == 0 { 5 } else { 64 };
            let runtime = builder.testing(tiny()).window(window).build();
            let found = runtime.expect("a runtime").scope(program);
            assert!(found == expected, "{name}, seed {seed}, {devices} devices");
        }
    }
}

#[test]
fn random_programs_give_the_same_bits_in_any_order_of_execution() {
    let options = Options { trial: Trial::Adversarial, reuse: false, ..Options::default() };
    let coverage = campaign(30_000..30_400, options).unwrap_or_else(|f| panic!("\n{f}"));
    assert_eq!(coverage.programs, 400);
}

#[test]
fn without_any_one_wait_some_program_of_500_goes_wrong() {
    for wait in WaitKind::ALL {
        let trial = Trial::WithoutWait(wait);
        let options = Options { trial, reuse: false, oracle: false, ..Options::default() };
        match campaign(0..500, options) {
            Ok(_) => panic!("nothing went wrong without {wait:?}"),
            Err(failure) => println!("without {wait:?}: {failure}"),
        }
    }
}
