//! Tests that cross crates.

mod adversarial;
mod complex;
mod contract;
mod devices;
mod errors;
mod huge;
mod machine_code;
mod memo;
mod memory;
mod nests;
mod programs;
mod random_programs;
mod reductions;
mod threads;
