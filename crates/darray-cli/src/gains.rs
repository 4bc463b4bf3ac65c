//! `gains`: every program fused beside unfused, at five sizes: fused is never to be slower, nor to hold more memory.
//!
//! Batches of both modes take turns in one process. A pair that fails by the clock is measured again, since machines are noisy.

use crate::arguments::Gains;
use crate::bench::measure::{WARM_UP, batching, timed};
use crate::output;
use crate::stats::size;
use darray::{Mode, Result, Runtime};
use darray_benches::timing::median;
use darray_programs::{Program, Variant, Visitor, Workload};
use serde_json::json;
use std::process::ExitCode;

/// Bytes that the tasks of an iteration hold one by one, about: from what fits into any cache to what fits into few.
const WORKING_SETS: [f64; 5] = [16e3, 128e3, 1e6, 4e6, 16e6];

/// Iterations of a batch, at most.
const MOST_ITERATIONS: usize = 20;

/// Fused may take this part more time than unfused: what the clock cannot tell apart.
const MORE_TIME: f64 = 0.03;
/// And hold this part or so many bytes more, whichever is more.
const MORE_MEMORY: (f64, u64) = (0.05, 1 << 20);

/// How often a pair is measured that fails by the clock.
const TRIES: usize = 6;

/// Seconds that both modes are timed, at least, and pairs of batches, at least.
const ENOUGH: (f64, usize) = (0.15, 5);

/// What a program gains at a size.
struct Gain {
    /// Unfused time over fused time.
    ratio: f64,
    /// Seconds of an iteration, fused.
    seconds: f64,
    /// The most bytes held, fused and unfused.
    peaks: [u64; 2],
}

impl Gain {
    fn is_slower(&self) -> bool {
        self.ratio < 1.0 / (1.0 + MORE_TIME)
    }

    fn is_larger(&self) -> bool {
        let [fused, unfused] = self.peaks;
        let more = (unfused as f64 * MORE_MEMORY.0) as u64;
        fused > unfused + more.max(MORE_MEMORY.1)
    }
}

/// Prints the gains; fails if there is a loss.
pub fn run(request: &Gains) -> ExitCode {
    let programs = request.program.map_or_else(|| Program::ALL.to_vec(), |program| vec![program]);
    let mut losses = Vec::new();
    let mut logarithms = [0.0; WORKING_SETS.len()];
    for &program in &programs {
        for (number, bytes) in WORKING_SETS.into_iter().enumerate() {
            let (n, gain) = match at_size(request, program, bytes) {
                Ok(found) => found,
                Err(error) => {
                    output::error(format_args!("{}: {error}", program.name()));
                    return ExitCode::FAILURE;
                }
            };
            logarithms[number] += gain.ratio.ln() / programs.len() as f64;
            let line = text(request, program, n, &gain);
            if gain.is_slower() || gain.is_larger() {
                losses.push(line.clone());
            }
            output::line(line);
        }
    }
    if !request.json {
        let means = logarithms.map(|sum| format!("{:.2}", sum.exp()));
        output::line(format_args!("geometric means by size, small to large: {}", means.join(" ")));
    }
    if losses.is_empty() {
        return ExitCode::SUCCESS;
    }
    output::error(format_args!("fused is slower or larger than unfused:\n{}", losses.join("\n")));
    ExitCode::FAILURE
}

fn text(request: &Gains, program: Program, n: usize, gain: &Gain) -> String {
    let [fused, unfused] = gain.peaks;
    if request.json {
        let values = json!({
            "program": program.name(), "n": n, "ratio": gain.ratio, "fused_s": gain.seconds,
            "peak_fused": fused, "peak_unfused": unfused,
        });
        return values.to_string();
    }
    let note = match (gain.is_slower(), gain.is_larger()) {
        (false, false) => "",
        (true, false) => "  slower",
        (false, true) => "  larger",
        (true, true) => "  slower, larger",
    };
    format!(
        "{:<20} n {n:>9}  {:>6.2} x  {:>10.1} us  peak {:>8.2} of {:>8.2} MB{note}",
        program.name(),
        gain.ratio,
        gain.seconds * 1e6,
        fused as f64 / 1e6,
        unfused as f64 / 1e6
    )
}

/// The size with such a working set, and what is gained there: the best of several measurements if the first fails.
fn at_size(request: &Gains, program: Program, bytes: f64) -> Result<(usize, Gain)> {
    let n = size::with_working_set(program, bytes)?;
    let mut best: Option<Gain> = None;
    for _ in 0..TRIES {
        let gain = measured(request, program, n)?;
        if best.as_ref().is_none_or(|best| gain.ratio > best.ratio) {
            best = Some(gain);
        }
        if best.as_ref().is_some_and(|best| !best.is_slower()) {
            break;
        }
    }
    Ok((n, best.expect("one measurement")))
}

fn measured(request: &Gains, program: Program, n: usize) -> Result<Gain> {
    let runtime = |mode| {
        let builder = Runtime::builder_from_env()?.cuda(&[]).cpu_devices(request.devices);
        builder.threads(1).mode(mode).build()
    };
    let runtimes = [runtime(Mode::Fused)?, runtime(Mode::Unfused)?];
    let (_, iterations) = program.defaults();
    let batches = runtimes.each_ref().map(|runtime| {
        let visitor =
            Batches { runtime: runtime.clone(), iterations: iterations.min(MOST_ITERATIONS) };
        runtime.scope(|| program.visit::<f64, _>(n, visitor))
    });
    for _ in 0..WARM_UP {
        batches.iter().try_for_each(|batch| batch().map(|_| ()))?;
    }
    let (mut ratios, mut fused, mut total) = (Vec::new(), Vec::new(), 0.0);
    while total < ENOUGH.0 || ratios.len() < ENOUGH.1 {
        let [(first, iterations), (second, _)] = [batches[0]()?, batches[1]()?];
        ratios.push(second / first);
        fused.push(first / iterations as f64);
        total += first + second;
    }
    let peaks = runtimes.each_ref().map(|runtime| runtime.stats().bytes_peak);
    Ok(Gain { ratio: median(&ratios), seconds: median(&fused), peaks })
}

/// Runs a batch: its seconds, and its iterations.
type Batch = Box<dyn Fn() -> Result<(f64, usize)>>;

/// Batches of a program on a runtime.
struct Batches {
    runtime: Runtime,
    iterations: usize,
}

impl Visitor for Batches {
    type Output = Batch;

    fn visit<W: Workload>(self, workload: W) -> Batch {
        let (batch, _) = batching::<W>(self.iterations);
        Box::new(move || {
            let seconds =
                self.runtime.scope(|| timed(&self.runtime, &workload, Variant::Original, batch))?;
            Ok((seconds, batch))
        })
    }
}
