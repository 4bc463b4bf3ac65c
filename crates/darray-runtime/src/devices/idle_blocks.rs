//! Memory between two arrays of one window.

use crate::devices::{COMPUTE, DeviceSet};
use darray_device::Block;
use smallvec::SmallVec;

/// Blocks of arrays that ended in the window that is being carried out: an array of the same size takes one without
/// asking its device.
///
/// Rules:
/// - only of devices on which nothing need be ordered;
/// - a device is asked for memory only when it has all of its blocks back, and has them back when the window ends: so
///   what it counts, and when it is full, is as if it were asked each time, by the one runtime that it belongs to.
#[derive(Default)]
pub(crate) struct IdleBlocks(SmallVec<[Block; MOST]>);

const MOST: usize = 16;

impl IdleBlocks {
    /// A block of this device of as many bytes.
    #[inline]
    pub(crate) fn take(&mut self, device: usize, bytes: u64) -> Option<Block> {
        let fits = |block: &Block| block.bytes == bytes && block.device.0 as usize == device;
        self.0.iter().rposition(fits).map(|at| self.0.swap_remove(at))
    }

    /// Keeps a block, unless there are many or its device must be told when the memory is free.
    #[inline]
    pub(crate) fn put(&mut self, devices: &DeviceSet, block: Block) -> bool {
        let keeps = devices.is_synchronous() && self.0.len() < MOST;
        if keeps {
            self.0.push(block);
        }
        keeps
    }

    /// Gives the blocks of a device back.
    #[inline]
    pub(crate) fn give_back(&mut self, devices: &DeviceSet, device: usize) {
        self.0.retain(|block| {
            let own = block.device.0 as usize == device;
            if own {
                devices.device(device).release(COMPUTE, *block, &[]);
            }
            !own
        });
    }

    /// Gives all blocks back.
    pub(crate) fn end(&mut self, devices: &DeviceSet) {
        for block in self.0.drain(..) {
            devices.device(block.device.0 as usize).release(COMPUTE, block, &[]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Waits;
    use darray_cpu::{CpuDevices, CpuOptions};

    #[test]
    fn a_block_is_taken_by_an_array_of_its_size_or_goes_back() {
        let devices = DeviceSet::new(CpuDevices::new(2, CpuOptions::default()), Waits::default());
        let in_use = || devices.iter().map(|d| d.stats().bytes_in_use).collect::<Vec<_>>();
        let mut idle = IdleBlocks::default();
        for (device, bytes) in [(0, 100), (0, 200), (1, 100)] {
            assert!(idle.put(&devices, devices.device(device).allocate(COMPUTE, bytes).unwrap()));
        }
        assert_eq!(idle.take(0, 300), None);
        assert_eq!(idle.take(0, 100).map(|block| block.device.0), Some(0));
        assert_eq!(idle.take(0, 100), None);
        idle.give_back(&devices, 0);
        assert_eq!(in_use(), [100, 100], "the one that was taken, and the one that stays");
        idle.end(&devices);
        assert_eq!(in_use(), [100, 0]);
    }
}
