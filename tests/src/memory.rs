//! How much memory programs take fused beside unfused, and whether they run in little more than they take unfused.

use crate::loops::run_loop;
use darray::{Mode, Result, Runtime};
use darray_programs::{Program, Variant, Visitor, Workload};
use darray_testkit::{Scale, generate, run};
use std::fmt;

/// The most bytes that a program had allocated at once.
#[derive(Clone, Debug)]
pub struct Peaks {
    /// Which program.
    pub name: String,
    /// Task by task.
    pub unfused: u64,
    /// Fused.
    pub fused: u64,
    /// Groups that were cut for want of memory where there was a tenth more than unfused takes.
    pub fallbacks: u64,
}

impl Peaks {
    /// Whether the fused program takes at most a twentieth or 1 MiB more, whichever is more.
    pub fn are_close(&self) -> bool {
        self.fused <= self.unfused + (self.unfused / 20).max(1 << 20)
    }
}

impl fmt::Display for Peaks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Peaks { name, unfused, fused, fallbacks } = self;
        let ratio = *fused as f64 / (*unfused).max(1) as f64;
        write!(f, "{name:22} {unfused:12} {fused:12} {ratio:7.3} {fallbacks:6}")
    }
}

/// What the columns of [`Peaks`] are.
pub const HEADINGS: &str =
    "program                unfused (B)    fused (B)   ratio   cuts within 1.1 times unfused";

/// Runs a program unfused, fused, and fused with no more than 1.1 times the memory that it takes unfused.
///
/// # Errors
/// What a run said, or that a result differs.
pub fn peaks<T: PartialEq>(
    name: &str,
    program: impl Fn() -> Result<T>,
) -> std::result::Result<Peaks, String> {
    let run = |mode, limit: Option<u64>| {
        let mut builder = Runtime::builder().mode(mode).cpu_devices(1);
        if let Some(limit) = limit {
            builder = builder.memory_limit(limit);
        }
        let failed = |error: darray::Error| format!("{name}, {mode}, limit {limit:?}: {error}");
        let runtime = builder.build().map_err(failed)?;
        let found = runtime.scope(&program).map_err(failed)?;
        runtime.try_sync().map_err(failed)?;
        Ok::<_, String>((found, runtime.stats()))
    };
    let (expected, unfused) = run(Mode::Unfused, None)?;
    let (found, fused) = run(Mode::Fused, None)?;
    let (confined, stats) = run(Mode::Fused, Some(unfused.bytes_peak + unfused.bytes_peak / 10))?;
    if found != expected || confined != expected {
        return Err(format!("{name}: the results differ"));
    }
    let fallbacks = stats.fallbacks_memory;
    let (unfused, fused) = (unfused.bytes_peak, fused.bytes_peak);
    Ok(Peaks { name: name.to_string(), unfused, fused, fallbacks })
}

/// Iterations of a program, and the bits of its checksum.
struct Iterations(usize);

impl Visitor for Iterations {
    type Output = Result<Vec<u64>>;

    fn visit<W: Workload>(self, workload: W) -> Result<Vec<u64>> {
        let mut state = workload.prepare();
        (0..self.0).for_each(|_| workload.iterate(&mut state, Variant::Original));
        Ok(workload.checksum(&state)?.into_iter().map(f64::to_bits).collect())
    }
}

/// The [`peaks`] of a program of this size.
///
/// # Errors
/// As for [`peaks`].
pub fn peaks_of(
    program: Program,
    n: usize,
    iterations: usize,
) -> std::result::Result<Peaks, String> {
    let visit = || program.visit::<f64, _>(n, Iterations(iterations));
    peaks(program.name(), visit)
}

/// The [`peaks`] of a random program over arrays of about a megabyte.
///
/// # Errors
/// As for [`peaks`].
pub fn peaks_of_random(seed: u64) -> std::result::Result<Peaks, String> {
    let program = generate(seed, Scale::Megabytes);
    let bits = |runtime: &Runtime| -> Result<Vec<Vec<u64>>> {
        let found = run(&program, runtime)?;
        Ok(found
            .iter()
            .map(|found| found.values.iter().map(|value| value.bits()).collect())
            .collect())
    };
    peaks(&format!("seed {seed}"), || bits(&Runtime::current()))
}

/// The [`peaks`] of a random loop that is never flushed, over some arrays of about a megabyte.
///
/// # Errors
/// As for [`peaks`].
pub fn peaks_of_loop(seed: u64) -> std::result::Result<Peaks, String> {
    peaks(&format!("loop {seed}"), || run_loop(seed))
}
