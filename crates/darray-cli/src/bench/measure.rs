//! Running a program: first batch, warm-up, timed batches, and one batch that is only counted.

use super::report::Counts;
use super::traffic::{Traffic, of_steps};
use darray::{Result, Runtime, Stats};
use darray_programs::{Variant, Workload};
use darray_runtime::FlushedWindow;
use std::time::Instant;

/// Batches before the timed ones; the first of all is reported apart.
pub const WARM_UP: usize = 2;

/// Timed batches, at least.
const LEAST_BATCHES: usize = 5;

/// Timed batches, at most.
const MOST_BATCHES: usize = 200;

/// Timed batches go on until they took this long together.
const ENOUGH_S: f64 = 0.5;

/// How many iterations a batch has, and how many batches are timed at least. A program that does not
/// loop is timed one iteration at a time, unless more are asked for.
pub fn batching<W: Workload>(iterations: usize) -> (usize, usize) {
    if W::LOOPS { (iterations, LEAST_BATCHES) } else { (1, iterations.max(LEAST_BATCHES)) }
}

/// Whether a program was timed often and long enough.
pub fn is_enough(batches: usize, least: usize, seconds: f64) -> bool {
    batches >= least && (seconds >= ENOUGH_S || batches >= MOST_BATCHES)
}

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
    /// What the steps of one more batch moved, where that was asked for.
    pub steps: Vec<Traffic>,
    /// Iterations of a batch.
    pub batch: usize,
}

/// Batches that a measurement has, warm-up included, as far as is known before it.
pub fn batches(timed: usize) -> u64 {
    (1 + WARM_UP + timed.max(LEAST_BATCHES) + 1) as u64
}

/// Measures `workload` on `runtime` in batches of `iterations`, or if it does not loop of `together`, and their
/// `traffic` if asked to. `done` is called after each batch.
///
/// # Errors
/// Whatever fails when the program runs, for example for want of memory.
pub fn measure<W: Workload>(
    runtime: &Runtime,
    workload: &W,
    (iterations, together): (usize, usize),
    traffic: bool,
    done: impl Fn(),
) -> Result<Run> {
    let (batch, least) = batching::<W>(iterations);
    let batch = if W::LOOPS { batch } else { together };
    let timed = || timed(runtime, workload, Variant::Original, batch).inspect(|_| done());
    let first_s = timed()?;
    for _ in 0..WARM_UP {
        timed()?;
    }
    let mut batches_s = Vec::new();
    let mut total = 0.0;
    while !is_enough(batches_s.len(), least, total) {
        let seconds: f64 = timed()?;
        total += seconds;
        batches_s.push(seconds / batch as f64);
    }
    let (counts, checksum) =
        counted(runtime, workload, Variant::Original, batch, Windows::AsTheyFill)?;
    let steps = if traffic { moved(runtime, workload, batch)? } else { Vec::new() };
    Ok(Run { first_s, batches_s, counts, checksum, steps, batch })
}

/// The seconds of one batch, which begins from the start of the program, prepared outside the clock.
///
/// The clock runs from the emission of the first iteration to the completion of the last one, with
/// the results alive.
pub fn timed<W: Workload>(
    runtime: &Runtime,
    workload: &W,
    variant: Variant,
    batch: usize,
) -> Result<f64> {
    let mut state = workload.prepare();
    runtime.try_sync()?;
    let clock = Instant::now();
    iterate(runtime, workload, &mut state, (variant, batch, Windows::AsTheyFill))?;
    Ok(clock.elapsed().as_secs_f64())
}

/// What the steps of a batch move.
fn moved<W: Workload>(runtime: &Runtime, workload: &W, batch: usize) -> Result<Vec<Traffic>> {
    let (_, windows) = flushed(runtime, workload, batch, Windows::AsTheyFill)?;
    Ok(windows.iter().flat_map(|flushed| of_steps(&flushed.window, &flushed.plan)).collect())
}

/// What one batch does, and its windows with their plans.
pub fn flushed<W: Workload>(
    runtime: &Runtime,
    workload: &W,
    batch: usize,
    windows: Windows,
) -> Result<(Counts, Vec<FlushedWindow>)> {
    let mut state = workload.prepare();
    runtime.try_sync()?;
    let before = runtime.stats();
    let capture = runtime.engine().capture();
    iterate(runtime, workload, &mut state, (Variant::Original, batch, windows))?;
    Ok((counts(&before, &runtime.stats(), batch), capture.windows()))
}

/// So many iterations, and waits for them.
fn iterate<W: Workload>(
    runtime: &Runtime,
    workload: &W,
    state: &mut W::State,
    (variant, batch, windows): (Variant, usize, Windows),
) -> Result<()> {
    for _ in 0..batch {
        workload.iterate(state, variant);
        if windows == Windows::OfOneIteration || !W::LOOPS {
            // The next one drops the results of one that does not loop, which are to be computed all the same.
            runtime.flush();
        }
    }
    runtime.try_sync()
}

/// Where the windows of a counted batch end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Windows {
    /// When they are full, as in the timed batches.
    AsTheyFill,
    /// With each iteration.
    OfOneIteration,
}

/// What one batch does, and its result.
pub fn counted<W: Workload>(
    runtime: &Runtime,
    workload: &W,
    variant: Variant,
    batch: usize,
    windows: Windows,
) -> Result<(Counts, Vec<f64>)> {
    let mut state = workload.prepare();
    runtime.try_sync()?;
    let before = runtime.stats();
    iterate(runtime, workload, &mut state, (variant, batch, windows))?;
    let counts = counts(&before, &runtime.stats(), batch);
    Ok((counts, workload.checksum(&state)?))
}

fn counts(before: &Stats, after: &Stats, iterations: usize) -> Counts {
    let each = |now: u64, then: u64| (now - then) as f64 / iterations as f64;
    Counts {
        tasks: each(after.tasks, before.tasks),
        fused_tasks: each(after.fused_tasks, before.fused_tasks),
        kernels: each(after.launches(), before.launches()),
        flushes: after.flushes - before.flushes,
        bytes_peak: after.bytes_peak,
        bytes_copied: after.bytes_copied - before.bytes_copied,
        memo_hits: after.memo_hits - before.memo_hits,
        memo_misses: after.memo_misses - before.memo_misses,
    }
}
