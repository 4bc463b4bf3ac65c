//! Places in sorted arrays.

use super::sort::prelude;
use super::{THREADS, count};
use crate::device::work::Run;
use darray_core::RealType;
use darray_device::Fault;
use darray_device::builtin::Search;

const TEXT: &str = include_str!("../../../kernels/search.cu");

impl Run<'_> {
    pub(super) fn search(&mut self, call: &Search) -> Result<(), Fault> {
        let out = self.view(&call.out, &call.extents, RealType::INDEX)?;
        let values = self.view(&call.values, &call.extents, call.dtype)?;
        let sorted = self.view(&call.sorted, &call.sorted_extents(), call.dtype)?;
        let elements = count(&call.extents)?;
        if elements == 0 {
            return Ok(());
        }
        let rank = call.extents.len();
        let mut words: Vec<u64> = call.extents.iter().map(|&n| n as u64).collect();
        for view in [&call.out, &call.values, &call.sorted] {
            words.extend(view.strides[..rank].iter().map(|&s| s as u64));
        }
        let kernels = self.kernels(&text(call.dtype), &["search"])?;
        self.with_table(&words, 0, |run, rows, _| {
            let sizes = [rank, elements, call.bound].map(|n| n as u64);
            let ends = [call.sorted.strides[rank] as u64, call.right as u64];
            let numbers = [&[out, values, sorted, rows][..], &sizes, &ends].concat();
            // SAFETY: the structure of the kernel; every view was checked for its extents.
            unsafe { run.over(&kernels[0], elements, THREADS as usize, &numbers) }
        })
    }
}

/// The kernel for a type.
pub(super) fn text(dtype: RealType) -> String {
    prelude(dtype) + TEXT
}
