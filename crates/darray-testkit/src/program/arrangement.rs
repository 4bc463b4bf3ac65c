//! Copies of arrays under other shapes.

use std::fmt;

/// How arrays are copied into a new one.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrangement {
    /// One after the other along an axis.
    Concatenate(isize),
    /// Side by side along a new axis.
    Stack(isize),
    /// Each element of one array several times.
    Repeat {
        /// How often.
        count: usize,
        /// Along which axis.
        axis: isize,
    },
    /// One array several times along each axis.
    Tile(Vec<usize>),
    /// The elements of one array moved around the end.
    Roll {
        /// How far.
        shift: isize,
        /// Along which axis; `None` in row-major order.
        axis: Option<isize>,
    },
    /// One array with borders.
    Pad {
        /// Before and after each axis.
        widths: Vec<(usize, usize)>,
        /// What they hold.
        border: Border,
    },
    /// The elements of one matrix, or of each, on one side of a diagonal; zeros on the other.
    Triangle {
        /// Above the main diagonal where positive.
        offset: isize,
        /// Whether the elements below the diagonal stay, or those above.
        lower: bool,
    },
}

/// What borders hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Border {
    /// This number.
    Constant(i64),
    /// The edge.
    Edge,
    /// The mirrored array without its edge.
    Reflect,
    /// The mirrored array.
    Symmetric,
    /// The other end.
    Wrap,
}

impl fmt::Display for Arrangement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arrangement::Concatenate(axis) => write!(f, "concatenate({axis})"),
            Arrangement::Stack(axis) => write!(f, "stack({axis})"),
            Arrangement::Repeat { count, axis } => write!(f, "repeat({count}, {axis})"),
            Arrangement::Tile(counts) => write!(f, "tile({counts:?})"),
            Arrangement::Roll { shift, axis: Some(axis) } => write!(f, "roll({shift}, {axis})"),
            Arrangement::Roll { shift, axis: None } => write!(f, "roll({shift}, ..)"),
            Arrangement::Pad { widths, border } => write!(f, "pad({widths:?}, {border:?})"),
            Arrangement::Triangle { offset, lower: true } => write!(f, "tril({offset})"),
            Arrangement::Triangle { offset, lower: false } => write!(f, "triu({offset})"),
        }
    }
}
