//! Another system that runs a program: a script of benches/peers in a process of its own, which times a batch
//! whenever it is told to.

use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The systems that scripts know, see benches/peers/README.md.
pub const BACKENDS: [&str; 6] = ["numpy", "numexpr", "jax", "jax_loop", "numba", "torch"];

/// A script that waits for its turn.
pub struct Peer {
    pub backend: &'static str,
    /// Seconds of the first batch, compilation included.
    pub first_s: f64,
    /// Seconds per iteration of each timed batch.
    pub batches_s: Vec<f64>,
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts a script by the first interpreter that has the backend; why it cannot be run otherwise.
    pub fn start(
        backend: &'static str,
        pythons: &[String],
        script: &Path,
        arguments: &[String],
    ) -> Result<Peer, String> {
        let mut reason = "no interpreter".to_string();
        for python in pythons {
            match Peer::try_start(backend, python, script, arguments) {
                Ok(peer) => return Ok(peer),
                Err(why) => reason = why,
            }
        }
        Err(reason)
    }

    fn try_start(
        backend: &'static str,
        python: &str,
        script: &Path,
        arguments: &[String],
    ) -> Result<Peer, String> {
        let mut command = Command::new(python);
        command.arg(script).args(["--serve", "--backend", backend]).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().map_err(|error| format!("{python}: {error}"))?;
        let input = process.stdin.take();
        let output = process.stdout.take().ok_or("no output")?;
        let mut peer = Peer {
            backend,
            first_s: 0.0,
            batches_s: Vec::new(),
            process,
            input,
            output: BufReader::new(output),
        };
        let ready = peer.line()?;
        if let Some(absent) = ready["absent"].as_str() {
            return Err(absent.to_string());
        }
        peer.first_s = ready["first_s"].as_f64().ok_or("no time of a first batch")?;
        Ok(peer)
    }

    /// Has it time a batch.
    pub fn turn(&mut self) -> Result<(), String> {
        let input = self.input.as_mut().ok_or("it has ended")?;
        writeln!(input).and_then(|()| input.flush()).map_err(|error| error.to_string())?;
        let seconds = self.line()?.as_f64().ok_or("no time of a batch")?;
        self.batches_s.push(seconds);
        Ok(())
    }

    /// Ends it; the program's result.
    pub fn finish(&mut self) -> Result<Vec<f64>, String> {
        self.input = None;
        let result = self.line()?;
        let values = result["checksum"].as_array().ok_or("no checksum")?;
        Ok(values.iter().filter_map(Value::as_f64).collect())
    }

    fn line(&mut self) -> Result<Value, String> {
        let mut line = String::new();
        self.output.read_line(&mut line).map_err(|error| error.to_string())?;
        if line.is_empty() {
            return Err("the script failed".to_string());
        }
        serde_json::from_str(&line).map_err(|error| format!("`{}`: {error}", line.trim()))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.input = None;
        // It ends by itself when its input does, unless it is in the middle of a batch.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
