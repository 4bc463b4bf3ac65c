//! Sums of an array in every direction, as parts of the bandwidth at which as much memory is read, in turns.
//!
//! `cargo bench -p darray-benches --bench folds [-- WORD]`, pinned to one core for quiet numbers; with a word, only
//! what has it in its name.

use darray::{DArray, Element, Runtime, default_rng, s};
use darray_benches::memory::Buffer;
use darray_benches::stream::{Pattern, bandwidth, read};
use darray_benches::timing::median;
use std::any::Any;
use std::time::Instant;

/// Rows and columns of the matrix.
const SIDE: usize = 6000;

/// Extents of the cube.
const CUBE: [usize; 3] = [300, 350, 340];

/// Rounds, in each of which every sum is taken once.
const ROUNDS: usize = 9;

type Sum = (&'static str, fn(&DArray<f64>) -> DArray<f64>);

/// What is timed: its name, and what it keeps until the clock has stopped.
type Case = (String, Box<dyn Fn() -> Box<dyn Any>>);

const OF_MATRIX: [Sum; 13] = [
    ("a", |a| a.sum(..)),
    ("rows", |a| a.sum(1)),
    ("columns", |a| a.sum(0)),
    ("a.t()", |a| a.t().sum(..)),
    ("rows of a.t()", |a| a.t().sum(1)),
    ("columns of a.t()", |a| a.t().sum(0)),
    ("a, backwards", |a| a.flip(..).sum(..)),
    ("a[:, ::-1]", |a| a.slice(s![.., ..;-1]).sum(..)),
    ("rows of a[:, ::-1]", |a| a.slice(s![.., ..;-1]).sum(1)),
    ("columns of a[:, ::-1]", |a| a.slice(s![.., ..;-1]).sum(0)),
    ("a[:, ::-1] + 1, written", |a| a.slice(s![.., ..;-1]) + 1.0),
    ("maxima, rows of a.t()", |a| a.t().max(1)),
    ("means, rows of a.t()", |a| a.t().mean(1)),
];

const OF_CUBE: [Sum; 10] = [
    ("axis 0", |a| a.sum(0)),
    ("axis 1", |a| a.sum(1)),
    ("axis 2", |a| a.sum(2)),
    ("axes 0, 1", |a| a.sum([0, 1])),
    ("axes 0, 2", |a| a.sum([0, 2])),
    ("axes 1, 2", |a| a.sum([1, 2])),
    ("axis 2, axes reversed", |a| a.t().sum(2)),
    ("axis 1, axes reversed", |a| a.t().sum(1)),
    ("axis 2 of order 0, 2, 1", |a| a.permute(&[0, 2, 1]).sum(2)),
    ("means, axis 1 of order 2, 0, 1", |a| a.permute(&[2, 0, 1]).mean(1)),
];

/// Elements of the arrays with short rows, about.
const SHORT: usize = 16_000_000;

/// Planes that their rows are divided into.
const PLANES: usize = 500;

/// Elements of their rows.
const LENGTHS: [usize; 10] = [1, 2, 3, 4, 5, 8, 12, 16, 20, 31];

fn main() {
    let word = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let settings = Runtime::builder_from_env().expect("settings");
    let runtime = settings.threads(1).build().expect("a CPU runtime");
    runtime.scope(|| {
        for (shape, sums) in [(&[SIDE, SIDE][..], &OF_MATRIX[..]), (&CUBE, &OF_CUBE)] {
            let a: DArray<f64> = default_rng(7).random(shape);
            let cases = sums.iter().map(|&(name, sum)| case(name, &a, sum)).collect();
            report(&runtime, &word, &format!("{shape:?}"), (8, a.len()), cases);
        }
        for length in LENGTHS {
            let a: DArray<f64> = default_rng(7).random([SHORT / length / PLANES * PLANES, length]);
            let head = format!("{:?}", a.shape());
            report(&runtime, &word, &head, (8, a.len()), of_short(&a, length));
            let views = views_of_short(&a, length);
            report(&runtime, &word, &head, (8, a.len()), views);
            let singles: DArray<f32> = a.cast();
            let cases = vec![
                case(&format!("f32 {length}: all"), &singles, |a| a.sum(..)),
                case(&format!("f32 {length}: rows"), &singles, |a| a.sum(1)),
                case(&format!("f32 {length}: columns"), &singles, |a| a.sum(0)),
                case(&format!("f32 {length}: maxima, rows"), &singles, |a| a.max(1)),
            ];
            report(&runtime, &word, "f32", (4, a.len()), cases);
            let small = a.gt(2.0);
            let cases = vec![
                case(&format!("bool {length}: any"), &small, |a| a.any(..)),
                case(&format!("bool {length}: any, rows"), &small, |a| a.any(1)),
                case(&format!("bool {length}: any, columns"), &small, |a| a.any(0)),
                case(&format!("bool {length}: count, rows"), &small, |a| a.count_nonzero(1)),
            ];
            report(&runtime, &word, "bool", (1, a.len()), cases);
        }
    });
}

/// Folds of an array with rows of this length.
fn of_short(a: &DArray<f64>, length: usize) -> Vec<Case> {
    let planes = a.reshape([PLANES, a.shape()[0] / PLANES, length]);
    vec![
        case(&format!("short {length}: all"), a, |a| a.sum(..)),
        case(&format!("short {length}: rows"), a, |a| a.sum(1)),
        case(&format!("short {length}: columns"), a, |a| a.sum(0)),
        case(&format!("short {length}: rows of a.t()"), a, |a| a.t().sum(1)),
        case(&format!("short {length}: axis 1 of 3"), &planes, |a| a.sum(1)),
        case(&format!("short {length}: axes 0, 1 of 3"), &planes, |a| a.sum([0, 1])),
        case(&format!("short {length}: axes 1, 2 of 3"), &planes, |a| a.sum([1, 2])),
        case(&format!("short {length}: all of 3"), &planes, |a| a.sum(..)),
        case(&format!("short {length}: maximum"), a, |a| a.max(..)),
        case(&format!("short {length}: maxima, rows"), a, |a| a.max(1)),
        case(&format!("short {length}: maxima, columns"), a, |a| a.max(0)),
        case(&format!("short {length}: argmax"), a, |a| a.argmax(..)),
        case(&format!("short {length}: argmax, rows"), a, |a| a.argmax(1)),
        case(&format!("short {length}: argmax, columns"), a, |a| a.argmax(0)),
    ]
}

/// Sums of views of an array with rows of this length; the time is that of an element of the array.
fn views_of_short(a: &DArray<f64>, length: usize) -> Vec<Case> {
    let across = a.reshape([length, a.len() / length]).t();
    let views = [
        ("[:, ::2]", a.slice(s![.., ..;2])),
        ("[:, ::-1]", a.slice(s![.., ..;-1])),
        ("[::-1]", a.slice(s![..;-1])),
        ("t()", across),
    ];
    let mut cases = Vec::new();
    for (name, view) in views {
        cases.push(case(&format!("view {length} {name}: all"), &view, |a| a.sum(..)));
        cases.push(case(&format!("view {length} {name}: rows"), &view, |a| a.sum(1)));
        cases.push(case(&format!("view {length} {name}: columns"), &view, |a| a.sum(0)));
    }
    cases
}

/// A fold of an array.
fn case<T: Element, R: Element>(
    name: &str,
    a: &DArray<T>,
    fold: impl Fn(&DArray<T>) -> DArray<R> + 'static,
) -> Case {
    let a = a.clone();
    (name.to_string(), Box::new(move || Box::new(fold(&a))))
}

/// Prints nanoseconds per element of an array, by the bytes of one and their number, and what part of them reading takes: in the
/// fastest form, in the same rounds, as the bandwidth of a machine that others share comes and goes.
fn report(
    runtime: &Runtime,
    word: &Option<String>,
    head: &str,
    (size, count): (usize, usize),
    mut cases: Vec<Case>,
) {
    cases.retain(|(name, _)| word.as_ref().is_none_or(|word| name.contains(word)));
    if cases.is_empty() {
        return;
    }
    let form = bandwidth(Pattern::Read, size * count, 1, 0.2).form;
    let mut elements = Buffer::new((size * count).div_ceil(size_of::<f64>()));
    elements.as_mut_slice().fill(1.0);
    cases.insert(
        0,
        ("reading".to_string(), Box::new(move || Box::new(read(form, elements.as_slice())))),
    );
    println!("{head}: read {form}");
    let mut times = vec![Vec::new(); cases.len()];
    for round in 0..=ROUNDS {
        for ((_, fold), times) in cases.iter().zip(&mut times) {
            runtime.sync();
            let start = Instant::now();
            let kept = fold();
            runtime.sync();
            let spent = start.elapsed().as_secs_f64();
            drop(kept);
            if round > 0 {
                times.push(spent * 1e9 / count as f64);
            }
        }
    }
    let limit = median(&times[0]);
    for ((name, _), times) in cases.iter().zip(&times) {
        let spent = median(times);
        println!("{name:30} {spent:6.3} ns  {:4.0} %", 100.0 * limit / spent);
    }
}
