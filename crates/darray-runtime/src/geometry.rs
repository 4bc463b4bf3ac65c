//! Which elements of a store are meant: rectangles, and what a map reaches of them over a tile.

mod rectangle;
mod rows;
mod sub_store;

pub(crate) use rectangle::{Rectangle, RectangleSet, Span};
pub(crate) use rows::{for_each_index, for_each_row, rectangle_bytes};
pub(crate) use sub_store::{SubStore, extents, interval_rectangles, linear_interval};

/// A tile of an iteration domain: one range of global indices per axis.
pub(crate) use darray_ir::builtin::Tile;
