//! Tests of CUDA devices over the fake driver.

mod code;
mod failures;
mod graphs;
mod memory;
mod programs;
mod random_programs;
mod settings;
mod waits;
