//! No library crate knows a program: speed comes from rules, not from recognising a benchmark.

use super::{Problem, levels, problem};
use crate::Tree;
use crate::source::{blank, lines_with_word};

pub const NAME: &str = "programs";

const PROGRAMS: [&str; 6] =
    ["black_scholes", "BlackScholes", "stencil", "jacobi", "conjugate_gradient", "cg"];

/// Names of example programs in the code of a library crate (its tests excepted).
pub fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (path, text) in tree.rust_files() {
        let mut parts = path.split('/');
        let library = parts.next() == Some("crates")
            && parts.next().and_then(levels::level).is_some_and(|level| level < 8)
            && parts.next() == Some("src")
            && !path.ends_with("tests.rs")
            && !path.contains("/tests/");
        if !library {
            continue;
        }
        let code = blank(text, false);
        let code = code.split("#[cfg(test)]").next().unwrap_or("");
        for program in PROGRAMS {
            for line in lines_with_word(code, program) {
                problems.push(problem(NAME, path, line, format!("names the program `{program}`")));
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
    fn a_library_that_names_a_program_is_found() {
        let code =
            "// a stencil\nif name == \"stencil\" {}\n#[cfg(test)]\nmod tests { fn cg() {} }";
        let tree = Tree::of(&[
            ("crates/darray-fusion/src/a.rs", code),
            ("crates/darray-cli/src/a.rs", code),
            ("crates/darray-fusion/tests/a.rs", code),
        ]);
        let found: Vec<_> = check(&tree).into_iter().map(|p| (p.path, p.line)).collect();
        assert_eq!(found, [("crates/darray-fusion/src/a.rs".to_string(), 2)]);
    }
}
