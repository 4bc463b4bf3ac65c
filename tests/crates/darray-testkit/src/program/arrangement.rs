//! Copies of arrays under other shapes.

use super::view::axes_text;
use std::fmt;

/// How arrays are copied into a new one.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrangement {
    /// One after the other along an axis; `None`: each as one axis.
    Concatenate(Option<isize>),
    /// One below the other, arrays of one axis being rows.
    Vstack,
    /// Beside each other along the second axis, or the only one.
    Hstack,
    /// Side by side along a new axis.
    Stack(isize),
    /// Each element of one array several times.
    Repeat {
        /// How often.
        count: usize,
        /// Along which axes; `None` in row-major order, as one axis.
        axes: Option<Vec<isize>>,
    },
    /// One array several times along each axis.
    Tile(Vec<usize>),
    /// The elements of one array moved around the end.
    Roll {
        /// How far along each axis.
        shifts: Vec<isize>,
        /// Along which axes; `None` in row-major order.
        axes: Option<Vec<isize>>,
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
    /// One array of one axis as a diagonal, zeros elsewhere.
    Diag(isize),
    /// One array in row-major order, as one axis.
    Flatten,
    /// One array as it is.
    Copy,
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
            Arrangement::Concatenate(Some(axis)) => write!(f, "concatenate({axis})"),
            Arrangement::Concatenate(None) => write!(f, "concatenate(..)"),
            Arrangement::Vstack => write!(f, "vstack()"),
            Arrangement::Hstack => write!(f, "hstack()"),
            Arrangement::Stack(axis) => write!(f, "stack({axis})"),
            Arrangement::Repeat { count, axes } => {
                write!(f, "repeat({count}, {})", axes_text(axes.as_deref()))
            }
            Arrangement::Tile(counts) => write!(f, "tile({counts:?})"),
            Arrangement::Roll { shifts, axes } => {
                write!(f, "roll({shifts:?}, {})", axes_text(axes.as_deref()))
            }
            Arrangement::Pad { widths, border } => write!(f, "pad({widths:?}, {border:?})"),
            Arrangement::Triangle { offset, lower: true } => write!(f, "tril({offset})"),
            Arrangement::Triangle { offset, lower: false } => write!(f, "triu({offset})"),
            Arrangement::Diag(offset) => write!(f, "diag({offset})"),
            Arrangement::Flatten => write!(f, "flatten()"),
            Arrangement::Copy => write!(f, "copy()"),
        }
    }
}

impl Border {
    /// NumPy's name of the mode.
    pub fn mode(self) -> &'static str {
        match self {
            Border::Constant(_) => "constant",
            Border::Edge => "edge",
            Border::Reflect => "reflect",
            Border::Symmetric => "symmetric",
            Border::Wrap => "wrap",
        }
    }
}
