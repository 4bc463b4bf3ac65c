//! The finish step of a reduction over several tiles.

use super::side;
use crate::level::Level;
use crate::memory::Located;
use crate::rectangle::{Side, copy};
use crate::vector::{Accumulators, Folding, find_folding};
use crate::workers::Workers;
use darray_core::RealType;
use darray_device::builtin::{ReduceFinish, View};
use darray_device::{Block, Fault};
use darray_kernel::tree::{GridStep, GridTree};
use smallvec::SmallVec;

/// Kept elements combined at once.
const BLOCK: usize = 256;

/// A checked finish step.
pub(crate) struct Finish {
    call: ReduceFinish,
    tree: GridTree,
    /// Per tile its views: values, indices; slot first, then the kept axes.
    tiles: Vec<SmallVec<[Side; 2]>>,
    outputs: SmallVec<[Side; 2]>,
}

impl Finish {
    /// Checks the cuts and every view.
    pub fn new(
        call: ReduceFinish,
        locate: &impl Fn(Block) -> Result<Located, Fault>,
    ) -> Result<Finish, Fault> {
        let parts = if call.reducer.has_index() { 2 } else { 1 };
        if call.outputs.len() != parts || !call.cuts_are_valid() {
            return Err(Fault::Execution(format!(
                "finish of {} over cuts {:?} to {} outputs",
                call.reducer,
                call.cuts,
                call.outputs.len()
            )));
        }
        let global: Vec<usize> = call.cuts.iter().map(|c| c[c.len() - 1]).collect();
        let tree = GridTree::new(call.rule, call.group, &global, &call.cuts);
        let mut slots = vec![0; call.tiles.len()];
        tree.walk(|step| {
            if let GridStep::Take { tile, slot, .. } = step {
                slots[tile] = slots[tile].max(slot + 1);
            }
        });
        let dtypes = [call.dtype, RealType::INDEX];
        let sides = |views: &[View], extents: &[usize]| -> Result<_, Fault> {
            let views = views.iter().zip(dtypes);
            views.map(|(view, dtype)| side(view, extents, dtype, locate)).collect()
        };
        let mut tiles = Vec::with_capacity(slots.len());
        for (number, (views, &slots)) in call.tiles.iter().zip(&slots).enumerate() {
            if slots > 0 && views.len() != parts {
                let found = views.len();
                return Err(Fault::Execution(format!("tile {number} has {found} views")));
            }
            let mut extents: SmallVec<[usize; 4]> = SmallVec::from_slice(&[slots]);
            extents.extend_from_slice(&call.kept);
            tiles.push(sides(views, &extents)?);
        }
        let outputs = sides(&call.outputs, &call.kept)?;
        Ok(Finish { call, tree, tiles, outputs })
    }

    /// Combines all slots, a block of kept elements at a time.
    pub fn run(self, _: &Workers, _: Level) -> Result<(), Fault> {
        let ReduceFinish { reducer, dtype, kept, .. } = &self.call;
        let folding = find_folding(*reducer, *dtype)
            .ok_or_else(|| Fault::Execution(format!("{reducer} of {dtype}")))?;
        let (outer, inner) = match kept.split_last() {
            Some((&inner, outer)) => (outer, inner),
            None => (&[][..], 1),
        };
        let mut stack = vec![0u64; 2 * (self.tree.depth() + 1) * BLOCK];
        for row in 0..outer.iter().product() {
            let mut at: SmallVec<[usize; 4]> = SmallVec::from_elem(0, kept.len());
            let mut rest = row;
            for axis in (0..outer.len()).rev() {
                at[axis] = rest % outer[axis];
                rest /= outer[axis];
            }
            for first in (0..inner).step_by(BLOCK) {
                if let Some(last) = at.last_mut() {
                    *last = first;
                }
                let n = BLOCK.min(inner - first);
                // SAFETY: the views were checked for the kept extents and their slots.
                unsafe { self.block(&folding, &at, n, stack.as_mut_ptr().cast()) };
            }
        }
        Ok(())
    }

    /// Combines the slots of `n` kept elements along the last axis, from coordinates `at`.
    unsafe fn block(&self, folding: &Folding, at: &[usize], n: usize, stack: *mut u8) {
        let half = (self.tree.depth() + 1) * BLOCK * 8;
        let vector = |position: usize| {
            let values = stack.wrapping_add(position * BLOCK * 8);
            Accumulators { values, indices: values.wrapping_add(half) }
        };
        // SAFETY: the caller's contract; vectors of the stack hold `BLOCK` elements.
        unsafe {
            self.tree.walk(|step| match step {
                GridStep::Take { position, tile, slot } => {
                    let to = vector(position);
                    let mut coordinates: SmallVec<[usize; 4]> = SmallVec::from_slice(&[slot]);
                    coordinates.extend_from_slice(at);
                    self.transfer(&self.tiles[tile], &coordinates, to, n, true);
                }
                GridStep::Combine { position } => {
                    (folding.combine)(vector(position), vector(position + 1), n);
                }
            });
            self.transfer(&self.outputs, at, vector(0), n, false);
        }
    }

    /// Moves `n` elements between views and a vector of the stack.
    unsafe fn transfer(
        &self,
        views: &[Side],
        at: &[usize],
        vector: Accumulators,
        n: usize,
        take: bool,
    ) {
        let halves = [(vector.values, self.call.dtype.size()), (vector.indices, 8)];
        for (view, (address, size)) in views.iter().zip(halves) {
            let offset: i64 = at.iter().zip(&view.strides).map(|(&i, &s)| i as i64 * s).sum();
            let along = if self.call.kept.is_empty() { 0 } else { view.strides[at.len() - 1] };
            let part = Side {
                pointer: view.pointer.wrapping_offset(offset as isize),
                strides: SmallVec::from_slice(&[along]),
            };
            let packed = Side::row_major(address, &[n], size);
            let (from, to) = if take { (&part, &packed) } else { (&packed, &part) };
            // SAFETY: the caller's contract.
            unsafe { copy(&[n], from, to, size) };
        }
    }
}
