//! The public interface: values, views, types, errors, texts, each on several kinds of devices.

mod arithmetic;
mod complex;
mod complex_functions;
mod complex_writes;
mod counting;
mod creation;
mod devices;
mod display;
mod distinct;
mod distributions;
mod errors;
mod everyday;
mod files;
mod half;
mod images;
mod indices;
mod integers;
mod masks;
#[path = "../../../../tests/src/panics.rs"]
mod panics;
mod picked;
mod products;
mod quantiles;
mod random;
mod reduce_into;
mod reductions;
mod rounding;
mod runtimes;
mod scans;
mod shapes;
mod sorting;
mod statistics;
mod tasks;
mod twins;
mod types;
mod views;
