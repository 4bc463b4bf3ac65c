//! The public interface: values, views, types, errors, texts, each on several kinds of devices.

mod arithmetic;
mod devices;
mod display;
mod errors;
mod products;
mod random;
mod reductions;
mod runtimes;
mod types;
mod views;
