//! Calls of the driver that fail, in turn, while a program runs: a clear error that names the operation and
//! its place, or none and the right results; nothing is lost, and the same runtime runs the next program.

use darray::{CudaLaunch, Runtime};
use darray_suite::{Fake, PROGRAMS, Program, attempted, fake_or_skip, quietly};
use darray_testkit::tiny;

const FOLDER: &str = env!("CARGO_TARGET_TMPDIR");

/// Calls of a program that fail in turn.
const CALLS: u64 = 500;

const LAUNCHES: [CudaLaunch; 2] = [CudaLaunch::Streams, CudaLaunch::Graphs];

/// A runtime on two GPUs, over a driver with these settings.
fn runtime(fake: &Fake, settings: &str, launch: CudaLaunch) -> Runtime {
    fake.start(settings);
    let builder = fake.devices(Runtime::builder(), &[0, 1]).window(5).testing(tiny());
    builder.cuda_launch(launch).build().expect("a runtime")
}

/// The calls of a program with these numbers fail.
fn check(fake: &Fake, (name, program): Program, launch: CudaLaunch, numbers: impl Fn(u64) -> bool) {
    let first = runtime(fake, "devices=2", launch);
    fake.reset_counts();
    let expected = first.scope(program);
    drop(first);
    let plain = Runtime::builder().threads(1).testing(tiny()).build();
    assert!(plain.expect("a runtime").scope(program) == expected, "{name}");
    let calls = fake.count("calls").min(CALLS);
    let (mut tried, mut failures) = (0, 0);
    for number in (1..=calls).filter(|number| numbers(*number)) {
        let what = format!("{name}, {launch:?}, with call {number} failing");
        let runtime = runtime(fake, "devices=2 quiet=on", launch);
        fake.reset_counts();
        fake.set(&format!("fail={number}")).expect("a setting");
        let found = attempted(|| runtime.scope(program));
        let synced = runtime.try_sync().err().map(|error| error.to_string());
        let errors: Vec<String> = found.clone().err().into_iter().chain(synced).collect();
        errors.iter().for_each(|error| check_text(&what, error));
        if let Ok(found) = found {
            assert!(found == expected, "{what}: wrong results and no error");
        }
        (tried, failures) = (tried + 1, failures + u64::from(!errors.is_empty()));
        // The same runtime goes on. How often it looks whether events have happened is a matter of time,
        // so the call may not have come yet: it no longer fails.
        fake.set("fail=0").expect("a setting");
        assert!(runtime.scope(program) == expected, "{what}: the program after it");
        drop(runtime);
        fake.returned().unwrap_or_else(|left| panic!("{what}: {left}"));
    }
    println!("{name}, {launch:?}: {calls} calls, {failures} errors of {tried}");
    assert!(failures * 12 > tried, "{name}, {launch:?}: {failures} errors of {tried}");
}

/// An error names the operation first, then the driver's call and what it said, at the end the place in
/// the program.
fn check_text(what: &str, error: &str) {
    let operation = error.split_once(": ").map_or("", |(operation, _)| operation);
    let names = !operation.is_empty()
        && operation.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
    let cause = ["CUDA_ERROR_UNKNOWN (999)", "out of memory"].iter().any(|t| error.contains(t));
    let place = error.rsplit_once("(at ").map_or("", |(_, place)| place);
    let line = place.trim_end_matches(')').split(':').nth(1).and_then(|line| line.parse().ok());
    let placed = place.contains(".rs:") && line.is_some_and(|line: u32| line > 0);
    assert!(names && cause && placed, "{what}: {error}");
}

/// From the calls of a program with these numbers on, all fail.
fn check_lost(
    fake: &Fake,
    (name, program): Program,
    launch: CudaLaunch,
    numbers: impl Fn(u64) -> bool,
) {
    let first = runtime(fake, "devices=2", launch);
    fake.reset_counts();
    let expected = first.scope(program);
    let calls = fake.count("calls").min(CALLS);
    drop(first);
    let (mut tried, mut failures) = (0, 0);
    for number in (1..=calls).filter(|number| numbers(*number)) {
        let what = format!("{name}, {launch:?}, from call {number} on");
        let runtime = runtime(fake, "devices=2 sched=random:3 quiet=on", launch);
        fake.reset_counts();
        fake.set(&format!("lasting=on fail={number}")).expect("settings");
        // The second time nothing works from the first call on.
        for time in 0..2 {
            let found = attempted(|| runtime.scope(program));
            let synced = runtime.try_sync().err().map(|error| error.to_string());
            let errors = found.as_ref().err().into_iter().chain(&synced);
            errors.for_each(|error| check_text(&what, error));
            match found {
                Ok(found) => assert!(time == 0 && found == expected, "{what}: no error"),
                Err(_) => failures += 1,
            }
            tried += 1;
        }
        drop(runtime);
    }
    println!("{name}, {launch:?}: {calls} calls, {failures} errors of {tried}");
    assert!(tried > 0 && failures >= tried / 2, "{name}, {launch:?}: every second one fails");
}

#[test]
fn a_driver_that_is_lost_gives_errors_and_no_wrong_results() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    quietly(|| {
        for (at, program) in PROGRAMS.into_iter().enumerate() {
            check_lost(&fake, program, LAUNCHES[at % 2], |number| {
                (number + at as u64).is_multiple_of(47)
            });
        }
    });
}

#[test]
fn a_driver_call_that_fails_is_an_error_and_nothing_is_lost() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    quietly(|| {
        for (at, program) in PROGRAMS.into_iter().enumerate() {
            for (shift, launch) in LAUNCHES.into_iter().enumerate() {
                let first = (at + 11 * shift) as u64;
                check(&fake, program, launch, |number| (number + first).is_multiple_of(44));
            }
        }
    });
}

/// Each of the first 500 calls of each program: some minutes, with `--features long`.
#[cfg_attr(not(feature = "long"), ignore = "takes minutes")]
#[test]
fn each_driver_call_that_fails_is_an_error_and_nothing_is_lost() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    quietly(|| {
        for program in PROGRAMS {
            LAUNCHES.into_iter().for_each(|launch| check(&fake, program, launch, |_| true));
        }
    });
}
