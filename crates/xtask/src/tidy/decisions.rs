//! Decisions have a number, a title, a status and a place in the table of all.

use super::{Problem, problem};
use crate::Tree;
use std::collections::BTreeMap;

pub const NAME: &str = "decisions";

const FOLDER: &str = "docs/decisions/";
const TABLE: &str = "docs/decisions/README.md";

/// A decision begins with `# N. Title`, N being the number of the file's name, which no other has; it has a line
/// `Status: ..`, and the table of all decisions links to it.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut numbers: BTreeMap<u32, &str> = BTreeMap::new();
    let table = tree.text(TABLE).unwrap_or("");
    for (path, text) in tree.files() {
        let name = path.strip_prefix(FOLDER).filter(|name| name.ends_with(".md"));
        let Some(name) = name.filter(|_| path != TABLE) else { continue };
        let mut found = |line, message: String| problems.push(problem(NAME, path, line, message));
        match number_of(name) {
            None => found(0, "the name begins with no number of four digits and `-`".to_string()),
            Some(number) => {
                if text.lines().next().and_then(number_of_title) != Some(number) {
                    found(1, format!("the first line is not `# {number}. ` and a title"));
                }
                if let Some(other) = numbers.insert(number, path) {
                    found(0, format!("{number} is the number of {other}, too"));
                }
            }
        }
        if !text.lines().any(|line| line.starts_with("Status: ")) {
            found(0, "no line begins with `Status: `".to_string());
        }
        if !table.contains(&format!("({name})")) {
            found(0, format!("{TABLE} does not list it"));
        }
    }
    problems
}

/// The number that the name of a decision begins with, in four digits.
fn number_of(name: &str) -> Option<u32> {
    let (digits, _) = name.split_once('-')?;
    (digits.len() == 4 && is_number(digits)).then(|| digits.parse().ok())?
}

/// The number of a line `# N. Title`.
fn number_of_title(line: &str) -> Option<u32> {
    let (digits, title) = line.strip_prefix("# ")?.split_once(". ")?;
    (is_number(digits) && !title.trim().is_empty()).then(|| digits.parse().ok())?
}

fn is_number(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{TABLE, check};
    use crate::Tree;

    const GOOD: &str = "# 7. Trees\n\nStatus: accepted\n\n## Context\n";

    fn messages(files: &[(&str, &str)]) -> Vec<String> {
        check(&Tree::of(files)).iter().map(|p| p.to_string()).collect()
    }

    #[test]
    fn a_decision_in_the_form_is_none() {
        let table = "| 7 | [Trees](0007-trees.md) | accepted | .. |";
        let other = ("docs/notes/0009-lanes.md", "no title and no status");
        assert!(
            messages(&[(TABLE, table), ("docs/decisions/0007-trees.md", GOOD), other]).is_empty()
        );
    }

    #[test]
    fn what_is_wrong_in_a_tree_is_found() {
        let table =
            "[Trees](0007-trees.md) [More](0007-more.md) [Lanes](0008-lanes.md) [Text](text.md)";
        assert_eq!(
            messages(&[
                (TABLE, table),
                ("docs/decisions/0007-more.md", GOOD),
                ("docs/decisions/0007-trees.md", GOOD),
                ("docs/decisions/0008-lanes.md", "# 9. Lanes\n\nStatus of it: accepted\n"),
                ("docs/decisions/0010-alone.md", "# 10. \n\nStatus: accepted\n"),
                ("docs/decisions/text.md", GOOD),
            ]),
            [
                "docs/decisions/0007-trees.md: 7 is the number of docs/decisions/0007-more.md, too [decisions]",
                "docs/decisions/0008-lanes.md:1: the first line is not `# 8. ` and a title [decisions]",
                "docs/decisions/0008-lanes.md: no line begins with `Status: ` [decisions]",
                "docs/decisions/0010-alone.md:1: the first line is not `# 10. ` and a title [decisions]",
                "docs/decisions/0010-alone.md: docs/decisions/README.md does not list it [decisions]",
                "docs/decisions/text.md: the name begins with no number of four digits and `-` [decisions]",
            ]
        );
    }

    #[test]
    fn without_a_table_nothing_is_listed() {
        assert_eq!(messages(&[("docs/decisions/0007-trees.md", GOOD)]).len(), 1);
    }
}
