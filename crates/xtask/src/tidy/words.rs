//! Nothing is left for later, and no name says nothing.

use super::{Problem, problem};
use crate::Tree;
use crate::source::{blank, lines_with_word};

pub const NAME: &str = "words";

/// Words that may stand nowhere, not even in a comment. Spliced, so that this file may hold them.
const NOTES: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

/// Pieces of code that may stand nowhere outside a string.
const CODE: [&str; 4] = [
    concat!("#[ig", "nore"),
    concat!("to", "do!("),
    concat!("unimple", "mented!("),
    concat!("db", "g!("),
];

/// Names of files and folders that say nothing of what is inside.
const NAMES: [&str; 6] = ["utils", "util", "common", "base", "misc", "helpers"];

/// No notes to self, no disabled tests, no empty bodies, no catch-all modules.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (path, text) in tree.files() {
        for word in NOTES {
            for line in lines_with_word(text, word) {
                problems.push(problem(NAME, path, line, format!("`{word}`: do it or file it")));
            }
        }
    }
    for (path, text) in tree.rust_files() {
        for (index, line) in blank(text, true).lines().enumerate() {
            for piece in CODE.iter().filter(|piece| line.contains(*piece)) {
                problems.push(problem(NAME, path, index + 1, format!("`{piece}` is not allowed")));
            }
        }
        for part in path.trim_end_matches(".rs").split('/').filter(|part| NAMES.contains(part)) {
            problems.push(problem(NAME, path, 0, format!("`{part}` does not name a concept")));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::{CODE, NOTES, check};
    use crate::Tree;

    #[test]
    fn notes_disabled_tests_and_empty_names_are_found() {
        for note in NOTES {
            let tree = Tree::of(&[("a.md", &format!("x {note}: y"))]);
            assert_eq!(check(&tree).len(), 1, "{note}");
        }
        for piece in CODE {
            let tree = Tree::of(&[("a.rs", &format!("fn f() {{\n{piece}\n")), ("b.md", piece)]);
            let lines: Vec<usize> = check(&tree).iter().map(|p| p.line).collect();
            assert_eq!(lines, [2], "{piece}");
        }
        assert_eq!(check(&Tree::of(&[("crates/a/src/utils.rs", "")])).len(), 1);
        assert_eq!(check(&Tree::of(&[("crates/a/src/common/b.rs", "")])).len(), 1);
        assert!(check(&Tree::of(&[("crates/a/src/map.rs", "/// masto\u{64}on")])).is_empty());
    }
}
