//! What can be given where an index is wanted.

use super::{Index, Ix, NewAxis};
use smallvec::{Array, SmallVec};
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// What an array is sliced by: [`s![..]`](crate::s), a list of [`Ix`], or one integer or range for the first axis.
///
/// ```
/// use darray_core::{Ix, Selection, s};
/// assert_eq!(Selection::items(1..3).as_ref(), s![1..3]);
/// assert_eq!(Selection::items(-1), [Ix::At(-1)]);
/// ```
#[diagnostic::on_unimplemented(
    message = "an array cannot be sliced by `{Self}`",
    label = "write `a.slice(s![1..-1, ..])`, `a.slice(0..3)`, `a.slice(2)`",
    note = "elements by a mask are `a.compress(&mask, ..)`, by an array of indices `a.take(&indices, 0)`"
)]
pub trait Selection {
    /// A list of indices.
    type Items: AsRef<[Ix]>;

    /// The index of each axis.
    fn items(self) -> Self::Items;
}

macro_rules! lists {
    ($([$($generic:tt)*] $list:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($generic)*> Selection for $list {
            type Items = Self;

            fn items(self) -> Self {
                self
            }
        }
    )* };
}

lists! {
    [const N: usize] [Ix; N];
    [const N: usize] &[Ix; N];
    [] &[Ix];
    [] Vec<Ix>;
    [] &Vec<Ix>;
    [A: Array<Item = Ix>] SmallVec<A>;
}

macro_rules! single_indices {
    ($(<$($generic:ident: $bound:ident)?> $index:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($generic: $bound)?> Selection for $index {
            type Items = [Ix; 1];

            fn items(self) -> [Ix; 1] {
                [self.into()]
            }
        }
    )* };
}

single_indices! {
    <> Ix;
    <> NewAxis;
    <I: Index> I;
    <> RangeFull;
    <I: Index> Range<I>;
    <I: Index> RangeFrom<I>;
    <I: Index> RangeTo<I>;
    <I: Index> RangeInclusive<I>;
    <I: Index> RangeToInclusive<I>;
}

/// The place of one element: an index for each axis, as an array, tuple or slice; of a 1-d array an integer, of a 0-d array `()`.
///
/// ```
/// use darray_core::{Ix, Position};
/// let row = 3usize;
/// assert_eq!((row, -1).indices(), [Ix::At(3), Ix::At(-1)]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the place of an element",
    label = "write `a.get([i, j])`, and of a 1-d array `a.get(i)`",
    note = "ranges are for views: `a.slice(s![1..3, ..])`"
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
        [self.into()]
    }
}

#[diagnostic::do_not_recommend]
impl<I: Index, const N: usize> Position for [I; N] {
    type Indices = [Ix; N];

    fn indices(self) -> [Ix; N] {
        self.map(Ix::from)
    }
}

#[diagnostic::do_not_recommend]
impl<I: Index, const N: usize> Position for &[I; N] {
    type Indices = [Ix; N];

    fn indices(self) -> [Ix; N] {
        self.map(Ix::from)
    }
}

#[diagnostic::do_not_recommend]
impl<I: Index> Position for &[I] {
    type Indices = SmallVec<[Ix; 8]>;

    fn indices(self) -> SmallVec<[Ix; 8]> {
        self.iter().map(|&index| Ix::from(index)).collect()
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
                [$($index.into()),+]
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
