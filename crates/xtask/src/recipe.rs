//! The recipe for a new element-wise operator: `docs/adding-an-operator.md` has a diff, which applies.

use crate::Tree;
use std::fs;
use std::io::{self, Error};
use std::path::Path;
use std::process::Command;

/// The page with the recipe.
pub const PAGE: &str = "docs/adding-an-operator.md";

/// What writes NumPy's results of the operator; in its own folder.
const CASES: &str = "tests/cases/generate.py";

/// What must hold of a tree with the operator: its own examples, that its rows agree with each other, that
/// it gives NumPy's results, and that random programs draw it and give the same however they are executed.
const TESTS: [&[&str]; 5] = [
    &["test", "-p", "darray", "--doc", "ramp"],
    &["test", "-p", "darray-kernel", "--lib", "operator"],
    &["test", "-p", "darray", "--lib", "operation"],
    &["test", "-p", "darray-suite", "--test", "cases"],
    &["test", "-p", "darray-suite", "--test", "random_programs"],
];

/// What a diff does to one file: pieces of its text and what stands in their place.
#[derive(Debug, PartialEq)]
struct Change {
    path: String,
    pieces: Vec<(String, String)>,
}

/// Copies the repository to `folder`, applies the diff there, has `python` (with NumPy and mpmath) write the
/// cases, builds, and runs the tests.
///
/// # Errors
/// A file cannot be read or written, the diff does not apply, or the writer of cases or a test fails.
pub fn try_out(root: &Path, folder: &Path, python: &str) -> io::Result<()> {
    copy(root, folder)?;
    let tree = Tree::read(folder)?;
    for (path, text) in apply(&tree).map_err(Error::other)? {
        println!("changed {path}");
        fs::write(folder.join(path), text)?;
    }
    let (cases, script) = CASES.rsplit_once('/').unwrap_or((".", CASES));
    // A path is meant from here, not from the folder where it runs.
    let python = match python.contains('/') {
        true => std::path::absolute(python)?.display().to_string(),
        false => python.to_string(),
    };
    run(&python, &[script], &folder.join(cases))?;
    TESTS.iter().try_for_each(|arguments| run("cargo", arguments, folder))
}

fn run(program: &str, arguments: &[&str], folder: &Path) -> io::Result<()> {
    let command = format!("{program} {}", arguments.join(" "));
    println!("{command}");
    match Command::new(program).args(arguments).current_dir(folder).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Error::other(format!("`{command}` ends with {status}"))),
        Err(error) => Err(Error::other(format!("`{command}` does not start: {error}"))),
    }
}

/// All but what is built or hidden.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == "target" || name.to_string_lossy().starts_with('.') {
            continue;
        }
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to.join(name))?;
        } else {
            fs::copy(entry.path(), to.join(name))?;
        }
    }
    Ok(())
}

/// The files that the recipe changes, with their new texts.
fn apply(tree: &Tree) -> Result<Vec<(String, String)>, String> {
    let page = tree.text(PAGE).ok_or(format!("there is no {PAGE}"))?;
    let mut changed = Vec::new();
    for change in changes(page)? {
        let path = change.path;
        let mut text = tree.text(&path).ok_or(format!("there is no {path}"))?.to_string();
        for (before, after) in change.pieces {
            match text.matches(&before).count() {
                1 => text = text.replace(&before, &after),
                count => return Err(format!("{path}: found {count} times:\n{before}")),
            }
        }
        changed.push((path, text));
    }
    Ok(changed)
}

/// The changes of the page's diff. Numbers of lines do not count, only their texts.
fn changes(page: &str) -> Result<Vec<Change>, String> {
    let diff = page.split("```diff\n").nth(1).and_then(|rest| rest.split("```").next());
    let mut changes: Vec<Change> = Vec::new();
    for line in diff.ok_or("the page has no diff")?.lines() {
        if let Some(path) = line.strip_prefix("+++ b/") {
            changes.push(Change { path: path.to_string(), pieces: Vec::new() });
        } else if line.starts_with("--- a/") {
            continue;
        } else if line.starts_with("@@") {
            let change = changes.last_mut().ok_or("a piece without a file")?;
            change.pieces.push(Default::default());
        } else {
            let piece = changes.last_mut().and_then(|change| change.pieces.last_mut());
            let (before, after) = piece.ok_or(format!("a line without a piece: {line}"))?;
            let (sign, text) = line.split_at_checked(1).ok_or("an empty line")?;
            if sign != "+" {
                *before += &format!("{text}\n");
            }
            if sign != "-" {
                *after += &format!("{text}\n");
            }
        }
    }
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recipe_changes_three_files() {
        let tree = Tree::read(&crate::root()).unwrap();
        let changed = apply(&tree).unwrap();
        assert_eq!(changed.len(), 3);
        for (path, text) in changed {
            assert!(text.len() > tree.text(&path).unwrap().len(), "{path}");
            assert!(text.contains("ramp"), "{path}");
        }
    }

    #[test]
    fn pieces_must_be_found_once() {
        let page = "```diff\n--- a/x\n+++ b/x\n@@\n one\n-two\n+three\n```";
        let apply_to = |text| apply(&Tree::of(&[(PAGE, page), ("x", text)]));
        let changed = apply_to("zero\none\ntwo\n").unwrap();
        assert_eq!(changed, [("x".to_string(), "zero\none\nthree\n".to_string())]);
        assert!(apply_to("one\n").unwrap_err().contains("found 0 times"));
        assert!(apply_to("one\ntwo\none\ntwo\n").unwrap_err().contains("found 2 times"));
        assert!(apply(&Tree::of(&[(PAGE, page)])).is_err());
        assert!(apply(&Tree::of(&[(PAGE, "no diff")])).is_err());
    }
}
