//! Launches: nests one after the other, or by rows, and the threads that share them.

mod nest;
mod row_nest;
mod rows;

use super::bind::arguments::Arguments;
use super::bind::compiled::Compiled;
use super::bind::{Streaming, bind};
use super::run::frame::with_frame;
use crate::workers::Workers;
use darray_device::Fault;
use nest::run_nest;
use rows::{RanByRows, are_unrelated, run_kernel_by_rows};

/// Runs a kernel; gives how its nests ran, if it is one by rows.
pub(crate) fn launch(
    compiled: &Compiled,
    arguments: &Arguments<'_>,
    workers: &Workers,
    streaming: Streaming,
) -> Result<Option<RanByRows>, Fault> {
    with_frame(|frame| {
        let cells = &compiled.program().cells;
        let launch_cells = frame.cells.reserve(cells.count as usize * 8).cast::<u64>();
        // SAFETY: cells are numbered below the count.
        unsafe {
            for &(cell, scalar) in &cells.constants {
                launch_cells.add(cell as usize).write(scalar.bits());
            }
            for &(cell, argument) in &cells.arguments {
                launch_cells.add(cell as usize).write(arguments.scalar(argument));
            }
        }
        let nests = compiled.program().nests.len();
        let unrelated =
            compiled.program().by_rows && are_unrelated(compiled.program(), arguments, streaming);
        let compiled = if unrelated { compiled.apart() } else { compiled };
        let program = compiled.program();
        if program.by_rows {
            let bound = (0..nests).map(|number| bind(compiled, number, arguments, streaming));
            let bound = bound.collect::<Result<Vec<_>, _>>()?.into_iter().flatten();
            // SAFETY: as below; nests of a kernel by rows keep the rows apart.
            return Ok(unsafe {
                run_kernel_by_rows(program, &bound.collect::<Vec<_>>(), frame, workers)
            });
        }
        for number in 0..nests {
            if let Some(bound) = bind(compiled, number, arguments, streaming)? {
                // SAFETY: binding checked every access against its block; the verifier checked
                // that points do not write the same elements.
                unsafe { run_nest(program, &bound, frame, workers) };
            }
        }
        Ok(unrelated.then_some(RanByRows::Unrelated))
    })
}
