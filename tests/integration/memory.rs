//! Programs take fused the memory that they take unfused, and a twentieth or 1 MiB more at most; and they run where there is
//! a tenth more than they take unfused.

use darray_programs::Program;
use darray_suite::memory::{Peaks, peaks_of, peaks_of_loop, peaks_of_random};
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
