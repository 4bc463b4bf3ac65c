//! Arrays under other shapes on darray.

use super::axes_of;
use crate::program::{Arrangement, Border, Joint, View};
use darray::{Axes, DynArray, Ix, PadMode, Result, Shifts};

/// An array as `view` sees it.
pub fn see(array: &DynArray, view: &View) -> Result<DynArray> {
    match view {
        View::Slice(items) => {
            let items: Vec<Ix> = items.iter().map(|item| item.to_ix()).collect();
            array.slice(items)
        }
        View::Transpose => Ok(array.t()),
        View::Permute(order) => array.permute(order),
        View::Reshape(shape) => array.reshape(&shape[..]),
        View::Broadcast(shape) => array.broadcast_to(&shape[..]),
        View::Diagonal { offset, rows, columns } => array.diagonal(*offset, *rows, *columns),
        View::Alias => Ok(array.alias()),
        View::Ravel => array.ravel(),
        View::ExpandDims(axes) => array.expand_dims(&axes[..]),
        View::Squeeze(axes) => array.squeeze(axes_of(axes.as_deref())),
        View::SwapAxes(a, b) => array.swap_axes(*a, *b),
        View::MoveAxis(from, to) => array.moveaxis(&from[..], &to[..]),
        View::Reorder(axes) => array.transpose(axes_of(axes.as_deref())),
        View::Flip(axes) => array.flip(axes_of(axes.as_deref())),
        View::Diag(offset) => array.diag(*offset),
        View::Part { sections, unequal, axis, part } => {
            let sections = sections.clone();
            let mut parts = match unequal {
                true => array.array_split(sections, *axis)?,
                false => array.split(sections, *axis)?,
            };
            Ok(parts.swap_remove(*part))
        }
    }
}

/// One of the arrays that are made of several.
pub fn one_of(arrays: &[&DynArray], how: Joint, part: usize) -> Result<DynArray> {
    let mut all = match how {
        Joint::Broadcast => DynArray::broadcast_arrays(arrays)?,
        Joint::Grid(indexing) => DynArray::meshgrid(arrays, indexing)?,
    };
    Ok(all.swap_remove(part))
}

/// A copy under another shape.
pub fn arrange(arrays: &[&DynArray], how: &Arrangement) -> Result<DynArray> {
    let first = arrays[0];
    match how {
        Arrangement::Concatenate(axis) => {
            DynArray::concatenate(arrays, axis.map_or(Axes::all(), Axes::from))
        }
        Arrangement::Vstack => DynArray::vstack(arrays),
        Arrangement::Hstack => DynArray::hstack(arrays),
        Arrangement::Stack(axis) => DynArray::stack(arrays, *axis),
        Arrangement::Repeat { count, axes } => first.repeat(*count, axes_of(axes.as_deref())),
        Arrangement::Tile(counts) => first.tile(&counts[..]),
        Arrangement::Roll { shifts, axes } => {
            first.roll(Shifts::from(&shifts[..]), axes_of(axes.as_deref()))
        }
        Arrangement::Pad { widths, border } => {
            let mode = match border {
                Border::Constant(value) => PadMode::constant(*value),
                Border::Edge => PadMode::Edge,
                Border::Reflect => PadMode::Reflect,
                Border::Symmetric => PadMode::Symmetric,
                Border::Wrap => PadMode::Wrap,
            };
            first.pad(&widths[..], mode)
        }
        Arrangement::Triangle { offset, lower: true } => first.tril(*offset),
        Arrangement::Triangle { offset, lower: false } => first.triu(*offset),
        Arrangement::Diag(offset) => first.diag(*offset),
        Arrangement::Flatten => first.flatten(),
        Arrangement::Copy => first.copy(),
    }
}
