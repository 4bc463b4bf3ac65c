//! Functions one by one, beside NumPy's: microseconds for arrays of 10^6 elements, which the third-level cache holds, or
//! of others.
//!
//! `cargo bench -p darray-benches --bench functions -- [OPTIONS] [WORD]`, pinned to one core for quiet numbers; with a word,
//! only what has it in its name.
//!
//! | option | |
//! |---|---|
//! | `--python PATH` | an interpreter that has NumPy; both take turns |
//! | `--cuda` | on a GPU (`--features cuda`): it is CuPy that takes turns, and what either gives stays there |
//! | `--threads N` | one thread and so many take turns, which need a core each |
//! | `--side N` | matrices of so many rows and columns, 1000 else, and vectors of as many elements, while the cube and a small matrix remain |
//! | `--columns N` | matrices of so many columns and about as many elements, and a cube whose last axis has so many |
//! | `--json` | a line of JSON per function behind the table, in seconds |
//!
//! A name is what NumPy runs. darray keeps the memory of results that are gone, NumPy leaves that to the system.

#[path = "functions/counting.rs"]
mod counting;
#[path = "functions/elementwise.rs"]
mod elementwise;
#[path = "functions/numpy.rs"]
mod numpy;
#[path = "functions/reductions.rs"]
mod reductions;
#[path = "functions/shapes.rs"]
mod shapes;

use darray::{DArray, Runtime, default_rng, f16};
use darray_benches::timing::median;
use numpy::NumPy;
use std::any::Any;
use std::time::Instant;

/// A function: what NumPy runs, and the same here.
type Function = (&'static str, fn(&Arrays) -> Box<dyn Any>);

/// What functions take.
struct Arrays {
    a: DArray<f64>,
    b: DArray<f64>,
    m: DArray<f64>,
    k: DArray<f64>,
    c: DArray<f64>,
    v: DArray<f64>,
    e: DArray<f64>,
    s: DArray<f64>,
    ordered: DArray<f64>,
    f: DArray<f32>,
    g: DArray<f32>,
    mf: DArray<f32>,
    kf: DArray<f32>,
    vf: DArray<f32>,
    h: DArray<f16>,
    i: DArray<i64>,
    mi: DArray<i64>,
    vi: DArray<i64>,
    ei: DArray<i64>,
    j: DArray<i32>,
    u: DArray<u8>,
    t: DArray<bool>,
    at: DArray<i64>,
    rows: DArray<i64>,
    columns: DArray<i64>,
}

impl Arrays {
    /// As `peers/functions.py` has them, for matrices of so many rows and columns.
    fn new([rows, columns]: [usize; 2]) -> Arrays {
        let mut rng = default_rng(1);
        let n = rows * columns;
        let a: DArray<f64> = rng.random(n);
        let b: DArray<f64> = rng.random(n) + 0.5;
        let (m, k) = (rng.random((rows, columns)), rng.random((columns, columns)));
        let cube = if rows == columns { (100, 100, 100) } else { (100, rows / 100, columns) };
        let (v, e) = (rng.random(columns), rng.random(rows));
        let i: DArray<i64> = rng.integers(0, 1000, n);
        let arrays = Arrays {
            ordered: a.sort(-1),
            f: a.cast(),
            g: b.cast(),
            mf: m.cast(),
            kf: k.cast(),
            vf: v.cast(),
            h: a.cast(),
            mi: i.reshape((rows, columns)) + 0,
            vi: rng.integers(0, 1000, columns),
            ei: rng.integers(0, 1000, rows),
            j: i.cast(),
            u: i.cast(),
            t: i.gt(500),
            at: rng.integers(0, n as i64, n),
            rows: rng.integers(0, rows as i64, rows),
            columns: rng.integers(0, columns as i64, columns),
            c: rng.random(cube),
            s: rng.random((200, 200)),
            a,
            b,
            m,
            k,
            v,
            e,
            i,
        };
        let current = Runtime::current();
        current.flush();
        current.sync();
        arrays
    }
}

/// A result, as it is kept until the clock has stopped.
fn keep<T: 'static>(result: T) -> Box<dyn Any> {
    Box::new(result)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut python, mut threads, mut side, mut columns, mut word) = (None, None, 1000, None, None);
    let (mut on_gpu, mut json) = (false, false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--cuda" => on_gpu = true,
            "--json" => json = true,
            "--python" => python = arguments.next(),
            "--threads" => {
                let given = arguments.next().and_then(|threads| threads.parse().ok());
                threads = given.filter(|&threads| threads > 1);
                threads.expect("two threads at least");
            }
            "--side" => {
                let given = arguments.next().and_then(|side| side.parse().ok());
                side = given.filter(|&side| side >= 400).expect("a side of 400 at least");
            }
            "--columns" => {
                let given = arguments.next().and_then(|columns| columns.parse().ok());
                columns = given.filter(|columns| (3..400).contains(columns));
                columns.expect("3 to 399 columns");
            }
            "--bench" => {}
            _ => word = Some(argument),
        }
    }
    let shape: [usize; 2] = columns.map_or([side; 2], |columns| [side * side / columns, columns]);
    let is_square = shape[0] == shape[1];
    let mut other = match (python, threads) {
        (Some(python), None) => {
            let numpy = NumPy::start(&python, shape, on_gpu);
            Some(Other::NumPy(numpy.expect("an interpreter with NumPy, or CuPy")))
        }
        (None, threads) => {
            assert!(threads.is_none() || !on_gpu, "threads are a CPU's");
            threads.map(|threads| Other::Threads(Box::new(Own::new(threads, shape, on_gpu))))
        }
        (Some(_), Some(_)) => panic!("NumPy or threads, not both"),
    };
    let name = match other {
        Some(Other::Threads(_)) => "threads",
        _ if on_gpu => "CuPy",
        _ => "NumPy",
    };
    let own = Own::new(1, shape, on_gpu);
    // A GPU's figures are quiet.
    let seconds = if on_gpu { 0.0 } else { SECONDS };
    let (mut ratios, mut lines) = (Vec::new(), Vec::new());
    for (title, functions) in [
        ("element by element", elementwise::FUNCTIONS),
        ("reductions, scans, sorting", reductions::FUNCTIONS),
        ("shapes, indices, products, creation", shapes::FUNCTIONS),
        ("masks, counts, order", counting::FUNCTIONS),
    ] {
        println!("{title:45} {:>9} {name:>9} {:>6}", "us", "ratio");
        let named = |name: &str| {
            let fits = is_square || !SQUARE.contains(&name);
            fits && !(on_gpu && name == TO_HOST)
                && word.as_ref().is_none_or(|word| name.contains(word))
        };
        for &(name, function) in functions.iter().filter(|(name, _)| named(name)) {
            let (own, other) = time(name, &own, function, other.as_mut(), seconds);
            let beside = other.map_or(String::new(), |other| format!(", \"beside\": {other:e}"));
            lines.push(format!("{{\"function\": {name:?}, \"seconds\": {own:e}{beside}}}"));
            let Some(other) = other else {
                println!("{name:45} {:9.1}", own * 1e6);
                continue;
            };
            println!("{name:45} {:9.1} {:9.1} {:6.2}", own * 1e6, other * 1e6, other / own);
            ratios.push((other / own, name));
        }
    }
    summary(ratios, name);
    if json {
        println!("{}", lines.join("\n"));
    }
}

/// A runtime, and its arrays.
struct Own {
    threads: usize,
    runtime: Runtime,
    arrays: Arrays,
}

impl Own {
    fn new(threads: usize, shape: [usize; 2], on_gpu: bool) -> Own {
        let settings = Runtime::builder_from_env().expect("settings").threads(threads);
        let settings = if on_gpu { settings.cuda(&[0]) } else { settings };
        let runtime = settings.build().expect("a runtime");
        let arrays = runtime.scope(|| Arrays::new(shape));
        Own { threads, runtime, arrays }
    }

    /// Seconds of each round of a turn.
    fn turn(&self, function: fn(&Arrays) -> Box<dyn Any>) -> [f64; ROUNDS] {
        let round = |_| {
            let start = Instant::now();
            let result = function(&self.arrays);
            self.runtime.flush();
            self.runtime.sync();
            let spent = start.elapsed().as_secs_f64();
            drop(result);
            spent
        };
        self.runtime.scope(|| {
            // Threads are woken after some.
            for k in 0..if self.threads > 1 { 5 } else { 1 } {
                round(k);
            }
            std::array::from_fn(round)
        })
    }
}

/// What takes turns with one thread.
enum Other {
    NumPy(NumPy),
    Threads(Box<Own>),
}

impl Other {
    /// Seconds of each round of a turn; none where CuPy lacks the function.
    fn turn(&mut self, name: &str, function: fn(&Arrays) -> Box<dyn Any>) -> Vec<f64> {
        match self {
            Other::NumPy(numpy) => numpy.turn(name).unwrap_or_else(|line| {
                eprintln!("{name}: {}", line.trim());
                Vec::new()
            }),
            Other::Threads(own) => own.turn(function).to_vec(),
        }
    }
}

/// What takes its result to the host, which CuPy's does not.
const TO_HOST: &str = "a.copy()";

/// What takes a square matrix, or a cube.
const SQUARE: [&str; 2] = ["m.T + m", "np.tensordot(c, c, 2)"];

/// Turns of a function: at least so many, and for so many seconds.
const TURNS: usize = 3;
const SECONDS: f64 = 0.2;

/// Rounds of a turn, behind one that compiles and brings the arrays back into the caches, from which the other's turn has
/// driven them; NumPy's process is told.
const ROUNDS: usize = 8;

/// The median seconds of a function, and those of the other's, in turns, for so many seconds at least.
fn time(
    name: &str,
    own: &Own,
    function: fn(&Arrays) -> Box<dyn Any>,
    mut other: Option<&mut Other>,
    seconds: f64,
) -> (f64, Option<f64>) {
    let (mut times, mut others) = (Vec::new(), Vec::new());
    let begin = Instant::now();
    while times.len() < TURNS * ROUNDS || begin.elapsed().as_secs_f64() < seconds {
        times.extend(own.turn(function));
        others.extend(other.as_mut().into_iter().flat_map(|other| other.turn(name, function)));
    }
    (median(&times), (!others.is_empty()).then(|| median(&others)))
}

/// Says how many functions are faster, and which are slower than the other's.
fn summary(mut ratios: Vec<(f64, &str)>, other: &str) {
    if ratios.is_empty() {
        return;
    }
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let count = ratios.len();
    let mean = (ratios.iter().map(|(ratio, _)| ratio.ln()).sum::<f64>() / count as f64).exp();
    let slower = ratios.iter().take_while(|(ratio, _)| *ratio < 1.0 / 1.1);
    let slower: Vec<String> =
        slower.map(|(ratio, name)| format!("  {:.1} times: {name}", 1.0 / ratio)).collect();
    println!("{count} functions, {other}: {mean:.2} times as long (geometric mean)");
    println!("slower than {other} by more than a tenth: {}", slower.len());
    println!("{}", slower.join("\n"));
}
