//! The cases on CUDA devices over the fake driver.

use crate::input::Inputs;
use crate::table::{self, Case};
use darray::{Mode, Runtime};
use darray_kernel::tree::TreeRule;
use darray_suite::{Fake, fake_or_skip};
use std::collections::BTreeSet;

/// A way to run cases: the mode, the GPUs of the devices, the order of work.
type Way = (Mode, &'static [usize], &'static str);

/// The ways of `cargo test`.
const WAYS: [Way; 2] =
    [(Mode::Fused, &[0, 1, 0], "sched=random:1"), (Mode::Unfused, &[0], "sched=eager")];

/// Ways beside those, for all cases.
#[cfg(feature = "long")]
const MORE: [Way; 3] = [
    (Mode::Fused, &[0], "sched=random:2"),
    (Mode::Unfused, &[1, 0], "sched=random:3"),
    (Mode::Task, &[0, 1, 0], "sched=eager"),
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

fn check(fake: &Fake, cases: &[&Case], ways: &[Way]) {
    let inputs = table::inputs(include_str!("inputs.toml"));
    for &(mode, gpus, schedule) in ways {
        fake.start(&format!("devices=2 {schedule}"));
        let builder = Runtime::builder().mode(mode).tree_rule(TreeRule::TINY);
        let runtime = fake.devices(builder, gpus).build().expect("a runtime");
        let mut failures = runtime.scope(|| crate::run(&mut Inputs::new(&inputs), cases));
        failures.truncate(5);
        assert!(failures.is_empty(), "{mode}, GPUs {gpus:?}: {}", failures.join("\n"));
        drop(runtime);
        fake.returned().expect("everything is given back");
    }
}

macro_rules! files {
    ($($file:literal),*) => { [$(include_str!(concat!($file, ".toml"))),*] };
}

/// The files of cases.
const FILES: [&str; 9] = files![
    "unary",
    "binary",
    "choices",
    "reductions",
    "shapes",
    "linear_algebra",
    "creation",
    "rounding",
    "norms"
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
        check(&turn, &chosen, &WAYS);
        all += cases.len();
        checked += chosen.len();
        functions.extend(chosen.iter().map(|case| case.function.clone()));
    }
    println!("{checked} of {all} cases, {} functions", functions.len());
    assert!(checked >= 3000 && functions.len() >= 100, "{checked} cases, {functions:?}");
}

/// All cases in five ways: ten minutes, with `--features long`.
#[cfg(feature = "long")]
#[test]
fn every_case() {
    let Some(turn) = fake_or_skip(env!("CARGO_TARGET_TMPDIR")) else { return };
    for text in FILES {
        let cases = table::cases(text);
        let all: Vec<&Case> = cases.iter().collect();
        check(&turn, &all, &WAYS);
        check(&turn, &all, &MORE);
    }
}
