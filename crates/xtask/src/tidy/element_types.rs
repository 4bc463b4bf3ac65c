//! Below the front end a type is its kind and size, or a type of computation, and not a name.

use super::{Problem, problem};
use crate::Tree;
use crate::modules::{library_crates, test_files, without_tests};
use crate::source::blank;
use darray_core::RealType;

pub const NAME: &str = "element-types";

/// Crates that may: the one with the table, and the front end.
const FREE: [&str; 2] = ["darray-core", "darray"];

/// No product file of the other library crates names a variant of `RealType`.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let found = files_with_names(tree).into_iter();
    found
        .map(|(path, line, name)| {
            let message =
                format!("names RealType::{name}: ask a type for its kind and size, or `Compute`");
            problem(NAME, path, line, message)
        })
        .collect()
}

/// The product files below the front end that name variants of `RealType`, with the first line that does and its variant.
pub fn files_with_names(tree: &Tree) -> Vec<(&str, usize, String)> {
    let names = RealType::ALL.map(|dtype| format!("{dtype:?}"));
    let mut found = Vec::new();
    for name in library_crates().iter().filter(|name| !FREE.contains(name)) {
        let folder = format!("crates/{name}/src/");
        let files: Vec<_> =
            tree.rust_files().filter(|(path, _)| path.starts_with(&folder)).collect();
        let tests = test_files(&files);
        for (path, text) in files.into_iter().filter(|(path, _)| !tests.contains(path)) {
            let product = without_tests(text);
            let code = blank(&product, true);
            let named = code.lines().zip(product.lines()).find_map(|(code, line)| {
                Some((line, names.iter().find(|name| is_named(code, name))?))
            });
            let Some((named, name)) = named else { continue };
            let line = text.lines().position(|line| line == named).map_or(0, |at| at + 1);
            found.push((path, line, name.clone()));
        }
    }
    found
}

/// Whether a line has the variant by its path, alone or in a list.
fn is_named(line: &str, name: &str) -> bool {
    line.split("RealType::").skip(1).any(|rest| {
        let list = rest.strip_prefix('{').and_then(|rest| rest.split('}').next());
        let words = list.unwrap_or(rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or(""));
        words.split(',').any(|word| word.trim() == name || word.trim() == "*")
    })
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::Tree;

    #[test]
    fn names_are_found_outside_of_tests() {
        let tree = Tree::of(&[
            ("crates/darray/src/a.rs", "fn f() -> RealType { RealType::F64 }"),
            ("crates/darray-cpu/src/a.rs", "fn f() -> RealType {\n    RealType::F64\n}"),
            ("crates/darray-cpu/src/b.rs", "use RealType::{Bool, U8};"),
            (
                "crates/darray-cpu/src/c.rs",
                "// RealType::F64\nfn f() -> RealType { RealType::INDEX }",
            ),
            ("crates/darray-cpu/src/d.rs", "#[cfg(test)]\nmod tests {\n    use RealType::F32;\n}"),
            ("crates/darray-cpu/src/e.rs", "fn f() -> Compute { Compute::F64 }"),
        ]);
        let found: Vec<String> = check(&tree).iter().map(|problem| problem.to_string()).collect();
        let message = "ask a type for its kind and size, or `Compute` [element-types]";
        assert_eq!(
            found,
            [
                format!("crates/darray-cpu/src/a.rs:2: names RealType::F64: {message}"),
                format!("crates/darray-cpu/src/b.rs:1: names RealType::Bool: {message}"),
            ]
        );
    }
}
