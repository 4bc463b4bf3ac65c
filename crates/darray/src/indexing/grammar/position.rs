//! The place of one element.

use crate::Index;
use darray_core::Ix;
use smallvec::SmallVec;

/// The place of one element, or of a row: an index for each axis, as an array, tuple or slice; of a 1-d array an integer, of a 0-d array `()`.
///
/// ```
/// use darray::{Ix, Position};
/// let row = 3usize;
/// assert_eq!((row, -1).indices(), [Ix::At(3), Ix::At(-1)]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the place of an element",
    label = "write `a.get([i, j])`, and of a 1-d array `a.get(i)`; a row is `a.at(i)`",
    note = "ranges are for views, `a.slice(s![1..3, ..])`; masks and arrays of indices choose elements: `a.slice(&mask)`, `a.slice(s![&indices, 0])`"
)]
pub trait Position {
    /// A list of indices.
    type Indices: AsRef<[Ix]>;

    /// The index along each axis.
    fn indices(self) -> Self::Indices;
}

#[diagnostic::do_not_recommend]
impl<I: Index> Position for I {
    type Indices = [Ix; 1];

    fn indices(self) -> [Ix; 1] {
        [Ix::At(self.index())]
    }
}

#[diagnostic::do_not_recommend]
impl<I: Index, const N: usize> Position for [I; N] {
    type Indices = [Ix; N];

    fn indices(self) -> [Ix; N] {
        self.map(|index| Ix::At(index.index()))
    }
}

#[diagnostic::do_not_recommend]
impl<I: Index, const N: usize> Position for &[I; N] {
    type Indices = [Ix; N];

    fn indices(self) -> [Ix; N] {
        self.map(|index| Ix::At(index.index()))
    }
}

#[diagnostic::do_not_recommend]
impl<I: Index> Position for &[I] {
    type Indices = SmallVec<[Ix; 8]>;

    fn indices(self) -> SmallVec<[Ix; 8]> {
        self.iter().map(|index| Ix::At(index.index())).collect()
    }
}

impl Position for () {
    type Indices = [Ix; 0];

    fn indices(self) -> [Ix; 0] {
        []
    }
}

macro_rules! tuples {
    ($(($($index:ident)+) $count:literal;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($index: Index),+> Position for ($($index,)+) {
            type Indices = [Ix; $count];

            #[allow(non_snake_case)]
            fn indices(self) -> [Ix; $count] {
                let ($($index,)+) = self;
                [$(Ix::At($index.index())),+]
            }
        }
    )* };
}

tuples! {
    (A) 1;
    (A B) 2;
    (A B C) 3;
    (A B C D) 4;
    (A B C D E) 5;
    (A B C D E F) 6;
    (A B C D E F G) 7;
    (A B C D E F G H) 8;
}
