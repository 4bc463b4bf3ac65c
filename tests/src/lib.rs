//! Driving the tests that cross crates.

mod cuda;
mod fake;
mod gpu;
mod loops;
mod panics;
mod process;
mod programs;
mod quiet;

pub use cuda::{Cuda, cuda_or_skip};
pub use fake::{Fake, Turn, fake_or_skip};
pub use gpu::Gpu;
pub use panics::shown;
pub use process::{alone, resident};
pub use programs::{PROGRAMS, Program};
pub use quiet::{attempted, message, quietly};

pub mod front_end;
pub mod memory;

use darray_testkit::{Campaign, Coverage, Failure, Options, Trial};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Checks the programs of these seeds on all cores.
///
/// # Errors
/// The failure with the least seed among those found.
pub fn campaign(seeds: Range<u64>, options: Options) -> Result<Coverage, Box<Failure>> {
    campaign_of(&seeds.collect::<Vec<_>>(), options)
}

/// Checks the programs of these seeds on all cores; on a machine of the trial, which there is once, on one.
///
/// # Errors
/// The failure with the least seed among those found.
pub fn campaign_of(seeds: &[u64], options: Options) -> Result<Coverage, Box<Failure>> {
    let workers = match options.trial {
        Trial::Machine(_) => 1,
        _ => std::thread::available_parallelism().map_or(1, |n| n.get()),
    };
    let stop = AtomicBool::new(false);
    let work = |first: usize| {
        let mut campaign = Campaign::new(options);
        for &seed in seeds.iter().skip(first).step_by(workers) {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            campaign.check(seed).inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
        }
        Ok(campaign.coverage)
    };
    let results: Vec<Result<Coverage, Box<Failure>>> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers).map(|first| scope.spawn(move || work(first))).collect();
        handles.into_iter().map(|h| h.join().expect("a campaign does not panic")).collect()
    });
    let mut coverage = Coverage::default();
    let mut failures = Vec::new();
    for result in results {
        match result {
            Ok(part) => coverage.add(&part),
            Err(failure) => failures.push(failure),
        }
    }
    match failures.into_iter().min_by_key(|failure| failure.seed) {
        Some(failure) => Err(failure),
        None => Ok(coverage),
    }
}
