//! What an opaque task costs, submitted and run: the topologies of Task Bench with tasks that do nothing,
//! through the public interface, everything counted. Eight columns, eight steps, as CUDASTF measures.
//!
//! `cargo bench -p darray-programs --bench task_bench [-- WORD]`, pinned to one core for quiet numbers; with
//! a word, only what has it in its name ("1 device, fft"). With `DARRAY_DEVICES=cuda:0` and `--features cuda` it runs
//! on that GPU, or on several; the tasks ask for their stream and queue nothing.
//!
//! One JSON object per line and topology, too: nanoseconds a task until all is recorded, until all is submitted
//! to the devices' queues, and until all has run.

use darray::Runtime;
use darray_core::settings::Settings;
use darray_programs::task_bench::{Graph, Topology, empty};
use std::hint::black_box;
use std::time::Instant;

const GRAPHS: usize = 400;

fn main() {
    // `cargo bench` itself passes `--bench`.
    let only = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    println!("ns per task (median of {GRAPHS} graphs of 8 x 8): submitted / submitted and run");
    // On several devices the points of a task are several: an array of this extent is cut.
    let extent = |devices: usize| if devices == 1 { 1 } else { 1 << 16 };
    let gpus = Settings::global().expect("settings").cuda_devices.len();
    if gpus > 0 {
        let runtime = Runtime::builder_from_env().and_then(|builder| builder.window(128).build());
        let runtime = runtime.unwrap_or_else(|error| panic!("{error}"));
        measure(&runtime, "CUDA ", gpus, extent(gpus), only.as_deref());
        return;
    }
    for devices in [1, 2] {
        let runtime = Runtime::builder().cpu_devices(devices).threads(1).window(128).build();
        measure(&runtime.expect("a CPU runtime"), "", devices, extent(devices), only.as_deref());
    }
}

/// Measures all topologies, or those that have this word in their names.
fn measure(runtime: &Runtime, kind: &str, devices: usize, extent: usize, only: Option<&str>) {
    let task = empty();
    for topology in Topology::ALL {
        let plural = if devices == 1 { "" } else { "s" };
        let name = format!("{devices} {kind}device{plural}, {topology}");
        if only.is_some_and(|only| !name.contains(only)) {
            continue;
        }
        let graph = Graph::new(topology, 8, 8);
        let tasks = graph.tasks() as f64;
        let mut times: [Vec<f64>; 3] = Default::default();
        runtime.reset_stats();
        runtime.scope(|| {
            for _ in 0..GRAPHS {
                let start = Instant::now();
                let last = graph.launch(&task, extent);
                times[0].push(start.elapsed().as_nanos() as f64 / tasks);
                runtime.flush();
                times[1].push(start.elapsed().as_nanos() as f64 / tasks);
                runtime.sync();
                black_box(&last);
                drop(last);
                times[2].push(start.elapsed().as_nanos() as f64 / tasks);
            }
        });
        let stats = runtime.stats();
        times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
        let [recorded, submitted, run] = times.map(|times| times[GRAPHS / 2]);
        println!(
            "{name:<24} {recorded:>6.0} / {run:>6.0}   ({} point tasks, {} copies)",
            stats.opaque, stats.copies
        );
        println!(
            "{{\"task_bench\": \"{name}\", \"tasks\": {tasks}, \"recorded_ns\": {recorded:.0}, \
             \"submitted_ns\": {submitted:.0}, \"run_ns\": {run:.0}, \"point_tasks\": {}, \"copies\": {}}}",
            stats.opaque, stats.copies
        );
    }
}
