//! The public interface: values, views, types, errors, texts, each on several kinds of devices.

mod arithmetic;
mod complex;
mod complex_functions;
mod creation;
mod devices;
mod display;
mod distributions;
mod errors;
mod files;
mod half;
mod indices;
mod integers;
mod products;
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
