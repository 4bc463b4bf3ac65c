//! `bench --variants`: a program beside its variants, interleaved in one process and on one runtime.

use super::measure::{WARM_UP, Windows, batching, counted, is_enough, timed};
use super::report::{Counts, aligned, count, duration};
use super::{devices, progress, runtime, size, visit};
use crate::arguments::{Bench, ModeName, name};
use crate::output;
use darray::{Result, Runtime};
use darray_benches::timing::median;
use darray_programs::{Variant, Visitor, Workload};
use indicatif::ProgressBar;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Runs the comparison in each mode and prints it; fails when fusion makes other groups or kernels of a
/// variant than of the program.
pub fn run(request: &Bench) -> ExitCode {
    let (n, iters) = size(request);
    let mut outcome = ExitCode::SUCCESS;
    for &mode in &request.modes {
        let compared = match compare(request, n, iters, mode) {
            Ok(compared) => compared,
            Err(error) => {
                output::error(error);
                return ExitCode::FAILURE;
            }
        };
        if request.json {
            for row in &compared {
                output::line(json(request, n, iters, mode, row, &compared[0]));
            }
        } else {
            output::print(text(request, n, iters, mode, &compared));
        }
        for row in compared.iter().filter(|row| !row.is_fused_as(&compared[0], mode)) {
            let variant = row.variant.name();
            output::error(format_args!(
                "mode {}: {variant} has other fused tasks or kernels",
                name(&mode)
            ));
            outcome = ExitCode::FAILURE;
        }
    }
    outcome
}

/// What one form of a program took.
#[derive(Clone, Debug)]
struct Row {
    variant: Variant,
    /// Seconds per iteration of each batch.
    batches_s: Vec<f64>,
    /// Each batch over the batch of the original beside it.
    ratios: Vec<f64>,
    /// Of iterations that are windows of their own, since where a full window ends depends on the
    /// number of tasks.
    counts: Counts,
    checksum: Vec<f64>,
}

impl Row {
    fn new(variant: Variant) -> Row {
        let (batches_s, ratios) = (Vec::new(), Vec::new());
        Row { variant, batches_s, ratios, counts: Counts::default(), checksum: Vec::new() }
    }

    /// The median of the ratios to the original.
    fn ratio(&self) -> f64 {
        median(&self.ratios)
    }

    /// The same ratio of the times per task: 1 where an operation more costs what an operation costs.
    fn ratio_per_task(&self, original: &Row) -> f64 {
        self.ratio() * original.counts.tasks / self.counts.tasks
    }

    /// Whether fusion made as many groups and kernels of it as of the original. Where nothing is fused,
    /// a task more is a group and a kernel more, and where only tasks are, a kernel more.
    fn is_fused_as(&self, original: &Row, mode: ModeName) -> bool {
        let same = |of: fn(&Counts) -> f64| of(&self.counts) == of(&original.counts);
        match mode {
            ModeName::Fused => same(|c| c.fused_tasks) && same(|c| c.kernels),
            ModeName::Task => same(|c| c.fused_tasks),
            ModeName::Unfused => true,
        }
    }
}

fn compare(request: &Bench, n: usize, iters: usize, mode: ModeName) -> Result<Vec<Row>> {
    let runtime = runtime(request, mode)?;
    let bar = progress(&format!("{} {}", request.program.name(), name(&mode)), 0);
    let rows = visit(request, n, &runtime, Compare { runtime: &runtime, iters, bar: &bar });
    bar.finish_and_clear();
    rows
}

struct Compare<'a> {
    runtime: &'a Runtime,
    iters: usize,
    bar: &'a ProgressBar,
}

impl Visitor for Compare<'_> {
    type Output = Result<Vec<Row>>;

    /// Rounds of pairs: the original and a form of it, each pair begun by the other of the two than in
    /// the round before. The original is paired with itself as well, which shows the noise.
    fn visit<W: Workload>(self, workload: W) -> Result<Vec<Row>> {
        let (batch, least) = batching::<W>(self.iters);
        let time = |variant| {
            self.bar.inc(1);
            Ok(timed(self.runtime, &workload, variant, batch)? / batch as f64)
        };
        let mut rows: Vec<Row> = W::VARIANTS.iter().map(|&variant| Row::new(variant)).collect();
        for &variant in W::VARIANTS {
            for _ in 0..1 + WARM_UP {
                time(variant)?;
            }
        }
        let mut total = 0.0;
        while !is_enough(rows[0].batches_s.len(), least, total) {
            let original_first = rows[0].batches_s.len().is_multiple_of(2);
            for row in &mut rows {
                let (original, found) = if original_first {
                    let original: f64 = time(Variant::Original)?;
                    (original, time(row.variant)?)
                } else {
                    let found = time(row.variant)?;
                    (time(Variant::Original)?, found)
                };
                row.batches_s.push(found);
                row.ratios.push(found / original);
            }
            total += rows[0].batches_s.last().map_or(0.0, |s| s * batch as f64);
        }
        for row in &mut rows {
            let of_one = Windows::OfOneIteration;
            (row.counts, row.checksum) =
                counted(self.runtime, &workload, row.variant, batch, of_one)?;
        }
        Ok(rows)
    }
}

fn json(request: &Bench, n: usize, iters: usize, mode: ModeName, row: &Row, first: &Row) -> Value {
    json!({
        "program": request.program.name(),
        "variant": row.variant.name(),
        "mode": name(&mode),
        "n": n,
        "iters": iters,
        "dtype": name(&request.dtype),
        "devices": devices(request),
        "threads": request.threads,
        "rounds": row.batches_s.len(),
        "iter_s": median(&row.batches_s),
        "iter_s_min": row.batches_s.iter().copied().fold(f64::INFINITY, f64::min),
        "iter_s_max": row.batches_s.iter().copied().fold(0.0, f64::max),
        "ratio": row.ratio(),
        "ratio_per_task": row.ratio_per_task(first),
        "tasks_per_iter": row.counts.tasks,
        "fused_tasks_per_iter": row.counts.fused_tasks,
        "kernels_per_iter": row.counts.kernels,
        "checksum": row.checksum,
    })
}

/// A table with a row per form; `ratio` is to the original, and `per task` that of the times per task.
/// Tasks, fused tasks and kernels are those of an iteration by itself.
fn text(request: &Bench, n: usize, iters: usize, mode: ModeName, rows: &[Row]) -> String {
    let Some(original) = rows.first() else { return String::new() };
    let heading = ["variant", "iteration", "ratio", "tasks", "per task", "fused", "kernels"]
        .map(String::from);
    let mut lines = vec![heading.to_vec()];
    for row in rows {
        lines.push(vec![
            row.variant.name().to_string(),
            duration(median(&row.batches_s)),
            format!("{:.3}x", row.ratio()),
            count(row.counts.tasks),
            format!("{:.3}x", row.ratio_per_task(original)),
            count(row.counts.fused_tasks),
            count(row.counts.kernels),
        ]);
    }
    format!(
        "{} {} n={n} {} on {} device(s), {} thread(s) each; {} rounds of {iters} iteration(s)\n\
         {}{}\n",
        request.program.name(),
        name(&mode),
        name(&request.dtype),
        devices(request),
        request.threads,
        original.batches_s.len(),
        aligned(&lines),
        cost_of_one_more(original, rows)
    )
}

/// What the operation of the variant that has one more costs by itself.
fn cost_of_one_more(original: &Row, rows: &[Row]) -> String {
    let Some(more) = rows.iter().find(|row| row.variant == Variant::OneMore) else {
        return String::new();
    };
    let whole = median(&original.batches_s);
    let cost = (more.ratio() - 1.0) * whole;
    let sign = if cost < 0.0 { "-" } else { "" };
    format!(
        "the operation more costs {sign}{}; an operation of the original costs {} on average\n",
        duration(cost.abs()),
        duration(whole / original.counts.tasks)
    )
}

#[cfg(test)]
mod tests {
    use super::{Row, cost_of_one_more};
    use crate::arguments::ModeName;
    use crate::bench::report::Counts;
    use darray_programs::Variant;

    fn row(variant: Variant, seconds: f64, ratio: f64, counts: [f64; 3]) -> Row {
        let [tasks, fused_tasks, kernels] = counts;
        let counts = Counts { tasks, fused_tasks, kernels, ..Counts::default() };
        let ratios = vec![0.9 * ratio, ratio, 5.0 * ratio];
        Row { batches_s: vec![seconds], ratios, counts, ..Row::new(variant) }
    }

    #[test]
    fn a_task_more_is_weighed_by_the_tasks() {
        let original = row(Variant::Original, 1e-3, 1.0, [10.0, 1.0, 2.0]);
        let more = row(Variant::OneMore, 1.1e-3, 1.1, [11.0, 1.0, 2.0]);
        assert!((more.ratio_per_task(&original) - 1.0).abs() < 1e-12);
        assert_eq!(
            cost_of_one_more(&original, &[original.clone(), more]),
            "the operation more costs 100.000 us; an operation of the original costs 100.000 us on \
             average\n"
        );
    }

    #[test]
    fn groups_and_kernels_are_compared_where_they_are_fused() {
        let original = row(Variant::Original, 1.0, 1.0, [10.0, 1.0, 2.0]);
        for (counts, modes) in [
            ([11.0, 1.0, 2.0], [true, true, true]),
            ([11.0, 1.0, 3.0], [false, true, true]),
            ([11.0, 2.0, 2.0], [false, false, true]),
        ] {
            let other = row(Variant::OneMore, 1.0, 1.0, counts);
            let all = [ModeName::Fused, ModeName::Task, ModeName::Unfused];
            assert_eq!(all.map(|mode| other.is_fused_as(&original, mode)), modes, "{counts:?}");
        }
    }
}
