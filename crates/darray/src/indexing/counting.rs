//! Counts and places: how often keys occur, in which bins elements fall, where values stand in a sorted array.
//!
//! Counts are scatters that add, in the order of the elements; places are a builtin of the devices that bisects. Over several devices
//! each makes its own part of a result, and has all keys, or all of the sorted array.

mod bincount;
mod histogram;
mod search;

pub use bincount::MinLength;
pub use histogram::Bins;
