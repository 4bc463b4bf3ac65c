//! Whole programs on CUDA devices over the fake driver: the bits of CPU devices, in every schedule.

#[path = "../../examples/stencil.rs"]
#[allow(dead_code)]
mod stencil;

use darray::{CudaLaunch, Runtime};
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

/// The example's stencil in its steady state: what two GPUs exchange are the rows at the border of their halves, once each way, as
/// two CPU devices do.
#[test]
fn two_gpus_exchange_the_borders_of_the_stencil_and_nothing_else() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    const ITERATIONS: u64 = 5;
    let run = |runtime: &Runtime, n: usize| {
        runtime.scope(|| {
            let grid = stencil::init_grid::<f64>(n);
            let bytes = |iterations| {
                (0..iterations).for_each(|_| stencil::step(&grid));
                runtime.sync();
                runtime.stats().bytes_copied
            };
            let before = bytes(3);
            (bytes(ITERATIONS) - before, grid.to_vec())
        })
    };
    for n in [16, 19, 100] {
        let builder = Runtime::builder().cpu_devices(2).grid(&[2]).threads(1);
        let expected = run(&builder.tree_rule(TreeRule::TINY).build().expect("a runtime"), n);
        assert_eq!(expected.0, 2 * ITERATIONS * (n * size_of::<f64>()) as u64, "n = {n}");
        for launch in [CudaLaunch::Streams, CudaLaunch::Graphs] {
            for (peers, schedule) in [("on", "eager"), ("on", "random:1"), ("off", "random:2")] {
                fake.start(&format!("devices=2 sched={schedule} peers={peers}"));
                let builder = fake.devices(Runtime::builder(), &[0, 1]).grid(&[2]);
                let builder = builder.tree_rule(TreeRule::TINY).cuda_launch(launch);
                let runtime = builder.build().expect("a runtime");
                let found = run(&runtime, n);
                assert!(found == expected, "n = {n}, {launch:?}, {schedule}: {} bytes", found.0);
                drop(runtime);
                assert_eq!((fake.returned(), fake.error()), (Ok(()), String::new()));
            }
        }
    }
}
