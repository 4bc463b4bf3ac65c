//! A plan is carried out: fused task by fused task, whatever fails.

mod endings;
mod executor;
mod failures;
