//! Waits of streams for events: without any one of them, something goes wrong. So none is missing where
//! nothing goes wrong, and none is made for nothing, but for some between graphs, which only keep the order of a queue, and for some of
//! memory on GPUs that are apart.
//!
//! What goes wrong is a difference in the results, or what the fake driver sees: work that reaches the
//! same bytes as other work, at least once to write them, and neither waits for the other; memory that is
//! used before its allocation or after its release.

use darray::{CudaLaunch, DArray, Runtime, s};
use darray_suite::{Fake, PROGRAMS, Program, fake_or_skip, quietly};
use darray_testkit::tiny;
use std::panic::{self, AssertUnwindSafe};

const FOLDER: &str = env!("CARGO_TARGET_TMPDIR");

/// What became of a program.
struct Outcome {
    /// Its results, each time, if nothing failed.
    results: Option<Vec<Vec<u64>>>,
    /// What the driver saw; empty for nothing.
    error: String,
    waits: u64,
}

/// How a program runs.
#[derive(Clone, Copy, Debug)]
struct Configuration<'a> {
    gpus: &'a [usize],
    launch: CudaLaunch,
    /// Of the driver.
    settings: &'a str,
}

impl Configuration<'_> {
    /// How often the program runs: what repeats is recorded the second time and launched again the third.
    fn times(&self) -> usize {
        if self.launch == CudaLaunch::Graphs { 3 } else { 1 }
    }
}

fn run(fake: &Fake, program: Program, configuration: Configuration<'_>, without: u64) -> Outcome {
    let settings = configuration.settings;
    fake.start(&format!("devices=2 races=on quiet=on {settings} skip_wait={without}"));
    let builder =
        fake.devices(Runtime::builder(), configuration.gpus).cuda_launch(configuration.launch);
    let runtime = builder.window(16).testing(tiny()).build().expect("a runtime");
    fake.reset_counts();
    let found = panic::catch_unwind(AssertUnwindSafe(|| {
        (0..configuration.times()).map(|_| runtime.scope(program.1)).collect()
    }));
    let synced = runtime.try_sync();
    let waits = fake.count("waits");
    let error = fake.error();
    Outcome { results: found.ok().filter(|_| synced.is_ok()), error, waits }
}

/// Leaves waits of a program out, one by one: those with these numbers, as far as there are so many. All are needed.
fn check(fake: &Fake, program: Program, configuration: Configuration<'_>, numbers: Numbers) {
    let (whole, tried, harmless) = leave_out(fake, program, configuration, numbers);
    let what = format!("{}, {configuration:?}: {tried} of {} waits", program.0, whole.waits);
    assert!(harmless.is_empty(), "{what}, not needed: {harmless:?}");
}

/// The program with all waits, how many were left out one by one, and those without which nothing goes wrong.
fn leave_out(
    fake: &Fake,
    program: Program,
    configuration: Configuration<'_>,
    numbers: Numbers,
) -> (Outcome, usize, Vec<u64>) {
    let plain = Runtime::builder().threads(1).testing(tiny()).build();
    let expected = Some(vec![plain.expect("a runtime").scope(program.1); configuration.times()]);
    let whole = run(fake, program, configuration, 0);
    let what = format!("{}, {configuration:?}", program.0);
    assert_eq!((&whole.results, &whole.error[..]), (&expected, ""), "{what}");
    assert!(whole.waits >= 1, "{what}: {} waits", whole.waits);
    let tried: Vec<u64> = (1..=whole.waits).filter(numbers).collect();
    let harmless = tried.iter().copied().filter(|number| {
        let Outcome { results, error, .. } = run(fake, program, configuration, *number);
        results == expected && error.is_empty()
    });
    let harmless = harmless.collect();
    (whole, tried.len(), harmless)
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
        let runtime = builder.testing(tiny()).build().expect("a runtime");
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

/// These waits of all programs by streams: all are needed.
fn check_streams(gpus: &[usize], settings: &str, numbers: Numbers) {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    let configuration = Configuration { gpus, launch: CudaLaunch::Streams, settings };
    quietly(|| {
        PROGRAMS.into_iter().for_each(|program| check(&fake, program, configuration, numbers))
    });
}

#[test]
fn waits_on_two_gpus_are_needed() {
    check_streams(&[0, 1], "sched=random:1", |number| number % 3 == 1);
}

#[test]
fn every_wait_of_one_device_is_needed() {
    check_streams(&[0], "sched=random:1", |_| true);
}

#[test]
fn waits_of_four_devices_on_two_gpus_are_needed() {
    check_streams(&[0, 1, 1, 0], "sched=random:2", |number| number % 11 == 1);
}

/// Copies between GPUs that do not reach each other go by way of the host.
#[test]
fn waits_of_gpus_that_are_apart_are_needed() {
    check_streams(&[0, 1], "sched=random:3 peers=off", |number| number % 3 == 2);
}

/// Where two devices fetch from the same one, memory that it gives back waits for the copies of both, one of which has fetched before the
/// other: one wait of sixty is superfluous so.
fn check_four_apart(fake: &Fake, seed: u64, numbers: Numbers) {
    let (mut tried, mut harmless) = (0, 0);
    for program in PROGRAMS {
        let (gpus, launch) = (&[0, 1, 1, 0], CudaLaunch::Streams);
        let configuration =
            Configuration { gpus, launch, settings: &format!("sched=random:{seed} peers=off") };
        let (_, of_program, without) = leave_out(fake, program, configuration, numbers);
        (tried, harmless) = (tried + of_program, harmless + without.len());
    }
    println!("four devices on GPUs that are apart: {harmless} of {tried} waits not needed");
    assert!(tried > 0 && harmless * 30 <= tried, "{harmless} of {tried}");
}

#[test]
fn waits_of_four_devices_on_gpus_that_are_apart_are_needed_but_for_some_of_memory() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    quietly(|| check_four_apart(&fake, 2, |number| number % 11 == 1));
}

/// Streams of queues and of graphs wait for each other, so that the work of a queue stays in order, whether or not one part of it
/// needs the one before: about a quarter of all those waits is of no use, and of those of a program up to three fifths. For those within
/// graphs see `graphs.rs`.
fn check_graphs(fake: &Fake, gpus: &[usize], peers: &str, numbers: Numbers) {
    let settings = &format!("sched=random:4 peers={peers}");
    let (mut tried, mut harmless) = (0, 0);
    for program in PROGRAMS {
        let configuration = Configuration { gpus, launch: CudaLaunch::Graphs, settings };
        let (_, of_program, without) = leave_out(fake, program, configuration, numbers);
        let what = format!("{}, {configuration:?}: of {of_program} waits not needed", program.0);
        assert!(of_program < 10 || 5 * without.len() <= 3 * of_program, "{what}: {without:?}");
        (tried, harmless) = (tried + of_program, harmless + without.len());
    }
    println!(
        "GPUs {gpus:?}, peers {peers}: {harmless} of {tried} waits only keep the order of a queue"
    );
    assert!(tried > 0 && harmless * 10 <= tried * 3, "GPUs {gpus:?}: {harmless} of {tried}");
}

#[test]
fn waits_between_graphs_are_needed_but_for_some_that_keep_the_order_of_queues() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    quietly(|| {
        check_graphs(&fake, &[0], "on", |number| number % 3 == 1);
        check_graphs(&fake, &[0, 1], "on", |number| number % 5 == 1);
    });
}

/// All waits, under more schedules: some minutes, with `--features long`.
#[cfg_attr(not(feature = "long"), ignore = "takes minutes")]
#[test]
fn every_wait_under_more_schedules_is_needed() {
    for seed in 1..4 {
        for (gpus, peers) in [(&[0, 1, 1, 0][..], "on"), (&[0, 1], "off"), (&[0], "on")] {
            check_streams(gpus, &format!("sched=random:{seed} peers={peers}"), |_| true);
        }
    }
}

/// All waits of four devices on GPUs that do not reach each other.
#[cfg_attr(not(feature = "long"), ignore = "takes minutes")]
#[test]
fn every_wait_of_four_devices_on_gpus_that_are_apart_is_needed_but_for_some_of_memory() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    quietly(|| (1..4).for_each(|seed| check_four_apart(&fake, seed, |_| true)));
}

/// All waits between graphs: some minutes, with `--features long`.
#[cfg_attr(not(feature = "long"), ignore = "takes minutes")]
#[test]
fn every_wait_between_graphs_is_needed_but_for_some_that_keep_the_order_of_queues() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    quietly(|| {
        for peers in ["on", "off"] {
            check_graphs(&fake, &[0, 1], peers, |_| true);
            check_graphs(&fake, &[0, 1, 1, 0], peers, |_| true);
        }
    });
}
