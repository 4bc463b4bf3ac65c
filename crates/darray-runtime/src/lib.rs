//! x
pub mod rectangle;
pub mod sub_store;
