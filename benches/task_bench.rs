//! What an opaque task costs, submitted and run: the topologies of Task Bench with tasks that do nothing,
//! through the public interface, everything counted. Eight columns, eight steps, as CUDASTF measures.
//!
//! `cargo bench -p darray-programs --bench task_bench [-- WORD]`, pinned to one core for quiet numbers; with
//! a word, only what has it in its name ("1 device, fft").

use darray::Runtime;
use darray_programs::task_bench::{Graph, Topology, empty};
use std::hint::black_box;
use std::time::Instant;

const GRAPHS: usize = 400;

fn main() {
    // `cargo bench` itself passes `--bench`.
    let only = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    println!("ns per task (median of {GRAPHS} graphs of 8 x 8): submitted / submitted and run");
    let task = empty();
    // On two devices the points of a task are two: an array of this extent is cut.
    for (devices, extent) in [(1, 1), (2, 1 << 16)] {
        let runtime = Runtime::builder().cpu_devices(devices).threads(1).window(128).build();
        let runtime = runtime.expect("a CPU runtime");
        for topology in Topology::ALL {
            let plural = if devices == 1 { "" } else { "s" };
            let name = format!("{devices} device{plural}, {topology}");
            if only.as_ref().is_some_and(|only| !name.contains(only)) {
                continue;
            }
            let graph = Graph::new(topology, 8, 8);
            let tasks = graph.tasks() as f64;
            let mut times: [Vec<f64>; 2] = Default::default();
            runtime.reset_stats();
            runtime.scope(|| {
                for _ in 0..GRAPHS {
                    let start = Instant::now();
                    let last = graph.launch(&task, extent);
                    times[0].push(start.elapsed().as_nanos() as f64 / tasks);
                    runtime.sync();
                    black_box(&last);
                    drop(last);
                    times[1].push(start.elapsed().as_nanos() as f64 / tasks);
                }
            });
            let stats = runtime.stats();
            times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
            let [submitted, run] = times.map(|times| times[GRAPHS / 2]);
            println!(
                "{name:<20} {submitted:>6.0} / {run:>6.0}   ({} point tasks, {} copies)",
                stats.opaque, stats.copies
            );
        }
    }
}
