//! Addresses and strides of a nest's accesses, checked against their blocks.

use super::{Axes, BindError, LaunchArguments, Place};
use crate::program::{Nest, Node, Phase, Program};
use darray_kernel::ir::Step;
use darray_kernel::tree::TileTree;
use smallvec::SmallVec;

/// Addresses and strides of a nest's accesses, checked against their blocks.
#[derive(Clone, Debug)]
pub struct Addresses {
    /// Bytes from the start of its block to local index 0, per access of the nest.
    pub offsets: SmallVec<[i64; 8]>,
    /// Bytes per step: `strides[axis * accesses + access]`.
    pub strides: SmallVec<[i64; 16]>,
    /// Bytes from one slot to the next (yields only).
    pub slots: SmallVec<[i64; 8]>,
    /// The most elements that any access moves away from local index 0.
    pub farthest: u64,
}

impl Addresses {
    /// Those of a nest.
    ///
    /// # Errors
    ///
    /// [`BindError::Bounds`] where one reaches beyond its block, [`BindError::Strides`].
    pub fn new(
        program: &Program,
        nest: &Nest,
        axes: &Axes,
        tree: Option<&TileTree>,
        arguments: &impl LaunchArguments,
    ) -> Result<Addresses, BindError> {
        let (count, rank) = (nest.accesses.len(), nest.axes.len());
        let mut addresses = Addresses {
            offsets: SmallVec::new(),
            strides: SmallVec::from_elem(0, count * rank),
            slots: SmallVec::from_elem(0, count),
            farthest: 0,
        };
        let yields = nest.after.iter().filter_map(|node| match node {
            Node::Yield { access, .. } => Some(*access),
            _ => None,
        });
        let yields: SmallVec<[u16; 4]> = yields.collect();
        for (at, &(number, phase)) in nest.accesses.iter().enumerate() {
            let access = &program.accesses[number as usize];
            let size = program.buffers[access.buffer as usize].dtype.size() as i64;
            // Sizes are powers of two, divisions are slow.
            let shift = size.trailing_zeros();
            let Place { bytes, offset, strides: buffer_strides } = arguments.place(access.buffer);
            let mut reach = Reach::new(offset);
            for (dim, &stride) in access.dims.iter().zip(buffer_strides) {
                let step = match dim.step {
                    Step::Zero => 0,
                    Step::One => 1,
                    Step::MinusOne => -1,
                    Step::Any(step) => arguments.param(step),
                };
                reach.add(arguments.param(dim.start), stride);
                if let Some(axis) = dim.axis {
                    let first = axes.origins[axis as usize] as i128 + dim.shift as i128;
                    reach.first += first * step as i128 * stride as i128;
                    let stride = step.checked_mul(stride).and_then(|s| s.checked_mul(size));
                    let sum = &mut addresses.strides[axis as usize * count + at];
                    *sum = stride
                        .and_then(|stride| sum.checked_add(stride))
                        .ok_or(BindError::Strides { buffer: access.buffer })?;
                }
            }
            let visible = if phase == Phase::Fold { rank } else { nest.kept };
            for axis in 0..visible {
                let stride = addresses.strides[axis * count + at] >> shift;
                reach.along(axes.extents[axis], stride);
            }
            if yields.contains(&number) {
                let stride = buffer_strides.first().copied().unwrap_or(0);
                addresses.slots[at] = stride.wrapping_mul(size);
                // A stride that wraps has no space for a second slot.
                reach.along(tree.map_or(1, TileTree::slots), stride);
            }
            let empty = axes.extents[..visible].contains(&0);
            let room = (bytes >> shift) as i128;
            if !empty {
                if !reach.inside(room) {
                    let (first, last) = (reach.first + reach.below, reach.first + reach.above);
                    return Err(BindError::Bounds { buffer: access.buffer, first, last, room });
                }
                // Inside the block, so it fits.
                let away = (reach.above as u64).max(-reach.below as u64);
                addresses.farthest = addresses.farthest.max(away);
            }
            addresses.offsets.push(if empty { 0 } else { reach.first as i64 * size });
        }
        Ok(addresses)
    }
}

/// The elements that an access touches, counted from the start of its block.
struct Reach {
    first: i128,
    below: i128,
    above: i128,
}

impl Reach {
    fn new(offset: i64) -> Reach {
        Reach { first: offset as i128, below: 0, above: 0 }
    }

    fn add(&mut self, start: i64, stride: i64) {
        self.first += start as i128 * stride as i128;
    }

    fn along(&mut self, extent: usize, stride: i64) {
        let span = extent.saturating_sub(1) as i128 * stride as i128;
        self.below += span.min(0);
        self.above += span.max(0);
    }

    fn inside(&self, room: i128) -> bool {
        self.first + self.below >= 0 && self.first + self.above < room
    }
}
