//! Writes by indices.

use super::{THREADS, count};
use crate::device::work::Run;
use crate::device::work::copy_kernel::INDEX;
use crate::device::work::rectangle::row_major;
use darray_core::RealType;
use darray_device::Fault;
use darray_device::builtin::Scatter;

const TEXT: &str = include_str!("../../../kernels/scatter.cu");
const ENTRIES: [&str; 7] = [
    "scatter_1",
    "scatter_2",
    "scatter_4",
    "scatter_8",
    "scatter_clear",
    "scatter_mark",
    "scatter_wrong",
];

impl Run<'_> {
    pub(super) fn write_by_index(&mut self, call: &Scatter) -> Result<(), Fault> {
        if call.add {
            return self.add_by_index(call);
        }
        let (axis, rank, extents) = (call.axis, call.extents.len(), call.index_extents());
        let out = self.view(&call.out, &call.extents, call.dtype)?;
        let index = self.view(&call.index, &extents, RealType::INDEX)?;
        let value = self.view(&call.value, &extents, call.dtype)?;
        let (indices, elements) = (count(&extents)?, count(&call.extents)?);
        if indices == 0 || elements == 0 {
            return Ok(());
        }
        let rows = row_major(&call.extents);
        let others = |strides: &[i64]| -> Vec<u64> {
            strides.iter().enumerate().map(|(a, &s)| if a == axis { 0 } else { s as u64 }).collect()
        };
        let all = |strides: &[i64]| strides.iter().map(|&s| s as u64).collect::<Vec<u64>>();
        let words = [
            extents.iter().map(|&n| n as u64).collect(),
            all(&call.index.strides),
            all(&call.value.strides),
            others(&call.out.strides),
            others(&rows),
        ]
        .concat();
        let inner: usize = extents[axis + 1..].iter().product();
        let wide = call.count >= u32::MAX as usize;
        let kernels = self.kernels(&text(wide), &ENTRIES)?;
        let kind = call.dtype.size().ilog2() as usize;
        let space = elements * if wide { 8 } else { 4 };
        let judged = call.clone();
        let judge = move |number, index| judged.out_of_range(number, index);
        self.with_check(&words, space, judge, |run, wrong, words, winners| {
            let numbers = [
                out,
                index,
                value,
                winners,
                words,
                rank as u64,
                indices as u64,
                elements as u64,
                call.count as u64,
                call.bound as u64,
                call.origin[axis] as u64,
                call.extents[axis] as u64,
                call.out.strides[axis] as u64,
                rows[axis] as u64,
                inner as u64,
                wrong,
            ];
            let steps = [(4, elements), (5, indices), (kind, indices), (6, 1)];
            steps.iter().try_for_each(|&(kernel, items)| {
                // SAFETY: the structure of the kernels; every view was checked for its extents, and
                // what is written lies in the tile.
                unsafe { run.over(&kernels[kernel], items, THREADS as usize, &numbers) }
            })
        })
    }
}

/// The kernels, with numbers of indices that `wide` ones need or not.
pub(super) fn text(wide: bool) -> String {
    let winner = if wide { "unsigned long long" } else { "unsigned int" };
    format!("{INDEX}\ntypedef {winner} Winner;\n\n{TEXT}")
}
