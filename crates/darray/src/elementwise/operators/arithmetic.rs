//! Arithmetic operators of the language, and the assignments of views without a name.

use crate::error::expect_at_caller;
use crate::{
    Assignable, Binary, DArray, DynArray, Element, Left, Number, Operand, Real, ScalarLike, Unary,
    WeakScalar,
};
use darray_core::{bf16, f16};
use num_complex::Complex;
use std::ops;

/// An operator with arrays on the left by reference and by value, which meet the right side in a type of this kind.
macro_rules! array_operators {
    ($($trait:ident $method:ident $operation:ident in $kind:ident => $output:ty;)*) => { $(
        #[doc(hidden)]
        impl<T: Element, R: Operand<T, Output: $kind>> ops::$trait<R> for &DArray<T> {
            type Output = DArray<$output>;

            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                DArray::wrap(expect_at_caller(self.as_dyn().binary(Binary::$operation, right.argument())))
            }
        }

        #[doc(hidden)]
        impl<T: Element, R: Operand<T, Output: $kind>> ops::$trait<R> for DArray<T> {
            type Output = DArray<$output>;

            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                DArray::wrap(expect_at_caller(self.as_dyn().binary(Binary::$operation, right.argument())))
            }
        }
    )* };
}

array_operators! {
    Add add Add in Element => R::Output;
    Sub sub Sub in Element => R::Output;
    Mul mul Mul in Element => R::Output;
    Div div Div in Element => <R::Output as Element>::Inexact;
    Rem rem Rem in Real => R::Output;
}

/// An operator with a number on the left, the array by reference and by value.
macro_rules! left_operators {
    ($($scalar:ty)*) => { $(left_operators! { @scalar $scalar;
        Add add in Element => <$scalar as Left<T>>::Output;
        Sub sub in Element => <$scalar as Left<T>>::Output;
        Mul mul in Element => <$scalar as Left<T>>::Output;
        Div div in Element => <<$scalar as Left<T>>::Output as Element>::Inexact;
        Rem rem in Real => <$scalar as Left<T>>::Output;
    })* };
    (@scalar $scalar:ty; $($trait:ident $method:ident in $kind:ident => $output:ty;)*) => { $(
        left_operators! { @array $scalar, $trait $method $kind $output; &DArray<T> }
        left_operators! { @array $scalar, $trait $method $kind $output; DArray<T> }
    )* };
    (@array $scalar:ty, $trait:ident $method:ident $kind:ident $output:ty; $array:ty) => {
        #[doc(hidden)]
        impl<T: Element> ops::$trait<$array> for $scalar
        where
            $scalar: Left<T, Output: $kind>,
        {
            type Output = DArray<$output>;

            #[track_caller]
            fn $method(self, right: $array) -> Self::Output {
                DArray::wrap(reversed(Binary::$trait, self.weak(), right.as_dyn()))
            }
        }
    };
}

left_operators!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 bf16 f32 f64 Complex<f32> Complex<f64>);

/// `left operation right` where the array is on the right.
#[track_caller]
fn reversed(operation: Binary, left: WeakScalar, right: &DynArray) -> DynArray {
    expect_at_caller(right.binary_reversed(operation, left))
}

/// `x op= y`: writes into `x` and so into what `x` is a view of.
macro_rules! assigning_operators {
    ($($trait:ident $method:ident $operation:ident;)*) => { $(
        #[doc(hidden)]
        impl<T: Element, R: Assignable<T>> ops::$trait<R> for DArray<T> {
            #[track_caller]
            fn $method(&mut self, right: R) {
                expect_at_caller(self.as_dyn().update(Binary::$operation, right.argument()));
            }
        }
    )* };
}

assigning_operators! {
    AddAssign add_assign Add;
    SubAssign sub_assign Sub;
    MulAssign mul_assign Mul;
    RemAssign rem_assign Rem;
}

#[doc(hidden)]
impl<T: Element<Inexact = T>, R: Assignable<T>> ops::DivAssign<R> for DArray<T> {
    #[track_caller]
    fn div_assign(&mut self, right: R) {
        expect_at_caller(self.as_dyn().update(Binary::Div, right.argument()));
    }
}

#[doc(hidden)]
impl<T: Number> ops::Neg for &DArray<T> {
    type Output = DArray<T>;

    #[track_caller]
    fn neg(self) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().unary(Unary::Neg)))
    }
}

#[doc(hidden)]
impl<T: Number> ops::Neg for DArray<T> {
    type Output = DArray<T>;

    #[track_caller]
    fn neg(self) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().unary(Unary::Neg)))
    }
}

/// # Updates of views without a name
impl<T: Element> DArray<T> {
    /// `self += right` for a view that has no name: the operator wants `let mut`. It writes into what this is a view of.
    ///
    /// # Panics
    ///
    /// As [`try_add_assign`](crate::Fallible::try_add_assign) gives an error.
    ///
    /// ```
    /// use darray::{DArray, s};
    /// let x = DArray::<f64>::zeros((2, 3));
    /// x.slice(s![0, 1..]).add_assign(&DArray::from([1.0, 2.0]));
    /// assert_eq!(x.to_vec(), [0.0, 1.0, 2.0, 0.0, 0.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn add_assign<R: Assignable<T>>(&self, right: R) {
        expect_at_caller(self.as_dyn().update(Binary::Add, right.argument()));
    }

    /// `self -= right` for a view that has no name: the operator wants `let mut`. Not for bool.
    ///
    /// # Panics
    ///
    /// As [`try_sub_assign`](crate::Fallible::try_sub_assign) gives an error.
    ///
    /// ```
    /// use darray::{DArray, s};
    /// let x = DArray::<i64>::arange(4);
    /// x.slice(s![1:]).sub_assign(x.slice(s![:-1]));
    /// assert_eq!(x.to_vec(), [0, 1, 1, 1]);
    /// ```
    #[track_caller]
    pub fn sub_assign<R: Assignable<T>>(&self, right: R) {
        expect_at_caller(self.as_dyn().update(Binary::Sub, right.argument()));
    }

    /// `self *= right` for a view that has no name: the operator wants `let mut`.
    ///
    /// # Panics
    ///
    /// As [`try_mul_assign`](crate::Fallible::try_mul_assign) gives an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<f64>::ones(3);
    /// x.slice(1..).mul_assign(2.0);
    /// assert_eq!(x.to_vec(), [1.0, 2.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn mul_assign<R: Assignable<T>>(&self, right: R) {
        expect_at_caller(self.as_dyn().update(Binary::Mul, right.argument()));
    }

    /// `self %= right` for a view that has no name: the operator wants `let mut`. Not for bool.
    ///
    /// # Panics
    ///
    /// As [`try_rem_assign`](crate::Fallible::try_rem_assign) gives an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<i64>::arange(4);
    /// x.slice(2..).rem_assign(2);
    /// assert_eq!(x.to_vec(), [0, 1, 0, 1]);
    /// ```
    #[track_caller]
    pub fn rem_assign<R: Assignable<T>>(&self, right: R) {
        expect_at_caller(self.as_dyn().update(Binary::Rem, right.argument()));
    }
}

/// # Updates of views without a name
impl<T: Element<Inexact = T>> DArray<T> {
    /// `self /= right` for a view that has no name: the operator wants `let mut`. For floats and complex numbers, as quotients of integers are floats.
    ///
    /// # Panics
    ///
    /// As [`try_div_assign`](crate::Fallible::try_div_assign) gives an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<f64>::ones((2, 2));
    /// x.at(1).div_assign(4.0);
    /// assert_eq!(x.to_vec(), [1.0, 1.0, 0.25, 0.25]);
    /// ```
    #[track_caller]
    pub fn div_assign<R: Assignable<T>>(&self, right: R) {
        expect_at_caller(self.as_dyn().update(Binary::Div, right.argument()));
    }
}
