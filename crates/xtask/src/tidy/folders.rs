//! No folder of sources has more files than one can look over.

use super::{Problem, problem};
use crate::Tree;
use std::collections::BTreeMap;

pub const NAME: &str = "folders";

/// A folder of more is divided by purpose.
const MOST: usize = 15;

/// A file for each cause of a bug, named by it: nobody looks for one among them in another way.
const LISTS: [&str; 1] = ["tests/bug"];

/// Folders that have more, and how many files they have at most. What is smaller than this says is an error, too, so that the
/// numbers only go down.
const KNOWN: [(&str, usize); 0] = [];

/// At most so many Rust files lie directly in a folder below `src/`, or in one of `tests/`, as are said to.
pub fn check(tree: &Tree) -> Vec<Problem> {
    of(tree, &KNOWN)
}

fn of(tree: &Tree, known: &[(&str, usize)]) -> Vec<Problem> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let folders = tree.rust_files().filter_map(|(path, _)| path.rsplit_once('/'));
    let is_counted = |folder: &str| {
        let sources = folder.ends_with("/src") || folder.contains("/src/");
        (sources || folder.starts_with("tests/")) && !LISTS.contains(&folder)
    };
    for (folder, _) in folders.filter(|(folder, _)| is_counted(folder)) {
        *counts.entry(folder).or_default() += 1;
    }
    let most = |folder: &str| known.iter().find(|(known, _)| *known == folder).map(|&(_, n)| n);
    let mut problems = Vec::new();
    for (&folder, &count) in &counts {
        let most = most(folder).unwrap_or(MOST);
        if count > most {
            let message = format!("{count} files, at most {most} here: divide it by purpose");
            problems.push(problem(NAME, folder, 0, message));
        }
    }
    for &(folder, most) in known {
        let count = counts.get(folder).copied().unwrap_or_default();
        if count < most {
            let message = format!("{count} files, {most} are said to be here");
            problems.push(problem(NAME, folder, 0, message));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::{MOST, of};
    use crate::Tree;

    fn found(folder: &str, count: usize, known: &[(&str, usize)]) -> Vec<String> {
        let paths: Vec<String> = (0..count).map(|n| format!("{folder}/a{n}.rs")).collect();
        let files: Vec<(&str, &str)> = paths.iter().map(|path| (&path[..], "")).collect();
        of(&Tree::of(&files), known).into_iter().map(|problem| problem.path).collect()
    }

    #[test]
    fn file_16_of_a_folder_is_too_many() {
        for folder in ["crates/a/src", "crates/a/src/b", "tests/c", "tests/crates/d/src"] {
            assert!(found(folder, MOST, &[]).is_empty(), "{folder}");
            assert_eq!(found(folder, MOST + 1, &[]), [folder]);
        }
        // Each file below is by itself.
        assert!(found("tests/bug", 2 * MOST, &[]).is_empty());
        assert!(found("crates/a/tests/api", 2 * MOST, &[]).is_empty());
    }

    #[test]
    fn files_are_no_more_and_no_less_than_known() {
        let folder = "crates/a/src";
        assert!(found(folder, 20, &[(folder, 20)]).is_empty());
        assert_eq!(found(folder, 21, &[(folder, 20)]), [folder]);
        assert_eq!(found(folder, 19, &[(folder, 20)]), [folder]);
        assert_eq!(found("crates/b/src", 1, &[(folder, 20)]), [folder]);
    }
}
