//! What may stand in an index, and a list of it.

use super::{List, ListElement};
use crate::Index;
use crate::{DArray, DynArray, Element};
use darray_core::{Ix, Place, Result};
use smallvec::SmallVec;
use std::ops::{Deref, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// A new axis of extent 1, in [`s!`](crate::s).
///
/// ```
/// use darray::{Ix, NewAxis, s};
/// assert_eq!(s![.., NewAxis][1], Ix::NewAxis);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewAxis;

/// One item of an index in which masks and arrays of indices stand. Written with [`s!`](crate::s), or by hand when the index is only
/// known at run time.
///
/// ```
/// use darray::{DArray, DynArray, Ix, Pick};
/// let x = DynArray::from(DArray::<i64>::arange(6).reshape((2, 3)));
/// let index: Vec<Pick> = vec![Ix::from(..).into(), Pick::from(vec![2, 0])];
/// let found = DArray::<i64>::try_from(x.slice(index).unwrap().array().unwrap()).unwrap();
/// assert_eq!(found.to_vec(), [2, 0, 5, 3]);
/// ```
#[derive(Clone, Debug)]
pub enum Pick {
    /// An item that chooses no elements.
    Ix(Ix),
    /// A mask of bool, or indices of an integer type.
    Array(DynArray),
    /// The same, written in the program.
    List(List),
}

impl From<Ix> for Pick {
    fn from(item: Ix) -> Pick {
        Pick::Ix(item)
    }
}

impl From<&DynArray> for Pick {
    fn from(array: &DynArray) -> Pick {
        Pick::Array(array.alias())
    }
}

impl From<List> for Pick {
    fn from(list: List) -> Pick {
        Pick::List(list)
    }
}

impl<E: ListElement> From<Vec<E>> for Pick {
    fn from(list: Vec<E>) -> Pick {
        Pick::List(List::new(&list))
    }
}

/// What an index is a list of: [`Ix`], which gives views, or [`Pick`], which chooses elements.
///
/// ```
/// use darray::{DArray, DynArray, Entry, Ix, Selection, s};
/// fn of_an_index<S: Selection<Entry = Ix>>(x: &DynArray, index: S) -> DynArray {
///     x.slice(index).unwrap()
/// }
/// let x = DynArray::from(DArray::<i64>::arange(6));
/// assert_eq!(of_an_index(&x, s![1..-1]).shape(), [4]);
/// ```
pub trait Entry: From<Ix> + Into<Pick> + Clone + sealed::Sealed {
    /// What such an index gives of a [`DynArray`].
    type Untyped;

    /// What it gives of a [`DArray`].
    type Of<T: Element>;

    /// What an index is a list of that has such items, and others: [`Pick`], if it is that of either.
    type With<E: Entry>: Entry;

    #[doc(hidden)]
    fn with<E: Entry>(slice: Slice<Self>, item: E) -> Slice<Self::With<E>>;

    /// An index of one item behind those of a view.
    #[doc(hidden)]
    fn behind(slice: Slice<Ix>, item: Self) -> Slice<Self>;

    #[doc(hidden)]
    fn select(array: &DynArray, items: &[Self], place: Place) -> Result<Self::Untyped>;

    #[doc(hidden)]
    fn typed<T: Element>(selected: Self::Untyped) -> Self::Of<T>;
}

mod sealed {
    #[doc(hidden)]
    pub trait Sealed {}
    impl Sealed for darray_core::Ix {}
    impl Sealed for super::Pick {}
}

impl Entry for Ix {
    type Untyped = DynArray;
    type Of<T: Element> = DArray<T>;

    type With<E: Entry> = E;

    fn with<E: Entry>(slice: Slice<Ix>, item: E) -> Slice<E> {
        E::behind(slice, item)
    }

    fn behind(slice: Slice<Ix>, item: Ix) -> Slice<Ix> {
        slice.pushed(item)
    }

    fn select(array: &DynArray, items: &[Ix], place: Place) -> Result<DynArray> {
        array.view_at(items, "slice", place)
    }

    fn typed<T: Element>(selected: DynArray) -> DArray<T> {
        DArray::wrap(selected)
    }
}

/// What may stand in [`s!`](crate::s): an integer, a range, [`NewAxis`], a mask, or indices as an array, a list or a vector.
///
/// ```
/// use darray::{Ix, Item};
/// assert_eq!((Item::item(3u8), Item::item(1..3)), (Ix::At(3), Ix::from(1..3)));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no index",
    label = "an index is `i`, `a..b`, `a:b:step`, `...`, `NewAxis`, a mask `&m`, or integers: `&indices`, `[0, 2]`, a `Vec`",
    note = "several indices stand in `s![..]`: `a.slice(s![i, 1..])`; arrays among them are of integers or of bool: `x.cast::<i64>()`, `x.gt(0.5)`"
)]
pub trait Item {
    /// [`Ix`], or [`Pick`] where it chooses elements.
    type Entry: Entry;

    /// Without its type.
    fn item(self) -> Self::Entry;
}

/// Element types of arrays that stand in an index: integers by their place, and bool by truth.
///
/// ```
/// use darray::{Chooser, DArray, s};
/// fn first_and_last<T: Chooser>(x: &DArray<f64>, indices: &DArray<T>) -> DArray<f64> {
///     x.slice(s![indices]).array()
/// }
/// let x = DArray::<f64>::arange(3);
/// assert_eq!(first_and_last(&x, &DArray::from([0, -1])).to_vec(), [0.0, 2.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "an array of `{Self}` is no index",
    label = "indices are integers, and masks are of bool: `x.cast::<i64>()`, `x.gt(0.5)`"
)]
pub trait Chooser: Element {}

macro_rules! items {
    ($([$($generic:ident: $bound:ident)?] $item:ty => $entry:ty, $self:ident => $value:expr;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($generic: $bound)?> Item for $item {
            type Entry = $entry;

            fn item($self) -> $entry {
                $value
            }
        }
    )* };
}

items! {
    [] Ix => Ix, self => self;
    [] Pick => Pick, self => self;
    [] NewAxis => Ix, self => Ix::NewAxis;
    [I: Index] I => Ix, self => Ix::At(self.index());
    [] RangeFull => Ix, self => Ix::from(self);
    [I: Index] Range<I> => Ix, self => Ix::from(self.start.index()..self.end.index());
    [I: Index] RangeFrom<I> => Ix, self => Ix::from(self.start.index()..);
    [I: Index] RangeTo<I> => Ix, self => Ix::from(..self.end.index());
    [I: Index] RangeInclusive<I> => Ix, self => Ix::from(self.start().index()..=self.end().index());
    [I: Index] RangeToInclusive<I> => Ix, self => Ix::from(..=self.end.index());
    [] &DynArray => Pick, self => Pick::from(self);
    [] DynArray => Pick, self => Pick::Array(self);
    [E: ListElement] Vec<E> => Pick, self => Pick::from(self);
    [E: ListElement] &Vec<E> => Pick, self => List::new(self).into();
    [E: ListElement] &[E] => Pick, self => List::new(self).into();
}

#[diagnostic::do_not_recommend]
impl<E: ListElement, const N: usize> Item for [E; N] {
    type Entry = Pick;

    fn item(self) -> Pick {
        List::new(&self).into()
    }
}

#[diagnostic::do_not_recommend]
impl<E: ListElement, const N: usize> Item for &[E; N] {
    type Entry = Pick;

    fn item(self) -> Pick {
        List::new(self).into()
    }
}

macro_rules! arrays {
    ($($array:ty)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T: Chooser> Item for $array {
            type Entry = Pick;

            fn item(self) -> Pick {
                Pick::Array(self.as_dyn().alias())
            }
        }
    )* };
}

arrays!(DArray<T> &DArray<T> &&DArray<T>);

macro_rules! choosers {
    ($($t:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl Chooser for $t {}
    )* };
}

choosers!(bool i8 u8 i16 u16 i32 u32 i64 u64);

/// A whole index: what [`s!`](crate::s) makes. A list of [`Ix`] gives a view, one of [`Pick`] chooses elements.
///
/// ```
/// use darray::{Ix, Pick, Slice, s};
/// let view: Slice = s![1.., 0];
/// let picks: Slice<Pick> = s![[2, 0], ..];
/// assert_eq!((view[1], picks.len()), (Ix::At(0), 2));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Slice<E: Entry = Ix> {
    items: SmallVec<[E; 4]>,
}

impl Slice<Ix> {
    /// The index without items, which is all of an array.
    ///
    /// ```
    /// use darray::{Slice, s};
    /// assert_eq!(Slice::start(), s![]);
    /// ```
    pub fn start() -> Slice<Ix> {
        Slice { items: SmallVec::new() }
    }

    /// The same items beside those that choose elements.
    pub(crate) fn widened(self) -> Slice<Pick> {
        Slice { items: self.items.into_iter().map(Pick::from).collect() }
    }
}

impl<E: Entry> Slice<E> {
    /// With one item more.
    ///
    /// ```
    /// use darray::{Slice, s};
    /// assert_eq!(Slice::start().push(1..).push(0), s![1.., 0]);
    /// assert_eq!(Slice::start().push(1..).push([0, 2]).len(), 2);
    /// ```
    pub fn push<I: Item>(self, item: I) -> Slice<E::With<I::Entry>> {
        E::with(self, item.item())
    }

    /// With an item of its own kind.
    pub(crate) fn pushed(mut self, item: E) -> Slice<E> {
        self.items.push(item);
        self
    }
}

impl<E: Entry> Deref for Slice<E> {
    type Target = [E];

    fn deref(&self) -> &[E] {
        &self.items
    }
}

impl<E: Entry> AsRef<[E]> for Slice<E> {
    fn as_ref(&self) -> &[E] {
        &self.items
    }
}

impl<const N: usize> PartialEq<[Ix; N]> for Slice {
    fn eq(&self, other: &[Ix; N]) -> bool {
        self.items[..] == other[..]
    }
}
