//! Buffers with the accesses that reach them, and arrays that hold them.

use crate::dice::Dice;
use darray_core::{RealType, Scalar};
use darray_interpreter::{BufferArg, Launch};
use darray_kernel::ir::{Access, AccessDim, Axis, Buffer, Kernel, Param, Role, Step};

/// A loop axis with its sizes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loop {
    pub axis: Axis,
    pub origin: i64,
    pub extent: i64,
}

/// A kernel under construction, with its arguments.
pub(super) struct Arrays {
    pub kernel: Kernel,
    pub launch: Launch,
    pub memory: Vec<Vec<Scalar>>,
}

/// Which coordinates a buffer has.
pub(super) enum Coordinates {
    /// Any subset of the axes, any number of fixed ones.
    Any,
    /// Every axis of more than one index, so that iterations reach different elements.
    Injective,
    /// `slots` slots, then every axis by itself.
    Slots(usize),
}

impl Arrays {
    pub fn param(&mut self, value: i64) -> Param {
        // Params are shared as the fusion pass shares them.
        let known = self.launch.params.iter().position(|&p| p == value);
        let index = known.unwrap_or_else(|| {
            self.launch.params.push(value);
            self.launch.params.len() - 1
        });
        self.kernel.params = self.launch.params.len() as u16;
        Param(index as u16)
    }

    /// A new buffer, and accesses of it which differ in start and shift, all in bounds.
    pub fn buffer(
        &mut self,
        dice: &mut Dice,
        loops: &[Loop],
        dtype: RealType,
        role: Role,
        coordinates: Coordinates,
        accesses: usize,
    ) -> Vec<Access> {
        let number = self.kernel.buffers.len() as u16;
        let axes = axes_of(dice, loops, &coordinates);
        let mut extents = Vec::new();
        let mut dims: Vec<Vec<AccessDim>> = vec![Vec::new(); accesses];
        for (position, &axis) in axes.iter().enumerate() {
            let step = match coordinates {
                Coordinates::Slots(_) => 1,
                _ => dice.pick(&[1, 1, 1, -1, 2, -3]),
            };
            let mut needed = 0;
            for dims in &mut dims {
                let dim = match (axis, &coordinates) {
                    (None, Coordinates::Slots(slots)) => {
                        debug_assert_eq!(position, 0);
                        needed = *slots as i64;
                        let start = self.param(0);
                        AccessDim { axis: None, start, step: Step::Zero, shift: 0 }
                    }
                    _ => self.dim(dice, axis.map(|a| (a, loops[a as usize])), step, &mut needed),
                };
                dims.push(dim);
            }
            extents.push(needed);
        }
        let rank = axes.len() as u8;
        self.kernel.buffers.push(Buffer { dtype, rank, role, no_alias: true });
        self.array(dice, dtype, &extents);
        dims.into_iter().map(|dims| Access { buffer: number, dims }).collect()
    }

    /// A second buffer in the same place, to be read by the same coordinates.
    pub fn alias(&mut self, access: &Access) -> Access {
        let number = access.buffer as usize;
        self.kernel.buffers[number].no_alias = false;
        let buffer = Buffer { role: Role::Read, ..self.kernel.buffers[number].clone() };
        self.kernel.buffers.push(buffer);
        let arg = self.launch.buffers[number].clone();
        self.launch.buffers.push(arg);
        Access { buffer: self.kernel.buffers.len() as u16 - 1, dims: access.dims.clone() }
    }

    /// A coordinate in bounds; `needed` grows to the extent that holds it.
    fn dim(
        &mut self,
        dice: &mut Dice,
        axis: Option<(u8, Loop)>,
        step: i64,
        needed: &mut i64,
    ) -> AccessDim {
        let room = if dice.one_in(2) { 0 } else { dice.between(0, 2) };
        let Some((number, Loop { origin, extent, .. })) = axis else {
            *needed = (*needed).max(room + 1);
            return AccessDim { axis: None, start: self.param(room), step: Step::Zero, shift: 0 };
        };
        let shift = if dice.one_in(3) { dice.between(-2, 2) } else { 0 };
        let first = step * (origin + shift);
        let last = step * (origin + shift + (extent - 1).max(0));
        // The lowest coordinate is `room`; often the start is as a whole array would have it.
        let whole = step == 1 && origin + shift >= 0 && dice.one_in(2);
        let start = if whole { 0 } else { room - first.min(last) };
        *needed = (*needed).max(start + first.max(last) + 1);
        let step = match step {
            1 => Step::One,
            -1 => Step::MinusOne,
            other => Step::Any(self.param(other)),
        };
        AccessDim { axis: Some(number), start: self.param(start), step, shift: shift as i32 }
    }

    /// An array with room for these coordinates: any order of dimensions, gaps, reversed ones.
    fn array(&mut self, dice: &mut Dice, dtype: RealType, extents: &[i64]) {
        let mut order: Vec<usize> = (0..extents.len()).rev().collect();
        if dice.one_in(3) {
            dice.shuffle(&mut order);
        }
        let mut strides = vec![0; extents.len()];
        let mut offset = dice.between(0, 3);
        let mut size = if dice.one_in(6) { 2 } else { 1 };
        for dim in order {
            strides[dim] = size;
            if dice.one_in(6) {
                strides[dim] = -size;
                offset += size * (extents[dim] - 1).max(0);
            }
            size *= extents[dim].max(1) + if dice.one_in(6) { 1 } else { 0 };
        }
        let len = offset.max(3) + size + 2;
        self.memory.push((0..len).map(|_| dice.scalar(dtype)).collect());
        self.launch.buffers.push(BufferArg::new(self.memory.len() - 1, offset, strides));
    }
}

/// The axis of each coordinate.
fn axes_of(dice: &mut Dice, loops: &[Loop], coordinates: &Coordinates) -> Vec<Option<u8>> {
    let all = (0..loops.len() as u8).map(Some);
    let mut axes: Vec<Option<u8>> = match coordinates {
        Coordinates::Slots(_) => return [None].into_iter().chain(all).collect(),
        Coordinates::Injective => all
            .filter(|a| a.is_none_or(|a| loops[a as usize].extent > 1 || dice.one_in(2)))
            .collect(),
        Coordinates::Any => all.filter(|_| !dice.one_in(4)).collect(),
    };
    if dice.one_in(4) {
        axes.push(None);
    }
    if dice.one_in(3) {
        dice.shuffle(&mut axes);
    }
    axes
}
