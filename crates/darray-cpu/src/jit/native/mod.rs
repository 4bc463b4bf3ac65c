//! Functions that there are: where they lie, what they are for people, and which were called.

mod listings;
pub(super) mod memory;
#[cfg(test)]
pub(super) mod path_counters;
