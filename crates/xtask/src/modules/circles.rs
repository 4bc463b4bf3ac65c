//! Modules of one folder that import each other in circles.

use super::imports::{Imports, Path, imports};
use super::product::{test_files, without_tests};
use crate::Tree;
use std::collections::{BTreeMap, BTreeSet};

/// Modules that reach each other by imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circle {
    /// The folder that they lie in, from the repository's root.
    pub folder: String,
    /// Their names, in order.
    pub modules: Vec<String>,
    /// How many imports of one by another there are.
    pub edges: usize,
}

/// The circles of a crate. A module's parent is no part of them: it declares what is in it.
pub fn circles(tree: &Tree, krate: &str) -> Vec<Circle> {
    let root = format!("crates/{krate}/src/");
    let files: Vec<_> = tree.rust_files().filter(|(path, _)| path.starts_with(&root)).collect();
    let tests = test_files(&files);
    let product: Vec<(Path, String)> = files
        .iter()
        .filter(|(path, _)| !tests.contains(path))
        .map(|(path, text)| (module_of(&path[root.len()..]), without_tests(text)))
        .collect();
    let modules: BTreeSet<&Path> = product.iter().map(|(module, _)| module).collect();
    let children = |of: &Path| -> Vec<String> {
        let is_child = |module: &&&Path| module.len() == of.len() + 1 && module.starts_with(of);
        modules.iter().filter(is_child).filter_map(|module| module.last().cloned()).collect()
    };
    let named: BTreeMap<&Path, Imports> = product
        .iter()
        .map(|(module, text)| (module, imports(module, text, &children(module))))
        .collect();
    // Siblings that import each other, by the folder.
    let mut edges: BTreeMap<Path, BTreeSet<(String, String)>> = BTreeMap::new();
    for (from, imports) in &named {
        for path in &imports.paths {
            let Some(to) = home(&named, path, 0) else { continue };
            let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            if let (Some(a), Some(b)) = (from.get(shared), to.get(shared)) {
                let edge = (a.clone(), b.clone());
                edges.entry(from[..shared].to_vec()).or_default().insert(edge);
            }
        }
    }
    edges.into_iter().flat_map(|(folder, edges)| of_folder(&root, &folder, &edges)).collect()
}

/// The module of a file below `src/`.
fn module_of(path: &str) -> Path {
    let path = path.trim_end_matches(".rs");
    let path = path.strip_suffix("mod").filter(|path| path.ends_with('/')).unwrap_or(path);
    let parts = path.split('/').filter(|part| !part.is_empty()).map(String::from);
    let path: Path = parts.collect();
    if path == ["lib"] || path == ["main"] { Vec::new() } else { path }
}

/// The module that defines what a path names: a module's own name may be one that it imports.
fn home(named: &BTreeMap<&Path, Imports>, path: &Path, depth: usize) -> Option<Path> {
    const DEEPEST: usize = 8;
    let module =
        (0..=path.len()).rev().map(|n| path[..n].to_vec()).find(|m| named.contains_key(m))?;
    let imported = path.get(module.len()).and_then(|name| named[&module].names.get(name));
    match imported {
        Some(other) if depth < DEEPEST => home(named, other, depth + 1),
        _ => Some(module),
    }
}

/// The circles among the modules of a folder.
fn of_folder(root: &str, folder: &Path, edges: &BTreeSet<(String, String)>) -> Vec<Circle> {
    let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    edges.iter().for_each(|(a, b)| next.entry(a).or_default().push(b));
    let next = |name: &str| next.get(name).into_iter().flatten().copied();
    let reached = |from: &str| {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut todo: Vec<&str> = next(from).collect();
        while let Some(name) = todo.pop() {
            if seen.insert(name) {
                todo.extend(next(name));
            }
        }
        seen.into_iter().map(String::from).collect::<BTreeSet<String>>()
    };
    let names: BTreeSet<&String> = edges.iter().flat_map(|(a, b)| [a, b]).collect();
    let reach: BTreeMap<&String, BTreeSet<String>> =
        names.iter().map(|name| (*name, reached(name))).collect();
    let mut circles: BTreeSet<Vec<String>> = BTreeSet::new();
    for (name, from_here) in &reach {
        if from_here.contains(*name) {
            let with =
                |other: &&&String| from_here.contains(**other) && reach[**other].contains(*name);
            circles.insert(names.iter().filter(with).map(|other| other.to_string()).collect());
        }
    }
    let folder = format!("{root}{}", folder.join("/"));
    let circle = |modules: Vec<String>| {
        let inside = |(a, b): &&(String, String)| modules.contains(a) && modules.contains(b);
        let edges = edges.iter().filter(inside).count();
        Circle { folder: folder.trim_end_matches('/').to_string(), modules, edges }
    };
    circles.into_iter().map(circle).collect()
}

#[cfg(test)]
mod tests {
    use super::circles;
    use crate::Tree;

    fn found(files: &[(&str, &str)]) -> Vec<(String, String)> {
        let files: Vec<(String, &str)> =
            files.iter().map(|(path, text)| (format!("crates/c/src/{path}"), *text)).collect();
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (&path[..], *text)).collect();
        let circles = circles(&Tree::of(&files), "c");
        circles.into_iter().map(|circle| (circle.folder, circle.modules.join(" "))).collect()
    }

    #[test]
    fn circles_are_found_through_names_that_a_parent_gives() {
        let parent = ("m/mod.rs", "mod a; mod b; mod c;\npub use b::B;");
        let circle =
            [parent, ("m/a.rs", "use super::B;"), ("m/b.rs", "fn f(_: crate::m::a::A) {}")];
        assert_eq!(found(&circle), [("crates/c/src/m".to_string(), "a b".to_string())]);
        let tests = "#[cfg(test)]\nmod tests {\n    use crate::m::a::A;\n}\n";
        assert_eq!(found(&[parent, ("m/a.rs", "use super::B;"), ("m/b.rs", tests)]), []);
        // A name that a module in the parent's file takes from the parent stays what it is.
        let root = "mod a; mod b;\npub use a::A;\npub mod prelude { pub use crate::A; }";
        let files = [("lib.rs", root), ("a.rs", "use crate::b::B;"), ("b.rs", "use crate::A;")];
        assert_eq!(found(&files), [("crates/c/src".to_string(), "a b".to_string())]);
        // What a parent says of all is no circle.
        assert_eq!(
            found(&[("m/mod.rs", "mod a; use a::A;"), ("m/a.rs", "use super::Shared;")]),
            []
        );
    }

    #[test]
    fn folders_import_as_modules_do() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a/mod.rs", "mod x;"),
            ("a/x.rs", "use crate::b::B;"),
            ("b.rs", "use crate::a::A;"),
        ];
        assert_eq!(found(&files), [("crates/c/src".to_string(), "a b".to_string())]);
    }
}
