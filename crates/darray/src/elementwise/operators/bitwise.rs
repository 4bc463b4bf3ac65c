//! Bitwise operators of the language, and the assignments of views without a name.

use crate::error::expect_at_caller;
use crate::{Assignable, Binary, DArray, Element, Integral, Operand, Unary};
use std::ops;

/// An operator with arrays on the left by reference and by value; the results have bits.
macro_rules! bitwise_operators {
    ($($trait:ident $method:ident $operation:ident;)*) => { $(
        #[doc(hidden)]
        impl<T: Element, R: Operand<T, Output: Integral>> ops::$trait<R> for &DArray<T> {
            type Output = DArray<R::Output>;

            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                DArray::wrap(expect_at_caller(self.as_dyn().binary(Binary::$operation, right.argument())))
            }
        }

        #[doc(hidden)]
        impl<T: Element, R: Operand<T, Output: Integral>> ops::$trait<R> for DArray<T> {
            type Output = DArray<R::Output>;

            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                DArray::wrap(expect_at_caller(self.as_dyn().binary(Binary::$operation, right.argument())))
            }
        }
    )* };
}

bitwise_operators! {
    BitAnd bitand And;
    BitOr bitor Or;
    BitXor bitxor Xor;
}

/// `x op= y`: writes into `x` and so into what `x` is a view of.
macro_rules! assigning_operators {
    ($($trait:ident $method:ident $operation:ident;)*) => { $(
        #[doc(hidden)]
        impl<T: Integral, R: Assignable<T>> ops::$trait<R> for DArray<T> {
            #[track_caller]
            fn $method(&mut self, right: R) {
                expect_at_caller(self.as_dyn().update(Binary::$operation, right.argument()));
            }
        }
    )* };
}

assigning_operators! {
    BitAndAssign bitand_assign And;
    BitOrAssign bitor_assign Or;
    BitXorAssign bitxor_assign Xor;
}

#[doc(hidden)]
impl<T: Integral> ops::Not for &DArray<T> {
    type Output = DArray<T>;

    #[track_caller]
    fn not(self) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().unary(Unary::Not)))
    }
}

#[doc(hidden)]
impl<T: Integral> ops::Not for DArray<T> {
    type Output = DArray<T>;

    #[track_caller]
    fn not(self) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().unary(Unary::Not)))
    }
}

/// # Updates of bits
impl<T: Element> DArray<T> {
    /// `self &= right` for a view that has no name: the operator wants `let mut`.
    ///
    /// # Panics
    ///
    /// As [`try_bitand_assign`](crate::Fallible::try_bitand_assign) gives an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from([6, 5]);
    /// x.at(0).bitand_assign(3);
    /// assert_eq!(x.to_vec(), [2, 5]);
    /// ```
    #[track_caller]
    pub fn bitand_assign<R: Assignable<T>>(&self, right: R)
    where
        T: Integral,
    {
        expect_at_caller(self.as_dyn().update(Binary::And, right.argument()));
    }

    /// `self |= right` for a view that has no name: the operator wants `let mut`.
    ///
    /// # Panics
    ///
    /// As [`try_bitor_assign`](crate::Fallible::try_bitor_assign) gives an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let mask = DArray::from([false, false]);
    /// mask.at(1).bitor_assign(true);
    /// assert_eq!(mask.to_vec(), [false, true]);
    /// ```
    #[track_caller]
    pub fn bitor_assign<R: Assignable<T>>(&self, right: R)
    where
        T: Integral,
    {
        expect_at_caller(self.as_dyn().update(Binary::Or, right.argument()));
    }

    /// `self ^= right` for a view that has no name: the operator wants `let mut`.
    ///
    /// # Panics
    ///
    /// As [`try_bitxor_assign`](crate::Fallible::try_bitxor_assign) gives an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from([6, 5]);
    /// x.slice(..1).bitxor_assign(3);
    /// assert_eq!(x.to_vec(), [5, 5]);
    /// ```
    #[track_caller]
    pub fn bitxor_assign<R: Assignable<T>>(&self, right: R)
    where
        T: Integral,
    {
        expect_at_caller(self.as_dyn().update(Binary::Xor, right.argument()));
    }
}
