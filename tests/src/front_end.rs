//! The functions of the front end, as its sources declare them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The types whose methods users call.
const TYPES: [&str; 4] = ["DArray", "DynArray", "Generator", "Archive"];

/// The names of all public methods of arrays, generators and archives that stand in the sources, and of
/// the functions of `np`. What is made of the tables, of element-wise operations and of functions that are
/// made of others, is not among them.
///
/// # Panics
/// If the sources cannot be read.
pub fn functions() -> BTreeSet<String> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/darray/src");
    let mut names = BTreeSet::new();
    for path in files(&sources) {
        let text = std::fs::read_to_string(&path).expect("a source file");
        let within =
            |folder| path.strip_prefix(&sources).is_ok_and(|path| path.starts_with(folder));
        let free = within("np") && !within("np/math/composed");
        names.extend(declared(&text, free).map(str::to_string));
    }
    names
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of sources");
    let paths = entries.map(|entry| entry.expect("an entry of a folder").path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The public functions in the inherent implementations of the types, and outside of any if `free`.
fn declared(text: &str, free: bool) -> impl Iterator<Item = &str> {
    let mut within = false;
    text.lines().filter_map(move |line| {
        if line.starts_with("impl") {
            within = !line.contains(" for ") && implements(line);
        }
        let name = match line.strip_prefix("    ") {
            Some(line) if within => line.strip_prefix("pub fn ")?,
            None if free => line.strip_prefix("pub fn ")?,
            _ => return None,
        };
        name.split(['<', '(']).next()
    })
}

/// Whether `impl<T: Element> DArray<T> {` is of one of the types.
fn implements(line: &str) -> bool {
    let words = line.split(|c: char| !c.is_alphanumeric());
    words.rev().find(|word| word.len() > 1).is_some_and(|word| TYPES.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::declared;

    #[test]
    fn methods_of_the_types_and_free_functions_are_found() {
        let text = "
impl<T: Element> DArray<T> {
    pub fn sum(&self) -> DArray<T> {
    fn hidden(&self) {
}
impl Composition {
    pub fn reduce(&self) {
}
impl<T> Clone for DArray<T> {
    pub fn no(&self) {
}
pub fn where_<A>(a: A) {
impl DynArray {
    pub fn full(shape: usize) {
";
        let names = |free| declared(text, free).collect::<Vec<_>>();
        assert_eq!(names(false), ["sum", "full"]);
        assert_eq!(names(true), ["sum", "where_", "full"]);
    }
}
