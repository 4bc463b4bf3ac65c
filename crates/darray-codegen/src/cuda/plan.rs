//! What is known of a kernel without the arguments of a launch: its entries, what a text depends on, what becomes an argument.

pub(crate) mod cells;
pub(crate) mod entries;
pub(crate) mod fields;
pub(crate) mod guard;
pub(crate) mod kernel_plan;
pub(crate) mod patterns;
pub(crate) mod ranges;
pub(crate) mod variant;
