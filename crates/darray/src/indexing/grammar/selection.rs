//! What can be given where an index is wanted.

use super::{Entry, Item, Pick, Slice};
use darray_core::Ix;
use smallvec::{Array, SmallVec};

/// What an array is sliced by: [`s![..]`](crate::s), a list of [`Ix`] or [`Pick`], or one item for the first axis.
///
/// ```
/// use darray::{Ix, Selection, s};
/// assert_eq!(s![1..3], [Ix::from(1..3)]);
/// assert_eq!(Selection::items(1..3).as_ref(), &s![1..3][..]);
/// ```
#[diagnostic::on_unimplemented(
    message = "an array cannot be sliced by `{Self}`",
    label = "write `a.slice(s![1..-1, ..])`, `a.slice(0..3)`, `a.slice(2)`, `a.slice(&mask)`, `a.slice(s![&indices, 0])`",
    note = "arrays in an index are of integers or of bool: `x.cast::<i64>()`, `x.gt(0.5)`"
)]
pub trait Selection {
    /// [`Ix`] for a view; [`Pick`] where elements are chosen.
    type Entry: Entry;

    /// A list of indices.
    type Items: AsRef<[Self::Entry]>;

    /// The items of the index.
    fn items(self) -> Self::Items;
}

macro_rules! lists {
    ($([$($generic:tt)*] $list:ty => $entry:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($generic)*> Selection for $list {
            type Entry = $entry;
            type Items = Self;

            fn items(self) -> Self {
                self
            }
        }
    )* };
}

lists! {
    [E: Entry] Slice<E> => E;
    [const N: usize] [Ix; N] => Ix;
    [const N: usize] &[Ix; N] => Ix;
    [] &[Ix] => Ix;
    [] Vec<Ix> => Ix;
    [] &Vec<Ix> => Ix;
    [A: Array<Item = Ix>] SmallVec<A> => Ix;
    [const N: usize] [Pick; N] => Pick;
    [] &[Pick] => Pick;
    [] Vec<Pick> => Pick;
}

#[diagnostic::do_not_recommend]
impl<'s, E: Entry> Selection for &'s Slice<E> {
    type Entry = E;
    type Items = &'s [E];

    fn items(self) -> &'s [E] {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<I: Item> Selection for I {
    type Entry = I::Entry;
    type Items = [I::Entry; 1];

    fn items(self) -> [I::Entry; 1] {
        [self.item()]
    }
}
