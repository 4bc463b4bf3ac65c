//! Arrays under other shapes: views, and copies.

pub mod arrangement;
mod axes;
pub mod view;
