//! The finish step of a reduction over several tiles.

use super::THREADS;
use super::count;
use crate::device::work::Run;
use darray_codegen::cuda::reducer;
use darray_core::RealType;
use darray_device::Fault;
use darray_device::builtin::ReduceFinish;
use darray_kernel::ir::Reducer;
use darray_kernel::tree::{GridStep, GridTree};
use smallvec::SmallVec;

const TEXT: &str = include_str!("../../../kernels/reduce_finish.cu");

impl Run<'_> {
    pub(super) fn reduce_finish(&mut self, call: &ReduceFinish) -> Result<(), Fault> {
        let parts = if call.reducer.has_index() { 2 } else { 1 };
        let defined = call.reducer.result(call.dtype).is_some();
        if !defined || call.outputs.len() != parts || !call.cuts_are_valid() {
            return Err(Fault::Execution(format!(
                "finish of {} of {} over cuts {:?} to {} outputs",
                call.reducer,
                call.dtype,
                call.cuts,
                call.outputs.len()
            )));
        }
        let global: Vec<usize> = call.cuts.iter().map(|c| c[c.len() - 1]).collect();
        let tree = GridTree::new(call.rule, call.group, &global, &call.cuts);
        let kept = count(&call.kept)?;
        if kept == 0 {
            return Ok(());
        }
        let dtypes = [call.dtype, RealType::INDEX];
        let mut outputs = [0; 2];
        for (number, view) in call.outputs.iter().enumerate() {
            outputs[number] = self.view(view, &call.kept, dtypes[number])?;
        }
        let steps = self.steps(call, &tree)?;
        let rank = call.kept.len();
        let row = |strides: &[i64]| -> SmallVec<[u64; 4]> {
            let skip = strides.len().saturating_sub(rank);
            let mut row: SmallVec<[u64; 4]> = strides[skip..].iter().map(|&s| s as u64).collect();
            row.resize(rank, 0);
            row
        };
        let mut words: Vec<u64> = steps.iter().flatten().copied().collect();
        words.extend(call.kept.iter().map(|&n| n as u64));
        let views = |views: &[darray_device::builtin::View]| -> Vec<u64> {
            let strides = |part: usize| views.get(part).map_or(&[][..], |view| &view.strides[..]);
            [row(strides(0)), row(strides(1))].concat()
        };
        words.extend(views(&call.outputs));
        call.tiles.iter().for_each(|tile| words.extend(views(tile)));
        let depth = (tree.depth() + 1).next_power_of_two();
        let kernels = self.kernels(&text(call.reducer, call.dtype, depth), &["reduce_finish"])?;
        let rows = 8 * steps.iter().flatten().count() as u64;
        let count = steps.len() as u64;
        self.with_table(&words, 0, |run, table, _| {
            let [value, index] = outputs;
            let numbers = [value, index, table, table + rows, count, kept as u64, rank as u64];
            // SAFETY: the structure of the kernel; every view was checked for its extents.
            unsafe { run.over(&kernels[0], kept, THREADS as usize, &numbers) }
        })
    }

    /// The steps of the tree as the kernel reads them, with every slot's address.
    fn steps(&self, call: &ReduceFinish, tree: &GridTree) -> Result<Vec<[u64; 3]>, Fault> {
        let parts = call.outputs.len();
        let mut slots = vec![0; call.tiles.len()];
        let mut list = Vec::new();
        tree.walk(|step| {
            if let GridStep::Take { tile, slot, .. } = step {
                slots[tile] = slots[tile].max(slot + 1);
            }
            list.push(step);
        });
        let dtypes = [call.dtype, RealType::INDEX];
        let mut tiles = vec![[0u64; 2]; slots.len()];
        for (number, (views, &slots)) in call.tiles.iter().zip(&slots).enumerate() {
            if slots == 0 {
                continue;
            }
            if views.len() != parts {
                let found = views.len();
                return Err(Fault::Execution(format!("tile {number} has {found} views")));
            }
            let mut extents: SmallVec<[usize; 4]> = SmallVec::from_slice(&[slots]);
            extents.extend_from_slice(&call.kept);
            for (part, view) in views.iter().enumerate() {
                tiles[number][part] = self.view(view, &extents, dtypes[part])?;
            }
        }
        let word = |position: i32, tile: usize| position as u32 as u64 | (tile as u64) << 32;
        let step = |step: &GridStep| match *step {
            GridStep::Combine { position } => [0, 0, word(!(position as i32), 0)],
            GridStep::Take { position, tile, slot } => {
                let address = |part: usize| match call.tiles[tile].get(part) {
                    Some(view) => {
                        let bytes = slot as i64 * view.strides[0] * dtypes[part].size() as i64;
                        tiles[tile][part].wrapping_add(bytes as u64)
                    }
                    None => 0,
                };
                [address(0), address(1), word(position as i32, tile)]
            }
        };
        Ok(list.iter().map(step).collect())
    }
}

/// The kernel of a reducer, with a stack of `depth` accumulators.
pub(super) fn text(reduction: Reducer, dtype: RealType, depth: usize) -> String {
    format!("{}#define DEPTH {depth}\n\n{TEXT}", reducer(reduction, dtype))
}
