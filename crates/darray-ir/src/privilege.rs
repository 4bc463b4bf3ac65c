//! What a task may do with a sub-store.

use darray_kernel::ir::Reducer;
use std::fmt;

/// The right by which a task uses a store.
///
/// A privilege is stated per granularity: a sum over axis 1 of a store tiled by rows is `Write`
/// over points and `Reduce` over elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Privilege {
    /// The task sees the data and leaves it alone.
    Read,
    /// The task overwrites every element of the sub-store, without looking.
    Write,
    /// The task sees the data and may change it.
    ReadWrite,
    /// The task folds values into the store by an operator; the order between points is the tree's.
    Reduce(Reducer),
}

impl Privilege {
    /// Whether earlier data is seen.
    #[inline]
    pub fn reads(self) -> bool {
        matches!(self, Privilege::Read | Privilege::ReadWrite)
    }

    /// Whether data is overwritten.
    #[inline]
    pub fn writes(self) -> bool {
        matches!(self, Privilege::Write | Privilege::ReadWrite)
    }

    /// Whether data is folded in.
    pub fn reduces(self) -> bool {
        matches!(self, Privilege::Reduce(_))
    }

    /// The privilege of a fused task that uses one sub-store by both.
    pub fn promote(self, other: Privilege) -> Privilege {
        if self == other { self } else { Privilege::ReadWrite }
    }
}

impl fmt::Display for Privilege {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Privilege::Read => f.write_str("read"),
            Privilege::Write => f.write_str("write"),
            Privilege::ReadWrite => f.write_str("readwrite"),
            Privilege::Reduce(r) => write!(f, "reduce({r:?})"),
        }
    }
}
