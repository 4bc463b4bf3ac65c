//! A long run of random programs, or the programs of the tests:
//! `cargo run --release -p darray-suite -- COUNT [FIRST_SEED] [interpreter] [large] [cuda]`,
//! `cargo run --release -p darray-suite -- programs [cuda]`,
//! `cargo run --release -p darray-suite -- memory COUNT`.
//!
//! `interpreter` runs kernels by the interpreter that defines them, `large` draws arrays of several
//! blocks and leaves the blocks of reductions as they are outside tests, `cuda` runs the programs on CUDA
//! devices and compares with the CPU: over the driver that the setting `DARRAY_CUDA_DRIVER` names, else over
//! the fake one. `memory` prints how much memory the named programs, so many random ones and as many random loops take fused and
//! unfused, and whether they run with a tenth more than they take unfused.

use darray::{Mode, Runtime};
use darray_kernel::tree::TreeRule;
use darray_programs::Program;
use darray_suite::memory::{HEADINGS, peaks_of, peaks_of_loop, peaks_of_random};
use darray_suite::{Cuda, PROGRAMS, campaign, cuda_or_skip, message};
use darray_testkit::{Backend, Machine, Options, Scale, Trial, tiny};
use std::ops::Range;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo run --release -p darray-suite -- WHAT, which is
  COUNT [FIRST_SEED] [interpreter] [large] [cuda]    random programs
  programs [cuda]                                    the programs of the tests
  memory COUNT                                       memory fused and unfused: all programs, random ones, random loops";

/// What the words of the command line ask for.
struct Request {
    /// Of random programs; without, the programs of the tests are run.
    seeds: Option<Range<u64>>,
    options: Options,
    cuda: bool,
    memory: bool,
}

fn main() -> ExitCode {
    let Some(Request { seeds, mut options, cuda, memory }) = parse(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    if memory {
        return peaks(seeds.unwrap_or_default());
    }
    let devices = match cuda.then(devices) {
        // Kernels cannot be compiled here, which was said.
        Some(None) => return ExitCode::SUCCESS,
        devices => devices.flatten(),
    };
    let machine = devices.as_ref().map(Cuda::machine);
    let Some(seeds) = seeds else { return programs(machine) };
    if let Some(machine) = machine {
        options = Options { trial: Trial::Machine(machine), oracle: false, ..options };
    }
    match campaign(seeds, options) {
        Ok(coverage) => {
            println!("{coverage:#?}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

/// CUDA devices; none without NVRTC.
fn devices() -> Option<Cuda> {
    let program = std::env::current_exe().unwrap_or_default();
    // target/tmp, where tests keep kernels too.
    let kernels = program.ancestors().nth(2).map(|target| target.join("tmp"));
    cuda_or_skip(kernels.unwrap_or_default())
}

/// Runs every program of the tests in every mode on 1, 2 and 4 devices, and compares the bits with those of
/// one CPU device.
fn programs(machine: Option<&'static dyn Machine>) -> ExitCode {
    let (mut runs, mut wrong) = (0, 0);
    for (name, program) in PROGRAMS {
        let plain = Runtime::builder().threads(1).testing(tiny()).build();
        let expected = plain.expect("a runtime").scope(program);
        for (seed, mode) in Mode::ALL.into_iter().enumerate() {
            for devices in [1, 2, 4] {
                let builder = Runtime::builder().mode(mode).testing(tiny());
                let builder = match machine {
                    Some(machine) => machine.choose(builder, devices, seed as u64),
                    None => builder.cpu_devices(devices),
                };
                runs += 1;
                let found = std::panic::catch_unwind(AssertUnwindSafe(|| {
                    let runtime = builder.build().map_err(|error| error.to_string())?;
                    let found = runtime.scope(program);
                    runtime.try_sync().map_err(|error| error.to_string())?;
                    Ok::<_, String>(found)
                }));
                let problem = match found {
                    Ok(Ok(found)) if found == expected => continue,
                    Ok(Ok(_)) => "other bits than on a CPU device".to_string(),
                    Ok(Err(error)) => error,
                    Err(panic) => message(&*panic),
                };
                wrong += 1;
                eprintln!("{name}, {mode}, {devices} devices: {problem}");
            }
        }
    }
    println!("{{\"programs\": {}, \"runs\": {runs}, \"wrong\": {wrong}}}", PROGRAMS.len());
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints what memory programs take.
fn peaks(seeds: Range<u64>) -> ExitCode {
    println!("{HEADINGS}");
    let named = Program::ALL.into_iter().map(|program| {
        let (n, iterations) = program.defaults();
        peaks_of(program, n, iterations)
    });
    let (mut close, mut far, mut wrong) = (0, 0, 0);
    let random = seeds.clone().map(peaks_of_random).chain(seeds.map(peaks_of_loop));
    for result in named.chain(random) {
        match result {
            Ok(peaks) if peaks.are_close() => {
                close += 1;
                println!("{peaks}");
            }
            Ok(peaks) => {
                far += 1;
                println!("{peaks}  TOO MUCH");
            }
            Err(message) => {
                wrong += 1;
                println!("WRONG {message}");
            }
        }
    }
    println!("{close} programs within a twentieth or 1 MiB of unfused, {far} not, {wrong} wrong");
    if far + wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn parse(words: impl Iterator<Item = String>) -> Option<Request> {
    let mut options = Options::default();
    let mut numbers = Vec::new();
    let (mut cuda, mut programs, mut memory) = (false, false, false);
    for word in words {
        match &word[..] {
            "interpreter" => options.backend = Backend::Interpreter,
            "large" => {
                options.scale = Scale::Large;
                options.tree_rule = TreeRule::STANDARD;
            }
            "cuda" => cuda = true,
            "programs" => programs = true,
            "memory" => memory = true,
            _ => numbers.push(word.parse::<u64>().ok()?),
        }
    }
    let seeds = match numbers[..] {
        [] if programs => None,
        [count] if !programs => Some(0..count),
        [count, first] if !programs => Some(first..first.checked_add(count)?),
        _ => return None,
    };
    Some(Request { seeds, options, cuda, memory })
}
