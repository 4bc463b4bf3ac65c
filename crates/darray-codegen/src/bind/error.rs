//! Why a nest cannot run with the arguments of a launch.

use std::fmt;

/// A launch whose arguments do not fit the kernel.
#[derive(Clone, PartialEq, Eq)]
pub enum BindError {
    /// An axis of negative extent, or of more points than can be counted.
    Axis {
        /// Extent of the tile.
        extent: i64,
        /// Extent of the whole axis.
        global: i64,
    },
    /// A tile of a reduced axis that is not cut at blocks of the tree.
    Blocks {
        /// First global index.
        origin: i64,
        /// Indices of the tile.
        extent: usize,
        /// Extent of the axis.
        global: usize,
        /// Indices of a block.
        block: usize,
    },
    /// Strides that are too large to be added.
    Strides {
        /// The buffer.
        buffer: u16,
    },
    /// An access beyond its block.
    Bounds {
        /// The buffer.
        buffer: u16,
        /// The lowest element that is reached.
        first: i128,
        /// The highest.
        last: i128,
        /// Elements of the block.
        room: i128,
    },
    /// Another number of arguments than the kernel takes.
    Count {
        /// `buffers`, `params`, `scalars` or `strides`.
        what: &'static str,
        /// How many the kernel takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BindError::Axis { extent, global } => write!(f, "axis of extent {extent} in {global}"),
            BindError::Blocks { origin, extent, global, block } => write!(
                f,
                "tile of {extent} from {origin} of {global} is not cut at blocks of {block}"
            ),
            BindError::Strides { buffer } => write!(f, "strides of buffer {buffer} overflow"),
            BindError::Bounds { buffer, first, last, room } => {
                write!(f, "buffer {buffer} is accessed at elements {first}..={last} of {room}")
            }
            BindError::Count { what, expected, found } => {
                write!(f, "{found} {what}, expected {expected}")
            }
        }
    }
}

impl fmt::Debug for BindError {
    /// The text, which is what `unwrap` prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for BindError {}
