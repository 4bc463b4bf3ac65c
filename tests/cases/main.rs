//! Cases written by NumPy: every function, element type and kind of shape, in every mode, on one
//! device and on three.
//!
//! `generate.py` in this folder writes the cases; see there where darray's documented rules differ.

mod call;
mod compare;
mod cuda;
mod functions;
mod input;
mod table;
mod typed;

use darray::testing::Testing;
use darray::{Binary, Mode, RealType, Runtime, Unary};
use darray_testkit::tiny;
use input::Inputs;
use std::collections::BTreeSet;
use table::Case;

/// Calls recorded before any of them is read, so that they meet in windows.
const TOGETHER: usize = 24;

/// Runs a file of cases everywhere; gives how many there are.
fn check(text: &str) -> usize {
    let (inputs, cases) = (table::inputs(include_str!("inputs.toml")), table::cases(text));
    let all: Vec<&Case> = cases.iter().collect();
    let mut failures = Vec::new();
    for mode in Mode::ALL {
        for devices in [1, 3] {
            let builder = Runtime::builder().cpu_devices(devices).threads(1).mode(mode);
            // What surrounds arrays cannot be read. Small blocks, so that small arrays lie in several tiles.
            let builder = builder.testing(Testing { isolate: devices == 1, ..tiny() });
            let runtime = builder.build().expect("a runtime");
            let mut found = runtime.scope(|| run(&mut Inputs::new(&inputs), &all));
            found.truncate(5);
            failures.extend(found.iter().map(|f| format!("{mode}, {devices} devices: {f}")));
            let stats = runtime.stats();
            let fallbacks =
                (stats.fallbacks_memory, stats.fallbacks_compile, stats.fallbacks_poison);
            assert_eq!(fallbacks, (0, 0, 0));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    cases.len()
}

fn run(inputs: &mut Inputs<'_>, cases: &[&Case]) -> Vec<String> {
    let mut failures = Vec::new();
    for together in cases.chunks(TOGETHER) {
        let results: Vec<_> = together.iter().map(|case| call::call(case, inputs)).collect();
        for (case, result) in together.iter().zip(results) {
            let result = result.and_then(|array| compare::compare(case, &array));
            failures.extend(result.err().map(|error| format!("{case}: {error}")));
        }
    }
    failures
}

macro_rules! groups {
    ($($group:ident at least $least:literal;)*) => { $(
        #[test]
        fn $group() {
            let count = check(include_str!(concat!(stringify!($group), ".toml")));
            println!("{count} cases");
            assert!(count >= $least, "{count} cases");
        }
    )* };
}

groups! {
    unary at least 4000;
    binary at least 2900;
    choices at least 300;
    reductions at least 4000;
    shapes at least 1700;
    linear_algebra at least 150;
    creation at least 50;
    rounding at least 500;
    norms at least 1000;
    sorting at least 500;
    indices at least 1300;
    complex_numbers at least 3000;
    masks at least 400;
    held at least 2000;
    counting at least 400;
    everyday at least 400;
    picked at least 1500;
    functions at least 4000;
    types at least 3000;
}

/// A function of the front end without cases would be forgotten.
#[test]
fn every_element_wise_function_has_cases_of_every_type_that_it_takes() {
    let mut seen = BTreeSet::new();
    for text in [include_str!("unary.toml"), include_str!("binary.toml")] {
        for case in table::cases(text) {
            let dtype = case.operands[0].split(' ').next().unwrap_or_default().to_string();
            seen.insert((case.function, dtype));
        }
    }
    let unary = Unary::ALL.iter().map(|f| (f.name(), RealType::ALL.map(|t| f.rule(t).is_some())));
    let binary = Binary::ALL.iter().map(|f| (f.name(), RealType::ALL.map(|t| f.rule(t).is_some())));
    for (name, takes) in unary.chain(binary) {
        for (dtype, takes) in RealType::ALL.into_iter().zip(takes) {
            let has = seen.contains(&(name.to_string(), dtype.to_string()));
            assert!(has || !takes, "no case of {name} of {dtype}");
        }
    }
}
