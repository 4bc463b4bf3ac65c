//! Additions by indices.

use super::sort::Sorted;
use super::{THREADS, count};
use crate::device::work::Run;
use crate::device::work::copy_kernel::INDEX;
use crate::device::work::rectangle::row_major;
use crate::driver::Function;
use darray_codegen::cuda::reducer;
use darray_core::RealType;
use darray_device::Fault;
use darray_device::builtin::Scatter;
use darray_kernel::ir::Reducer;
use std::sync::Arc;

const TEXT: &str = include_str!("../../../kernels/scatter_add.cu");

/// The kernels of a call.
struct Kernels {
    own: Arc<Vec<Function>>,
    /// Of sums that are not the same in any order.
    sort: Option<Arc<Vec<Function>>>,
}

/// Where a call keeps what it sorts.
struct Layout {
    sorted: Sorted,
    indices: usize,
}

impl Layout {
    /// Bytes of numbers, and of positions.
    fn sizes(&self) -> [u64; 2] {
        let position = if self.sorted.wide { 8 } else { 4 };
        [8 * self.indices, (position * self.indices).next_multiple_of(8)].map(|n| n as u64)
    }

    /// Both sides, and the space behind them.
    fn places(&self, space: u64) -> ([(u64, u64); 2], u64) {
        let [numbers, positions] = self.sizes();
        let side = |at| (at, at + numbers);
        let both = numbers + positions;
        ([side(space), side(space + both)], space + 2 * both)
    }

    fn space(&self) -> usize {
        let [numbers, positions] = self.sizes();
        2 * (numbers + positions) as usize + Run::space_to_sort_numbers(self.sorted, self.indices)
    }
}

impl Run<'_> {
    pub(super) fn add_by_index(&mut self, call: &Scatter) -> Result<(), Fault> {
        let (axis, rank, extents) = (call.axis, call.extents.len(), call.index_extents());
        if Reducer::Sum.result(call.dtype).is_none() {
            return Err(Fault::Execution(format!("no sums of {}", call.dtype)));
        }
        let out = self.view(&call.out, &call.extents, call.dtype)?;
        let index = self.view(&call.index, &extents, RealType::INDEX)?;
        let value = self.view(&call.value, &extents, call.dtype)?;
        let (indices, elements) = (count(&extents)?, count(&call.extents)?);
        if indices == 0 || elements == 0 {
            return Ok(());
        }
        let numbers = row_major(&call.extents);
        let others = numbers.iter().enumerate().map(|(a, &s)| if a == axis { 0 } else { s as u64 });
        let all = |strides: &[i64]| strides.iter().map(|&s| s as u64).collect::<Vec<u64>>();
        let words = [
            extents.iter().map(|&n| n as u64).collect(),
            all(&call.index.strides),
            all(&call.value.strides),
            others.collect(),
            call.extents.iter().map(|&n| n as u64).collect(),
            all(&call.out.strides),
        ]
        .concat();
        let wide = indices > u32::MAX as usize;
        let sorted = Sorted { dtype: RealType::INDEX, wide, plain: false };
        let layout = Layout { sorted, indices };
        let kernels = self.kernels_to_add(call.dtype, layout.sorted)?;
        let space = if kernels.sort.is_some() { layout.space() } else { 0 };
        let judged = call.clone();
        let judge = move |number, index| judged.out_of_range(number, index);
        self.with_check(&words, space, judge, |run, wrong, words, space| {
            let (sides, rest) = layout.places(space);
            let numbers = |(keys, positions): (u64, u64)| {
                [
                    out,
                    index,
                    value,
                    keys,
                    positions,
                    words,
                    rank as u64,
                    indices as u64,
                    elements as u64,
                    call.bound as u64,
                    call.origin[axis] as u64,
                    call.extents[axis] as u64,
                    numbers[axis] as u64,
                    wrong,
                ]
            };
            let threads = THREADS as usize;
            let mut side = 0;
            // SAFETY: the structure of the kernels; every view was checked for its extents, what is added to lies in the tile, and
            // the space is as large as the layout says.
            unsafe {
                if let Some(sort) = &kernels.sort {
                    run.over(&kernels.own[2], indices, threads, &numbers(sides[0]))?;
                    // Numbers of elements, and the number of all of them for none.
                    let what = (layout.sorted, indices, elements);
                    side = run.sort_numbers(sort, what, sides, rest)?;
                }
                run.over(&kernels.own[0], indices, threads, &numbers(sides[side]))?;
                run.over(&kernels.own[1], 1, 1, &numbers(sides[side]))
            }
        })
    }

    fn kernels_to_add(&self, dtype: RealType, sorted: Sorted) -> Result<Kernels, Fault> {
        let text = text(dtype, sorted.wide);
        if is_any_order(dtype) {
            let own = self.kernels(&text, &["scatter_add", "scatter_wrong"])?;
            return Ok(Kernels { own, sort: None });
        }
        let own = self.kernels(&text, &["scatter_add", "scatter_wrong", "scatter_keys"])?;
        let sort = self.kernels(&super::sort::text(sorted), &super::sort::ENTRIES)?;
        Ok(Kernels { own, sort: Some(sort) })
    }
}

/// Whether sums of a type are the same in any order.
fn is_any_order(dtype: RealType) -> bool {
    !dtype.is_float()
}

/// The kernels for a type, with numbers of indices that `wide` ones need or not.
pub(super) fn text(dtype: RealType, wide: bool) -> String {
    let position = if wide { "unsigned long long" } else { "unsigned int" };
    let (sum, any_order) = (reducer(Reducer::Sum, dtype), u8::from(is_any_order(dtype)));
    format!("{sum}{INDEX}\ntypedef {position} Position;\n#define ANY_ORDER {any_order}\n\n{TEXT}")
}
