//! The documentation of the front end, as rustdoc understands it: every public item has an example, and
//! every function that says when it panics has a `try_` twin.

use crate::Problem;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{self, Error};
use std::path::Path;
use std::process::{Command, ExitCode};

/// The crate that people use.
const CRATE: &str = "darray";

/// What needs an example. Fields, variants and a trait's methods have that of what they belong to;
/// constants speak for themselves.
const SHOWN: [&str; 7] = ["module", "struct", "union", "enum", "trait", "function", "macro"];

const EXAMPLE: &str = "example";
const TWIN: &str = "twin";

/// The variable by which the program knows that it stands for rustdoc, and the rustdoc that it runs.
const RUSTDOC: &str = "XTASK_RUSTDOC";

/// Runs rustdoc with unstable options where cargo has called the program in its place, and gives its exit code. The dependencies are
/// compiled without such options, so that they are those of other checks.
pub fn run_as_rustdoc() -> Option<ExitCode> {
    let rustdoc = std::env::var_os(RUSTDOC)?;
    let mut command = Command::new(rustdoc);
    // The output as JSON is unstable; what is read of it has stayed the same for years.
    let status = command.args(std::env::args_os().skip(1)).env("RUSTC_BOOTSTRAP", "1").status();
    Some(match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

/// Builds the documentation as data and checks it.
///
/// # Errors
/// The crate does not build, or rustdoc's output cannot be read.
pub fn examples(root: &Path) -> io::Result<Vec<Problem>> {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let target = root.join(target);
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args([
            "rustdoc",
            "--quiet",
            "--package",
            CRATE,
            "--lib",
            "--features",
            "png",
            "--target-dir",
        ])
        .arg(&target)
        .args(["--", "-Z", "unstable-options", "--output-format", "json"])
        .env("RUSTDOC", std::env::current_exe()?)
        .env(RUSTDOC, std::env::var_os("RUSTDOC").unwrap_or_else(|| "rustdoc".into()))
        .current_dir(root)
        .status()?;
    if !status.success() {
        return Err(Error::other(format!("cargo rustdoc --package {CRATE} fails")));
    }
    let text = std::fs::read_to_string(target.join(format!("doc/{CRATE}.json")))?;
    check(&serde_json::from_str(&text)?).map_err(Error::other)
}

/// The public items without an example, and the functions that panic and have no twin; in the order of
/// files and lines.
fn check(documentation: &Value) -> Result<Vec<Problem>, String> {
    let items = documentation["index"].as_object().ok_or("rustdoc wrote no index of items")?;
    let own: Vec<&Value> = items.values().filter(|item| item["crate_id"] == 0).collect();
    let names: BTreeSet<&str> = own.iter().filter_map(|item| item["name"].as_str()).collect();
    let of_traits = of_traits(&own);
    let mut problems = Vec::new();
    let mut shown = 0;
    for item in own {
        let (Some(name), Some(kind)) = (item["name"].as_str(), kind(item)) else { continue };
        let public = item["visibility"] == "public" && !of_traits.contains(&item["id"].to_string());
        if !public || !SHOWN.contains(&kind) {
            continue;
        }
        shown += 1;
        let docs = item["docs"].as_str().unwrap_or_default();
        let mut problem = |check, message| {
            let path = item["span"]["filename"].as_str().unwrap_or_default().to_string();
            let line = item["span"]["begin"][0].as_u64().unwrap_or_default() as usize;
            problems.push(Problem { check, path, line, message });
        };
        if !has_example(docs) {
            problem(EXAMPLE, format!("{kind} `{name}` has no example"));
        }
        if docs.contains("# Panics") && !names.contains(&format!("try_{name}")[..]) {
            problem(TWIN, format!("`{name}` panics, and there is no `try_{name}`"));
        }
    }
    if shown == 0 {
        return Err("rustdoc knows no public item".to_string());
    }
    problems.sort_by(|a, b| (&a.path, a.line, a.check).cmp(&(&b.path, b.line, b.check)));
    Ok(problems)
}

/// What an item is: the only key of its `inner`.
fn kind(item: &Value) -> Option<&str> {
    item["inner"].as_object()?.keys().next().map(String::as_str)
}

/// The items of traits, and of their implementations.
fn of_traits(items: &[&Value]) -> BTreeSet<String> {
    let lists = items.iter().filter_map(|item| match kind(item)? {
        "trait" => item["inner"]["trait"]["items"].as_array(),
        "impl" if !item["inner"]["impl"]["trait"].is_null() => {
            item["inner"]["impl"]["items"].as_array()
        }
        _ => None,
    });
    lists.flatten().map(Value::to_string).collect()
}

/// Whether there is a block of Rust.
fn has_example(docs: &str) -> bool {
    let fences = docs.lines().filter_map(|line| line.trim_start().strip_prefix("```"));
    // Every other fence ends a block.
    fences.step_by(2).any(|language| language != "text")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, json};

    fn item(id: u64, name: &str, docs: &str, inner: Value) -> (String, Value) {
        let span = json!({ "filename": "a.rs", "begin": [id, 1] });
        let item = json!({
            "id": id, "crate_id": 0, "name": name, "docs": docs, "visibility": "public",
            "span": span, "inner": inner,
        });
        (id.to_string(), item)
    }

    fn check_items(items: Vec<(String, Value)>) -> Result<Vec<String>, String> {
        let index: Map<String, Value> = items.into_iter().collect();
        let problems = check(&json!({ "index": index }))?;
        Ok(problems.iter().map(Problem::to_string).collect())
    }

    #[test]
    fn items_without_examples_and_twins_are_found() {
        let function = || json!({ "function": {} });
        let found = check_items(vec![
            item(1, "shown", "Text.\n\n```\nf()\n```", function()),
            item(2, "bare", "Text.\n\n```text\npicture\n```", function()),
            item(3, "Kind", "", json!({ "trait": { "items": [4] } })),
            item(4, "method", "Of a trait.", function()),
            item(5, "", "", json!({ "impl": { "trait": {}, "items": [6] } })),
            item(6, "implemented", "", function()),
            item(7, "least", "# Panics\n```\nf()\n```", function()),
            item(8, "most", "# Panics\n```\nf()\n```", function()),
            item(9, "try_most", "```text\npicture\n```\n```\nf()\n```", function()),
            item(10, "field", "", json!({ "struct_field": {} })),
        ]);
        let expected = [
            "a.rs:2: function `bare` has no example [example]",
            "a.rs:3: trait `Kind` has no example [example]",
            "a.rs:7: `least` panics, and there is no `try_least` [twin]",
        ];
        assert_eq!(found.unwrap(), expected);
    }

    #[test]
    fn nothing_to_check_is_an_error() {
        assert!(check(&json!({})).is_err());
        assert!(check_items(Vec::new()).is_err());
    }
}
