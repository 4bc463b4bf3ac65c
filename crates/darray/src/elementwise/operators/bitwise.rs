//! Bitwise operators of the language, and their `try_` twins.

use crate::error::expect_at_caller;
use crate::{Assignable, Binary, DArray, Element, Integral, Operand, Unary};
use darray_core::Result;
use std::ops;

/// An operator with arrays on the left by reference and by value; the results have bits.
macro_rules! bitwise_operators {
    ($($trait:ident $method:ident $operation:ident;)*) => { $(
        impl<T: Element, R: Operand<T, Output: Integral>> ops::$trait<R> for &DArray<T> {
            type Output = DArray<R::Output>;

            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                DArray::wrap(expect_at_caller(self.as_dyn().binary(Binary::$operation, right.argument())))
            }
        }

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

impl<T: Integral> ops::Not for &DArray<T> {
    type Output = DArray<T>;

    #[track_caller]
    fn not(self) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().unary(Unary::Not)))
    }
}

impl<T: Integral> ops::Not for DArray<T> {
    type Output = DArray<T>;

    #[track_caller]
    fn not(self) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().unary(Unary::Not)))
    }
}

impl<T: Element> DArray<T> {
    /// `self & right`: bits that are set on both sides; of bool the logical `and`.
    ///
    /// Errors: the shapes do not broadcast; an integer that the element type cannot hold.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![6, 5]);
    /// assert_eq!(x.try_bitand(3).unwrap().to_vec(), [2, 1]);
    /// let error = x.try_bitand(DArray::<i32>::ones(3)).unwrap_err();
    /// assert!(error.to_string().starts_with("bitwise_and: shapes [2] and [3] do not broadcast"));
    /// ```
    #[track_caller]
    pub fn try_bitand<R>(&self, right: R) -> Result<DArray<R::Output>>
    where
        R: Operand<T, Output: Integral>,
    {
        Ok(DArray::wrap(self.as_dyn().binary(Binary::And, right.argument())?))
    }

    /// `self | right`: bits that are set on either side; of bool the logical `or`.
    ///
    /// Errors: the shapes do not broadcast; an integer that the element type cannot hold.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![6, 5]);
    /// assert_eq!(x.try_bitor(3).unwrap().to_vec(), [7, 7]);
    /// let error = x.try_bitor(DArray::<i32>::ones(3)).unwrap_err();
    /// assert!(error.to_string().starts_with("bitwise_or: shapes [2] and [3] do not broadcast"));
    /// ```
    #[track_caller]
    pub fn try_bitor<R>(&self, right: R) -> Result<DArray<R::Output>>
    where
        R: Operand<T, Output: Integral>,
    {
        Ok(DArray::wrap(self.as_dyn().binary(Binary::Or, right.argument())?))
    }

    /// `self ^ right`: bits that are set on one side; of bool the logical exclusive `or`.
    ///
    /// Errors: the shapes do not broadcast; an integer that the element type cannot hold.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![6, 5]);
    /// assert_eq!(x.try_bitxor(3).unwrap().to_vec(), [5, 6]);
    /// let error = x.try_bitxor(DArray::<i32>::ones(3)).unwrap_err();
    /// assert!(error.to_string().starts_with("bitwise_xor: shapes [2] and [3] do not broadcast"));
    /// ```
    #[track_caller]
    pub fn try_bitxor<R>(&self, right: R) -> Result<DArray<R::Output>>
    where
        R: Operand<T, Output: Integral>,
    {
        Ok(DArray::wrap(self.as_dyn().binary(Binary::Xor, right.argument())?))
    }

    /// `self &= right` for a view that has no name: the operator wants `let mut`.
    ///
    /// # Panics
    ///
    /// As [`try_bitand_assign`](Self::try_bitand_assign) gives an error.
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

    /// `self &= right`; see [`try_add_assign`](Self::try_add_assign).
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![6, 5]);
    /// x.try_bitand_assign(3).unwrap();
    /// assert_eq!(x.to_vec(), [2, 1]);
    /// assert!(x.try_bitand_assign(DArray::<i32>::ones(3)).is_err());
    /// ```
    #[track_caller]
    pub fn try_bitand_assign<R: Assignable<T>>(&self, right: R) -> Result<()>
    where
        T: Integral,
    {
        self.as_dyn().update(Binary::And, right.argument())
    }

    /// `self |= right` for a view that has no name: the operator wants `let mut`.
    ///
    /// # Panics
    ///
    /// As [`try_bitor_assign`](Self::try_bitor_assign) gives an error.
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

    /// `self |= right`; see [`try_add_assign`](Self::try_add_assign).
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![6, 5]);
    /// x.try_bitor_assign(3).unwrap();
    /// assert_eq!(x.to_vec(), [7, 7]);
    /// assert!(x.try_bitor_assign(DArray::<i32>::ones(3)).is_err());
    /// ```
    #[track_caller]
    pub fn try_bitor_assign<R: Assignable<T>>(&self, right: R) -> Result<()>
    where
        T: Integral,
    {
        self.as_dyn().update(Binary::Or, right.argument())
    }

    /// `self ^= right` for a view that has no name: the operator wants `let mut`.
    ///
    /// # Panics
    ///
    /// As [`try_bitxor_assign`](Self::try_bitxor_assign) gives an error.
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

    /// `self ^= right`; see [`try_add_assign`](Self::try_add_assign).
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![6, 5]);
    /// x.try_bitxor_assign(3).unwrap();
    /// assert_eq!(x.to_vec(), [5, 6]);
    /// assert!(x.try_bitxor_assign(DArray::<i32>::ones(3)).is_err());
    /// ```
    #[track_caller]
    pub fn try_bitxor_assign<R: Assignable<T>>(&self, right: R) -> Result<()>
    where
        T: Integral,
    {
        self.as_dyn().update(Binary::Xor, right.argument())
    }
}
