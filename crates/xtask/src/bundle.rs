//! One folder that tests and measures darray on a machine with a GPU, without Rust and without a network.

use serde_json::Value;
use std::fs;
use std::io::{self, Error};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The script that runs there.
const SCRIPT: &str = include_str!("run-on-gpu.sh");

/// The programs in the folder, which the script unpacks.
const PROGRAMS: &str = "programs.tar.gz";

/// More is not carried to such a machine.
const MOST_BYTES: u64 = 40 << 20;

/// What is built by one call of cargo.
struct Build {
    arguments: &'static [&'static str],
    /// Targets, and the names that they get in the folder.
    targets: &'static [(&'static str, &'static str)],
}

const BUILDS: [Build; 7] = [
    Build {
        arguments: &["build", "--release", "-p", "darray-cli", "--features", "cuda"],
        targets: &[("darray-cli", "darray-cli")],
    },
    Build {
        arguments: &["build", "--release", "-p", "darray-suite", "--bins"],
        targets: &[("darray-suite", "darray-suite")],
    },
    Build {
        arguments: &["test", "--release", "-p", "darray-cuda", "--test", "devices", "--no-run"],
        targets: &[("devices", "devices")],
    },
    Build {
        arguments: &[
            "test",
            "--release",
            "-p",
            "darray-suite",
            "--test",
            "cases",
            "--test",
            "gpu",
            "--test",
            "integration",
            "--no-run",
        ],
        targets: &[("cases", "cases"), ("gpu", "gpu"), ("integration", "integration")],
    },
    Build {
        arguments: &["bench", "-p", "darray-cuda", "--bench", "limits", "--no-run"],
        targets: &[("limits", "limits")],
    },
    Build {
        arguments: &[
            "bench",
            "-p",
            "darray-programs",
            "--features",
            "cuda",
            "--bench",
            "task_bench",
            "--no-run",
        ],
        targets: &[("task_bench", "task-bench")],
    },
    Build {
        arguments: &[
            "bench",
            "-p",
            "darray-benches",
            "--features",
            "cuda",
            "--bench",
            "functions",
            "--no-run",
        ],
        targets: &[("functions", "functions")],
    },
];

/// Builds the programs, strips and packs them, and writes them to `folder` beside `run.sh`; gives the size of both in bytes.
///
/// # Errors
/// A build fails, `strip` or `tar` is not there, a file cannot be written, or the folder gets too large to carry.
pub fn bundle(root: &Path, folder: &Path) -> io::Result<u64> {
    fs::create_dir_all(folder)?;
    for Build { arguments, targets } in BUILDS {
        let built = build(root, arguments)?;
        for (target, name) in targets {
            let found = built.iter().find(|(built, _)| built == target);
            let (_, program) =
                found.ok_or_else(|| Error::other(format!("cargo builds no {target}")))?;
            let to = folder.join(name);
            fs::copy(program, &to)?;
            let status = Command::new("strip").arg(&to).status()?;
            if !status.success() {
                return Err(Error::other(format!("strip of {name} ends with {status}")));
            }
        }
    }
    let names: Vec<&str> =
        BUILDS.iter().flat_map(|build| build.targets.iter().map(|(_, name)| *name)).collect();
    let mut tar = Command::new("tar");
    let status = tar.arg("-czf").arg(PROGRAMS).args(&names).current_dir(folder).status()?;
    if !status.success() {
        return Err(Error::other(format!("tar ends with {status}")));
    }
    names.iter().try_for_each(|name| fs::remove_file(folder.join(name)))?;
    let script = folder.join("run.sh");
    fs::write(&script, SCRIPT)?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    let bytes = fs::metadata(folder.join(PROGRAMS))?.len() + SCRIPT.len() as u64;
    if bytes > MOST_BYTES {
        return Err(Error::other(format!("{bytes} bytes, of which {MOST_BYTES} can be carried")));
    }
    Ok(bytes)
}

/// Runs cargo; gives the executables that it reports by the names of their targets.
fn build(root: &Path, arguments: &[&str]) -> io::Result<Vec<(String, PathBuf)>> {
    println!("cargo {}", arguments.join(" "));
    let output = Command::new("cargo")
        .args(arguments)
        .arg("--message-format=json-render-diagnostics")
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(Error::other(format!("cargo ends with {}", output.status)));
    }
    Ok(executables(&String::from_utf8_lossy(&output.stdout)))
}

/// Targets and executables in cargo's messages.
fn executables(messages: &str) -> Vec<(String, PathBuf)> {
    let parsed = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    parsed
        .filter_map(|message| {
            let name = message["target"]["name"].as_str()?.to_string();
            Some((name, PathBuf::from(message["executable"].as_str()?)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executables_are_found_in_cargos_messages() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"darray"},"executable":null}
not a message
{"reason":"compiler-artifact","target":{"name":"kernels"},"executable":"/t/kernels-1"}"#;
        assert_eq!(executables(messages), [("kernels".to_string(), PathBuf::from("/t/kernels-1"))]);
    }

    /// Every program that the script starts is in the folder.
    #[test]
    fn the_script_runs_what_is_built() {
        let names: Vec<&str> =
            BUILDS.iter().flat_map(|build| build.targets.iter().map(|(_, name)| *name)).collect();
        assert!(SCRIPT.contains(&format!("\"$folder/{PROGRAMS}\"")), "it unpacks them");
        for part in SCRIPT.split("\"$here/").skip(1) {
            let name = part.split('"').next().unwrap_or_default();
            assert!(names.contains(&name), "{name}");
        }
        for name in names {
            assert!(SCRIPT.contains(&format!("\"$here/{name}\"")), "{name} is never run");
        }
    }

    #[test]
    fn the_script_is_one_that_bash_reads() {
        let mut bash = Command::new("bash").arg("-n").stdin(Stdio::piped()).spawn().expect("bash");
        let mut input = bash.stdin.take().expect("a pipe");
        io::Write::write_all(&mut input, SCRIPT.as_bytes()).expect("the script is read");
        drop(input);
        assert!(bash.wait().expect("bash ends").success());
    }
}
