//! `stats`: what the tasks of a program become. Nothing in it depends on how fast the machine is.

mod page;
pub mod size;

use crate::arguments::{Stats, name};
use crate::bench::measure::{Windows, batching, flushed};
use crate::bench::report::{Counts, aligned, bytes, count};
use crate::output;
use darray::{Grouping, Mode, Result, Runtime};
use darray_fusion::order::{Orders, bytes as moved};
use darray_fusion::plan::{Costs, Rules};
use darray_programs::{Program, Visitor, Workload};
use darray_runtime::FlushedWindow;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Counts and prints.
pub fn run(request: &Stats) -> ExitCode {
    if request.page {
        return match page::text() {
            Ok(text) => {
                output::print(text);
                ExitCode::SUCCESS
            }
            Err(error) => failure(error),
        };
    }
    let programs = request.program.map_or(Program::ALL.to_vec(), |program| vec![program]);
    let mut rows = Vec::new();
    for program in programs {
        match row(request, program) {
            Ok(row) if request.json => output::line(row.json(request)),
            Ok(row) => rows.push(row),
            Err(error) => return failure(error),
        }
    }
    if !request.json {
        output::print(format_args!(
            "f64 on {} device(s), grouping {}; per iteration, a window and a run\n{}",
            request.devices,
            name(&request.grouping),
            aligned(&table(&rows))
        ));
    }
    ExitCode::SUCCESS
}

fn failure(error: darray::Error) -> ExitCode {
    output::error(error);
    ExitCode::FAILURE
}

fn row(request: &Stats, program: Program) -> Result<Row> {
    let n = request.n.map_or_else(|| size::of(program), Ok)?;
    let iters = request.iters.unwrap_or(program.defaults().1);
    let unfused = Unfused::of(program, n)?;
    let steady = Steady::of(program, n, iters, (request.devices, request.grouping.into()))?;
    Ok(Row { program, n, iters, unfused, steady })
}

/// What is known of a program.
struct Row {
    program: Program,
    n: usize,
    iters: usize,
    unfused: Unfused,
    steady: Steady,
}

impl Row {
    fn json(&self, request: &Stats) -> Value {
        let Row { program, n, iters, unfused, steady } = self;
        json!({
            "program": program.name(),
            "n": n,
            "iters": iters,
            "dtype": "f64",
            "devices": request.devices,
            "grouping": name(&request.grouping),
            "tasks_per_iter": steady.counts.tasks,
            "fused_tasks_per_iter": steady.counts.fused_tasks,
            "kernels_per_iter": steady.counts.kernels,
            "window": steady.window(),
            "plans": steady.plans,
            "bytes_unfused": unfused.bytes,
            "bytes_fused": steady.bytes,
            "bytes_least": unfused.least,
            "peak": steady.counts.bytes_peak,
        })
    }
}

fn table(rows: &[Row]) -> Vec<Vec<String>> {
    let heading = [
        "program", "n", "tasks", "fused", "kernels", "window", "plans", "unfused", "fused",
        "least", "peak",
    ];
    let mut lines = vec![heading.map(String::from).to_vec()];
    for Row { program, n, unfused, steady, .. } in rows {
        lines.push(vec![
            program.name().to_string(),
            n.to_string(),
            count(steady.counts.tasks),
            count(steady.counts.fused_tasks),
            count(steady.counts.kernels),
            count(steady.window()),
            steady.plans.to_string(),
            bytes(unfused.bytes),
            bytes(steady.bytes as u64),
            bytes(unfused.least),
            bytes(steady.counts.bytes_peak),
        ]);
    }
    lines
}

/// What a loop of iterations does once its windows have plans.
struct Steady {
    /// Of a batch.
    counts: Counts,
    tasks: usize,
    /// Windows that were planned, in this batch and those before it.
    plans: u64,
    /// Bytes that kernels read and write, per iteration.
    bytes: f64,
}

impl Steady {
    fn of(program: Program, n: usize, iters: usize, how: (usize, Grouping)) -> Result<Steady> {
        let (devices, grouping) = how;
        let builder = Runtime::builder().cpu_devices(devices).threads(1).grouping(grouping);
        let runtime = builder.build()?;
        let batches = Batches { runtime: &runtime, iters };
        runtime.scope(|| program.visit::<f64, _>(n, batches))
    }

    /// Tasks of a window, on average.
    fn window(&self) -> f64 {
        self.tasks as f64 / self.counts.flushes as f64
    }
}

/// Batches one behind the other whose windows all have plans before one is counted, and those that run before it at most.
const KNOWN: usize = 8;
const MOST_BATCHES: usize = 40;

struct Batches<'a> {
    runtime: &'a Runtime,
    iters: usize,
}

impl Visitor for Batches<'_> {
    type Output = Result<Steady>;

    fn visit<W: Workload>(self, workload: W) -> Result<Steady> {
        let (batch, _) = batching::<W>(self.iters);
        let run = || flushed(self.runtime, &workload, batch, Windows::AsTheyFill);
        // Windows become longer once that has paid.
        let (mut plans, mut known) = (0, 0);
        for _ in 0..MOST_BATCHES {
            let planned = run()?.0.memo_misses;
            plans += planned;
            known = if planned == 0 { known + 1 } else { 0 };
            if known == KNOWN {
                break;
            }
        }
        let (counts, windows) = run()?;
        let bytes: u64 = windows.iter().map(|f| f.plan.bytes(&f.window)).sum();
        Ok(Steady {
            counts,
            tasks: (counts.tasks * batch as f64).round() as usize,
            plans: plans + counts.memo_misses,
            bytes: bytes as f64 / batch as f64,
        })
    }
}

/// What an iteration moves, as one window.
struct Unfused {
    /// One kernel a task.
    bytes: u64,
    /// What the tasks that are needed move at least.
    least: u64,
}

impl Unfused {
    fn of(program: Program, n: usize) -> Result<Unfused> {
        let windows = unfused_windows(program, n)?;
        let least = |FlushedWindow { window, .. }: &FlushedWindow| {
            let needed = Orders::new(window, Rules::default(), Costs::CPU).needed();
            moved::least(&window.in_order(&needed))
        };
        Ok(Unfused {
            bytes: windows.iter().map(|f| f.plan.bytes(&f.window)).sum(),
            least: windows.iter().map(least).sum(),
        })
    }
}

/// The windows of the second iteration, each of whose tasks is a kernel: one, unless the iteration reads a value.
fn unfused_windows(program: Program, n: usize) -> Result<Vec<FlushedWindow>> {
    let builder = Runtime::builder().cpu_devices(1).threads(1).mode(Mode::Unfused);
    let runtime = builder.window(LONG).build()?;
    runtime.scope(|| program.visit::<f64, _>(n, Second { runtime: &runtime }))
}

/// More tasks than an iteration has.
const LONG: usize = 65536;

struct Second<'a> {
    runtime: &'a Runtime,
}

impl Visitor for Second<'_> {
    type Output = Result<Vec<FlushedWindow>>;

    fn visit<W: Workload>(self, workload: W) -> Self::Output {
        let (_, first) = flushed(self.runtime, &workload, 1, Windows::OfOneIteration)?;
        let (_, both) = flushed(self.runtime, &workload, 2, Windows::OfOneIteration)?;
        Ok(both.into_iter().skip(first.len()).collect())
    }
}
