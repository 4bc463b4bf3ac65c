//! Ways to see an array.

use darray::Sections;
use darray_core::Ix;
use std::fmt;

/// A way to see an array.
#[derive(Clone, Debug, PartialEq)]
pub enum View {
    /// `.slice(s![...])`.
    Slice(Vec<Index>),
    /// `.t()`.
    Transpose,
    /// `.permute(..)`.
    Permute(Vec<isize>),
    /// `.reshape(..)`.
    Reshape(Vec<usize>),
    /// `.broadcast_to(..)`.
    Broadcast(Vec<usize>),
    /// `.diagonal(offset, rows, columns)`.
    Diagonal {
        /// Above the main diagonal where positive.
        offset: isize,
        /// An axis.
        rows: isize,
        /// Another.
        columns: isize,
    },
    /// `.alias()`.
    Alias,
    /// `.ravel()`.
    Ravel,
    /// `.expand_dims(..)`, axes of the result.
    ExpandDims(Vec<isize>),
    /// `.squeeze(..)`; `None` for all axes of extent 1.
    Squeeze(Option<Vec<isize>>),
    /// `.swap_axes(a, b)`.
    SwapAxes(isize, isize),
    /// `.moveaxis(source, destination)`.
    MoveAxis(Vec<isize>, Vec<isize>),
    /// `.transpose(axes)`; `None` for the reverse order.
    Reorder(Option<Vec<isize>>),
    /// `.flip(..)`; `None` for all axes.
    Flip(Option<Vec<isize>>),
    /// `.diag(offset)` of a matrix.
    Diag(isize),
    /// One of the parts that `.split(..)` or `.array_split(..)` gives.
    Part {
        /// Where the array is cut.
        sections: Sections,
        /// `array_split`, whose parts need not be equal.
        unequal: bool,
        /// Along which axis.
        axis: isize,
        /// Which part.
        part: usize,
    },
}

/// One item of a slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Index {
    /// An integer: the axis goes.
    At(isize),
    /// `start..stop;step` as Python reads it.
    Range {
        /// `None`: from the end where the step begins.
        start: Option<isize>,
        /// `None`: up to the end where the step leads.
        stop: Option<isize>,
        /// Not 0.
        step: isize,
    },
    /// A new axis of extent 1.
    NewAxis,
    /// As many whole axes as are left.
    Ellipsis,
}

impl Index {
    /// As darray's slices take it.
    pub fn to_ix(self) -> Ix {
        match self {
            Index::At(at) => Ix::At(at),
            Index::Range { start, stop, step } => Ix::Range { start, end: stop, step },
            Index::NewAxis => Ix::NewAxis,
            Index::Ellipsis => Ix::Ellipsis,
        }
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            View::Slice(items) => {
                let items: Vec<String> = items.iter().map(|i| i.to_string()).collect();
                write!(f, "slice(s![{}])", items.join(", "))
            }
            View::Transpose => write!(f, "t()"),
            View::Permute(order) => write!(f, "permute(&{order:?})"),
            View::Reshape(shape) => write!(f, "reshape({shape:?})"),
            View::Broadcast(shape) => write!(f, "broadcast_to({shape:?})"),
            View::Diagonal { offset, rows, columns } => {
                write!(f, "diagonal(Diagonal::new({offset}).axes({rows}, {columns}))")
            }
            View::Alias => write!(f, "alias()"),
            View::Ravel => write!(f, "ravel()"),
            View::ExpandDims(axes) => write!(f, "expand_dims({axes:?})"),
            View::Squeeze(axes) => write!(f, "squeeze({})", axes_text(axes.as_deref())),
            View::SwapAxes(a, b) => write!(f, "swap_axes({a}, {b})"),
            View::MoveAxis(from, to) => write!(f, "moveaxis({from:?}, {to:?})"),
            View::Reorder(axes) => write!(f, "transpose({})", axes_text(axes.as_deref())),
            View::Flip(axes) => write!(f, "flip({})", axes_text(axes.as_deref())),
            View::Diag(offset) => write!(f, "diag({offset})"),
            View::Part { sections, unequal, axis, part } => {
                let method = if *unequal { "array_split" } else { "split" };
                match sections {
                    Sections::Count(count) => write!(f, "{method}({count}, {axis})[{part}]"),
                    Sections::At(indices) => write!(f, "{method}({indices:?}, {axis})[{part}]"),
                }
            }
        }
    }
}

/// Axes as darray takes them; `None` for all.
pub(super) fn axes_text(axes: Option<&[isize]>) -> String {
    axes.map_or("..".to_string(), |axes| format!("{axes:?}"))
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = |b: &Option<isize>| b.map_or(String::new(), |b| b.to_string());
        match self {
            Index::At(at) => write!(f, "{at}"),
            Index::Range { start, stop, step: 1 } => write!(f, "{}..{}", bound(start), bound(stop)),
            Index::Range { start, stop, step } => {
                write!(f, "{}..{};{step}", bound(start), bound(stop))
            }
            Index::NewAxis => write!(f, "NewAxis"),
            Index::Ellipsis => write!(f, "..."),
        }
    }
}
