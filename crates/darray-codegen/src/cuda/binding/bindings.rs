//! The arguments of a launch, as callers give them.

use crate::bind::{LaunchArguments, Place};
use darray_kernel::ir::Param;
use smallvec::SmallVec;

/// Where a buffer lies: coordinates `c` are element `offset + sum(c_k * strides_k)` of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Device address of element 0 of the block; a multiple of the element's size.
    pub address: u64,
    /// Length of the block.
    pub bytes: u64,
    /// Element of the block at coordinates 0; may lie outside.
    pub offset: i64,
    /// In elements, one per coordinate.
    pub strides: SmallVec<[i64; 4]>,
}

/// The arguments of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Bindings<'a> {
    /// One per kernel buffer.
    pub buffers: &'a [Binding],
    /// One per kernel param.
    pub params: &'a [i64],
    /// The bits of every kernel scalar.
    pub scalars: &'a [u64],
}

impl LaunchArguments for Bindings<'_> {
    fn param(&self, param: Param) -> i64 {
        self.params[param.0 as usize]
    }

    fn place(&self, buffer: u16) -> Place<'_> {
        let binding = &self.buffers[buffer as usize];
        Place { bytes: binding.bytes, offset: binding.offset, strides: &binding.strides }
    }
}
