//! The lines that were measured, and what is computed from them.

use super::{PROGRAMS, Program};
use serde_json::Value;

/// The first of the lines says where and when, the others are those of `bench --json`, with the key `run`.
pub struct Records {
    lines: Vec<Value>,
}

/// Systems whose times are shown, as `bench --compare` names them.
pub const DARRAY: &str = "darray";
pub const NUMPY: &str = "numpy";
pub const JAX: &str = "jax";
pub const JAX_LOOP: &str = "jax_loop";

impl Records {
    /// Reads lines of JSON.
    ///
    /// # Errors
    /// A line is no JSON.
    pub fn parse(text: &str) -> Result<Records, String> {
        let line = |line| serde_json::from_str(line).map_err(|error| format!("{error}: {line}"));
        Ok(Records { lines: text.lines().map(line).collect::<Result<_, _>>()? })
    }

    /// What the first line says of the machine, the date or the versions.
    pub fn about(&self, key: &str) -> &str {
        self.lines.first().and_then(|line| line[key].as_str()).unwrap_or_default()
    }

    /// Seconds of an iteration in turns with the other systems.
    pub(super) fn iteration(&self, program: &Program, system: &str) -> Option<f64> {
        self.of_system("turns", program, system)?["iter_s"].as_f64()
    }

    /// How many times as long as darray a system takes, in the median of the rounds.
    pub(super) fn times(&self, program: &Program, system: &str) -> Option<f64> {
        self.of_system("turns", program, system)?["times_darray"].as_f64()
    }

    /// The faster of JAX's two forms: a function for an iteration, or for a batch.
    pub(super) fn fastest_jax(&self, program: &Program) -> Option<&'static str> {
        let times = |system| self.times(program, system).unwrap_or(f64::INFINITY);
        let fastest = if times(JAX_LOOP) < times(JAX) { JAX_LOOP } else { JAX };
        times(fastest).is_finite().then_some(fastest)
    }

    /// Seconds of the first iteration, with whatever is compiled and allocated in it.
    pub(super) fn first_call(&self, program: &Program, system: &str) -> Option<f64> {
        self.of_system("first", program, system)?["first_s"].as_f64()
    }

    /// How many times as long unfused operations take.
    pub(super) fn over_unfused(&self, program: &Program) -> Option<f64> {
        let seconds = |mode| self.of_mode(program, mode)?["iter_s"].as_f64();
        Some(seconds("unfused")? / seconds("fused")?)
    }

    /// What part of memory's bandwidth and of the kernel by hand the fused program reaches.
    pub(super) fn limits(&self, program: &Program) -> (Option<f64>, Option<f64>) {
        let limits = self.of_mode(program, "fused").map(|line| &line["limits"]);
        let part = |key: &str| limits.and_then(|limits| limits[key].as_f64());
        (part("of_memory"), part("of_by_hand"))
    }

    /// The geometric mean of a figure, over the programs that have it, with how many those are.
    pub(super) fn mean(&self, figure: impl Fn(&Program) -> Option<f64>) -> (f64, usize) {
        let logarithms: Vec<f64> = PROGRAMS.iter().filter_map(figure).map(f64::ln).collect();
        let count = logarithms.len();
        ((logarithms.iter().sum::<f64>() / count as f64).exp(), count)
    }

    fn of_system(&self, run: &str, program: &Program, system: &str) -> Option<&Value> {
        self.lines.iter().find(|line| {
            line["run"] == run && line["program"] == program.name && line["system"] == system
        })
    }

    fn of_mode(&self, program: &Program, mode: &str) -> Option<&Value> {
        self.lines.iter().find(|line| {
            line["run"] == "modes" && line["program"] == program.name && line["mode"] == mode
        })
    }
}

/// Seconds with three digits and a unit that suits them.
pub fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s => (s * 1e6, "us"),
    };
    let decimals = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.decimals$} {unit}")
}

/// A ratio with two or three digits: the machine gives no more.
pub fn ratio(value: f64) -> String {
    let decimals = if value >= 10.0 {
        0
    } else if value >= 2.0 {
        1
    } else {
        2
    };
    format!("{value:.decimals$}")
}
