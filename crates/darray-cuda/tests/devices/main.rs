//! Tests of CUDA devices, over the fake driver or the one that the settings name.

mod builtins;
mod compile;
mod failures;
mod graphs;
mod indexing;
mod kernels;
mod libdevice;
mod support;
mod transfers;
mod twins;
