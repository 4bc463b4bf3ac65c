//! What has been done so far.

use std::collections::BTreeMap;

/// Counts since the start or the last reset.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// Calls, by name.
    pub calls: BTreeMap<&'static str, u64>,
    /// All calls that count for injected failures.
    pub all_calls: u64,
    /// Kernels that have been executed.
    pub launches: u64,
    /// The same by the kernel's name.
    pub kernels: BTreeMap<String, u64>,
    /// Instructions of PTX, counted per thread.
    pub instructions: u64,
    /// Bytes copied from the host to a device.
    pub bytes_to_device: u64,
    /// Bytes copied from a device to the host.
    pub bytes_to_host: u64,
    /// Bytes copied within a device.
    pub bytes_within: u64,
    /// Bytes copied between devices.
    pub bytes_between: u64,
    /// Bytes that were set.
    pub bytes_set: u64,
    /// Allocations.
    pub allocations: u64,
    /// Operations that were submitted to streams.
    pub operations: u64,
    /// Waits of streams for events.
    pub waits: u64,
    /// Edges of graphs that were instantiated.
    pub edges: u64,
    /// Edges that were left out as asked, between nodes of one device.
    pub left_out_within: u64,
    /// Modules that were to be unloaded before a graph that launches a kernel of theirs.
    pub early_unloads: u64,
}

impl Counters {
    /// A count by its name, or the calls of a function of the driver.
    pub fn get(&self, name: &str) -> u64 {
        match name {
            "calls" => self.all_calls,
            "launches" => self.launches,
            "instructions" => self.instructions,
            "bytes_to_device" => self.bytes_to_device,
            "bytes_to_host" => self.bytes_to_host,
            "bytes_within" => self.bytes_within,
            "bytes_between" => self.bytes_between,
            "bytes_set" => self.bytes_set,
            "allocations" => self.allocations,
            "operations" => self.operations,
            "waits" => self.waits,
            "edges" => self.edges,
            "left_out_within" => self.left_out_within,
            "early_unloads" => self.early_unloads,
            call => match call.strip_prefix("kernel:") {
                Some(kernel) => self.kernels.get(kernel).copied().unwrap_or(0),
                None => self.calls.get(call).copied().unwrap_or(0),
            },
        }
    }
}
