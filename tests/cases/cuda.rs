//! The cases on CUDA devices over the fake driver.

use crate::input::Inputs;
use crate::table::{self, Case};
use darray::{Mode, Runtime};
use darray_kernel::tree::TreeRule;
use darray_suite::{Fake, fake_or_skip};
use std::collections::BTreeSet;

/// A way to run cases: the mode, the GPUs of the devices, the order of work.
type Way = (Mode, &'static [usize], Order);

/// In which order the driver does what is queued.
#[derive(Clone, Copy)]
enum Order {
    /// As it is queued.
    Eager,
    /// Each case in one of `SEEDS` random orders.
    Random,
}

const SEEDS: usize = 20;

/// The ways of `cargo test`.
const WAYS: [Way; 2] =
    [(Mode::Fused, &[0, 1, 0], Order::Random), (Mode::Unfused, &[0], Order::Eager)];

/// Ways beside those, for all cases.
#[cfg(feature = "long")]
const MORE: [Way; 3] = [
    (Mode::Fused, &[0], Order::Random),
    (Mode::Unfused, &[1, 0], Order::Random),
    (Mode::Task, &[0, 1, 0], Order::Eager),
];

/// What a case is an example of: a function, the element types of its operands, the kinds of their
/// shapes, the names of its other arguments.
type Kind = (String, Vec<String>, Vec<&'static str>, Vec<String>);

fn kind(case: &Case) -> Kind {
    let operand = |name: &String| name.split_once(' ').map(|(a, b)| (a.to_string(), shape(b)));
    let (dtypes, shapes) = case.operands.iter().filter_map(operand).unzip();
    (case.function.clone(), dtypes, shapes, case.options.keys().cloned().collect())
}

/// The kind of a shape by the input's name; see `inputs.toml`.
fn shape(name: &str) -> &'static str {
    match name.split(' ').next().unwrap_or_default() {
        "empty" | "hollow" => "no elements",
        "scalar" | "one" => "one element",
        "transposed" | "strided" | "reversed" | "permuted" | "inner" | "broadcast" => "view",
        _ => "dense",
    }
}

/// The first case of each kind.
fn first_of_kinds(cases: &[Case]) -> Vec<&Case> {
    let mut seen = BTreeSet::new();
    cases.iter().filter(|case| seen.insert(kind(case))).collect()
}

/// Runs the cases in these ways; of the random orders a case gets the one with its number and `shift`.
fn check(fake: &Fake, cases: &[&Case], ways: &[Way], shift: usize) {
    let inputs = table::inputs(include_str!("inputs.toml"));
    let run = |mode, gpus, schedule: &str, cases: &[&Case]| {
        fake.start(&format!("devices=2 sched={schedule}"));
        let builder = Runtime::builder().mode(mode).tree_rule(TreeRule::TINY);
        let runtime = fake.devices(builder, gpus).build().expect("a runtime");
        let mut failures = runtime.scope(|| crate::run(&mut Inputs::new(&inputs), cases));
        failures.truncate(5);
        let what = format!("{mode}, GPUs {gpus:?}, {schedule}");
        assert!(failures.is_empty(), "{what}: {}", failures.join("\n"));
        drop(runtime);
        fake.returned().expect("everything is given back");
    };
    for &(mode, gpus, order) in ways {
        match order {
            Order::Eager => run(mode, gpus, "eager", cases),
            Order::Random => {
                for seed in 0..SEEDS {
                    let first = (seed + SEEDS - shift % SEEDS) % SEEDS;
                    let own: Vec<&Case> =
                        cases.iter().skip(first).step_by(SEEDS).copied().collect();
                    run(mode, gpus, &format!("random:{seed}"), &own);
                }
            }
        }
    }
}

macro_rules! files {
    ($($file:literal),*) => { [$(include_str!(concat!($file, ".toml"))),*] };
}

/// The files of cases.
const FILES: [&str; 11] = files![
    "unary",
    "binary",
    "choices",
    "reductions",
    "shapes",
    "linear_algebra",
    "creation",
    "rounding",
    "norms",
    "sorting",
    "indices"
];

#[test]
fn one_case_of_every_function_type_and_kind_of_shape() {
    let Some(turn) = fake_or_skip(env!("CARGO_TARGET_TMPDIR")) else { return };
    let (mut all, mut checked, mut functions) = (0, 0, BTreeSet::new());
    for text in FILES {
        let cases = table::cases(text);
        let chosen = first_of_kinds(&cases);
        let kinds =
            |cases: &mut dyn Iterator<Item = &Case>| cases.map(kind).collect::<BTreeSet<_>>();
        assert_eq!(kinds(&mut chosen.iter().copied()), kinds(&mut cases.iter()));
        check(&turn, &chosen, &WAYS, 0);
        all += cases.len();
        checked += chosen.len();
        functions.extend(chosen.iter().map(|case| case.function.clone()));
    }
    println!("{checked} of {all} cases, {} functions", functions.len());
    assert!(checked >= 3000 && functions.len() >= 100, "{checked} cases, {functions:?}");
}

/// All cases in five ways, and in every random order: with `--features long`.
#[cfg(feature = "long")]
#[test]
fn every_case() {
    let Some(turn) = fake_or_skip(env!("CARGO_TARGET_TMPDIR")) else { return };
    for text in FILES {
        let cases = table::cases(text);
        let all: Vec<&Case> = cases.iter().collect();
        check(&turn, &all, &WAYS, 0);
        check(&turn, &all, &MORE, 0);
        for shift in 1..SEEDS {
            check(&turn, &all, &WAYS[..1], shift);
        }
    }
}
