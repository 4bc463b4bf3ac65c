//! Checks of the repository itself: layers, file lengths, folders, `unsafe`, settings, words, names, crate docs,
//! decisions, commands of figures, examples.
//!
//! A check is a pure function from a [`Tree`] of texts to the [`Problem`]s in it, so each has a
//! test that feeds it a bad tree.

pub mod bundle;
pub mod examples;
pub mod figures;
pub mod modules;
pub mod recipe;
mod source;
mod tidy;
mod tree;

pub use tidy::{CHECKS, Check, Problem, SETTINGS_PAGE, files_with_names, tidy};
pub use tree::Tree;

/// The root of the repository that this program was built from.
pub fn root() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
