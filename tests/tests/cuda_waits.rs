//! Waits of streams for events: without any one of them, something goes wrong. So none is missing where
//! nothing goes wrong, and none is made for nothing.
//!
//! What goes wrong is a difference in the results, or what the fake driver sees: work that reaches the
//! same bytes as other work, at least once to write them, and neither waits for the other; memory that is
//! used before its allocation or after its release.

use darray::Runtime;
use darray_kernel::tree::TreeRule;
use darray_suite::{Fake, PROGRAMS, Program, fake_or_skip, quietly};
use std::panic::{self, AssertUnwindSafe};

const FOLDER: &str = env!("CARGO_TARGET_TMPDIR");

/// What became of a program.
struct Outcome {
    /// Its results, if nothing failed.
    results: Option<Vec<u64>>,
    /// What the driver saw; empty for nothing.
    error: String,
    waits: u64,
}

fn run(fake: &Fake, program: Program, gpus: &[usize], settings: &str) -> Outcome {
    let runtime = fake.runtime(&format!("devices=2 races=on quiet=on {settings}"), gpus, 16);
    fake.reset_counts();
    let found = panic::catch_unwind(AssertUnwindSafe(|| runtime.scope(program.1)));
    let synced = runtime.try_sync();
    let waits = fake.count("waits");
    let error = fake.error();
    Outcome { results: found.ok().filter(|_| synced.is_ok()), error, waits }
}

/// Leaves waits of a program out, one by one: those with these numbers, as far as there are so many.
fn check(fake: &Fake, program: Program, gpus: &[usize], settings: &str, numbers: Numbers) {
    let plain = Runtime::builder().threads(1).tree_rule(TreeRule::TINY).build();
    let expected = Some(plain.expect("a runtime").scope(program.1));
    let whole = run(fake, program, gpus, settings);
    let what = format!("{}, GPUs {gpus:?}, {settings}", program.0);
    assert_eq!((&whole.results, &whole.error[..]), (&expected, ""), "{what}");
    assert!(whole.waits >= 1, "{what}: {} waits", whole.waits);
    let harmless: Vec<u64> = (1..=whole.waits)
        .filter(numbers)
        .filter(|number| {
            let without = format!("{settings} skip_wait={number}");
            let Outcome { results, error, .. } = run(fake, program, gpus, &without);
            results == expected && error.is_empty()
        })
        .collect();
    assert!(harmless.is_empty(), "{what}: of {} waits not needed: {harmless:?}", whole.waits);
}

/// Which waits are left out.
type Numbers = fn(&u64) -> bool;

#[test]
fn every_wait_on_two_gpus_is_needed() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    quietly(|| {
        for program in PROGRAMS {
            check(&fake, program, &[0, 1], "sched=random:1", |_| true);
        }
    });
}

#[test]
fn every_wait_of_one_device_is_needed() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    quietly(|| {
        for program in PROGRAMS {
            check(&fake, program, &[0], "sched=random:1", |_| true);
        }
    });
}

#[test]
fn waits_of_four_devices_on_two_gpus_are_needed() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    quietly(|| {
        for program in PROGRAMS {
            check(&fake, program, &[0, 1, 1, 0], "sched=random:2", |number| number % 5 == 1);
        }
    });
}

/// All waits, under more schedules: some minutes, with `--features long`.
#[cfg(feature = "long")]
#[test]
fn every_wait_of_four_devices_is_needed() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    quietly(|| {
        for program in PROGRAMS {
            for seed in 1..4 {
                let schedule = format!("sched=random:{seed}");
                check(&fake, program, &[0, 1, 1, 0], &schedule, |_| true);
                check(&fake, program, &[0], &schedule, |_| true);
            }
        }
    });
}
