//! The repository keeps its own rules.

use xtask::figures::{MEASURED, Records, pages};
use xtask::{CHECKS, Tree, tidy};

#[test]
fn the_repository_is_tidy() {
    let tree = Tree::read(&xtask::root()).expect("the repository can be read");
    assert!(tree.text("Cargo.toml").is_some(), "the root is the workspace's");
    assert!(tree.rust_files().count() > 20, "the sources were found");
    let problems: Vec<String> = tidy(&tree).iter().map(|p| p.to_string()).collect();
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

#[test]
fn checks_have_different_names() {
    let mut names: Vec<&str> = CHECKS.iter().map(|(name, _)| *name).collect();
    names.dedup();
    assert_eq!(names.len(), CHECKS.len());
}

#[test]
fn the_page_of_settings_is_the_tables() {
    let tree = Tree::read(&xtask::root()).expect("the repository can be read");
    assert_eq!(tree.text(xtask::SETTINGS_PAGE), Some(&darray_core::settings::page()[..]));
}

#[test]
fn the_figures_of_pages_are_those_that_were_measured() {
    let root = xtask::root();
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect(path);
    let records = Records::parse(&read(MEASURED)).expect("the lines are JSON");
    for (path, text) in pages(&root, &records).expect("the pages can be made") {
        assert_eq!(read(path), text, "{path}: run `cargo run -p xtask -- figures`");
    }
}
