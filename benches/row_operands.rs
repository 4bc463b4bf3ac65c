//! Folds along rows of what has operands that are the same all along a row, fused over unfused: the time that the fused
//! form takes, in times that of the unfused one. Softmax and layer normalisation of the same rows, too.
//!
//! `cargo bench -p darray-benches --bench row_operands [-- WORD]`, pinned to one core for quiet numbers; with a word, only
//! what has it in its name. Both forms take turns in each round; the thread is one. Exits with 1 if a fold takes more
//! than 1.1 times as long fused.

use darray::prelude::*;
use darray::{DynArray, Mode, Runtime};
use darray_benches::timing::median;
use std::process::ExitCode;
use std::time::Instant;

/// Elements of an array, about: as much as second-level caches hold, or by the word `memory` what none holds.
const ELEMENTS: [(&str, usize); 3] = [("small", 1 << 12), ("cache", 1 << 16), ("memory", 1 << 23)];
/// Elements of its rows.
const LENGTHS: [usize; 11] = [8, 16, 32, 64, 100, 128, 256, 512, 1024, 2048, 4096];
/// Rounds, in each of which each form goes through so many elements, about.
const ROUNDS: usize = 9;
const ROUND: usize = 1 << 21;
/// The longest time that a fused fold may take, in times that of the unfused one.
const MOST: f64 = 1.1;

type Operand = (&'static str, fn([&DArray<f64>; 3]) -> DArray<f64>);
/// Of rows `x` with operands `c` and `d` that have an element a row.
const OPERANDS: [Operand; 4] = [
    ("x", |[x, _, _]| x.alias()),
    ("x * x", |[x, _, _]| x * x),
    ("x - c", |[x, c, _]| x - c),
    ("(x - c) * d", |[x, c, d]| (x - c) * d),
];

type Fold = (&'static str, fn(DArray<f64>) -> DynArray);
const FOLDS: [Fold; 3] = [
    ("sum", |x| x.sum(1).as_dyn().alias()),
    ("max", |x| x.max(1).as_dyn().alias()),
    ("argmin", |x| x.argmin(1).as_dyn().alias()),
];

type Program = (&'static str, fn(&DArray<f64>) -> DynArray);
const PROGRAMS: [Program; 3] = [
    ("2 * sum", |x| (2.0 * x.sum(1)).as_dyn().alias()),
    ("softmax", |x| {
        let e = (x - x.max(axis(1).keepdims())).exp();
        let sum = e.sum(axis(1).keepdims());
        (e / sum).as_dyn().alias()
    }),
    ("normalised", |x| {
        let (mean, variance) = (x.mean(axis(1).keepdims()), x.var(axis(1).keepdims()));
        ((x - mean) / (variance + 1e-5).sqrt()).as_dyn().alias()
    }),
];

fn main() -> ExitCode {
    let word = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let runtimes = [Mode::Fused, Mode::Unfused].map(|mode| {
        let settings = Runtime::builder_from_env().expect("settings");
        settings.threads(1).mode(mode).build().expect("a CPU runtime")
    });
    let mut slow = 0;
    let asked = |name: &str| word.as_ref().is_none_or(|word| name.contains(word));
    for (place, elements) in ELEMENTS {
        for length in LENGTHS {
            let arrays = runtimes.each_ref().map(|runtime| {
                runtime.scope(|| {
                    let mut draws = default_rng(7);
                    let rows = elements / length;
                    [[rows, length], [rows, 1], [rows, 1]].map(|shape| draws.random(shape))
                })
            });
            for (operands, expression) in OPERANDS {
                for (fold, of) in FOLDS {
                    let name = format!("{place}, rows of {length}: {fold} of {operands}");
                    if asked(&name) {
                        slow += report(&name, &runtimes, elements, MOST, |number| {
                            of(expression(arrays[number].each_ref()))
                        });
                    }
                }
            }
            for (program, body) in PROGRAMS {
                let name = format!("{place}, rows of {length}: {program}");
                if asked(&name) {
                    let body = |number: usize| body(&arrays[number][0]);
                    report(&name, &runtimes, elements, f64::MAX, body);
                }
            }
        }
    }
    println!("{slow} folds take more than {MOST} times as long fused");
    if slow == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Measures and prints an operation of the arrays of each runtime; 1 if it is slower fused than so many times.
fn report(
    name: &str,
    runtimes: &[Runtime; 2],
    elements: usize,
    most: f64,
    operation: impl Fn(usize) -> DynArray,
) -> usize {
    let count = (ROUND / elements).max(1);
    let round = |number: usize| {
        let runtime = &runtimes[number];
        runtime.scope(|| {
            runtime.sync();
            let start = Instant::now();
            for _ in 0..count {
                let kept = operation(number);
                runtime.sync();
                drop(kept);
            }
            start.elapsed().as_secs_f64() * 1e9 / (count * elements) as f64
        })
    };
    (0..2).for_each(|form| {
        round(form);
    });
    let rounds: Vec<[f64; 2]> = (0..ROUNDS).map(|_| [round(0), round(1)]).collect();
    let times =
        [0, 1].map(|form| median(&rounds.iter().map(|times| times[form]).collect::<Vec<_>>()));
    let ratio = median(&rounds.iter().map(|[fused, unfused]| fused / unfused).collect::<Vec<_>>());
    let slow = ratio > most;
    let mark = if slow { "  SLOW" } else { "" };
    println!(
        "{name:44} fused {:7.3} ns, unfused {:7.3}, ratio {ratio:5.2}{mark}",
        times[0], times[1]
    );
    usize::from(slow)
}
