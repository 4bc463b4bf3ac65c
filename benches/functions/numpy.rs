//! NumPy or CuPy in a process of its own, which times an expression for each line that it is given.

use super::ROUNDS;
use std::io::{BufRead, BufReader, Error, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// What the process runs.
const SCRIPT: &str = include_str!("../peers/functions.py");

/// The process; it ends with its input.
pub struct NumPy {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    on_gpu: bool,
}

impl NumPy {
    /// Starts `peers/functions.py` in this interpreter, for matrices of so many rows and columns: NumPy, or CuPy on a GPU.
    pub fn start(python: &str, shape: [usize; 2], on_gpu: bool) -> Result<NumPy, Error> {
        let mut command = Command::new(python);
        command
            .args(["-c", SCRIPT])
            .args(shape.map(|extent| extent.to_string()))
            .arg(ROUNDS.to_string())
            .args(on_gpu.then_some("cupy"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut process = command.spawn()?;
        let input = process.stdin.take();
        let output = process.stdout.take().expect("a pipe");
        let mut numpy = NumPy { process, input, output: BufReader::new(output), on_gpu };
        let ready = numpy.line()?;
        match ready.trim() {
            "ready" => Ok(numpy),
            _ => Err(Error::other("it lacks what it is to run")),
        }
    }

    /// Seconds of an expression in each round of a turn, or what it says of why there are none: CuPy lacks some.
    ///
    /// # Panics
    ///
    /// If the process fails, or NumPy does.
    pub fn turn(&mut self, expression: &str) -> Result<Vec<f64>, String> {
        let input = self.input.as_mut().expect("the process has its input");
        writeln!(input, "{expression}").expect("the process reads");
        let line = self.line().expect("the process answers");
        let seconds: Result<Vec<f64>, _> = line.split_whitespace().map(str::parse).collect();
        let rounds = seconds.ok().filter(|seconds| seconds.len() == ROUNDS);
        assert!(rounds.is_some() || self.on_gpu, "`{expression}`: {line}");
        rounds.ok_or(line)
    }

    fn line(&mut self) -> Result<String, Error> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(line)
    }
}

impl Drop for NumPy {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.process.wait();
    }
}
