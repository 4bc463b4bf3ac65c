//! `coverage`: which names of NumPy and of the Python array API standard have something that stands for them.
//!
//! `rows` has a row for each name that has; the test of `check.rs` compiles what stands there, runs it, and compares with what NumPy
//! gives for the expression beside it. `absent.rs` has the reason for each other one. `proof.rs` says which rows count as covered.

mod absent;
mod cases;
#[cfg(test)]
mod check;
mod proof;
mod rows;

use crate::output;
use proof::Proof;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
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

/// Lines `function cases strided types`: how many of NumPy's results the tests compare with, how many of them have strided operands, and of
/// which element types; a test writes the file.
const CASES: &str = include_str!("coverage/cases.txt");

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

    /// The names that have rows.
    fn rows(&self) -> impl Iterator<Item = (&'static str, &'static Row)> {
        self.names().filter_map(|name| match self.find(name)? {
            Found::Row(row) => Some((name, row)),
            Found::Absent(_) => None,
        })
    }

    /// How many names are covered, and how many of those by cases.
    fn covered(&self, counted: &str) -> (usize, usize) {
        let proofs: Vec<Proof> = self.rows().map(|(_, row)| Proof::of(row, counted)).collect();
        let by_cases = proofs.iter().filter(|proof| matches!(proof, Proof::Cases(_))).count();
        let alone = proofs.iter().filter(|proof| matches!(proof, Proof::Alone(_))).count();
        (by_cases + alone, by_cases)
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
        let (mut present, mut in_part, mut absent) = (Map::new(), Map::new(), Map::new());
        for (name, row) in list.rows() {
            present.insert(name.into(), row.darray.into());
            if let Proof::Part(missing) = Proof::of(row, CASES) {
                in_part.insert(name.into(), missing.to_string().into());
            }
        }
        for name in list.names() {
            if let Some(Found::Absent(reason)) = list.find(name) {
                absent.insert(name.into(), reason.into());
            }
        }
        let (covered, with_cases) = list.covered(CASES);
        let value = json!({
            "covered": covered,
            "total": list.names().count(),
            "with_cases": with_cases,
            "present": present,
            "in_part": in_part,
            "absent": absent,
        });
        (list.key.to_string(), value)
    };
    Value::Object(LISTS.iter().map(list).collect())
}

/// The page `docs/coverage.md`.
fn text(counted: &str) -> String {
    let mut text = HEAD.to_string();
    for list in &LISTS {
        let (covered, with_cases) = list.covered(counted);
        let _ = write!(
            text,
            "\n## {}: {covered} of {}, {with_cases} of them by cases\n\n| name | darray | NumPy | cases |\n|---|---|---|---|\n",
            list.title,
            list.names().count(),
        );
        let (mut in_part, mut alone) = (Vec::new(), BTreeMap::<_, Vec<_>>::new());
        for (name, row) in list.rows() {
            let cases = match Proof::of(row, counted) {
                Proof::Cases(cases) => cases.summary(),
                Proof::Alone(reason) => {
                    alone.entry(reason).or_default().push(name);
                    String::new()
                }
                Proof::Part(missing) => {
                    in_part.push((name, missing));
                    "in part".to_string()
                }
            };
            let [darray, numpy] = [row.darray, row.numpy].map(|text| text.replace('|', "\\|"));
            let _ = writeln!(text, "| {name} | `{darray}` | `{numpy}` | {cases} |");
        }
        text.push_str("\nWithout cases:\n\n");
        for (reason, names) in alone {
            let _ = writeln!(text, "- {reason}: {}", names.join(", "));
        }
        if !in_part.is_empty() {
            text.push_str(
                "\nIn part, and not covered, for there are no cases of these element types:\n\n",
            );
        }
        for (name, missing) in in_part {
            let _ = writeln!(text, "- {name}: {missing}");
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

const HEAD: &str = "# Names of NumPy and the array API

Written by `darray-cli coverage`; `--json` gives the same as data. What stands under *darray* is compiled and run by a test, which \
compares with what NumPy gives for the expression beside it; *cases* are further results of NumPy that tests compare with, in every mode, \
on one device and on three. A name counts as covered where there are cases of every element type with which NumPy evaluates the \
expression (of bf16 where it does with f32), some of them with strided operands; of functions that make arrays of nothing, of every element \
type. `x`, `y` are matrices, `v` a vector, `n`, `k` vectors of integers, `m` a mask, `z` complex numbers, `w` has NaN.
";
