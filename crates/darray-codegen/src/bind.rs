//! A nest meets the arguments of a launch: the rules that every back end shares.
//!
//! ```text
//! Nest + LaunchArguments --> Axes        extents, origins
//!                        --> TileTree    the tile's part of the reduction tree
//!                        --> Addresses   first element and strides of every access, inside its block
//!                        --> [Loop]      which loop goes inside which, which are one
//! ```

mod addresses;
mod axes;
mod error;
mod loops;

pub use addresses::Addresses;
pub use axes::Axes;
pub use error::BindError;
pub use loops::{Loop, plan_loops};

use darray_kernel::ir::Param;

/// What a launch says about a kernel's buffers and params. Numbers are those of the kernel.
pub trait LaunchArguments {
    /// A run-time integer.
    fn param(&self, param: Param) -> i64;
    /// Where a buffer lies.
    fn place(&self, buffer: u16) -> Place<'_>;
}

/// Where a buffer lies: coordinates `c` are element `offset + sum(c_k * strides_k)` of a block.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Length of the block.
    pub bytes: u64,
    /// Element of the block at coordinates 0; may lie outside.
    pub offset: i64,
    /// In elements, one per coordinate.
    pub strides: &'a [i64],
}
