//! `coverage`: which names of NumPy and of the Python array API standard have something that stands for them.
//!
//! `rows` has a row for each name that has; the test of `check.rs` compiles what stands there, runs it, and compares with what NumPy
//! gives for the expression beside it. `absent.rs` has the reason for each other one.

mod absent;
#[cfg(test)]
mod check;
mod rows;

use crate::output;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::process::ExitCode;

/// A name that has something that stands for it.
struct Row {
    /// As in the lists.
    name: &'static str,
    /// What is written in a program.
    darray: &'static str,
    /// And with NumPy, to the same effect.
    numpy: &'static str,
}

/// Names to be compared with.
struct List {
    key: &'static str,
    title: &'static str,
    names: &'static str,
    /// What a name of this list is called among the rows, where it has no row of its own.
    prefix: &'static str,
}

const LISTS: [List; 2] = [
    List {
        key: "array_api",
        title: "Array API standard 2024.12",
        names: include_str!("coverage/array_api.txt"),
        prefix: "np.",
    },
    List {
        key: "numpy",
        title: "NumPy 2.4",
        names: include_str!("coverage/numpy.txt"),
        prefix: "",
    },
];

/// How many of NumPy's results the tests compare with, of how many element types, for each function; a test writes the file.
const CASES: &str = include_str!("coverage/cases.txt");

/// Functions that have a second name.
const ALIASES: &str = include_str!("coverage/aliases.txt");

/// What is known of a name.
enum Found {
    Row(&'static Row),
    Absent(&'static str),
}

impl List {
    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.lines()
    }

    fn find(&self, name: &str) -> Option<Found> {
        let other = format!("{}{name}", self.prefix);
        let row = |name: &str| rows::all().find(|row| row.name == name).map(Found::Row);
        let reason = |name: &str| absent::reason(name).map(Found::Absent);
        row(name).or_else(|| row(&other)).or_else(|| reason(name)).or_else(|| reason(&other))
    }

    /// Names of functions that the tests compare with NumPy for more than one result.
    fn with_cases(&self, counted: &str) -> usize {
        let has = |name: &&str| {
            matches!(self.find(name), Some(Found::Row(_))) && !cases(counted, name).is_empty()
        };
        self.names().filter(has).count()
    }

    fn covered(&self) -> usize {
        self.names().filter(|name| matches!(self.find(name), Some(Found::Row(_)))).count()
    }
}

/// Prints the coverage, as text or as one JSON object.
pub fn run(as_json: bool) -> ExitCode {
    if as_json {
        output::line(numbers())
    } else {
        output::print(text(CASES))
    }
    ExitCode::SUCCESS
}

fn numbers() -> Value {
    let list = |list: &List| {
        let (mut present, mut absent) = (Map::new(), Map::new());
        for name in list.names() {
            match list.find(name) {
                Some(Found::Row(row)) => present.insert(name.into(), row.darray.into()),
                Some(Found::Absent(reason)) => absent.insert(name.into(), reason.into()),
                None => None,
            };
        }
        let total = list.names().count();
        let value = json!({
            "covered": present.len(),
            "total": total,
            "with_cases": list.with_cases(CASES),
            "present": present,
            "absent": absent,
        });
        (list.key.to_string(), value)
    };
    Value::Object(LISTS.iter().map(list).collect())
}

/// The page `docs/coverage.md`.
fn text(counted: &str) -> String {
    let mut text = "# Names of NumPy and the array API\n\nWritten by `darray-cli coverage`; `--json` gives the same as data. What stands under *darray* is \
compiled and run by a test, which compares with what NumPy gives for the expression beside it; *cases* are further results of NumPy that tests compare \
with, in every mode, on one device and on three, and of how many element types. `x`, `y` are matrices, `v` a vector, `n`, `k` vectors of \
integers, `m` a mask, `z` complex numbers, `w` has NaN.\n"
        .to_string();
    for list in &LISTS {
        let (covered, total) = (list.covered(), list.names().count());
        let _ = write!(
            text,
            "\n## {}: {covered} of {total}, {} of them with cases\n\n| name | darray | NumPy | cases |\n|---|---|---|---|\n",
            list.title,
            list.with_cases(counted),
        );
        for name in list.names() {
            if let Some(Found::Row(row)) = list.find(name) {
                let [darray, numpy] = [row.darray, row.numpy].map(|text| text.replace('|', "\\|"));
                let _ = writeln!(
                    text,
                    "| {name} | `{darray}` | `{numpy}` | {} |",
                    cases(counted, name)
                );
            }
        }
        text.push_str("\nAbsent:\n\n");
        for reason in absent::reasons() {
            let of_it =
                |name: &&str| matches!(list.find(name), Some(Found::Absent(r)) if r == reason);
            let names: Vec<&str> = list.names().filter(of_it).collect();
            if !names.is_empty() {
                let _ = writeln!(text, "- {reason}: {}", names.join(", "));
            }
        }
    }
    text
}

/// The results of NumPy for a function, under this name or that of which it is a second one.
fn cases(counted: &str, name: &str) -> String {
    let last = name.rsplit('.').next().unwrap_or(name).trim_matches('_');
    let original =
        ALIASES.lines().filter_map(|line| line.split_once(' ')).find(|(alias, _)| *alias == last);
    let function = original.map_or(last, |(_, original)| original);
    let mut lines = counted.lines().filter_map(|line| line.split_once(' '));
    let found = lines.find(|(name, _)| *name == function);
    found.map_or(String::new(), |(_, cases)| cases.to_string())
}
