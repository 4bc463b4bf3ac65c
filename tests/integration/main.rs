//! Tests that cross crates.

mod adversarial;
mod complex;
mod contract;
mod costs;
mod devices;
mod errors;
mod huge;
mod machine_code;
mod memo;
mod nests;
mod programs;
mod random_programs;
mod reductions;
mod threads;
