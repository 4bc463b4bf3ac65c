//! The modules of the library crates: what of them is product, and which of them import each other in circles.

mod circles;
mod imports;
mod product;

pub use circles::{Circle, circles};
pub use product::{Lines, library_crates, lines, test_files, without_tests};
