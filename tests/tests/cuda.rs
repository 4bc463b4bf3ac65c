//! Whole programs on CUDA devices over the fake driver: the bits of CPU devices, in every schedule.

use darray::Runtime;
use darray_kernel::tree::TreeRule;
use darray_suite::{PROGRAMS, fake_or_skip};
use std::panic::AssertUnwindSafe;

/// Random schedules per program.
const SEEDS: u64 = 20;

const FOLDER: &str = env!("CARGO_TARGET_TMPDIR");

#[test]
fn every_program_gives_the_bits_of_the_cpu_in_every_schedule() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    for (name, program) in PROGRAMS {
        let plain = Runtime::builder().threads(1).tree_rule(TreeRule::TINY).build();
        let expected = plain.expect("a runtime").scope(program);
        for seed in 0..=SEEDS {
            let schedule = match seed {
                SEEDS => "devices=2 sched=eager".to_string(),
                _ => format!("devices=2 sched=random:{seed}"),
            };
            let gpus = [&[0][..], &[0, 1], &[1, 1], &[0, 1, 1, 0]][seed as usize % 4];
            let window = if seed % 2 == 0 { 5 } else { 64 };
            let runtime = fake.runtime(&schedule, gpus, window);
            let found = runtime.scope(program);
            assert!(found == expected, "{name}, {schedule}, GPUs {gpus:?}");
            runtime.sync();
            drop(runtime);
            fake.returned().unwrap_or_else(|left| panic!("{name}, {schedule}, {gpus:?}: {left}"));
        }
    }
}

/// Driver calls of a program that fail in turn, at most.
const CALLS: u64 = 500;

#[test]
fn a_driver_call_that_fails_is_an_error_and_nothing_is_lost() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    // Failures on the way are panics of the reads; their texts are looked at here.
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = std::panic::catch_unwind(AssertUnwindSafe(|| {
        for name in ["stencil", "cg_dense"] {
            let program = PROGRAMS.iter().find(|program| program.0 == name).expect("a program").1;
            let whole = fake.runtime("devices=2", &[0, 1], 5);
            fake.reset_counts();
            let expected = whole.scope(program);
            drop(whole);
            let calls = fake.count("calls");
            let mut failures = 0;
            for number in 1..=calls.min(CALLS) {
                let runtime = fake.runtime("devices=2 quiet=on", &[0, 1], 5);
                fake.reset_counts();
                fake.set(&format!("fail={number}")).expect("a setting");
                let what = format!("{name} with call {number} failing");
                let run = AssertUnwindSafe(|| runtime.scope(program));
                let found = std::panic::catch_unwind(run);
                let synced = runtime.try_sync();
                let errors: Vec<String> = found
                    .as_ref()
                    .err()
                    .map(|panic| panic.downcast_ref::<String>().cloned().unwrap_or_default())
                    .into_iter()
                    .chain(synced.err().map(|error| error.to_string()))
                    .collect();
                failures += !errors.is_empty() as u64;
                for error in &errors {
                    let clear = ["CUDA_ERROR_UNKNOWN", "out of memory"];
                    assert!(clear.iter().any(|text| error.contains(text)), "{what}: {error}");
                }
                if let Ok(found) = found {
                    assert!(found == expected, "{what}: wrong results and no error");
                }
                // The same runtime goes on. How often it looks whether events have happened is a matter of
                // time, so the call may not have come yet: it no longer fails.
                fake.set("fail=0").expect("a setting");
                let again = runtime.scope(program);
                assert!(again == expected, "{what}: the program after it");
                drop(runtime);
                fake.returned().unwrap_or_else(|left| panic!("{what}: {left}"));
            }
            assert!(failures * 2 > calls.min(CALLS), "{name}: {failures} errors");
        }
    }));
    std::panic::set_hook(quiet);
    if let Err(panic) = result {
        std::panic::resume_unwind(panic);
    }
}
