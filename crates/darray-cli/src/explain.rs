//! `explain`: one steady-state window of a program and the plan that runs it.

use crate::arguments::Explain;
use crate::output;
use crate::schedules::Schedules;
use darray::{Result, Runtime};
use darray_cpu::Listener;
use darray_programs::{Variant, Visitor, Workload};
use darray_runtime::FlushedWindow;
use std::process::ExitCode;

/// Iterations before the window that is shown.
const WARM_UP: usize = 3;

/// Prints the window and its plan.
pub fn run(request: &Explain) -> ExitCode {
    let schedules = Schedules::default();
    let listener = schedules.with(Listener::new(|_| ()));
    let builder = Runtime::builder().cpu_devices(request.devices).capture(1);
    let builder = builder.grouping(request.grouping.into());
    let runtime = builder.listener(listener).build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            output::error(error);
            return ExitCode::FAILURE;
        }
    };
    let show = Show { runtime: &runtime, schedules: &schedules };
    let shown = runtime.scope(|| request.program.visit::<f64, _>(request.n, show));
    let Explain { program, n, devices, .. } = request;
    output::line(format_args!(
        "{} n={n} on {devices} device(s), one iteration as one window\n",
        program.name()
    ));
    output::finish(shown)
}

struct Show<'a> {
    runtime: &'a Runtime,
    schedules: &'a Schedules,
}

impl Visitor for Show<'_> {
    type Output = Result<String>;

    fn visit<W: Workload>(self, workload: W) -> Result<String> {
        let mut state = workload.prepare();
        for _ in 0..WARM_UP {
            workload.iterate(&mut state, Variant::Original);
            self.runtime.try_sync()?;
        }
        let before = self.runtime.stats();
        workload.iterate(&mut state, Variant::Original);
        self.runtime.try_sync()?;
        let after = self.runtime.stats();
        Ok(format!(
            "{}\n{} tasks, {} fused tasks, {} kernel launches, {} builtins, {} finish steps, \
             {} copies of {} bytes between devices, plan {}",
            window_text(self.runtime, self.schedules),
            after.tasks - before.tasks,
            after.fused_tasks - before.fused_tasks,
            after.kernels - before.kernels,
            after.builtins - before.builtins,
            after.finishes - before.finishes,
            after.copies - before.copies,
            after.bytes_copied - before.bytes_copied,
            if after.memo_misses == before.memo_misses { "from the memo" } else { "made anew" },
        ))
    }
}

/// The last flushed window, its plan, and how its kernels go through memory, as text.
fn window_text(runtime: &Runtime, schedules: &Schedules) -> String {
    let text = |last: FlushedWindow| {
        let plan = last.plan.explanation(&last.window);
        format!("{}\n{plan}\n{}", last.window, schedules.text(&plan))
    };
    last_window(runtime).map_or("nothing was flushed".to_string(), text)
}

/// The last flushed window.
pub fn last_window(runtime: &Runtime) -> Option<FlushedWindow> {
    runtime.engine().last_windows().pop()
}
