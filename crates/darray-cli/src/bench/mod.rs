//! `bench`: the programs of crates/darray/examples/, timed in each mode; with `--limits`, as parts of what the machine can
//! do; with `--variants`, beside their variants; with `--compare`, beside other systems; with `--plan`, what planning them costs.

mod compare;
mod limits;
pub mod measure;
mod peer;
mod plan;
pub mod report;
mod traffic;
mod variants;

use crate::arguments::{Bench, Float, ModeName, name};
use crate::output;
use darray::{Grouping, Runtime, RuntimeBuilder};
use darray_core::settings::Settings;
use darray_programs::{Visitor, Workload};
use indicatif::{ProgressBar, ProgressStyle};
use limits::Limits;
use measure::{Run, batches, measure};
use report::{Measurement, table};
use std::process::ExitCode;

/// Runs the benchmark and prints it; fails when two modes disagree to the bit.
pub fn run(request: &Bench) -> ExitCode {
    if request.variants {
        return variants::run(request);
    }
    if request.compare {
        return compare::run(request);
    }
    if request.plan {
        return plan::run(request);
    }
    if request.limits && on_gpus(request) {
        output::error("--limits measures this machine's processors; name CPU devices by --devices");
        return ExitCode::from(2);
    }
    let (n, iters) = size(request);
    let mut measurements: Vec<Measurement> = Vec::new();
    for &mode in &request.modes {
        let run = match one_mode(request, n, iters, mode) {
            Ok(run) => run,
            Err(error) => {
                output::error(error);
                return ExitCode::FAILURE;
            }
        };
        let limits = request.limits.then(|| Limits::measure(request, n, &run.steps, run.batch));
        let measurement = Measurement {
            program: request.program.name().to_string(),
            mode: name(&mode),
            n,
            iters,
            batch: run.batch,
            dtype: name(&request.dtype),
            devices: devices(request),
            threads: request.threads,
            grouping: grouping(request).name(),
            first_s: run.first_s,
            batches_s: run.batches_s,
            counts: run.counts,
            checksum: run.checksum,
            limits,
        };
        if request.json {
            output::line(measurement.json());
        }
        measurements.push(measurement);
    }
    if !request.json {
        output::print(table(&measurements));
        if request.limits {
            output::print(limits::table(&measurements));
        }
    }
    if request.contract {
        // What is contracted depends on what is fused.
        return ExitCode::SUCCESS;
    }
    let bits = |m: &Measurement| m.checksum.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    if measurements.windows(2).any(|pair| bits(&pair[0]) != bits(&pair[1])) {
        output::error("the modes disagree: checksums differ");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// The size and the iterations of a batch.
fn size(request: &Bench) -> (usize, usize) {
    let (n, iters) = request.program.defaults();
    (request.n.unwrap_or(n), request.iters.unwrap_or(iters))
}

fn one_mode(request: &Bench, n: usize, iters: usize, mode: ModeName) -> darray::Result<Run> {
    let runtime = runtime(request, mode)?;
    let bar = progress(&format!("{} {}", request.program.name(), name(&mode)), batches(iters));
    let run = visit(
        request,
        n,
        &runtime,
        Measure {
            runtime: &runtime,
            iters: (iters, request.batch),
            traffic: request.limits,
            bar: &bar,
        },
    );
    bar.finish_and_clear();
    run
}

/// Shows the program to `visitor`, its arrays on `runtime`.
fn visit<V: Visitor>(request: &Bench, n: usize, runtime: &Runtime, visitor: V) -> V::Output {
    runtime.scope(|| match request.dtype {
        Float::F64 => request.program.visit::<f64, V>(n, visitor),
        Float::F32 => request.program.visit::<f32, V>(n, visitor),
    })
}

/// Logical devices: those asked for, else those of the settings.
fn devices(request: &Bench) -> usize {
    request.devices.unwrap_or_else(|| match Settings::global() {
        Ok(settings) if settings.cuda_devices.is_empty() => settings.cpu_devices,
        Ok(settings) => settings.cuda_devices.len(),
        // A runtime cannot be made, and says why.
        Err(_) => 1,
    })
}

/// How tasks are grouped: as asked for, else as the settings have it.
fn grouping(request: &Bench) -> Grouping {
    let chosen = || Settings::global().map_or(Grouping::default(), |settings| settings.grouping);
    request.grouping.map_or_else(chosen, Grouping::from)
}

/// Whether the devices are GPUs.
fn on_gpus(request: &Bench) -> bool {
    let chosen = |settings: &Settings| !settings.cuda_devices.is_empty();
    request.devices.is_none() && Settings::global().is_ok_and(chosen)
}

/// A runtime of its own for each mode, so that nothing is shared but the machine.
fn runtime(request: &Bench, mode: ModeName) -> darray::Result<Runtime> {
    builder(request, mode)?.build()
}

/// The choices for it.
fn builder(request: &Bench, mode: ModeName) -> darray::Result<RuntimeBuilder> {
    let mut builder = Runtime::builder_from_env()?;
    if let Some(count) = request.devices {
        builder = builder.cuda(&[]).cpu_devices(count);
    }
    if let Some(grouping) = request.grouping {
        builder = builder.grouping(grouping.into());
    }
    Ok(builder.threads(request.threads).mode(mode.into()).contract(request.contract))
}

/// A bar on standard error that shows only on a terminal.
fn progress(what: &str, batches: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{prefix} {bar:30} {pos}/{len} batches {elapsed}");
    let bar = ProgressBar::new(batches).with_prefix(what.to_string());
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

struct Measure<'a> {
    runtime: &'a Runtime,
    /// Iterations of a batch, and of one of a program that does not loop.
    iters: (usize, usize),
    traffic: bool,
    bar: &'a ProgressBar,
}

impl Visitor for Measure<'_> {
    type Output = darray::Result<Run>;

    fn visit<W: Workload>(self, workload: W) -> darray::Result<Run> {
        measure(self.runtime, &workload, self.iters, self.traffic, || self.bar.inc(1))
    }
}
