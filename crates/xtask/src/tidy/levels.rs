//! A crate depends only on crates of lower level.

use super::{Problem, problem};
use crate::Tree;

pub const NAME: &str = "levels";

/// The levels, which are also the reading order. Crates that only serve development, from level 8 on, come last.
const LEVELS: [(&str, u8); 22] = [
    ("darray-core", 0),
    ("darray-kernel", 1),
    ("darray-ir", 2),
    ("darray-fusion", 3),
    ("darray-codegen", 3),
    ("darray-comm", 3),
    ("darray-device", 3),
    ("darray-cpu", 4),
    ("darray-cuda", 4),
    ("darray-runtime", 5),
    ("darray", 6),
    ("darray-programs", 8),
    ("darray-benches", 8),
    ("xtask", 8),
    ("darray-cli", 9),
    ("darray-interpreter", 8),
    ("darray-fakecuda", 8),
    ("darray-differential", 9),
    ("darray-testdevices", 9),
    ("darray-testkit", 10),
    ("darray-pages", 11),
    ("darray-suite", 11),
];

/// The level of a crate of the workspace.
pub fn level(name: &str) -> Option<u8> {
    LEVELS.iter().find(|(n, _)| *n == name).map(|(_, level)| *level)
}

/// Every manifest's `[dependencies]` and `[build-dependencies]` point down; development
/// dependencies are free.
pub fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (path, text) in tree.files().filter(|(path, _)| path.ends_with("Cargo.toml")) {
        let manifest = Manifest::parse(text);
        let Some(name) = manifest.name else { continue };
        let folder = path.trim_end_matches("/Cargo.toml").rsplit('/').next().unwrap_or("");
        let in_crates = ["crates/", "tests/crates/"].iter().any(|start| path.starts_with(start));
        if in_crates && folder != name {
            problems.push(problem(NAME, path, 0, format!("package {name} in folder {folder}")));
        }
        let Some(own) = level(&name) else {
            problems.push(problem(NAME, path, 0, format!("package {name} has no level")));
            continue;
        };
        for (line, dependency) in manifest.dependencies {
            if let Some(other) = level(&dependency)
                && other >= own
            {
                let message =
                    format!("{name} (level {own}) depends on {dependency} (level {other})");
                problems.push(problem(NAME, path, line, message));
            }
        }
    }
    problems
}

/// What the check needs of a Cargo.toml, read line by line.
struct Manifest {
    name: Option<String>,
    /// Line and name, development dependencies excepted.
    dependencies: Vec<(usize, String)>,
}

impl Manifest {
    fn parse(text: &str) -> Manifest {
        let mut manifest = Manifest { name: None, dependencies: Vec::new() };
        let mut section = "";
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if let Some(header) = line.strip_prefix('[') {
                section = header.trim_end_matches(']');
                if let Some((table, name)) = section.rsplit_once('.')
                    && counts(table)
                {
                    manifest.dependencies.push((index + 1, name.to_string()));
                }
                continue;
            }
            let Some((key, value)) = line.split_once('=') else { continue };
            let key = key.trim();
            if section == "package" && key == "name" {
                manifest.name = Some(value.trim().trim_matches('"').to_string());
            } else if counts(section) && !line.starts_with('#') {
                let name = key.split('.').next().unwrap_or(key).trim_matches('"');
                manifest.dependencies.push((index + 1, name.to_string()));
            }
        }
        manifest
    }
}

/// Whether a table lists dependencies that the layers restrict.
fn counts(table: &str) -> bool {
    !table.starts_with("workspace")
        && (table.ends_with("dependencies") && !table.ends_with("dev-dependencies"))
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::Tree;

    fn problems(name: &str, rest: &str) -> Vec<String> {
        let manifest = format!("[package]\nname = \"{name}\"\n{rest}");
        let tree = Tree::of(&[(&format!("crates/{name}/Cargo.toml"), &manifest)]);
        check(&tree).iter().map(|p| p.to_string()).collect()
    }

    #[test]
    fn upward_and_sideways_dependencies_are_found_in_every_spelling() {
        let up = "[dependencies]\ndarray-ir.workspace = true\ndarray-core.workspace = true";
        let expected = "crates/darray-kernel/Cargo.toml:4: darray-kernel (level 1) depends on darray-ir (level 2) [levels]";
        assert_eq!(problems("darray-kernel", up), [expected]);
        for text in [
            "[dependencies]\ndarray-device = { path = \"../darray-device\" }",
            "[dependencies.darray-device]\npath = \"x\"",
            "[build-dependencies]\ndarray-device.workspace = true",
            "[target.'cfg(unix)'.dependencies]\ndarray-device.workspace = true",
        ] {
            assert_eq!(problems("darray-fusion", text).len(), 1, "{text}");
        }
    }

    #[test]
    fn development_dependencies_are_free_and_unknown_crates_are_not() {
        assert!(problems("darray-ir", "[dev-dependencies]\ndarray.workspace = true").is_empty());
        assert_eq!(problems("darray-misc", "").len(), 1);
    }
}
