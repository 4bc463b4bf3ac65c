//! `bench --plan`: what planning the steady-state window of a program costs, where it has no plan and where it has one.

use super::measure::{WARM_UP, Windows, batching, flushed};
use super::report::{aligned, duration};
use super::{builder, devices, grouping, size, visit};
use crate::arguments::{Bench, ModeName, name};
use crate::output;
use darray::{Grouping, Result, Runtime};
use darray_benches::timing::median;
use darray_fusion::memo::Memo;
use darray_fusion::plan::PlanOptions;
use darray_fusion::planner::{cut_count, plan};
use darray_ir::Window;
use darray_programs::{Visitor, Workload};
use serde_json::{Value, json};
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

/// Seconds for which one thing is timed, and how often at least.
const ENOUGH: (f64, usize) = (0.3, 5);

/// How often a plan that is known is looked for between two looks at the clock.
const LOOKS: usize = 100;

/// Plans the window in each mode and prints what that cost.
pub fn run(request: &Bench) -> ExitCode {
    let (n, iters) = size(request);
    let mut rows = Vec::new();
    for &mode in &request.modes {
        match one_mode(request, n, iters, mode) {
            Ok(Some(row)) if request.json => output::line(row.json(request, n)),
            Ok(row) => rows.extend(row),
            Err(error) => {
                output::error(error);
                return ExitCode::FAILURE;
            }
        }
    }
    if !request.json {
        output::print(format_args!(
            "{} n={n} {} on {} device(s), grouping {}\n{}",
            request.program.name(),
            name(&request.dtype),
            devices(request),
            grouping(request).name(),
            aligned(&table(&rows))
        ));
    }
    ExitCode::SUCCESS
}

/// What planning one window costs.
struct Row {
    mode: ModeName,
    tasks: usize,
    /// Kernels, and tasks that are none.
    kernels: usize,
    /// Seconds to plan it.
    miss_s: f64,
    /// Of these, seconds until it is known which tasks are one kernel, and in which order.
    grouping_s: f64,
    /// Seconds to find its plan again.
    hit_s: f64,
}

impl Row {
    /// Of a window in the program's order.
    fn measure(mode: ModeName, window: &Window, options: PlanOptions) -> Row {
        let miss_s = seconds(1, || {
            black_box(plan(black_box(window), &options));
        });
        let grouping_s = seconds(1, || {
            black_box(cut_count(black_box(window), &options));
        });
        let kernels = cut_count(window, &options);
        let mut memo = Memo::new(options);
        memo.plan(window);
        let hit_s = seconds(LOOKS, || {
            black_box(memo.plan(black_box(window)));
        });
        Row { mode, tasks: window.tasks().len(), kernels, miss_s, grouping_s, hit_s }
    }

    fn per_task(&self, seconds: f64) -> f64 {
        seconds / self.tasks as f64
    }

    fn composition_s(&self) -> f64 {
        (self.miss_s - self.grouping_s).max(0.0)
    }

    fn json(&self, request: &Bench, n: usize) -> Value {
        json!({
            "program": request.program.name(),
            "mode": name(&self.mode),
            "n": n,
            "dtype": name(&request.dtype),
            "devices": devices(request),
            "grouping": grouping(request).name(),
            "tasks": self.tasks,
            "kernels": self.kernels,
            "miss_s_per_task": self.per_task(self.miss_s),
            "grouping_s_per_task": self.per_task(self.grouping_s),
            "composition_s_per_task": self.per_task(self.composition_s()),
            "hit_s_per_task": self.per_task(self.hit_s),
            "hit_s": self.hit_s,
        })
    }
}

/// Times per task, and that of a hit also for the whole window.
fn table(rows: &[Row]) -> Vec<Vec<String>> {
    let heading =
        ["mode", "tasks", "kernels", "miss", "grouping", "composition", "hit", "whole hit"];
    let mut lines = vec![heading.map(String::from).to_vec()];
    for row in rows {
        let of = |seconds: f64| duration(row.per_task(seconds));
        lines.push(vec![
            name(&row.mode),
            row.tasks.to_string(),
            row.kernels.to_string(),
            of(row.miss_s),
            of(row.grouping_s),
            of(row.composition_s()),
            of(row.hit_s),
            duration(row.hit_s),
        ]);
    }
    lines
}

/// Seconds that something takes, done so often at a time: the median of many times.
fn seconds(times: usize, mut work: impl FnMut()) -> f64 {
    let (mut found, mut total) = (Vec::new(), 0.0);
    work();
    while found.len() < ENOUGH.1 || total < ENOUGH.0 {
        let clock = Instant::now();
        (0..times).for_each(|_| work());
        let seconds = clock.elapsed().as_secs_f64();
        total += seconds;
        found.push(seconds / times as f64);
    }
    median(&found)
}

fn one_mode(request: &Bench, n: usize, iters: usize, mode: ModeName) -> Result<Option<Row>> {
    // So windows stay in the program's order, which is what is planned.
    let runtime = builder(request, mode)?.grouping(Grouping::Prefix).build()?;
    let largest = visit(request, n, &runtime, Largest { runtime: &runtime, iters })?;
    let options = PlanOptions { grouping: grouping(request), ..runtime.engine().plan_options() };
    Ok(largest.map(|window| Row::measure(mode, &window, options)))
}

/// The largest window of a batch that has come before.
struct Largest<'a> {
    runtime: &'a Runtime,
    iters: usize,
}

impl Visitor for Largest<'_> {
    type Output = Result<Option<Window>>;

    fn visit<W: Workload>(self, workload: W) -> Self::Output {
        let (batch, _) = batching::<W>(self.iters);
        let run = || flushed(self.runtime, &workload, batch, Windows::AsTheyFill);
        for _ in 0..1 + WARM_UP {
            run()?;
        }
        let (_, windows) = run()?;
        let known = windows.into_iter().filter(|flushed| flushed.memo_hit);
        let windows = known.map(|flushed| flushed.window);
        Ok(windows.max_by_key(|window| window.tasks().len()))
    }
}
