//! Every crate says what it is.

use super::{Problem, problem};
use crate::Tree;

pub const NAME: &str = "crate-docs";

/// Crate roots, examples and integration tests begin with `//!`.
pub fn check(tree: &Tree) -> Vec<Problem> {
    tree.rust_files()
        .filter(|(path, _)| is_root(path))
        .filter(|(_, text)| !text.trim_start().starts_with("//!"))
        .map(|(path, _)| problem(NAME, path, 1, "a crate begins with `//!` and what it is"))
        .collect()
}

fn is_root(path: &str) -> bool {
    path.ends_with("src/lib.rs") || path.ends_with("src/main.rs") || path.contains("/examples/")
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::Tree;

    #[test]
    fn a_root_without_docs_is_found() {
        let tree = Tree::of(&[
            ("crates/a/src/lib.rs", "mod b;"),
            ("crates/a/src/b.rs", "struct C;"),
            ("crates/c/src/lib.rs", "//! C.\n"),
            ("crates/a/examples/d.rs", "fn main() {}"),
        ]);
        let paths: Vec<String> = check(&tree).into_iter().map(|p| p.path).collect();
        assert_eq!(paths, ["crates/a/examples/d.rs", "crates/a/src/lib.rs"]);
    }
}
