//! Integers as indices and as bounds of ranges.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// An integer as index or bound of a range, of any of Rust's types of integers up to 64 bits. What an `isize` cannot hold lies
/// beyond every axis on its side, so `usize::MAX` is out of range and not -1.
///
/// ```
/// use darray::Index;
/// assert_eq!((3u8.index(), usize::MAX.index()), (3, isize::MAX));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no index",
    label = "indices are integers, and ranges of integers: `i`, `a..b`"
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
