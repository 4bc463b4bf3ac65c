//! One file per cause of a bug that was found, each with the smallest program that showed it.

mod bytes_of_bool;
mod clip_beyond_the_type;
mod clone_keeps_layout;
mod counts_of_the_builder;
mod diagonals_far_away;
mod digits_of_small_numbers;
mod error_place_behind_closure;
mod explain_in_explain;
mod index_beyond_isize;
mod kernels_without_end;
mod linear_and_native_use;
mod loop_invariant_load;
mod names_of_creations;
mod place_of_a_bad_setting;
mod range_of_large_integers;
mod range_too_long;
mod reduction_between_elements;
mod result_in_another_runtime;
mod roll_of_no_axes;
mod scarce_addresses;
mod scope_order;
mod size_overflow;
mod slice_macro_leftovers;
mod tensordot_of_too_many_axes;
mod type_of_a_file;
mod updates_of_threads;
