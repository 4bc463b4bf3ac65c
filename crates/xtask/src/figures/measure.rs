//! Measuring: every program in three runs of `darray-cli bench --json`.

use super::PROGRAMS;
use serde_json::{Value, json};
use std::io::{self, Error};
use std::path::Path;
use std::process::{Command, Stdio};

/// What is run of each program: its name among the lines, the options, and whether it is one iteration alone.
const RUNS: [(&str, &[&str], bool); 3] = [
    ("modes", &["--modes", "fused,unfused", "--limits"], false),
    ("turns", &["--compare"], false),
    ("first", &["--compare"], true),
];

/// Runs the programs by `binary`, beside the systems that `python` has; the lines.
///
/// # Errors
/// A run fails, for example since two systems came to other results, or prints no JSON.
pub fn measure(root: &Path, binary: &str, python: &str) -> io::Result<String> {
    let mut lines = about(python)?.to_string() + "\n";
    for program in &PROGRAMS {
        for (run, options, once) in RUNS {
            let iterations = if once { 1 } else { program.iterations };
            let mut bench = Command::new(binary);
            bench.args(["bench", program.name, "--json", "--python", python]);
            bench.args(["--n", &program.n.to_string(), "--iters", &iterations.to_string()]);
            bench.args(options).arg("--peers").arg(root.join("benches/peers"));
            for line in printed(&mut bench)?.lines() {
                let mut line: Value = serde_json::from_str(line)?;
                // The other lines name systems that are not there.
                if line["program"].is_string() {
                    line["run"] = run.into();
                    lines += &format!("{line}\n");
                }
            }
        }
        println!("{}", program.name);
    }
    Ok(lines)
}

/// The machine, the day, and the versions of the other systems.
fn about(python: &str) -> io::Result<Value> {
    let processors = std::fs::read_to_string("/proc/cpuinfo")?;
    let model = processors.lines().find_map(|line| line.strip_prefix("model name"));
    let model =
        model.map_or("unknown processor", |model| model.trim_start_matches(['\t', ':', ' ']));
    let date = printed(Command::new("date").args(["-u", "+%-d %B %Y"]).env("LC_ALL", "C"))?;
    let versions =
        "import numpy, jax; print('NumPy', numpy.__version__ + ', JAX', jax.__version__)";
    let versions = printed(Command::new(python).args(["-c", versions]))?;
    Ok(json!({ "machine": model, "date": date.trim(), "versions": versions.trim() }))
}

/// What a command prints; an error if it fails.
fn printed(command: &mut Command) -> io::Result<String> {
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(Error::other(format!("{command:?} fails")));
    }
    String::from_utf8(output.stdout).map_err(Error::other)
}
