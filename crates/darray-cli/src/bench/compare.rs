//! `bench --compare`: a program beside the same program in other systems, batch by batch in turns.

use super::measure::{WARM_UP, Windows, batching, counted, is_enough, timed};
use super::peer::{BACKENDS, Peer};
use super::report::{aligned, duration};
use super::{devices, progress, runtime, size, visit};
use crate::arguments::{Bench, Float, ModeName, name};
use crate::output;
use darray::{Result, Runtime};
use darray_benches::timing::median;
use darray_programs::{Variant, Visitor, Workload};
use indicatif::ProgressBar;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

/// Rounds stop here even where they are short.
const MOST_ROUNDS: usize = 25;

/// Runs the comparison in the first of the modes and prints it; fails when a system comes to another result.
pub fn run(request: &Bench) -> ExitCode {
    let (n, iters) = size(request);
    let mode = request.modes[0];
    let script = Path::new(&request.peers).join(format!("{}.py", request.program.name()));
    if !script.exists() {
        output::error(format_args!(
            "{} is not there: name its folder by --peers",
            script.display()
        ));
        return ExitCode::FAILURE;
    }
    let mut arguments = Vec::new();
    for (key, value) in [
        ("--n", n.to_string()),
        ("--iters", iters.to_string()),
        ("--dtype", name(&request.dtype)),
        ("--threads", request.threads.to_string()),
    ] {
        arguments.extend([key.to_string(), value]);
    }
    let mut absent = Vec::new();
    let mut peers = Vec::new();
    for backend in BACKENDS {
        match Peer::start(backend, &request.python, &script, &arguments) {
            Ok(peer) => peers.push(peer),
            Err(reason) => absent.push((backend, reason)),
        }
    }
    match compare(request, n, iters, mode, peers) {
        Ok(rows) => {
            print(request, n, iters, mode, &rows, &absent);
            finish(&rows, request.dtype)
        }
        Err(error) => {
            output::error(error);
            ExitCode::FAILURE
        }
    }
}

/// What a system took, or why it was lost.
#[derive(Clone, Debug)]
struct Row {
    system: String,
    first_s: f64,
    batches_s: Vec<f64>,
    checksum: std::result::Result<Vec<f64>, String>,
}

fn compare(
    request: &Bench,
    n: usize,
    iters: usize,
    mode: ModeName,
    peers: Vec<Peer>,
) -> Result<Vec<Row>> {
    let runtime = runtime(request, mode)?;
    let bar = progress(request.program.name(), 0);
    let rows = visit(request, n, &runtime, Turns { runtime: &runtime, iters, peers, bar: &bar });
    bar.finish_and_clear();
    rows
}

struct Turns<'a> {
    runtime: &'a Runtime,
    iters: usize,
    peers: Vec<Peer>,
    bar: &'a ProgressBar,
}

impl Visitor for Turns<'_> {
    type Output = Result<Vec<Row>>;

    fn visit<W: Workload>(mut self, workload: W) -> Result<Vec<Row>> {
        let (batch, least) = batching::<W>(self.iters);
        let time = || timed(self.runtime, &workload, Variant::Original, batch);
        let first_s = time()?;
        for _ in 0..WARM_UP {
            time()?;
        }
        let mut lost: Vec<Option<String>> = vec![None; self.peers.len()];
        let (mut batches_s, mut total) = (Vec::new(), 0.0);
        let least = least.min(MOST_ROUNDS);
        while !is_enough(batches_s.len(), least, total) && batches_s.len() < MOST_ROUNDS {
            let seconds = time()?;
            batches_s.push(seconds / batch as f64);
            total += seconds;
            for (peer, lost) in self.peers.iter_mut().zip(&mut lost) {
                if lost.is_none() {
                    *lost = peer.turn().err();
                }
                self.bar.inc(1);
            }
        }
        let (_, checksum) =
            counted(self.runtime, &workload, Variant::Original, batch, Windows::AsTheyFill)?;
        let system = "darray".to_string();
        let mut rows = vec![Row { system, first_s, batches_s, checksum: Ok(checksum) }];
        for (mut peer, lost) in self.peers.into_iter().zip(lost) {
            let checksum = lost.map_or_else(|| peer.finish(), Err);
            let (system, batches_s) =
                (peer.backend.to_string(), std::mem::take(&mut peer.batches_s));
            rows.push(Row { system, first_s: peer.first_s, batches_s, checksum });
        }
        Ok(rows)
    }
}

/// How far apart checksums may be, relative to the library's: sums are in another order.
fn tolerance(dtype: Float) -> f64 {
    match dtype {
        Float::F64 => 1e-9,
        Float::F32 => 1e-3,
    }
}

/// Whether a system did the same work.
fn agrees(row: &Row, own: &Row, dtype: Float) -> bool {
    let (Ok(found), Ok(expected)) = (&row.checksum, &own.checksum) else { return false };
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= tolerance(dtype) * b.abs();
    found.len() == expected.len() && found.iter().zip(expected).all(near)
}

fn finish(rows: &[Row], dtype: Float) -> ExitCode {
    let mut outcome = ExitCode::SUCCESS;
    for row in rows.iter().filter(|row| !agrees(row, &rows[0], dtype)) {
        output::error(format_args!(
            "{}: {:?}, darray {:?}",
            row.system, row.checksum, rows[0].checksum
        ));
        outcome = ExitCode::FAILURE;
    }
    outcome
}

/// A row per system, as a table or as JSON; `times darray` is the median of the ratios round by round.
fn print(
    request: &Bench,
    n: usize,
    iters: usize,
    mode: ModeName,
    rows: &[Row],
    absent: &[(&str, String)],
) {
    let own = &rows[0];
    let ratio = |row: &Row| {
        let pairs = row.batches_s.iter().zip(&own.batches_s);
        let ratios: Vec<f64> = pairs.map(|(theirs, own)| theirs / own).collect();
        if ratios.is_empty() { f64::NAN } else { median(&ratios) }
    };
    let measured = rows.iter().filter(|row| !row.batches_s.is_empty());
    if request.json {
        for row in measured {
            output::line(format_args!(
                "{}",
                json!({
                    "program": request.program.name(),
                    "system": row.system,
                    "mode": name(&mode),
                    "n": n,
                    "iters": iters,
                    "dtype": name(&request.dtype),
                    "devices": devices(request),
                    "threads": request.threads,
                    "rounds": row.batches_s.len(),
                    "first_s": row.first_s,
                    "iter_s": median(&row.batches_s),
                    "times_darray": ratio(row),
                    "checksum": row.checksum.as_ref().ok(),
                })
            ));
        }
        absent.iter().for_each(|(backend, reason)| {
            output::line(json!({ "system": backend, "absent": reason }));
        });
        return;
    }
    let heading = ["system", "iteration", "first", "times darray"].map(str::to_string);
    let mut lines = vec![heading.to_vec()];
    for row in measured {
        lines.push(vec![
            row.system.clone(),
            duration(median(&row.batches_s)),
            duration(row.first_s),
            format!("{:.2}", ratio(row)),
        ]);
    }
    output::line(format_args!(
        "{} n={n} {} {}, {} thread(s); {} rounds of {iters} iteration(s)",
        request.program.name(),
        name(&request.dtype),
        name(&mode),
        request.threads,
        own.batches_s.len(),
    ));
    output::print(aligned(&lines));
    absent
        .iter()
        .for_each(|(backend, reason)| output::line(format_args!("{backend} is absent: {reason}")));
}

#[cfg(test)]
mod tests {
    use super::{Row, agrees};
    use crate::arguments::Float;

    fn row(checksum: Result<Vec<f64>, String>) -> Row {
        Row { system: "other".to_string(), first_s: 1.0, batches_s: vec![1.0], checksum }
    }

    #[test]
    fn systems_agree_where_their_checksums_are_near() {
        let own = row(Ok(vec![1.0, 2.0]));
        for (checksum, in_f64, in_f32) in [
            (Ok(vec![1.0, 2.0 + 1e-10]), true, true),
            (Ok(vec![1.0, 2.0 + 1e-6]), false, true),
            (Ok(vec![1.0]), false, false),
            (Ok(vec![f64::NAN, 2.0]), false, false),
            (Err("lost".to_string()), false, false),
        ] {
            let other = row(checksum);
            assert_eq!(agrees(&other, &own, Float::F64), in_f64, "{other:?}");
            assert_eq!(agrees(&other, &own, Float::F32), in_f32, "{other:?}");
        }
    }
}
