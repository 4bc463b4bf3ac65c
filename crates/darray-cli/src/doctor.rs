//! `doctor`: what the machine offers, what is missing, and whether the default path works.

use crate::output;
use darray::{DArray, Fallible, Mode, Runtime};
use darray_core::settings::{Settings, TABLE};
use darray_cpu::{Level, MemoryBound};
#[cfg(feature = "cuda")]
use darray_cuda::{Card, Cublas, Driver, Nvrtc};
use std::fs::read_to_string;
use std::process::ExitCode;

/// Prints the report; succeeds when the default path works.
pub fn run() -> ExitCode {
    output::line("machine");
    for (name, value) in machine() {
        output::line(format_args!("  {name:<14} {value}"));
    }
    output::line("settings");
    let settings = match Settings::global() {
        Ok(settings) => settings,
        Err(error) => {
            output::line(format_args!("  {error}"));
            return ExitCode::FAILURE;
        }
    };
    output::line(format_args!("  {settings:?}"));
    output::line(format_args!("  {} settings exist, see docs/settings.md", TABLE.len()));
    output::line("devices");
    for line in devices() {
        output::line(format_args!("  {line}"));
    }
    output::line("CUDA");
    for (name, value) in cuda(settings) {
        output::line(format_args!("  {name:<14} {value}"));
    }
    output::line("default path");
    let mut works = true;
    for (name, result) in checks(settings) {
        match result {
            Ok(text) => output::line(format_args!("  ok      {name}: {text}")),
            Err(text) => {
                works = false;
                output::line(format_args!("  BROKEN  {name}: {text}"));
            }
        }
    }
    if works { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What the machine offers.
fn machine() -> Vec<(&'static str, String)> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut lines = vec![
        ("processor", format!("{} {}", std::env::consts::ARCH, vectors())),
        ("cores", cores.to_string()),
    ];
    if let Some(memory) = memory() {
        lines.push(("memory", memory));
    }
    let bound = MemoryBound::of_process();
    lines.push(("for arrays", format!("{} MiB by default: {}", bound.bytes >> 20, bound.by)));
    let pages = read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or_default();
    let pages = match chosen(&pages) {
        Some("never") => "never: large arrays cost more page faults and TLB misses".to_string(),
        Some(other) => other.to_string(),
        None => "unknown".to_string(),
    };
    lines.push(("huge pages", pages));
    lines
}

/// The devices of the settings, with their instruction sets; or why there are none.
fn devices() -> Vec<String> {
    match Runtime::builder_from_env().and_then(|builder| builder.build()) {
        Ok(runtime) => runtime.engine().device_names(),
        Err(error) => vec![error.to_string()],
    }
}

/// What there is of CUDA in this build.
#[cfg(not(feature = "cuda"))]
fn cuda(_settings: &Settings) -> Vec<(&'static str, String)> {
    vec![("devices", "not in this build; they are with --features cuda".to_string())]
}

/// What there is of CUDA: the driver with its GPUs, and the libraries; what is missing, and what to do.
#[cfg(feature = "cuda")]
fn cuda(settings: &Settings) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let driver = Driver::load(settings.cuda_driver.as_deref());
    let found = driver.as_ref().ok().copied();
    let cards = driver.and_then(|driver| Ok((driver.version()?, Card::all(driver)?)));
    let major = cards.as_ref().ok().map(|((major, _), _)| *major);
    match cards {
        Err(error) => lines.push(("driver", error.to_string())),
        Ok(((major, minor), cards)) => {
            let count = cards.len();
            lines.push(("driver", format!("for CUDA {major}.{minor}, {count} GPU(s)")));
            lines.extend(cards.into_iter().map(|card| {
                let Card { ordinal, name, capability, memory } = card;
                let mebibytes = memory >> 20;
                ("GPU", format!("cuda:{ordinal}: {name}, sm_{capability}, {mebibytes} MiB"))
            }));
        }
    }
    let folder = settings.nvrtc.as_deref();
    lines.push(match found.map_or_else(|| Nvrtc::load(folder), |d| Nvrtc::load_for(d, folder)) {
        Err(error) => ("NVRTC", error.to_string()),
        Ok(nvrtc) => {
            let (major, minor) = nvrtc.version();
            let known = nvrtc.capabilities();
            let range = match (known.first(), known.last()) {
                (Some(first), Some(last)) => format!("sm_{first} to sm_{last}"),
                _ => "no GPU".to_string(),
            };
            ("NVRTC", format!("{major}.{minor} for {range}, {}", nvrtc.file()))
        }
    });
    lines.push(match Cublas::find(settings.cublas.as_deref(), major) {
        Err(error) => ("cuBLAS", format!("{error}; only DARRAY_CUDA_PRODUCTS=cublas needs it")),
        Ok(file) => ("cuBLAS", file),
    });
    lines
}

/// The vector instructions that executors can use.
fn vectors() -> String {
    let name = match Level::detect() {
        Level::Avx512 => "AVX-512",
        Level::Avx2 => "AVX2 and FMA",
        Level::Baseline => {
            "baseline: a small part of the speed; the faster executors are for x86-64 with AVX2, FMA and F16C"
        }
    };
    name.to_string()
}

/// Available and total memory.
fn memory() -> Option<String> {
    let text = read_to_string("/proc/meminfo").ok()?;
    let mebibytes = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib / 1024)
    };
    Some(format!("{} MiB of {} MiB free", mebibytes("MemAvailable:")?, mebibytes("MemTotal:")?))
}

/// The word in brackets.
fn chosen(text: &str) -> Option<&str> {
    let start = text.find('[')? + 1;
    let length = text[start..].find(']')?;
    Some(&text[start..start + length])
}

/// A small program in every mode, on one device and on several, and on the GPUs of the settings.
fn checks(settings: &Settings) -> Vec<(String, Result<String, String>)> {
    let mut results = Vec::new();
    for devices in [1, 4] {
        for mode in Mode::ALL {
            let name = format!("{mode} on {devices} device(s)");
            let runtime = Runtime::builder().cpu_devices(devices).mode(mode).build();
            results.push((name, check(runtime)));
        }
    }
    if !settings.cuda_devices.is_empty() {
        let name = format!("the GPUs {:?} of the settings", settings.cuda_devices);
        results.push((name, check(Runtime::try_current())));
    }
    results
}

/// The mean square of 0..1000, which is exact in f64.
fn check(runtime: darray::Result<Runtime>) -> Result<String, String> {
    let runtime = runtime.map_err(|error| error.to_string())?;
    let found = runtime.scope(|| {
        let x = DArray::<f64>::arange(1000);
        (&x * &x).sum(..).try_item()
    });
    match found {
        Ok(332_833_500.0) => Ok("correct".to_string()),
        Ok(other) => Err(format!("332833500 expected, {other} found")),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::chosen;

    #[test]
    fn the_chosen_word_is_in_brackets() {
        assert_eq!(chosen("always [madvise] never\n"), Some("madvise"));
        assert_eq!(chosen(""), None);
    }
}
