//! Integers as indices and as bounds of ranges.

use crate::Index;
use std::ops::{Add, Div, Mul, Neg, Sub};

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
