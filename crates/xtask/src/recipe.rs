//! The recipes for a new element-wise operator and a new reduction: their pages have a diff each, which applies.

use crate::Tree;
use std::fs;
use std::io::{self, Error};
use std::path::Path;
use std::process::Command;

/// A page whose diff adds something to a tree.
pub struct Recipe {
    /// What is added.
    pub what: &'static str,
    /// The page.
    pub page: &'static str,
    /// What must hold of a tree with it, besides what must always: its own examples, and that its rows agree with each other.
    tests: &'static [&'static [&'static str]],
}

/// Every recipe.
pub const RECIPES: [Recipe; 2] = [
    Recipe {
        what: "operator",
        page: "docs/adding-an-operator.md",
        tests: &[
            &["test", "-p", "darray", "--doc", "ramp"],
            &["test", "-p", "darray-kernel", "--lib", "operator"],
            &["test", "-p", "darray", "--lib", "operation"],
        ],
    },
    Recipe {
        what: "reduction",
        page: "docs/adding-a-reduction.md",
        tests: &[
            &["test", "-p", "darray", "--doc", "xor"],
            &["test", "-p", "darray-kernel", "--lib", "reducer"],
        ],
    },
];

/// What writes NumPy's results; in its own folder.
const CASES: &str = "tests/cases/generate.py";

/// What must hold of every such tree: that it gives NumPy's results, and that random programs draw what is new and give the
/// same however they are executed.
const TESTS: [&[&str]; 2] = [
    &["test", "-p", "darray-suite", "--test", "cases"],
    &["test", "-p", "darray-suite", "--test", "integration", "random_programs::"],
];

/// What a diff does to one file: pieces of its text and what stands in their place.
#[derive(Debug, PartialEq)]
struct Change {
    path: String,
    pieces: Vec<(String, String)>,
}

/// Copies the repository to `folder`, applies the recipe's diff there, has `python` (with NumPy and mpmath) write the
/// cases, builds, and runs the tests.
///
/// # Errors
/// A file cannot be read or written, the diff does not apply, or the writer of cases or a test fails.
pub fn try_out(recipe: &Recipe, root: &Path, folder: &Path, python: &str) -> io::Result<()> {
    copy(root, folder)?;
    let tree = Tree::read(folder)?;
    for (path, text) in apply(&tree, recipe.page).map_err(Error::other)? {
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
    recipe.tests.iter().chain(&TESTS).try_for_each(|arguments| run("cargo", arguments, folder))
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

/// The files that a page's diff changes, with their new texts.
fn apply(tree: &Tree, page: &str) -> Result<Vec<(String, String)>, String> {
    let page = tree.text(page).ok_or(format!("there is no {page}"))?;
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
    fn an_operator_is_three_files_and_a_reduction_four() {
        let tree = Tree::read(&crate::root()).unwrap();
        for (recipe, (word, files)) in RECIPES.iter().zip([("ramp", 3), ("xor", 4)]) {
            let changed = apply(&tree, recipe.page).unwrap();
            assert_eq!(changed.len(), files, "{}", recipe.what);
            for (path, text) in changed {
                assert!(text.len() > tree.text(&path).unwrap().len(), "{path}");
                assert!(text.to_lowercase().contains(word), "{path}");
            }
        }
    }

    #[test]
    fn a_builtin_is_named_by_its_own_files_and_lists() {
        let tree = Tree::read(&crate::root()).unwrap();
        let product =
            |text: &str| text.split(|c: char| !c.is_alphanumeric()).any(|w| w == "MatMul");
        let of_crates = |path: &str| path.starts_with("crates/") && path.contains("/src/");
        let naming = tree.files().filter(|(path, text)| of_crates(path) && product(text));
        let mut naming: Vec<&str> = naming.map(|(path, _)| path).collect();
        naming.retain(|path| !path.starts_with("crates/xtask/"));
        naming.sort_unstable();
        let expected = [
            "crates/darray-cpu/src/builtin/matmul.rs",
            "crates/darray-cpu/src/builtin/mod.rs",
            "crates/darray-cuda/src/device/builtin/matmul.rs",
            "crates/darray-cuda/src/device/builtin/mod.rs",
            "crates/darray-device/src/builtin.rs",
            "crates/darray-device/src/builtin/matmul.rs",
            "crates/darray-device/src/lib.rs",
            "crates/darray-ir/src/builtin.rs",
            "crates/darray-ir/src/builtin/matmul.rs",
            "crates/darray/src/linalg/product.rs",
        ];
        assert_eq!(naming, expected);
    }

    #[test]
    fn pieces_must_be_found_once() {
        let page = "```diff\n--- a/x\n+++ b/x\n@@\n one\n-two\n+three\n```";
        let apply_to = |text| apply(&Tree::of(&[("page", page), ("x", text)]), "page");
        let changed = apply_to("zero\none\ntwo\n").unwrap();
        assert_eq!(changed, [("x".to_string(), "zero\none\nthree\n".to_string())]);
        assert!(apply_to("one\n").unwrap_err().contains("found 0 times"));
        assert!(apply_to("one\ntwo\none\ntwo\n").unwrap_err().contains("found 2 times"));
        assert!(apply(&Tree::of(&[("page", page)]), "page").is_err());
        assert!(apply(&Tree::of(&[("page", "no diff")]), "page").is_err());
    }
}
