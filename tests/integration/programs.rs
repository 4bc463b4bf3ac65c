//! The programs of `darray-programs`: what they come to, and what they become.

mod bits;
mod oracles;
mod task_bench;
mod variants;
