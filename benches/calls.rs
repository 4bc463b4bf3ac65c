//! First, second and fourth calls of every program, and of loops of small operations, in new runtimes of a warm
//! process: what planning, compilation and fresh memory cost before windows come again. Medians, in milliseconds of the
//! process, which other programs disturb little; one thread does all.
//!
//! `cargo bench -p darray-benches --bench calls -- [NAME..]`

use darray::{DArray, Runtime};
use darray_benches::timing::median;
use darray_programs::{Program, Variant, Visitor, Workload};
use std::time::Duration;

/// Runtimes that each figure comes from, one more being for the process to get warm.
const RUNTIMES: usize = 5;

/// Calls in each runtime; the last few stand for all later ones.
const CALLS: usize = 24;

/// Calls after which a program has what windows it will have.
const LATER: usize = 12;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|own| own == name);
    println!(
        "{:<20} {:>9} {:>9} {:>9} {:>9}  {:>7} {:>7}  planned",
        "program", "first", "second", "fourth", "later", "1st/4th", "2nd/4th"
    );
    for program in Program::ALL.into_iter().filter(|program| is_wanted(program.name())) {
        let (n, iterations) = program.defaults();
        report(program.name(), |runtime| program.visit::<f64, _>(n, Calls { runtime, iterations }));
    }
    for (name, start, step, steps) in LOOPS.into_iter().filter(|row| is_wanted(row.0)) {
        report(name, |runtime| {
            calls(runtime, start, |state| (0..steps).for_each(|number| step(state, number)))
        });
    }
}

/// Seconds of each call, and the tasks that were planned in all of them.
type Figures = (Vec<f64>, u64);

/// Prints the medians over several runtimes.
fn report(name: &str, of: impl Fn(&Runtime) -> Figures) {
    let runs: Vec<Figures> = (0..=RUNTIMES)
        .map(|_| {
            let runtime = Runtime::builder().threads(1).build().expect("a CPU runtime");
            runtime.scope(|| of(&runtime))
        })
        .skip(1)
        .collect();
    let call = |at: usize| median(&runs.iter().map(|run| run.0[at] * 1e3).collect::<Vec<_>>());
    let [first, second, fourth] = [0, 1, 3].map(call);
    let later = median(&(LATER..CALLS).map(call).collect::<Vec<_>>());
    println!(
        "{name:<20} {first:>9.3} {second:>9.3} {fourth:>9.3} {later:>9.3}  {:>7.2} {:>7.2}  {}",
        first / fourth,
        second / fourth,
        runs[0].1
    );
}

/// Calls of a program, each from its start; the clock runs from the first task to the last result.
fn calls<S>(runtime: &Runtime, start: impl Fn() -> S, run: impl Fn(&mut S)) -> Figures {
    let before = runtime.stats().memo_misses;
    let seconds = (0..CALLS).map(|_| {
        let mut state = start();
        runtime.sync();
        let from = processor_time();
        run(&mut state);
        runtime.sync();
        (processor_time() - from).as_secs_f64()
    });
    let seconds = seconds.collect();
    (seconds, runtime.stats().memo_misses - before)
}

/// The time that processors have spent on this process.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time is there to be written.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(failed, 0, "the system has such a clock");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Calls of a program of crates/darray/examples/, as `darray-cli bench` makes them.
struct Calls<'r> {
    runtime: &'r Runtime,
    iterations: usize,
}

impl Visitor for Calls<'_> {
    type Output = Figures;

    fn visit<W: Workload>(self, workload: W) -> Figures {
        let iterations = if W::LOOPS { self.iterations } else { 1 };
        let run = |state: &mut W::State| {
            (0..iterations).for_each(|_| workload.iterate(state, Variant::Original));
        };
        calls(self.runtime, || workload.prepare(), run)
    }
}

/// The arrays of a loop.
type State = Vec<DArray<f64>>;
/// A loop: its name, how it starts, a step, steps of a call.
type Loop = (&'static str, fn() -> State, fn(&mut State, usize), usize);

const LOOPS: [Loop; 4] = [
    ("lorenz", || vec![ones(), ones(), ones()], lorenz, 1000),
    ("chain", || vec![ones()], chain, 8192),
    ("adam", || vec![ones(), ones(), ones() * 0.0, ones() * 0.0], adam, 200),
    ("logistic_map", || vec![ones() * 0.4], |state, _| state[0] = logistic(&state[0]), 2000),
];

/// An array of a thousand elements.
fn ones() -> DArray<f64> {
    DArray::ones(1000)
}

/// A step of Euler's method for many states of Lorenz's system side by side: fourteen operations.
fn lorenz(state: &mut State, _: usize) {
    let [x, y, z] = &state[..] else { unreachable!("three coordinates") };
    let dx = 10.0 * (y - x);
    let dy = x * (28.0 - z) - y;
    let dz = x * y - 8.0 / 3.0 * z;
    let next = vec![x + 0.01 * dx, y + 0.01 * dy, z + 0.01 * dz];
    *state = next;
}

/// One operation of a chain of two kinds without a period.
fn chain(state: &mut State, number: usize) {
    let mixed = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(27);
    state[0] = match mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 63 {
        0 => &state[0] + 0.001,
        _ => &state[0] * 0.999,
    };
}

/// A step of Adam towards the minimum of a square.
fn adam(state: &mut State, number: usize) {
    let [x, target, m, v] = &state[..] else { unreachable!("parameters, target, both moments") };
    let gradient = 2.0 * (x - target);
    let m = 0.9 * m + 0.1 * &gradient;
    let v = 0.999 * v + 0.001 * (&gradient * &gradient);
    let step = number as i32 + 1;
    let (mean, square) = (&m / (1.0 - 0.9f64.powi(step)), &v / (1.0 - 0.999f64.powi(step)));
    let x = x - 0.001 * mean / (square.sqrt() + 1e-8);
    *state = vec![x, target.clone(), m, v];
}

/// A step of the logistic map.
fn logistic(x: &DArray<f64>) -> DArray<f64> {
    3.7 * x * (1.0 - x)
}
