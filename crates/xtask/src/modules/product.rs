//! Which lines are product: those of `src/` outside of tests.

use crate::Tree;
use crate::source::blank;
use std::collections::BTreeSet;
use std::fmt;

/// Crates that users link; the last runs on processors.
const LIBRARIES: [&str; 10] = [
    "darray-core",
    "darray-kernel",
    "darray-ir",
    "darray-fusion",
    "darray-codegen",
    "darray-device",
    "darray-cuda",
    "darray-runtime",
    "darray",
    "darray-cpu",
];

/// What stands before an item that only tests have. Builds for users are without the feature.
const FOR_TESTS: [&str; 2] = ["#[cfg(test)]", "#[cfg(feature = \"testing\")]"];

/// The names of the library crates.
pub fn library_crates() -> &'static [&'static str] {
    &LIBRARIES
}

/// Lines of the library crates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// Crates with their lines of product and of tests, in reading order.
    pub crates: Vec<(&'static str, usize, usize)>,
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:20} {:>8} {:>8}", "crate", "product", "tests")?;
        for (name, product, tests) in &self.crates {
            writeln!(f, "{name:20} {product:8} {tests:8}")?;
        }
        let product: usize = self.crates.iter().map(|(_, product, _)| product).sum();
        let tests: usize = self.crates.iter().map(|(.., tests)| tests).sum();
        write!(f, "{:20} {:8} {tests:8}", "all", product)
    }
}

/// The lines of the library crates: all that is in files of `src/`, blank lines and comments included.
pub fn lines(tree: &Tree) -> Lines {
    let count = |name: &'static str| {
        let folder = format!("crates/{name}/src/");
        let files: Vec<_> =
            tree.rust_files().filter(|(path, _)| path.starts_with(&folder)).collect();
        let tests = test_files(&files);
        let (mut product, mut all) = (0, 0);
        for (path, text) in files {
            all += text.lines().count();
            product += if tests.contains(path) { 0 } else { without_tests(text).lines().count() };
        }
        (name, product, all - product)
    };
    Lines { crates: LIBRARIES.map(count).into_iter().filter(|(_, p, t)| p + t > 0).collect() }
}

/// The paths of `files`, which are all of a crate's, that only tests have: modules that are declared under
/// `#[cfg(test)]` or for the feature `testing`, and what they declare.
pub fn test_files<'t>(files: &[(&'t str, &str)]) -> BTreeSet<&'t str> {
    let mut roots = Vec::new();
    for (path, text) in files {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for pair in lines.windows(2).filter(|pair| FOR_TESTS.contains(&pair[0])) {
            let words = pair[1].strip_suffix(';').and_then(|line| line.split("mod ").nth(1));
            let Some(name) = words else { continue };
            let folder = path.trim_end_matches("mod.rs").trim_end_matches("lib.rs");
            let folder = folder.trim_end_matches(".rs").trim_end_matches('/');
            roots.push(format!("{folder}/{name}"));
        }
    }
    let is_test = |path: &str| {
        let below = |root: &String| {
            let rest = path.strip_prefix(root.as_str());
            rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        };
        roots.iter().any(below)
    };
    files.iter().map(|(path, _)| *path).filter(|path| is_test(path)).collect()
}

/// `text` without items under `#[cfg(test)]` or for the feature `testing`, the line of the attribute included.
pub fn without_tests(text: &str) -> String {
    let code = blank(text, true);
    let (mut kept, mut depth, mut inside) = (String::new(), 0isize, false);
    for (line, code) in text.lines().zip(code.lines()) {
        if !inside && FOR_TESTS.contains(&line.trim()) {
            (inside, depth) = (true, 0);
            continue;
        }
        if inside {
            depth += code.matches('{').count() as isize - code.matches('}').count() as isize;
            let ends = code.trim_end().ends_with(['}', ';', ',']);
            inside = depth > 0 || !ends;
            continue;
        }
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{lines, without_tests};
    use crate::Tree;

    #[test]
    fn tests_are_not_product() {
        let text = "fn f() {}\n#[cfg(test)]\nuse a;\nfn g() {}\n#[cfg(test)]\nmod tests {\n fn h() {}\n}\n";
        assert_eq!(without_tests(text), "fn f() {}\nfn g() {}\n");
        let text = "struct A {\n #[cfg(feature = \"testing\")]\n a: bool,\n b: bool,\n}\n";
        assert_eq!(without_tests(text), "struct A {\n b: bool,\n}\n");
        let tree = Tree::of(&[
            ("crates/darray/src/lib.rs", "mod a;\n#[cfg(test)]\nmod tests;\n"),
            ("crates/darray/src/a.rs", "#[cfg(test)]\nmod tests;\n\nfn f() {}\n"),
            ("crates/darray/src/a/tests.rs", "x\n"),
            ("crates/darray/src/tests/more.rs", "x\ny\n"),
            ("crates/darray/tests/b.rs", "x\n"),
        ]);
        assert_eq!(lines(&tree).crates, [("darray", 3, 7)]);
    }
}
