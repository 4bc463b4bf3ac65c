//! `unwrap` prints an error's text.

use super::{Problem, problem};
use crate::Tree;

pub const NAME: &str = "errors";

/// Beside every `impl Error for X` stands an `impl fmt::Debug for X`: a derived one shows the fields.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (path, text) in tree.rust_files() {
        for (number, line) in text.lines().enumerate() {
            let named = ["impl Error for ", "impl std::error::Error for "];
            let Some(rest) = named.iter().find_map(|start| line.strip_prefix(start)) else {
                continue;
            };
            let name = rest.split([' ', '{']).next().unwrap_or(rest);
            if !text.contains(&format!("impl fmt::Debug for {name} ")) {
                let message = format!("the Debug of {name} is its text, which `unwrap` prints");
                problems.push(problem(NAME, path, number + 1, message));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::Tree;

    #[test]
    fn an_error_with_derived_debug_is_found() {
        let derived = "#[derive(Debug)]\nstruct A;\nimpl Error for A {}\n";
        let written = "impl fmt::Debug for B {}\nimpl std::error::Error for B {}\n";
        let tree = Tree::of(&[("a.rs", derived), ("b.rs", written)]);
        let found: Vec<String> = check(&tree).iter().map(|p| p.to_string()).collect();
        let expected = "a.rs:3: the Debug of A is its text, which `unwrap` prints [errors]";
        assert_eq!(found, [expected]);
    }
}
