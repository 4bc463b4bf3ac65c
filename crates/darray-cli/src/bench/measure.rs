//! Running a program: first batch, warm-up, timed batches, and one batch that is only counted.

use super::report::Counts;
use crate::programs::Workload;
use darray::{Result, Runtime, Stats};
use std::time::Instant;

/// Batches before the timed ones; the first of all is reported apart.
const WARM_UP: usize = 2;

/// Timed batches, at least.
const LEAST_BATCHES: usize = 5;

/// Timed batches, at most.
const MOST_BATCHES: usize = 200;

/// Timed batches go on until they took this long together.
const ENOUGH_S: f64 = 0.5;

/// What running a program gave.
#[derive(Clone, Debug)]
pub struct Run {
    /// Seconds of the first batch.
    pub first_s: f64,
    /// Seconds per iteration of each timed batch.
    pub batches_s: Vec<f64>,
    /// What the last, untimed batch did.
    pub counts: Counts,
    /// The result of the last, untimed batch.
    pub checksum: Vec<f64>,
}

/// Batches that a measurement has, warm-up included, as far as is known before it.
pub fn batches(timed: usize) -> u64 {
    (1 + WARM_UP + timed.max(LEAST_BATCHES) + 1) as u64
}

/// Measures `workload` on `runtime` in batches of `iterations`.
///
/// Every batch begins from the start of the program, which is prepared outside the clock. The clock
/// runs from the emission of the first iteration to the completion of the last one, with the
/// results alive. `done` is called after each batch.
///
/// # Errors
/// Whatever fails when the program runs, for example for want of memory.
pub fn measure<W: Workload>(
    runtime: &Runtime,
    workload: &W,
    iterations: usize,
    done: impl Fn(),
) -> Result<Run> {
    // A program that does not loop is timed one iteration at a time.
    let (batch, least) = if W::LOOPS { (iterations, LEAST_BATCHES) } else { (1, iterations) };
    let timed = || {
        let mut state = workload.prepare();
        runtime.try_sync()?;
        let clock = Instant::now();
        for _ in 0..batch {
            workload.iterate(&mut state);
        }
        runtime.try_sync()?;
        let seconds = clock.elapsed().as_secs_f64();
        drop(state);
        done();
        Ok(seconds)
    };
    let first_s = timed()?;
    for _ in 0..WARM_UP {
        timed()?;
    }
    let mut batches_s = Vec::new();
    let mut total = 0.0;
    while batches_s.len() < least.max(LEAST_BATCHES)
        || (total < ENOUGH_S && batches_s.len() < MOST_BATCHES)
    {
        let seconds: f64 = timed()?;
        total += seconds;
        batches_s.push(seconds / batch as f64);
    }
    let mut state = workload.prepare();
    runtime.try_sync()?;
    let before = runtime.stats();
    for _ in 0..batch {
        workload.iterate(&mut state);
    }
    runtime.try_sync()?;
    let counts = counts(&before, &runtime.stats(), batch);
    Ok(Run { first_s, batches_s, counts, checksum: workload.checksum(&state)? })
}

fn counts(before: &Stats, after: &Stats, iterations: usize) -> Counts {
    let each = |now: u64, then: u64| (now - then) as f64 / iterations as f64;
    Counts {
        tasks: each(after.tasks, before.tasks),
        fused_tasks: each(after.fused_tasks, before.fused_tasks),
        kernels: each(after.launches(), before.launches()),
        bytes_peak: after.bytes_peak,
        bytes_copied: after.bytes_copied - before.bytes_copied,
        memo_hits: after.memo_hits - before.memo_hits,
        memo_misses: after.memo_misses - before.memo_misses,
    }
}
