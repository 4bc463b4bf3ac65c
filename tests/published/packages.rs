//! The library crates as packages: what is known of them, what is in them, and a crate that has nothing else.

use crate::{empty_folder, root, run};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Cargo, which asks nobody: what it needs is there, since this test was built.
fn cargo(folder: &Path, target: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).arg("--offline").current_dir(folder).env("CARGO_TARGET_DIR", target);
    // These packages are built as a user builds them.
    for name in ["RUSTC_WORKSPACE_WRAPPER", "CLIPPY_ARGS", "RUSTFLAGS"] {
        command.env_remove(name);
    }
    command
}

/// The packages of the workspace, as cargo knows them.
fn packages() -> Vec<Value> {
    let folder = root();
    let arguments = ["metadata", "--no-deps", "--format-version=1"];
    let (text, _) = run(&mut cargo(&folder, &folder.join("target"), &arguments));
    let mut metadata: Value = serde_json::from_str(&text).expect("cargo writes JSON");
    match metadata["packages"].take() {
        Value::Array(packages) => packages,
        other => panic!("packages: {other}"),
    }
}

/// Whether somebody may publish it.
fn is_published(package: &Value) -> bool {
    package["publish"].is_null()
}

fn name(package: &Value) -> &str {
    package["name"].as_str().expect("a name")
}

#[test]
fn every_package_is_published_or_says_that_it_is_not() {
    let packages = packages();
    let published: BTreeSet<&str> = packages.iter().filter(|p| is_published(p)).map(name).collect();
    assert_eq!(published.len(), 11, "{published:?}");
    for package in packages.iter().filter(|package| is_published(package)) {
        let what = name(package);
        for field in ["description", "license", "readme", "rust_version"] {
            assert!(package[field].is_string(), "{what} has no {field}");
        }
        for field in ["keywords", "categories"] {
            let words = package[field].as_array().map_or(0, Vec::len);
            assert!((1..=5).contains(&words), "{what}: {words} {field}");
        }
        for dependency in package["dependencies"].as_array().expect("a list") {
            let other = name(dependency);
            if dependency["path"].is_null() || dependency["kind"] == "dev" {
                continue;
            }
            assert!(published.contains(other), "{what} needs {other}, which is not published");
            let wanted = format!("={}", package["version"].as_str().expect("a version"));
            assert_eq!(dependency["req"], wanted, "{what} and {other} change together");
        }
        // A version would be looked for where packages are published, which may not be there yet.
        for dependency in package["dependencies"].as_array().expect("a list") {
            let is_ours = !dependency["path"].is_null() && dependency["kind"] == "dev";
            assert!(!is_ours || dependency["req"] == "*", "{what}: {}", name(dependency));
        }
    }
}

/// What a program writes that has the packages alone.
const PROGRAM: &str = r#"
use darray::image::Colormap;
use darray::prelude::*;

fn main() {
    let x: DArray = DArray::linspace(0.0, 1.0, 101);
    let squares = (&x * &x).sum(..);
    println!("{:.2}", squares.item());
    let gradient = x.broadcast_to((10, 101));
    gradient.save_png("gradient.png", Colormap::Viridis).expect("a picture");
    DArray::<f64>::ones((2, 3)).save("ones.npy").expect("a file");
    assert_eq!(DArray::<f64>::load("ones.npy").expect("a file").shape(), [2, 3]);
}
"#;

#[test]
#[cfg_attr(not(feature = "long"), ignore = "takes minutes")]
fn a_crate_outside_the_repository_uses_the_packages() {
    let folder = empty_folder("packages");
    let unpacked = unpack(&folder);
    let (user, target) = (folder.join("user"), folder.join("target"));
    fs::create_dir_all(user.join("src")).expect("a folder");
    fs::write(user.join("src/main.rs"), PROGRAM).expect("a file");
    fs::write(user.join("Cargo.toml"), manifest(&unpacked)).expect("a file");
    // The versions with which the repository is tested, which are here.
    fs::copy(root().join("Cargo.lock"), user.join("Cargo.lock")).expect("a file");
    let build_and_run = |arguments: &[&str]| run(&mut cargo(&user, &target, arguments)).0;
    let text = build_and_run(&["run", "--bin", "hello"]);
    assert!(text.contains("mean = 5.5"), "{text}");
    let text = build_and_run(&["run", "--features", "all", "--bin", "user"]);
    assert_eq!(text, "33.84\n");
    assert!(fs::read(user.join("gradient.png")).expect("a picture").starts_with(b"\x89PNG"));
    let text = build_and_run(&["run", "--features", "all", "--bin", "julia", "--", "julia.png"]);
    assert!(text.contains("of the points take 50 steps or more"), "{text}");
    // A picture of the same program is in the repository.
    let picture = fs::read(user.join("julia.png")).expect("a picture");
    assert!(picture == fs::read(root().join("docs/book/src/julia.png")).expect("a picture"));
}

/// Packages the crates; gives the folders with what is in the packages.
fn unpack(folder: &Path) -> Vec<(String, PathBuf)> {
    let packages = packages();
    let names: Vec<&str> = packages.iter().filter(|p| is_published(p)).map(name).collect();
    let mut command = cargo(&root(), folder, &["package", "--no-verify", "--allow-dirty"]);
    run(command.args(names.iter().flat_map(|name| ["--package", name])));
    let unpacked = folder.join("unpacked");
    fs::create_dir_all(&unpacked).expect("a folder");
    let each = |name: &&str| {
        let versioned = format!("{name}-{}", env!("CARGO_PKG_VERSION"));
        let file = folder.join(format!("package/{versioned}.crate"));
        run(Command::new("tar").arg("-xzf").arg(file).arg("-C").arg(&unpacked));
        let package = unpacked.join(versioned);
        for file in ["README.md", "LICENSE-APACHE", "LICENSE-MIT"] {
            let text = fs::read_to_string(package.join(file));
            assert_eq!(text.ok(), fs::read_to_string(root().join(file)).ok(), "{name}: {file}");
        }
        (name.to_string(), package)
    };
    names.iter().map(each).collect()
}

/// What stands in the Cargo.toml of the user, who takes the packages for those of the registry.
fn manifest(packages: &[(String, PathBuf)]) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let (_, darray) = packages.iter().find(|(name, _)| name == "darray").expect("darray");
    let example = |name: &str| darray.join(format!("examples/{name}.rs")).display().to_string();
    let patches: String = packages
        .iter()
        .map(|(name, path)| format!("{name} = {{ path = {:?} }}\n", path.display().to_string()))
        .collect();
    format!(
        r#"[package]
name = "user"
version = "1.0.0"
edition = "2024"

[dependencies]
darray = {{ version = "{version}", default-features = false }}

[features]
all = ["darray/cuda", "darray/default", "darray/png"]

[[bin]]
name = "user"
path = "src/main.rs"
required-features = ["all"]

[[bin]]
name = "hello"
path = {hello:?}

[[bin]]
name = "julia"
path = {julia:?}
required-features = ["all"]

[patch.crates-io]
{patches}
[workspace]
"#,
        hello = example("hello"),
        julia = example("julia"),
    )
}
