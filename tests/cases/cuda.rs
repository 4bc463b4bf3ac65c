//! The cases on CUDA devices: over the fake driver, or on the GPUs of the driver that the settings name.

use crate::input::Inputs;
use crate::table::{self, Case};
use darray::{Mode, Runtime};
use darray_suite::{Cuda, cuda_or_skip};
use darray_testkit::tiny;
use std::collections::BTreeSet;

/// A configuration to run cases: the mode, the GPUs of the devices, the order of work.
type Configuration = (Mode, &'static [usize], Order);

/// In which order the fake driver does what is queued; a real one has its own.
#[derive(Clone, Copy)]
enum Order {
    /// As it is queued.
    Eager,
    /// Each case in one of `SEEDS` random orders.
    Random,
}

const SEEDS: usize = 20;

/// How often fused cases run on a runtime: what comes again is recorded the second time, and launched as a graph again the third.
const REPEATS: usize = 3;

/// How `cargo test` runs cases of every kind.
const FUSED: Configuration = (Mode::Fused, &[0, 1, 1, 0], Order::Random);
/// How it runs some of them.
const UNFUSED: Configuration = (Mode::Unfused, &[0], Order::Eager);

/// Configurations beside those, for all cases.
const MORE: [Configuration; 3] = [
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

/// The names of the operands' shapes.
fn shapes(case: &Case) -> Vec<&str> {
    case.operands.iter().filter_map(|name| Some(name.split_once(' ')?.1)).collect()
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
fn first_of<'c, K: Ord>(cases: &[&'c Case], kind: impl Fn(&Case) -> K) -> Vec<&'c Case> {
    let mut seen = BTreeSet::new();
    cases.iter().copied().filter(|case| seen.insert(kind(case))).collect()
}

/// Cases in which every function meets every element type, as any operand, and every other argument with every kind of shape; and
/// element types of all operands together meet every kind of shape and every other argument.
fn pairs_of<'c>(cases: &[&'c Case]) -> Vec<&'c Case> {
    let mut seen = BTreeSet::new();
    let is_new = |case: &&Case| {
        let (function, dtypes, shapes, options) = kind(case);
        let (types, dtypes, shapes) = (&dtypes, dtypes.join(" "), shapes.join(" "));
        let (options, function) = (options.join(" "), function.as_str());
        let pairs = [
            format!("{function} {options} {shapes}"),
            format!("{options} {dtypes}"),
            format!("{dtypes} {shapes}"),
        ];
        let of_operands =
            types.iter().enumerate().map(|(at, dtype)| format!("{function} {at} {dtype}"));
        pairs.into_iter().chain(of_operands).fold(false, |new, pair| seen.insert(pair) | new)
    };
    cases.iter().copied().filter(is_new).collect()
}

/// Runs the cases in these configurations; of the random orders a case gets the one with its number and `shift`.
fn check(cuda: &Cuda, cases: &[&Case], configurations: &[Configuration], shift: usize) {
    let inputs = table::inputs(include_str!("inputs.toml"));
    // Gives how many graphs were launched again.
    let run = |mode, gpus, schedule: &str, cases: &[&Case]| {
        cuda.start(&format!("devices=2 sched={schedule}"));
        let builder = Runtime::builder().mode(mode).testing(tiny());
        let runtime = cuda.devices(builder, gpus).build().expect("a runtime");
        let what = format!("{mode}, GPUs {gpus:?}, {schedule}");
        let repeats = if mode == Mode::Fused { REPEATS } else { 1 };
        let mut failures = runtime.scope(|| {
            let mut inputs = Inputs::new(&inputs);
            (0..repeats).flat_map(|_| crate::run(&mut inputs, cases)).collect::<Vec<_>>()
        });
        failures.truncate(5);
        assert!(failures.is_empty(), "{what}: {}", failures.join("\n"));
        let stats = runtime.stats();
        let fallbacks = (stats.fallbacks_memory, stats.fallbacks_compile, stats.fallbacks_poison);
        assert_eq!(fallbacks, (0, 0, 0), "{what}");
        drop(runtime);
        cuda.look_behind().expect("everything is given back and right");
        stats.graphs.replayed + stats.graphs.variants
    };
    for &(mode, gpus, order) in configurations {
        let graphs: u64 = match order {
            Order::Random if cuda.fake().is_some() => {
                let of_seed = |seed| {
                    let first = (seed + SEEDS - shift % SEEDS) % SEEDS;
                    let mut own: Vec<&Case> =
                        cases.iter().skip(first).step_by(SEEDS).copied().collect();
                    // Calls of the same domain meet in windows and become one kernel.
                    own.sort_by_key(|case| shapes(case));
                    run(mode, gpus, &format!("random:{seed}"), &own)
                };
                (0..SEEDS).map(of_seed).sum()
            }
            _ => run(mode, gpus, "eager", cases),
        };
        assert!(mode != Mode::Fused || graphs > 0, "no graph was launched again");
    }
}

/// [Pairs](pairs_of) of function, element types and kinds of shape; [`orders`] has all that there are together.
fn check_kinds(text: &str, least: usize) {
    let Some(cuda) = cuda_or_skip(env!("CARGO_TARGET_TMPDIR")) else { return };
    let cases = table::cases(text);
    let all: Vec<&Case> = cases.iter().collect();
    let chosen = pairs_of(&first_of(&all, kind));
    check(&cuda, &chosen, &[FUSED], 0);
    let mut alone = chosen.clone();
    if cuda.fake().is_some() {
        // Compiling is what takes time there, and how a kernel reaches its operands does not depend on the function: one case of each
        // function, of each element type and of each kind of shape, dense where there is one.
        alone.sort_by_key(|case| kind(case).2.iter().any(|&shape| shape != "dense"));
        let mut seen = BTreeSet::new();
        alone.retain(|case| {
            let (function, dtypes, shapes, options) = kind(case);
            let parts =
                [vec![function], options, dtypes, shapes.into_iter().map(str::to_string).collect()];
            parts.into_iter().enumerate().fold(false, |new, part| seen.insert(part) | new)
        });
    }
    check(&cuda, &alone, &[UNFUSED], 0);
    println!("{} of {} cases, {} without fusion", chosen.len(), cases.len(), alone.len());
    assert!(chosen.len() >= least, "{} cases", chosen.len());
}

/// All cases in five configurations, each in one order.
fn check_all(text: &str) {
    let Some(cuda) = cuda_or_skip(env!("CARGO_TARGET_TMPDIR")) else { return };
    let cases = table::cases(text);
    let all: Vec<&Case> = cases.iter().collect();
    check(&cuda, &all, &[FUSED, UNFUSED], 0);
    check(&cuda, &all, &MORE, 0);
}

/// One case of every function, element type and kind of shape in all 20 random orders.
fn check_orders(text: &str) {
    let Some(cuda) = cuda_or_skip(env!("CARGO_TARGET_TMPDIR")) else { return };
    if cuda.fake_or_skip().is_some() {
        let cases = table::cases(text);
        let all: Vec<&Case> = cases.iter().collect();
        let chosen = first_of(&all, kind);
        (0..SEEDS).for_each(|shift| check(&cuda, &chosen, &[FUSED], shift));
    }
}

macro_rules! groups {
    ($($group:ident at least $least:literal;)*) => {
        /// Cases of every kind.
        mod kinds { $(
            #[test]
            fn $group() {
                let text = include_str!(concat!(stringify!($group), ".toml"));
                super::check_kinds(text, $least);
            }
        )* }

        /// All cases, which takes minutes.
        mod all { $(
            #[test]
            #[cfg_attr(not(feature = "long"), ignore = "takes minutes")]
            fn $group() {
                super::check_all(include_str!(concat!(stringify!($group), ".toml")));
            }
        )* }

        /// One case of every kind in 20 orders, which takes up to a quarter of an hour for a file.
        mod orders { $(
            #[test]
            #[cfg_attr(not(feature = "long"), ignore = "takes minutes")]
            fn $group() {
                super::check_orders(include_str!(concat!(stringify!($group), ".toml")));
            }
        )* }
    };
}

groups! {
    unary at least 360;
    binary at least 440;
    choices at least 100;
    reductions at least 290;
    shapes at least 190;
    linear_algebra at least 40;
    creation at least 4;
    rounding at least 20;
    norms at least 38;
    sorting at least 52;
    indices at least 130;
    picked at least 100;
    complex_numbers at least 200;
    masks at least 40;
    counting at least 40;
    everyday at least 40;
}
