//! What a mask holds.

use super::THREADS;
use crate::device::work::Run;
use crate::device::work::copy_kernel::INDEX;
use crate::error::CudaError;
use darray_core::RealType;
use darray_device::Fault;
use darray_device::builtin::Compact;

const TEXT: &str = include_str!("../../../kernels/compact.cu");
const ENTRIES: [&str; 7] = [
    "compact_1",
    "compact_2",
    "compact_4",
    "compact_8",
    "compact_places",
    "compact_count",
    "compact_offsets",
];
/// Elements of the mask that a block of threads goes through at a time.
const TILE: usize = 16 * THREADS as usize;

impl Run<'_> {
    pub(super) fn compact(&mut self, call: &Compact) -> Result<(), Fault> {
        let out = self.view(&call.out, &[call.count], call.dtype)?;
        let mask = self.view(&call.mask, &[call.bound], RealType::MASK)?;
        let (source, kind, source_step) = match &call.source {
            Some(view) => {
                let source = self.view(view, &[call.bound], call.dtype)?;
                (source, call.dtype.size().ilog2() as usize, view.strides[0])
            }
            None => (0, 4, 0),
        };
        if call.bound == 0 || call.count == 0 {
            return Ok(());
        }
        let tiles = call.bound.div_ceil(TILE);
        let kernels = self.kernels(&text(), &ENTRIES)?;
        self.with_table(&[], 8 * tiles, |run, _, counts| -> Result<(), CudaError> {
            let sizes = [tiles, call.bound, call.start, call.count].map(|n| n as u64);
            let steps =
                [call.out.strides[0] as u64, call.mask.strides[0] as u64, source_step as u64];
            let numbers = [&[out, mask, source, counts][..], &sizes, &steps].concat();
            for (kernel, items) in [(5, tiles), (6, 1), (kind, tiles)] {
                // SAFETY: the structure of the kernels; every view was checked for its extents, and there is a count for each tile.
                unsafe { run.over(&kernels[kernel], items, 1, &numbers)? };
            }
            Ok(())
        })
    }
}

/// The kernels.
pub(super) fn text() -> String {
    format!("{INDEX}\n{TEXT}")
}
