//! The texts of the repository.

use std::collections::BTreeMap;
use std::path::Path;

/// The text files of the repository by path, in path order; paths are relative and use `/`.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    files: BTreeMap<String, String>,
}

/// Folders that hold no sources.
const SKIPPED: [&str; 3] = ["target", ".git", "proptest-regressions"];

/// The file names that checks look at.
const EXTENSIONS: [&str; 5] = [".rs", ".toml", ".md", ".cu", ".py"];

impl Tree {
    /// The tree under `root`.
    ///
    /// # Errors
    /// When a folder or file cannot be read.
    pub fn read(root: &Path) -> std::io::Result<Tree> {
        let mut tree = Tree::default();
        tree.read_folder(root, "")?;
        Ok(tree)
    }

    /// A tree of these texts, for tests.
    pub fn of(files: &[(&str, &str)]) -> Tree {
        let files = files.iter().map(|(path, text)| (path.to_string(), text.to_string()));
        Tree { files: files.collect() }
    }

    /// All files in path order.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The Rust files in path order.
    pub fn rust_files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files().filter(|(path, _)| path.ends_with(".rs"))
    }

    /// The text of one file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    fn read_folder(&mut self, folder: &Path, prefix: &str) -> std::io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{prefix}{name}");
            if entry.file_type()?.is_dir() {
                if !SKIPPED.contains(&name.as_str()) {
                    self.read_folder(&entry.path(), &format!("{path}/"))?;
                }
            } else if EXTENSIONS.iter().any(|e| name.ends_with(e)) {
                self.files.insert(path, std::fs::read_to_string(entry.path())?);
            }
        }
        Ok(())
    }
}
