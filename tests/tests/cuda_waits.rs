//! Waits of streams for events: without any one of them, something goes wrong. So none is missing where
//! nothing goes wrong, and none is made for nothing.
//!
//! What goes wrong is a difference in the results, or what the fake driver sees: work that reaches the
//! same bytes as other work, at least once to write them, and neither waits for the other; memory that is
//! used before its allocation or after its release.

use darray::{CudaLaunch, DArray, Runtime, s};
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

/// Random orders in which the driver does what nothing orders.
const ORDERS: u64 = 20;

/// In how many of these orders transfers were done before the last of the kernels that were queued before them, of which they need
/// none: an upload, on several GPUs a copy from one to another, and a download.
fn overtaken(fake: &Fake, gpus: &[usize], launch: CudaLaunch) -> usize {
    const KERNELS: u64 = 40;
    const BYTES: u64 = 8000;
    let values = || (0..1000).map(f64::from).collect::<Vec<f64>>();
    let overtakes = |seed: &u64| {
        let what = format!("order {seed}, GPUs {gpus:?}, {launch:?}");
        fake.start(&format!("devices=2 races=on sched=random:{seed}"));
        let builder = fake.devices(Runtime::builder(), gpus).cuda_launch(launch);
        let runtime = builder.tree_rule(TreeRule::TINY).build().expect("a runtime");
        let overtakes = runtime.scope(|| {
            let old = DArray::from_vec(values()) * 2.0;
            let mut sum = DArray::<f64>::zeros(1000);
            // What repeats is recorded before.
            for _ in 0..3 {
                sum += &old;
                runtime.flush();
            }
            runtime.sync();
            fake.reset_counts();
            for _ in 0..KERNELS {
                sum += &old;
                runtime.flush();
            }
            let new = DArray::from_vec(values());
            let crossed = old.slice(s![..;-1]) + &new;
            runtime.flush();
            let read = old.to_vec();
            let count = |name| fake.count(name);
            let moved = (count("bytes_to_device"), count("bytes_to_host"), count("bytes_between"));
            let several = gpus.iter().any(|gpu| *gpu != gpus[0]);
            assert_eq!(moved, (BYTES, BYTES, BYTES * u64::from(several)), "{what}");
            let launches = count("launches");
            assert!(launches <= (KERNELS + 1) * gpus.len() as u64, "{what}: {launches}");
            let sums = (&crossed + &sum).to_vec();
            assert_eq!((read[3], sums[3]), (6.0, 2.0 * 996.0 + 3.0 + 43.0 * 6.0), "{what}");
            launches < KERNELS * gpus.len() as u64
        });
        assert_eq!(fake.error(), "", "{what}");
        overtakes
    };
    (0..ORDERS).filter(overtakes).count()
}

#[test]
fn transfers_overtake_kernels_that_they_do_not_need() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    for gpus in [&[0][..], &[0, 1], &[1, 1]] {
        for launch in [CudaLaunch::Streams, CudaLaunch::Graphs] {
            let orders = overtaken(&fake, gpus, launch);
            assert!(orders >= ORDERS as usize / 2, "GPUs {gpus:?}, {launch:?}: {orders} orders");
        }
    }
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
