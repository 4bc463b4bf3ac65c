//! `dump`: what one steady-state window of a program becomes, at one stage.

mod asm;

use crate::arguments::{Dump, Float, Stage};
use crate::explain::last_window;
use darray::{Result, Runtime};
use darray_cpu::{Listener, Listing};
use darray_programs::{Variant, Visitor, Workload};
use std::fmt::Write;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

/// Iterations, the last of which is the window that is shown.
const ITERATIONS: usize = 4;

/// Prints a stage of the window.
pub fn run(request: &Dump) -> ExitCode {
    match text(request) {
        Ok(text) => {
            println!("{} n={}\n\n{text}", request.program.name(), request.n);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn text(request: &Dump) -> Result<String> {
    let listings: Arc<Mutex<Vec<Listing>>> = Arc::default();
    let kept = listings.clone();
    let listener = Listener::new(move |listing| {
        kept.lock().unwrap_or_else(PoisonError::into_inner).push(listing.clone());
    });
    let builder = Runtime::builder_from_env()?.cuda(&[]).cpu_devices(1);
    let runtime = builder.listener(listener).capture(1).build()?;
    let visitor = Iterate { runtime: &runtime };
    runtime.scope(|| match request.dtype {
        Float::F64 => request.program.visit::<f64, _>(request.n, visitor),
        Float::F32 => request.program.visit::<f32, _>(request.n, visitor),
    })?;
    let Some(last) = last_window(&runtime) else { return Ok("nothing was flushed".to_string()) };
    let kernels = last.plan.text_with_kernels(&last.window);
    Ok(match request.stage {
        Stage::Window => last.window.to_string(),
        Stage::Plan => last.plan.text(&last.window),
        Stage::Kernel => kernels,
        Stage::Instructions | Stage::Asm => {
            let listings = listings.lock().unwrap_or_else(PoisonError::into_inner);
            let of_window = listings.iter().filter(|listing| is_in(&listing.kernel, &kernels));
            of_window.fold(String::new(), |mut all, listing| {
                let _ = match request.stage {
                    Stage::Asm => writeln!(all, "{}", asm::text(listing)),
                    _ => writeln!(all, "{}{}", asm::heading(listing), listing.code),
                };
                all
            })
        }
    })
}

/// Whether a plan's text has a kernel, whose lines are moved to the right there.
fn is_in(kernel: &str, plan: &str) -> bool {
    let moved: String = kernel.lines().map(|line| format!("    {line}\n")).collect();
    plan.contains(&moved)
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
