//! `dump`: what one steady-state window of a program becomes, at one stage.

mod asm;
mod cuda;

use crate::arguments::{Dump, Float, Stage};
use crate::explain::last_window;
use crate::output;
use crate::schedules::{Schedules, places};
use cuda::Texts;
use darray::{Result, Runtime};
use darray_cpu::{CpuDevices, CpuOptions, Listener, Listing};
use darray_programs::{Variant, Visitor, Workload};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Iterations, the last of which is the window that is shown.
const ITERATIONS: usize = 4;

/// Prints a stage of the window.
pub fn run(request: &Dump) -> ExitCode {
    match text(request) {
        Ok(text) => {
            output::line(format_args!("{} n={}\n\n{text}", request.program.name(), request.n));
            ExitCode::SUCCESS
        }
        Err(error) => {
            output::error(error);
            ExitCode::FAILURE
        }
    }
}

fn text(request: &Dump) -> Result<String> {
    let listings: Arc<Mutex<Vec<Listing>>> = Arc::default();
    let kept = listings.clone();
    let schedules = Schedules::default();
    let listener = schedules.with(Listener::new(move |listing| lock(&kept).push(listing.clone())));
    let texts = Arc::new(Texts::new(CpuDevices::new(1, CpuOptions::default()).remove(0)));
    let builder = Runtime::builder_from_env()?.cuda(&[]).cpu_devices(1).capture(1);
    let builder = match request.stage {
        Stage::Cuda => builder.devices(vec![texts.clone()]),
        _ => builder.listener(listener),
    };
    let runtime = builder.build()?;
    let visitor = Iterate { runtime: &runtime };
    runtime.scope(|| match request.dtype {
        Float::F64 => request.program.visit::<f64, _>(request.n, visitor),
        Float::F32 => request.program.visit::<f32, _>(request.n, visitor),
    })?;
    let Some(last) = last_window(&runtime) else { return Ok("nothing was flushed".to_string()) };
    let kernels = last.plan.text_with_kernels(&last.window);
    let mut all = String::new();
    match request.stage {
        Stage::Window => return Ok(last.window.to_string()),
        Stage::Plan => return Ok(last.plan.text(&last.window)),
        Stage::Kernel => return Ok(kernels),
        Stage::Schedule => return Ok(schedules.text(&kernels)),
        Stage::Instructions | Stage::Asm => {
            for listing in
                lock(&listings).iter().filter(|l| !places(&l.kernel, &kernels).is_empty())
            {
                all.push_str(&asm::heading(listing));
                match request.stage {
                    Stage::Asm => asm::write(&mut all, listing),
                    _ => all.push_str(&listing.code.to_string()),
                }
                all.push('\n');
            }
        }
        Stage::Cuda => {
            for text in
                texts.texts().iter().filter(|text| !places(&text.kernel, &kernels).is_empty())
            {
                all.push_str(&format!("{}\n{}\n", text.kernel, text.source));
            }
        }
    }
    Ok(all)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Iterate<'a> {
    runtime: &'a Runtime,
}

impl Visitor for Iterate<'_> {
    type Output = Result<()>;

    fn visit<W: Workload>(self, workload: W) -> Result<()> {
        let mut state = workload.prepare();
        for _ in 0..ITERATIONS {
            workload.iterate(&mut state, Variant::Original);
            self.runtime.try_sync()?;
        }
        Ok(())
    }
}
