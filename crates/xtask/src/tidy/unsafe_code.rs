//! `unsafe` only where memory, threads or foreign code ask for it.

use super::{Problem, problem};
use crate::Tree;
use crate::source::{blank, lines_with_word};

pub const NAME: &str = "unsafe";

/// The one list of where `unsafe` may stand.
const ALLOWED: [&str; 6] = [
    "crates/darray-cpu/",
    "crates/darray-cuda/",
    "tests/crates/darray-fakecuda/",
    // Kernels by hand, to measure against.
    "benches/",
    // Kernels that programs bring along.
    "crates/darray-programs/src/task_bench.rs",
    "tests/gpu/tasks.rs",
];

/// No `unsafe` outside [`ALLOWED`]. That each block there has its reason is clippy's check.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (path, text) in tree.rust_files() {
        if ALLOWED.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        for line in lines_with_word(&blank(text, true), "unsafe") {
            problems.push(problem(NAME, path, line, "`unsafe` is not allowed in this crate"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::Tree;

    #[test]
    fn unsafe_is_found_in_code_only() {
        let code = "// unsafe\nfn f() { g(\"unsafe\") }\n#![deny(unsafe_code)]\nunsafe { h() }\n";
        let tree = Tree::of(&[
            ("crates/darray-cpu/src/a.rs", code),
            ("crates/darray-ir/src/a.rs", code),
            ("tests/a.rs", code),
        ]);
        let found: Vec<_> = check(&tree).into_iter().map(|p| (p.path, p.line)).collect();
        let expected = [("crates/darray-ir/src/a.rs", 4), ("tests/a.rs", 4)];
        assert_eq!(found, expected.map(|(path, line)| (path.to_string(), line)));
    }
}
