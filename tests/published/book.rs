//! The book: its chapters are in its summary and among the pages whose code runs, its links lead somewhere, and it is made HTML.

use crate::{empty_folder, root, run};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files of the book, beside its summary.
fn chapters() -> Vec<PathBuf> {
    let files = fs::read_dir(root().join("docs/book/src")).expect("the book").flatten();
    let is_chapter = |path: &PathBuf| {
        path.extension().is_some_and(|e| e == "md") && !path.ends_with("SUMMARY.md")
    };
    let mut chapters: Vec<PathBuf> = files.map(|file| file.path()).filter(is_chapter).collect();
    chapters.sort();
    chapters
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Where the links of a page lead, without what is below a heading there; code excepted.
fn links(text: &str) -> Vec<String> {
    let prose: String = text.split("```").step_by(2).collect();
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    let is_file = |target: &&str| !target.is_empty() && !target.contains("://");
    targets.filter(is_file).map(String::from).collect()
}

#[test]
fn every_chapter_is_in_the_summary_and_its_code_runs() {
    let names: BTreeSet<String> = chapters().iter().map(|path| file_name(path)).collect();
    let summary = fs::read_to_string(root().join("docs/book/src/SUMMARY.md")).expect("a summary");
    let listed: BTreeSet<String> = links(&summary).into_iter().collect();
    assert_eq!(listed, names);
    let pages = fs::read_to_string(root().join("tests/crates/darray-pages/src/lib.rs"));
    let pages = pages.expect("the list of pages");
    for name in names {
        let has_code = fs::read_to_string(root().join("docs/book/src").join(&name))
            .is_ok_and(|text| text.contains("```rust"));
        assert!(!has_code || pages.contains(&format!("docs/book/src/{name}\"")), "{name}");
    }
}

#[test]
fn links_of_the_pages_lead_to_files() {
    let mut pages = chapters();
    pages.extend(["README.md", "CHANGELOG.md"].map(|name| root().join(name)));
    let documents = fs::read_dir(root().join("docs")).expect("the documents").flatten();
    let is_page = |path: &PathBuf| path.extension().is_some_and(|e| e == "md");
    pages.extend(documents.map(|file| file.path()).filter(is_page));
    let mut lost = Vec::new();
    for page in pages {
        let text = fs::read_to_string(&page).expect("a page");
        let folder = page.parent().expect("a folder");
        let missing = links(&text).into_iter().filter(|target| !folder.join(target).exists());
        lost.extend(missing.map(|target| format!("{}: {target}", page.display())));
    }
    assert!(lost.is_empty(), "{lost:#?}");
}

/// Needs mdbook, in `PATH` or named by `MDBOOK`.
#[test]
#[cfg_attr(not(feature = "long"), ignore = "needs mdbook")]
fn the_book_is_made_html() {
    let program = std::env::var_os("MDBOOK").unwrap_or_else(|| "mdbook".into());
    if Command::new(&program).arg("--version").output().is_err() {
        eprintln!("SKIPPED: mdbook is not here, which `cargo install mdbook` installs");
        return;
    }
    let folder = empty_folder("book");
    let mut command = Command::new(program);
    command.arg("build").arg("--dest-dir").arg(&folder).arg(root().join("docs/book"));
    let (out, errors) = run(&mut command);
    // What is included and not there is no failure of mdbook's, but told.
    assert!(!(out + &errors).contains("ERROR"), "{errors}");
    for chapter in chapters() {
        let page = folder.join(file_name(&chapter)).with_extension("html");
        let html = fs::read_to_string(&page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
        assert!(!html.contains("{{#"), "{}", page.display());
        // Links between chapters, and pictures; others lead into the repository.
        let targets = html.split(" href=\"").skip(1).chain(html.split(" src=\"").skip(1));
        let inside = targets.filter_map(|rest| rest.split('"').next());
        let is_of_the_book =
            |link: &&str| !link.is_empty() && !link.contains("://") && !link.starts_with("..");
        for link in inside.filter(is_of_the_book) {
            let file = link.split('#').next().unwrap_or_default();
            assert!(file.is_empty() || folder.join(file).exists(), "{}: {link}", page.display());
        }
    }
}
