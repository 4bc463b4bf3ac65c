//! Programs take fused the memory that they take unfused, and a twentieth or 1 MiB more at most; and they run where there is
//! a tenth more than they take unfused. By what the cost model counts they move no more bytes, and they have no more launches.

use darray::{Mode, Runtime};
use darray_programs::Program;
use darray_suite::memory::{Peaks, peaks_of, peaks_of_loop, peaks_of_random};
use darray_testkit::{Scale, generate, run};
use std::ops::Range;

/// Random programs; two of the first ten take half a minute.
const PROGRAMS: Range<u64> = if cfg!(feature = "long") { 0..40 } else { 10..26 };
/// Random loops, each of which takes seconds.
const LOOPS: u64 = if cfg!(feature = "long") { 6 } else { 3 };

/// Sizes at which a program's arrays have some megabytes, and its iterations.
fn sizes(program: Program) -> (usize, usize) {
    let (n, iterations) = program.defaults();
    let n = match n {
        ..100 => n,
        100..1_000 => 3 * n / 5,
        _ => n / 4,
    };
    (n, iterations)
}

fn check(peaks: Result<Peaks, String>) -> u64 {
    let peaks = peaks.unwrap_or_else(|message| panic!("{message}"));
    assert!(peaks.are_close(), "{peaks}");
    peaks.unfused
}

#[test]
fn programs_take_fused_what_they_take_unfused() {
    let peaks = Program::ALL.map(|program| {
        let (n, iterations) = sizes(program);
        check(peaks_of(program, n, iterations))
    });
    let large = peaks.iter().filter(|peak| **peak > 2 << 20).count();
    assert!(large > 12, "a mebibyte is little for {large} programs: {peaks:?}");
}

#[test]
fn random_programs_take_fused_what_they_take_unfused() {
    let peaks: Vec<u64> = PROGRAMS.map(|seed| check(peaks_of_random(seed))).collect();
    let large = peaks.iter().filter(|peak| **peak > 2 << 20).count();
    assert!(large > 4, "a mebibyte is little for {large} programs: {peaks:?}");
}

#[test]
fn random_loops_take_fused_what_they_take_unfused() {
    let peaks: Vec<u64> = (0..LOOPS).map(|seed| check(peaks_of_loop(seed))).collect();
    let large = peaks.iter().filter(|peak| **peak > 2 << 20).count();
    assert!(4 * large as u64 > 3 * LOOPS, "a mebibyte is little for {large} loops: {peaks:?}");
}

/// Random programs whose bytes and launches are counted.
const COUNTED: u64 = if cfg!(feature = "long") { 20_000 } else { 2_000 };

/// What a program does in all.
struct Costs {
    /// Bytes that its kernels, builtins and tasks of its own read and write, by the plans of its windows.
    bytes: u64,
    launches: u64,
    /// What launches and bytes cost together, in bytes.
    cost: u64,
    peak: u64,
}

fn costs(seed: u64, mode: Mode) -> Costs {
    let runtime = Runtime::builder().cpu_devices(1).threads(1).mode(mode).build();
    let runtime = runtime.expect("a CPU runtime");
    let capture = runtime.engine().capture();
    // What a program reads in the middle ends windows; an error is as good as any other end.
    let _ = run(&generate(seed, Scale::Large), &runtime);
    let windows = capture.windows();
    let bytes = windows.iter().map(|flushed| flushed.plan.bytes(&flushed.window)).sum();
    let stats = runtime.stats();
    let launches = stats.launches();
    let cost = bytes + launches * runtime.engine().plan_options().costs.launch;
    Costs { bytes, launches, cost, peak: stats.bytes_peak }
}

#[test]
fn random_programs_cost_fused_no_more_than_unfused() {
    let (mut fewer, mut worse) = ([0; 2], Vec::new());
    for seed in 0..COUNTED {
        let [fused, unfused] = [Mode::Fused, Mode::Unfused].map(|mode| costs(seed, mode));
        fewer[0] += u64::from(fused.bytes < unfused.bytes);
        fewer[1] += u64::from(fused.launches < unfused.launches);
        let is_larger = fused.peak > unfused.peak + (unfused.peak / 20).max(1 << 20);
        if fused.cost > unfused.cost || fused.launches > unfused.launches || is_larger {
            let of = |costs: &Costs| {
                format!("{} bytes, {} launches, {} held", costs.bytes, costs.launches, costs.peak)
            };
            worse.push(format!("seed {seed}: fused {}; unfused {}", of(&fused), of(&unfused)));
        }
    }
    assert!(worse.is_empty(), "{} programs:\n{}", worse.len(), worse.join("\n"));
    assert!(fewer.iter().all(|fewer| 4 * fewer > 3 * COUNTED), "{fewer:?} of {COUNTED} gain");
}
