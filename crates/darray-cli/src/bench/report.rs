//! What was measured, as a table or as JSON.

use super::limits::Limits;
use darray_benches::timing::median;
use serde_json::{Value, json};

/// The measurements of one mode.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// Of the program.
    pub program: String,
    /// `fused`, `task` or `unfused`.
    pub mode: String,
    /// Size.
    pub n: usize,
    /// Iterations that were asked for.
    pub iters: usize,
    /// Iterations of a batch.
    pub batch: usize,
    /// Element type.
    pub dtype: String,
    /// Logical devices.
    pub devices: usize,
    /// Threads of a device.
    pub threads: usize,
    /// `graph` or `prefix`.
    pub grouping: &'static str,
    /// Seconds of the first batch, planning and compiling included.
    pub first_s: f64,
    /// Seconds per iteration of each timed batch, in order.
    pub batches_s: Vec<f64>,
    /// What one untimed batch after the timed ones did.
    pub counts: Counts,
    /// The program's result.
    pub checksum: Vec<f64>,
    /// What the machine can do, where that was asked for.
    pub limits: Option<Limits>,
}

/// What the runtime did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Index tasks per iteration.
    pub tasks: f64,
    /// Fused tasks per iteration.
    pub fused_tasks: f64,
    /// Kernels, builtins and finish steps per iteration.
    pub kernels: f64,
    /// Windows of the batch.
    pub flushes: u64,
    /// Most bytes held by the devices at one time, over the whole run of the mode.
    pub bytes_peak: u64,
    /// Bytes that the batch copied between devices.
    pub bytes_copied: u64,
    /// Windows of the batch that had a plan.
    pub memo_hits: u64,
    /// Windows of the batch that were analysed.
    pub memo_misses: u64,
}

impl Measurement {
    /// The median seconds per iteration.
    pub fn median(&self) -> f64 {
        median(&self.batches_s)
    }

    fn least(&self) -> f64 {
        self.batches_s.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn most(&self) -> f64 {
        self.batches_s.iter().copied().fold(0.0, f64::max)
    }

    /// The object that `--json` prints.
    pub fn json(&self) -> Value {
        let mut object = json!({
            "program": self.program,
            "mode": self.mode,
            "n": self.n,
            "iters": self.iters,
            "batch": self.batch,
            "dtype": self.dtype,
            "devices": self.devices,
            "threads": self.threads,
            "grouping": self.grouping,
            "first_s": self.first_s,
            "iter_s": self.median(),
            "iter_s_min": self.least(),
            "iter_s_max": self.most(),
            "tasks_per_iter": self.counts.tasks,
            "fused_tasks_per_iter": self.counts.fused_tasks,
            "kernels_per_iter": self.counts.kernels,
            "bytes_peak": self.counts.bytes_peak,
            "bytes_copied_between_devices": self.counts.bytes_copied,
            "memo_hits": self.counts.memo_hits,
            "memo_misses": self.counts.memo_misses,
            "checksum": self.checksum,
        });
        if let Some(limits) = self.limits {
            object["limits"] = limits.json(self.median());
        }
        object
    }
}

/// A table with a row per mode. `speed-up` is over unfused, where that was measured.
pub fn table(measurements: &[Measurement]) -> String {
    let Some(first) = measurements.first() else { return String::new() };
    let unfused = measurements.iter().find(|m| m.mode == "unfused").map(Measurement::median);
    let heading = [
        "mode",
        "iteration",
        "min",
        "max",
        "first",
        "speed-up",
        "tasks",
        "fused",
        "kernels",
        "peak",
        "copied",
        "hits",
        "misses",
    ];
    let mut rows = vec![heading.map(str::to_string).to_vec()];
    for m in measurements {
        rows.push(vec![
            m.mode.clone(),
            duration(m.median()),
            duration(m.least()),
            duration(m.most()),
            duration(m.first_s),
            unfused.map_or("-".to_string(), |u| format!("{:.2}x", u / m.median())),
            count(m.counts.tasks),
            count(m.counts.fused_tasks),
            count(m.counts.kernels),
            bytes(m.counts.bytes_peak),
            bytes(m.counts.bytes_copied),
            m.counts.memo_hits.to_string(),
            m.counts.memo_misses.to_string(),
        ]);
    }
    let (batches, plural) = (first.batches_s.len(), if first.devices == 1 { "" } else { "s" });
    format!(
        "{} n={} {} on {} device{plural}, {} thread(s) each; {batches} batches of {} iteration(s)\n\
         {}checksum {:?}\n",
        first.program,
        first.n,
        first.dtype,
        first.devices,
        first.threads,
        first.iters,
        aligned(&rows),
        first.checksum
    )
}

/// Rows as lines, columns aligned to the right but for the first.
pub fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |c: usize| rows.iter().map(|row| row[c].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(c, (cell, &w))| match c {
            0 => format!("{cell:<w$}"),
            _ => format!("{cell:>w$}"),
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// Seconds with a unit that suits them.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.3} s"),
        s if s >= 1e-3 => format!("{:.3} ms", s * 1e3),
        s => format!("{:.3} us", s * 1e6),
    }
}

/// A count per iteration, which may be a fraction.
pub fn count(per_iteration: f64) -> String {
    let text = format!("{per_iteration:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Bytes with a unit that suits them.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["B", "KiB", "MiB", "GiB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        (value, unit) = (value / 1024.0, unit + 1);
    }
    if unit == 0 { format!("{count} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use super::{Counts, Measurement, aligned, bytes, count, duration, table};

    fn measurement(mode: &str, batches_s: &[f64]) -> Measurement {
        Measurement {
            program: "stencil".to_string(),
            mode: mode.to_string(),
            n: 8,
            iters: 3,
            batch: 3,
            dtype: "f64".to_string(),
            devices: 1,
            threads: 1,
            grouping: "graph",
            first_s: 0.5,
            batches_s: batches_s.to_vec(),
            counts: Counts { kernels: 2.0, ..Counts::default() },
            checksum: vec![1.5],
            limits: None,
        }
    }

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(measurement("fused", &[3.0, 1.0, 2.0]).median(), 2.0);
        assert_eq!(measurement("fused", &[4.0, 1.0, 2.0, 3.0]).median(), 2.5);
        let json = measurement("fused", &[3.0, 1.0, 2.0]).json();
        assert_eq!(json["iter_s_min"], 1.0);
        assert_eq!(json["iter_s_max"], 3.0);
        assert_eq!(json.as_object().map(|o| o.len()), Some(21));
    }

    #[test]
    fn the_table_shows_the_speed_up_over_unfused() {
        let text = table(&[measurement("fused", &[0.5]), measurement("unfused", &[2.0])]);
        assert!(text.contains("4.00x") && text.contains("1.00x"), "{text}");
        assert!(table(&[measurement("fused", &[0.5])]).contains(" - "));
    }

    #[test]
    fn numbers_have_units() {
        assert_eq!(duration(0.0025), "2.500 ms");
        assert_eq!([count(1.0), count(3.25), count(10.0)], ["1", "3.25", "10"]);
        assert_eq!([bytes(12), bytes(2048)], ["12 B", "2.0 KiB"]);
        let rows =
            [vec!["a".to_string(), "1".to_string()], vec!["bb".to_string(), "22".to_string()]];
        assert_eq!(aligned(&rows), "a    1\nbb  22\n");
    }
}
