//! Whole programs on CUDA devices over the fake driver: the bits of CPU devices, in every schedule.

use darray::Runtime;
use darray_kernel::tree::TreeRule;
use darray_suite::{PROGRAMS, fake_or_skip};

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
