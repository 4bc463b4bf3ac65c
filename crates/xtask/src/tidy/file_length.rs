//! No Rust file is over 500 lines.

use super::{Problem, problem};
use crate::Tree;

pub const NAME: &str = "file-length";

const MOST: usize = 500;

/// Files aim at 300 lines.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let long = tree.rust_files().filter(|(_, text)| text.lines().count() > MOST);
    long.map(|(path, text)| {
        let lines = text.lines().count();
        problem(NAME, path, 0, format!("{lines} lines; at most {MOST}, one concept per file"))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::Tree;

    #[test]
    fn line_501_is_too_many() {
        let lines = |n: usize| "x\n".repeat(n);
        let tree = Tree::of(&[("a.rs", &lines(501)), ("b.rs", &lines(500)), ("c.md", &lines(900))]);
        let paths: Vec<String> = check(&tree).into_iter().map(|p| p.path).collect();
        assert_eq!(paths, ["a.rs"]);
    }
}
