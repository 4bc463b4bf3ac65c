//! Elements by indices.

use super::{THREADS, count};
use crate::device::work::Run;
use crate::device::work::copy_kernel::INDEX;
use darray_core::RealType;
use darray_device::Fault;
use darray_device::builtin::Gather;

const TEXT: &str = include_str!("../../../kernels/gather.cu");
const ENTRIES: [&str; 5] = ["gather_1", "gather_2", "gather_4", "gather_8", "gather_wrong"];

impl Run<'_> {
    pub(super) fn look_up(&mut self, call: &Gather) -> Result<(), Fault> {
        let out = self.view(&call.out, &call.extents, call.dtype)?;
        let index = self.view(&call.index, &call.extents, RealType::INDEX)?;
        let source = self.view(&call.source, &call.source_extents(), call.dtype)?;
        let elements = count(&call.extents)?;
        if elements == 0 {
            return Ok(());
        }
        let rank = call.extents.len();
        let mut words: Vec<u64> = call.extents.iter().map(|&n| n as u64).collect();
        for view in [&call.out, &call.index, &call.source] {
            words.extend(view.strides[..rank].iter().map(|&s| s as u64));
        }
        let kernels = self.kernels(&text(), &ENTRIES)?;
        let kind = call.dtype.size().ilog2() as usize;
        let step = call.source.strides[rank] as u64;
        let bound = call.bound as u64;
        let judged = call.clone();
        let judge = move |number, index| judged.out_of_range(number, index);
        self.with_check(&words, 0, judge, |run, wrong, rows, _| {
            let numbers =
                [out, index, source, rows, rank as u64, elements as u64, bound, step, wrong];
            // SAFETY: the structure of the kernels; every view was checked for its extents, and what
            // is looked up lies below the bound.
            unsafe {
                run.over(&kernels[kind], elements, THREADS as usize, &numbers)?;
                run.over(&kernels[4], 1, 1, &numbers)
            }
        })
    }
}

/// The kernels.
pub(super) fn text() -> String {
    format!("{INDEX}\n{TEXT}")
}
