//! One file per cause of a bug that was found, each with the smallest program that showed it.

mod clone_keeps_layout;
mod error_place_behind_closure;
mod loop_invariant_load;
