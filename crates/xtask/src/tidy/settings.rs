//! Settings are read in one place and documented.

use super::{Problem, problem};
use crate::Tree;
use crate::source::blank;

pub const NAME: &str = "settings";

/// The one file that may read the environment.
const TABLE: &str = "crates/darray-core/src/settings.rs";

/// Its tests, which hold misspelt names.
const TABLE_TESTS: &str = "crates/darray-core/src/settings/tests.rs";

/// The settings of the fake driver and of tests, which are no part of the library.
const OF_TESTS: [&str; 2] = [
    "tests/crates/darray-fakecuda/src/driver/config.rs",
    "tests/crates/darray-fakecuda/src/skip.rs",
];

/// The one page that lists the settings.
pub const PAGE: &str = "docs/settings.md";

/// Ways to read the environment at run time.
const READS: [&str; 5] = ["env::var(", "env::var_os(", "env::vars(", "env::vars_os(", "getenv("];

/// Nobody but the table reads the environment; every `DARRAY_*` name in code is in the table; the
/// page names exactly the settings of the table.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    let table = tree.text(TABLE).map(|text| blank(text, false));
    let table = table.as_deref().map(|t| t.split("#[cfg(test)]").next().unwrap_or(""));
    let known = table.map(names).unwrap_or_default();
    let in_crates = |path: &str| path.starts_with("crates/") || path.starts_with("tests/crates/");
    for (path, text) in tree.rust_files().filter(|(path, _)| in_crates(path)) {
        // This crate's tests hold bad code as text.
        if path.starts_with("crates/xtask/") || [TABLE, TABLE_TESTS].contains(&path) {
            continue;
        }
        for (index, line) in blank(text, false).lines().enumerate() {
            let reads = READS.iter().any(|read| line.contains(read));
            if reads && !OF_TESTS.contains(&path) {
                let message = format!("reads the environment; settings are in {TABLE}");
                problems.push(problem(NAME, path, index + 1, message));
            }
            for name in names(line).into_iter().filter(|name| !known.contains(name)) {
                let message = format!("{name} is not in the table of settings");
                problems.push(problem(NAME, path, index + 1, message));
            }
        }
    }
    let documented = tree.text(PAGE).map(names).unwrap_or_default();
    for name in known.iter().filter(|name| !documented.contains(name)) {
        problems.push(problem(NAME, PAGE, 0, format!("{name} is not documented")));
    }
    for name in documented.iter().filter(|name| !known.contains(name)) {
        problems.push(problem(NAME, PAGE, 0, format!("{name} is no setting")));
    }
    problems
}

/// The `DARRAY_*` names in a text, each once, in order of appearance.
fn names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    for (at, prefix) in text.match_indices("DARRAY_") {
        let rest = &text[at + prefix.len()..];
        let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let name = format!("{prefix}{}", &rest[..length]);
        if length > 0 && !text[..at].ends_with(is_name) && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{PAGE, TABLE, check};
    use crate::Tree;

    const GOOD: &str = "pub const A: &str = \"DARRAY_WINDOW\";\nstd::env::var(A)";

    fn messages(files: &[(&str, &str)]) -> Vec<String> {
        check(&Tree::of(files)).iter().map(|p| p.to_string()).collect()
    }

    #[test]
    fn reading_elsewhere_and_unknown_names_are_found() {
        let page = "`DARRAY_WINDOW` does this";
        let code = "fn f() { std::env::var(\"DARRAY_WINDOE\"); }";
        assert_eq!(
            messages(&[(TABLE, GOOD), (PAGE, page), ("crates/a/src/b.rs", code)]),
            [
                "crates/a/src/b.rs:1: reads the environment; settings are in \
                 crates/darray-core/src/settings.rs [settings]",
                "crates/a/src/b.rs:1: DARRAY_WINDOE is not in the table of settings [settings]",
            ]
        );
        assert!(messages(&[(TABLE, GOOD), (PAGE, page)]).is_empty());
    }

    #[test]
    fn page_and_table_name_the_same_settings() {
        assert_eq!(messages(&[(TABLE, GOOD)]).len(), 1);
        let page = "`DARRAY_WINDOW`, `DARRAY_WINDOWS`";
        assert_eq!(
            messages(&[(TABLE, GOOD), (PAGE, page)]),
            ["docs/settings.md: DARRAY_WINDOWS is no setting [settings]"]
        );
    }
}
