//! Integers as indices and as bounds of ranges.

use super::{Ix, NewAxis};
use std::ops::{
    Add, Div, Mul, Neg, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive, Sub,
};

/// An integer as index or bound of a range, of any of Rust's types of integers up to 64 bits. What an `isize` cannot hold lies
/// beyond every axis on its side, so `usize::MAX` is out of range and not -1.
///
/// ```
/// use darray_core::Index;
/// assert_eq!((3u8.index(), usize::MAX.index()), (3, isize::MAX));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no index",
    label = "indices are integers, and ranges of integers: `i`, `a..b`",
    note = "elements by a mask are `a.compress(&mask, ..)`, by an array of indices `a.take(&indices, 0)`"
)]
pub trait Index: Copy {
    /// As an `isize`.
    fn index(self) -> isize;
}

macro_rules! index_types {
    ($($int:ty)*) => { $(
        #[diagnostic::do_not_recommend]
        impl Index for $int {
            fn index(self) -> isize {
                #[allow(unused_comparisons, reason = "one macro for signed and unsigned")]
                let limit = if self < 0 { isize::MIN } else { isize::MAX };
                isize::try_from(self).unwrap_or(limit)
            }
        }
    )* };
}

index_types!(i8 u8 i16 u16 i32 u32 i64 u64 isize usize);

#[diagnostic::do_not_recommend]
impl From<NewAxis> for Ix {
    fn from(_: NewAxis) -> Ix {
        Ix::NewAxis
    }
}

impl<I: Index> From<I> for Ix {
    fn from(index: I) -> Ix {
        Ix::At(index.index())
    }
}

#[diagnostic::do_not_recommend]
impl From<RangeFull> for Ix {
    fn from(_: RangeFull) -> Ix {
        Ix::Range { start: None, end: None, step: 1 }
    }
}

#[diagnostic::do_not_recommend]
impl<I: Index> From<Range<I>> for Ix {
    fn from(r: Range<I>) -> Ix {
        Ix::Range { start: Some(r.start.index()), end: Some(r.end.index()), step: 1 }
    }
}

#[diagnostic::do_not_recommend]
impl<I: Index> From<RangeFrom<I>> for Ix {
    fn from(r: RangeFrom<I>) -> Ix {
        Ix::Range { start: Some(r.start.index()), end: None, step: 1 }
    }
}

#[diagnostic::do_not_recommend]
impl<I: Index> From<RangeTo<I>> for Ix {
    fn from(r: RangeTo<I>) -> Ix {
        Ix::Range { start: None, end: Some(r.end.index()), step: 1 }
    }
}

#[diagnostic::do_not_recommend]
impl<I: Index> From<RangeToInclusive<I>> for Ix {
    fn from(r: RangeToInclusive<I>) -> Ix {
        Ix::Range { start: None, end: after(r.end.index()), step: 1 }
    }
}

#[diagnostic::do_not_recommend]
impl<I: Index> From<RangeInclusive<I>> for Ix {
    fn from(r: RangeInclusive<I>) -> Ix {
        let (start, end) = (r.start().index(), r.end().index());
        Ix::Range { start: Some(start), end: after(end), step: 1 }
    }
}

/// The exclusive bound after `end`; after -1 there is no bound.
fn after(end: isize) -> Option<isize> {
    if end == -1 { None } else { Some(end.saturating_add(1)) }
}

/// An integer behind a minus in [`s!`](crate::s), which may be unsigned.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Signed(isize);

impl Signed {
    /// The integer with a sign.
    pub fn of(index: impl Index) -> Signed {
        Signed(index.index())
    }
}

#[diagnostic::do_not_recommend]
impl Index for Signed {
    fn index(self) -> isize {
        self.0
    }
}

impl Neg for Signed {
    type Output = Signed;

    fn neg(self) -> Signed {
        Signed(self.0.saturating_neg())
    }
}

/// What may follow such an integer; what an `isize` cannot hold stays beyond every axis.
macro_rules! signed_operators {
    ($($trait:ident $method:ident $saturating:ident;)*) => { $(
        impl<I: Index> $trait<I> for Signed {
            type Output = Signed;

            fn $method(self, other: I) -> Signed {
                Signed(self.0.$saturating(other.index()))
            }
        }
    )* };
}

signed_operators! {
    Add add saturating_add;
    Sub sub saturating_sub;
    Mul mul saturating_mul;
    Div div saturating_div;
}
