//! The figures of speed in the pages: `darray-cli bench --json` measures them, its lines are kept in [`MEASURED`], and
//! README.md, docs/performance.md and docs/performance.svg are made of those.

mod measure;
mod picture;
mod records;
mod tables;

pub use measure::measure;
pub use records::Records;

use std::io::{self, Error};
use std::path::Path;

/// The lines that were measured last.
pub const MEASURED: &str = "docs/performance.jsonl";

/// What measures, with the paths that the pages show.
const COMMAND: &str =
    "taskset -c 1 cargo run -p xtask -- figures target/release/darray-cli peers/bin/python";

/// What is between these lines of a page is written by the command.
const BEGIN: &str = "<!-- figures: written by `cargo run -p xtask -- figures` -->\n";
const END: &str = "<!-- end of figures -->\n";

/// A program with its size and the iterations of a batch.
struct Program {
    name: &'static str,
    n: usize,
    iterations: usize,
    /// The size as people say it.
    size: &'static str,
}

const PROGRAMS: [Program; 11] = [
    program("black_scholes", 10_000_000, 5, "10⁷ options"),
    program("stencil", 4000, 5, "4000²"),
    program("cg", 1000, 20, "1000²"),
    program("jacobi", 2000, 20, "2000²"),
    program("logistic_regression", 100_000, 20, "10⁵ × 32"),
    program("mandelbrot", 1000, 50, "1000²"),
    program("kmeans", 100_000, 10, "10⁵ points"),
    program("nbody", 1000, 10, "1000 bodies"),
    program("stencil27", 100, 20, "100³"),
    program("heat3d", 100, 50, "100³"),
    program("vector_sum", 100_000_000, 5, "10⁸"),
];

const fn program(name: &'static str, n: usize, iterations: usize, size: &'static str) -> Program {
    Program { name, n, iterations, size }
}

/// The pages with the figures of `records`, by their paths in the repository.
///
/// # Errors
/// A page cannot be read or has no place for figures; a figure was not measured.
pub fn pages(root: &Path, records: &Records) -> io::Result<Vec<(&'static str, String)>> {
    let page = |path: &'static str, figures: String| -> io::Result<(&'static str, String)> {
        let page = std::fs::read_to_string(root.join(path))?;
        let text = replaced(&page, &figures);
        let text = text.ok_or_else(|| Error::other(format!("{path} has no place for figures")))?;
        Ok((path, text))
    };
    Ok(vec![
        page("README.md", tables::headlines(records).map_err(Error::other)?)?,
        page("docs/performance.md", tables::programs(records).map_err(Error::other)?)?,
        ("docs/performance.svg", picture::picture(records).map_err(Error::other)?),
    ])
}

/// The page with other figures in their place.
fn replaced(page: &str, figures: &str) -> Option<String> {
    let (head, rest) = page.split_once(BEGIN)?;
    let (_, tail) = rest.split_once(END)?;
    Some(format!("{head}{BEGIN}{figures}{END}{tail}"))
}

#[cfg(test)]
mod tests;
