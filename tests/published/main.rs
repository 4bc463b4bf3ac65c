//! What is published: the packages of the library crates, and the book.

mod book;
mod packages;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the repository")
}

/// A folder for files of these tests, empty.
fn empty_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("the old folder goes");
    }
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// What a program writes to its output and to its errors; it has to succeed.
fn run(command: &mut Command) -> (String, String) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, errors) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}\n{errors}", output.status);
    (out, errors)
}
