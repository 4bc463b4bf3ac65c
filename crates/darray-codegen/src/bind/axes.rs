//! Extents and origins of a nest's axes.

use super::{BindError, LaunchArguments};
use crate::program::{FoldBody, Nest};
use darray_kernel::ir::Axis;
use darray_kernel::tree::{Group, ReducedAxis, TileTree};
use smallvec::SmallVec;

/// Extents and origins of a nest's axes, by axis number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axes {
    /// Indices of the tile.
    pub extents: SmallVec<[usize; 4]>,
    /// First global index of the tile.
    pub origins: SmallVec<[i64; 4]>,
    /// Indices of the whole domain.
    pub globals: SmallVec<[usize; 4]>,
    /// The innermost of the reduced axes.
    pub group: Group,
}

impl Axes {
    /// The axes of a nest.
    ///
    /// # Errors
    ///
    /// [`BindError::Axis`] where they are no part of a domain.
    pub fn new(nest: &Nest, arguments: &impl LaunchArguments) -> Result<Axes, BindError> {
        let group = Group { axes: 0, behind: 1 };
        let [extents, globals] = [SmallVec::new(), SmallVec::new()];
        let mut axes = Axes { extents, origins: SmallVec::new(), globals, group };
        let mut points = 1usize;
        for axis in &nest.axes {
            let [extent, origin, global] =
                [axis.extent, axis.origin, axis.global].map(|p| arguments.param(p));
            let valid = usize::try_from(extent).ok().zip(usize::try_from(global).ok());
            let product = valid.and_then(|(e, _)| points.checked_mul(e.max(1)));
            let (Some((extent, global)), Some(product)) = (valid, product) else {
                return Err(BindError::Axis { extent, global });
            };
            points = product;
            axes.extents.push(extent);
            axes.origins.push(origin);
            axes.globals.push(global);
        }
        let axis = |(number, axis): (usize, &Axis)| {
            (axis.logical, axes.globals[number], number >= nest.kept)
        };
        axes.group = Group::of(nest.axes.iter().enumerate().map(axis));
        Ok(axes)
    }

    /// The tile's part of the reduction tree.
    ///
    /// # Errors
    ///
    /// [`BindError::Blocks`] where the tile is not cut at the tree's blocks.
    pub fn tile_tree(&self, fold: &FoldBody) -> Result<TileTree, BindError> {
        let mut reduced: SmallVec<[ReducedAxis; 4]> = SmallVec::new();
        for (&axis, block) in fold.order.iter().zip(self.blocks(fold)) {
            let at = axis as usize;
            let (extent, global, origin) = (self.extents[at], self.globals[at], self.origins[at]);
            let aligned = |i: usize| i.is_multiple_of(block) || i == global;
            match usize::try_from(origin) {
                Ok(origin)
                    if origin <= global
                        && extent <= global - origin
                        && aligned(origin)
                        && aligned(origin + extent) =>
                {
                    reduced.push(ReducedAxis { origin, extent, global });
                }
                _ => return Err(BindError::Blocks { origin, extent, global, block }),
            }
        }
        if reduced.is_empty() {
            // A fold over no axis is one over an axis of one point.
            reduced.push(ReducedAxis { origin: 0, extent: 1, global: 1 });
        }
        Ok(TileTree::new(fold.tree, self.group, &reduced))
    }

    /// Indices of a leaf along each reduced axis of [`FoldBody::order`].
    pub fn blocks(&self, fold: &FoldBody) -> SmallVec<[usize; 4]> {
        let globals: SmallVec<[usize; 4]> =
            fold.order.iter().map(|&axis| self.globals[axis as usize]).collect();
        fold.tree.blocks(&globals, self.group)
    }
}
