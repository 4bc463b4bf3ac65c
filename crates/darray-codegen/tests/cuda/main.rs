//! Kernels in, CUDA C and launches out. Update texts with
//! `UPDATE_EXPECT=1 cargo test -p darray-codegen`.

mod compile;
mod examples;
mod machine;
mod run;
mod support;
mod texts;
mod variants;
