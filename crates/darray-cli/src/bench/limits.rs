//! `bench --limits`: how near a program comes to what the machine can do, measured in the same run.

use super::devices;
use super::report::{Measurement, aligned, bytes, duration};
use super::traffic::Traffic;
use crate::arguments::{Bench, Float};
use darray_benches::black_scholes::{self, Form};
use darray_benches::stream::{Bandwidth, Pattern, bandwidth};
use darray_programs::Program;
use serde_json::{Value, json};

/// Seconds that one limit is measured.
const BUDGET_S: f64 = 0.5;

/// Least and most bytes of the arrays that bandwidth is measured on.
const FOOTPRINT: (u64, u64) = (1 << 20, 1 << 30);

/// What an iteration moves and the limits that hold for it.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes per iteration that the plan moves.
    pub read: f64,
    /// See `read`.
    pub written: f64,
    /// The fastest that as many bytes as the largest step moves, in its proportion of reads and writes,
    /// are moved by as many threads as all devices have.
    pub bandwidth: Bandwidth,
    /// The same work by hand, where the suite has it: in which form, and seconds per iteration.
    pub by_hand: Option<(Form, f64)>,
}

impl Limits {
    /// Measures the limits of a program that moves `steps` in `iterations` iterations.
    pub fn measure(request: &Bench, n: usize, steps: &[Traffic], iterations: usize) -> Limits {
        let mut all = Traffic::default();
        steps.iter().for_each(|&step| all += step);
        let largest = steps.iter().map(|step| step.total()).max().unwrap_or(0);
        let footprint = largest.clamp(FOOTPRINT.0, FOOTPRINT.1) as usize;
        let pattern = Pattern::like(all.read, all.written);
        let (contracts, threads) = (request.contract, request.threads * devices(request));
        let by_hand = match (request.program, request.dtype) {
            (Program::BlackScholes, Float::F64) => {
                black_scholes::limit::<f64>(n, contracts, threads, BUDGET_S)
            }
            (Program::BlackScholes, Float::F32) => {
                black_scholes::limit::<f32>(n, contracts, threads, BUDGET_S)
            }
            _ => None,
        };
        Limits {
            read: all.read as f64 / iterations as f64,
            written: all.written as f64 / iterations as f64,
            bandwidth: bandwidth(pattern, footprint, threads, BUDGET_S),
            by_hand,
        }
    }

    /// Seconds that moving the bytes of an iteration takes at least.
    pub fn memory_s(&self) -> f64 {
        (self.read + self.written) / self.bandwidth.bytes_per_s
    }

    /// What `--json` prints of it for an iteration of so many seconds.
    pub fn json(&self, seconds: f64) -> Value {
        json!({
            "bytes_read_per_iter": self.read,
            "bytes_written_per_iter": self.written,
            "pattern": self.bandwidth.pattern.name(),
            "form": self.bandwidth.form.to_string(),
            "limit_bytes_per_s": self.bandwidth.bytes_per_s,
            "of_memory": self.memory_s() / seconds,
            "by_hand_form": self.by_hand.map(|(form, _)| {
                format!("{}, {form}", black_scholes::instructions().unwrap_or_default())
            }),
            "by_hand_s": self.by_hand.map(|(_, by_hand)| by_hand),
            "of_by_hand": self.by_hand.map(|(_, by_hand)| by_hand / seconds),
        })
    }
}

/// A table with a row per mode that has limits.
pub fn table(measurements: &[Measurement]) -> String {
    let heading =
        ["mode", "read", "written", "GB/s", "limit", "of it", "measured as", "by hand", "of it"];
    let mut rows = vec![heading.map(str::to_string).to_vec()];
    for m in measurements {
        let Some(limits) = m.limits else { continue };
        let seconds = m.median();
        let percent = |part: f64| format!("{:.0} %", 100.0 * part);
        let (hand, of_hand) = match limits.by_hand {
            Some((_, hand)) => (duration(hand), percent(hand / seconds)),
            None => ("-".to_string(), "-".to_string()),
        };
        let Bandwidth { pattern, form, bytes_per_s } = limits.bandwidth;
        rows.push(vec![
            m.mode.clone(),
            bytes(limits.read as u64),
            bytes(limits.written as u64),
            format!("{:.1}", (limits.read + limits.written) / seconds / 1e9),
            format!("{:.1} GB/s", bytes_per_s / 1e9),
            percent(limits.memory_s() / seconds),
            format!("{} {}", form, pattern.name()),
            hand,
            of_hand,
        ]);
    }
    aligned(&rows)
}
