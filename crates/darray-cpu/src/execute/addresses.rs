//! Addresses and strides of a nest's accesses, checked against their blocks.

use super::arguments::Arguments;
use darray_codegen::{Nest, Node, Phase, Program};
use darray_device::Fault;
use darray_kernel::ir::{Access, Step};
use darray_kernel::tree::TileTree;
use smallvec::SmallVec;

/// Extents and origins of a nest's axes.
pub(super) struct Axes {
    pub extents: SmallVec<[usize; 4]>,
    pub origins: SmallVec<[i64; 4]>,
    pub globals: SmallVec<[usize; 4]>,
}

impl Axes {
    /// The axes of a nest; a fault where they are no part of a domain.
    pub fn new(nest: &Nest, arguments: &Arguments<'_>) -> Result<Axes, Fault> {
        let mut axes =
            Axes { extents: SmallVec::new(), origins: SmallVec::new(), globals: SmallVec::new() };
        let mut points = 1usize;
        for axis in &nest.axes {
            let [extent, origin, global] =
                [axis.extent, axis.origin, axis.global].map(|p| arguments.param(p));
            let valid = usize::try_from(extent).ok().zip(usize::try_from(global).ok());
            let product = valid.and_then(|(e, _)| points.checked_mul(e.max(1)));
            let (Some((extent, global)), Some(product)) = (valid, product) else {
                return Err(Fault::Execution(format!("axis of extent {extent} in {global}")));
            };
            points = product;
            axes.extents.push(extent);
            axes.origins.push(origin);
            axes.globals.push(global);
        }
        Ok(axes)
    }
}

/// Addresses and strides of a nest's accesses, checked against their blocks.
pub(super) struct Addresses {
    /// Of local index 0.
    pub bases: SmallVec<[*mut u8; 8]>,
    /// Bytes per step: `strides[axis * accesses + access]`.
    pub strides: SmallVec<[i64; 16]>,
    /// Bytes from one slot to the next (yields only).
    pub slots: SmallVec<[i64; 8]>,
}

impl Addresses {
    /// Those of a nest; a fault where one reaches beyond its block.
    pub fn new(
        program: &Program,
        nest: &Nest,
        axes: &Axes,
        tree: Option<&TileTree>,
        arguments: &Arguments<'_>,
    ) -> Result<Addresses, Fault> {
        let (count, rank) = (nest.accesses.len(), nest.axes.len());
        let mut addresses = Addresses {
            bases: SmallVec::new(),
            strides: SmallVec::from_elem(0, count * rank),
            slots: SmallVec::from_elem(0, count),
        };
        let yields = nest.after.iter().filter_map(|node| match node {
            Node::Yield { access, .. } => Some(*access),
            _ => None,
        });
        let yields: SmallVec<[u16; 4]> = yields.collect();
        for (at, &(number, phase)) in nest.accesses.iter().enumerate() {
            let access = &program.accesses[number as usize];
            let size = program.buffers[access.buffer as usize].dtype.size() as i64;
            let (block, offset, buffer_strides) = arguments.buffer(access.buffer);
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
                    *sum = stride.and_then(|stride| sum.checked_add(stride)).ok_or_else(|| {
                        Fault::Execution(format!("strides of buffer {} overflow", access.buffer))
                    })?;
                }
            }
            let visible = if phase == Phase::Fold { rank } else { nest.kept };
            for axis in 0..visible {
                let stride = addresses.strides[axis * count + at] / size;
                reach.along(axes.extents[axis], stride);
            }
            if yields.contains(&number) {
                let stride = buffer_strides.first().copied().unwrap_or(0);
                addresses.slots[at] = stride.wrapping_mul(size);
                // A stride that wraps has no room for a second slot.
                reach.along(tree.map_or(1, TileTree::slots), stride);
            }
            let empty = axes.extents[..visible].contains(&0);
            let room = block.bytes as i128 / size as i128;
            if !empty && !reach.inside(room) {
                return Err(out_of_bounds(access, &reach, room));
            }
            let offset = if empty { 0 } else { reach.first as i64 * size };
            addresses.bases.push(block.pointer.wrapping_offset(offset as isize));
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

fn out_of_bounds(access: &Access, reach: &Reach, room: i128) -> Fault {
    Fault::Execution(format!(
        "buffer {} is accessed at elements {}..={} of {room}",
        access.buffer,
        reach.first + reach.below,
        reach.first + reach.above,
    ))
}
