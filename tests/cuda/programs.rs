//! Whole programs on CUDA devices over the fake driver: the bits of CPU devices, in every schedule.

#[path = "../../crates/darray/examples/stencil.rs"]
#[allow(dead_code)]
mod stencil;

use darray::{CudaLaunch, Runtime};
use darray_suite::{PROGRAMS, fake_or_skip};
use darray_testkit::tiny;

/// Random schedules per program and choice of GPUs.
const SEEDS: u64 = 7;

const FOLDER: &str = env!("CARGO_TARGET_TMPDIR");

#[test]
fn every_program_gives_the_bits_of_the_cpu_in_every_schedule() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    for (name, program) in PROGRAMS {
        let plain = Runtime::builder().threads(1).testing(tiny()).build();
        let expected = plain.expect("a runtime").scope(program);
        for gpus in [&[0][..], &[0, 1], &[1, 1], &[0, 1, 1, 0]] {
            for seed in 0..=SEEDS {
                let schedule = match seed {
                    SEEDS => "devices=2 sched=eager".to_string(),
                    _ => format!("devices=2 sched=random:{seed}"),
                };
                let window = if seed % 2 == 0 { 5 } else { 64 };
                let runtime = fake.runtime(&schedule, gpus, window);
                let found = runtime.scope(program);
                let what = format!("{name}, {schedule}, GPUs {gpus:?}");
                assert!(found == expected, "{what}");
                runtime.sync();
                drop(runtime);
                fake.returned().unwrap_or_else(|left| panic!("{what}: {left}"));
            }
        }
    }
}

/// The example's stencil in its steady state: what two GPUs exchange are the rows at the border of their halves, once each way, as
/// two CPU devices do.
#[test]
fn two_gpus_exchange_the_borders_of_the_stencil_and_nothing_else() {
    let Some(fake) = fake_or_skip(FOLDER) else { return };
    const ITERATIONS: u64 = 4;
    // The bytes that the runtime says it copied, those that the driver counted by this name, if any, and the grid. A window fills
    // the second buffer once.
    let run = |runtime: &Runtime, n: usize, counted: Option<&str>| {
        runtime.scope(|| {
            let grid = stencil::init_grid::<f64>(n);
            let bytes = |iterations| {
                (0..iterations).for_each(|_| stencil::step(&grid));
                runtime.sync();
                [runtime.stats().bytes_copied, counted.map_or(0, |name| fake.count(name))]
            };
            let [_, before, few, more] = [3, 4, 4, 4 + ITERATIONS].map(bytes);
            let of_more = |at: usize| more[at] - few[at] - (few[at] - before[at]);
            ([0, 1].map(of_more), grid.to_vec())
        })
    };
    for n in [16, 19, 100] {
        let builder = Runtime::builder().cpu_devices(2).grid(&[2]).threads(1);
        let builder = builder.testing(tiny());
        let (bytes, grid) = run(&builder.build().expect("a runtime"), n, None);
        let borders = 2 * ITERATIONS * (n * size_of::<f64>()) as u64;
        assert_eq!(bytes, [borders, 0], "n = {n}");
        for launch in [CudaLaunch::Streams, CudaLaunch::Graphs] {
            for (peers, schedule) in [("on", "eager"), ("on", "random:1"), ("off", "random:2")] {
                fake.start(&format!("devices=2 sched={schedule} peers={peers}"));
                let builder = fake.devices(Runtime::builder(), &[0, 1]).grid(&[2]);
                let builder = builder.testing(tiny()).cuda_launch(launch);
                let runtime = builder.build().expect("a runtime");
                // GPUs that do not reach each other copy by way of the host.
                let counted = if peers == "on" { "bytes_between" } else { "bytes_to_host" };
                let (bytes, found) = run(&runtime, n, Some(counted));
                let what = format!("n = {n}, {launch:?}, {schedule}, peers {peers}");
                assert!(found == grid, "{what}");
                assert_eq!(bytes, [borders; 2], "{what}");
                drop(runtime);
                assert_eq!((fake.returned(), fake.error()), (Ok(()), String::new()));
            }
        }
    }
}
