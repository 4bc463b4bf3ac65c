//! Operators of the language for complex arrays, and their `try_` twins.

use super::arithmetic::{Arithmetic, of_real, with_left, with_right};
use super::operand::ComplexOperand;
use super::pair::Pair;
use super::term::Origin;
use super::{ComplexArray, ComplexPart};
use crate::error::expect_at_caller;
use crate::{DArray, Element};
use darray_core::{Result, f16};
use num_complex::Complex;
use std::ops;

/// The operators with an array on the left by reference and by value, in the forms `z op= y` and
/// `z.try_op(y)` too.
macro_rules! array_operators {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident
        $(#[$doc:meta])+ $try:ident $(#[$assign_doc:meta])+ $try_assign:ident;)*) => { $(
        impl<T: ComplexPart, R: ComplexOperand<T>> ops::$trait<R> for &ComplexArray<T> {
            type Output = ComplexArray<R::Output>;

            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                expect_at_caller(self.$try(right))
            }
        }

        impl<T: ComplexPart, R: ComplexOperand<T>> ops::$trait<R> for ComplexArray<T> {
            type Output = ComplexArray<R::Output>;

            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                expect_at_caller(self.$try(right))
            }
        }

        impl<T: ComplexPart, R: ComplexOperand<T, Output = T>> ops::$assign<R>
            for ComplexArray<T>
        {
            #[track_caller]
            fn $assign_method(&mut self, right: R) {
                expect_at_caller(self.$try_assign(right));
            }
        }

        impl<T: ComplexPart> ComplexArray<T> {
            $(#[$doc])+
            #[track_caller]
            pub fn $try<R: ComplexOperand<T>>(&self, right: R) -> Result<ComplexArray<R::Output>> {
                let operation = Arithmetic::$trait;
                with_right(operation, self, right, Origin::here(operation.name()))
            }

            $(#[$assign_doc])+
            #[track_caller]
            pub fn $try_assign<R: ComplexOperand<T, Output = T>>(&self, right: R) -> Result<()> {
                let operation = Arithmetic::$trait;
                self.update(operation, right, Origin::here(operation.name()))
            }
        }
    )* };
}

array_operators! {
    Add add AddAssign add_assign
        /// `self + right`.
        ///
        /// Errors: the shapes do not broadcast. So for all operators.
        ///
        /// ```
        /// use darray::ComplexArray;
        /// let (z, w) = (ComplexArray::<f64>::zeros(3), ComplexArray::<f64>::zeros(4));
        /// let error = z.try_add(&w).unwrap_err();
        /// assert!(error.to_string().starts_with("add: shapes [3] and [4] do not broadcast (at "));
        /// ```
        try_add
        /// `self += right`: writes into what this is a view of.
        ///
        /// Errors: `right` does not broadcast to this shape; this view repeats elements; neither part is
        /// written then. So for all compound assignments.
        ///
        /// ```
        /// use darray::{Complex, ComplexArray};
        /// let z = ComplexArray::<f64>::zeros(1);
        /// z.try_add_assign(Complex::new(0.5, 1.0)).unwrap();
        /// assert_eq!(z.to_string(), "[0.5+1.j]");
        /// ```
        try_add_assign;
    Sub sub SubAssign sub_assign
        /// `self - right`.
        ///
        /// ```
        /// use darray::{Complex, ComplexArray};
        /// let z = ComplexArray::<f64>::zeros(1).try_sub(Complex::new(0.5, 1.0)).unwrap();
        /// assert_eq!(z.to_string(), "[-0.5-1.j]");
        /// ```
        try_sub
        /// `self -= right`; see [`try_add_assign`](Self::try_add_assign).
        ///
        /// ```
        /// use darray::{ComplexArray, DArray};
        /// assert!(ComplexArray::<f64>::zeros(2).try_sub_assign(DArray::<f64>::ones(3)).is_err());
        /// ```
        try_sub_assign;
    Mul mul MulAssign mul_assign
        /// `self * right`: of `a + bi` and `c + di` as NumPy computes it, `(ac - bd) + (ad + bc)i`.
        ///
        /// ```
        /// use darray::{Complex, ComplexArray};
        /// let z = ComplexArray::<f64>::full(1, Complex::new(1.0, 2.0));
        /// assert_eq!(z.try_mul(&z).unwrap().to_string(), "[-3.+4.j]");
        /// ```
        try_mul
        /// `self *= right`; see [`try_add_assign`](Self::try_add_assign).
        ///
        /// ```
        /// use darray::{Complex, ComplexArray};
        /// let z = ComplexArray::<f64>::full(1, Complex::new(1.0, 2.0));
        /// z.try_mul_assign(&z).unwrap();
        /// assert_eq!(z.to_string(), "[-3.+4.j]");
        /// ```
        try_mul_assign;
    Div div DivAssign div_assign
        /// `self / right`, by the larger part of the divisor (Smith 1962), as NumPy computes it: no part is
        /// squared. Parts near the largest number, and divisors so small that their reciprocal overflows, give
        /// infinities or NaN where the quotient is finite, as NumPy's do. By 0 both parts are divided.
        ///
        /// ```
        /// use darray::{Complex, ComplexArray};
        /// let z = ComplexArray::<f64>::full(1, Complex::new(-3e200, 4e200));
        /// let w = z.try_div(Complex::new(1e200, 2e200)).unwrap();
        /// assert_eq!(w.to_string(), "[1.+2.j]");
        /// ```
        try_div
        /// `self /= right`; see [`try_add_assign`](Self::try_add_assign).
        ///
        /// ```
        /// use darray::{Complex, ComplexArray};
        /// let z = ComplexArray::<f64>::full(1, Complex::new(1.0, 2.0));
        /// z.try_div_assign(4.0).unwrap();
        /// assert_eq!(z.to_string(), "[0.25+0.5j]");
        /// ```
        try_div_assign;
}

/// The operators with something on the left that is no complex array.
macro_rules! left_operators {
    ($($trait:ident $method:ident)*) => { $(
        left_operators!(@scalar $trait $method f64);
        left_operators!(@scalar $trait $method i64);
        left_operators!(@scalar $trait $method Complex<f64>);
        left_operators!(@arrays $trait $method bool u8 i32 i64 f16 f32 f64);
        left_operators!(@promoted $trait $method bool u8 i32 i64 f32 f64);
    )* };
    (@scalar $trait:ident $method:ident $left:ty) => {
        left_operators!(@one $trait $method ($left));
    };
    (@arrays $trait:ident $method:ident $($left:ident)*) => { $(
        left_operators!(@one $trait $method (DArray<$left>));
        left_operators!(@one $trait $method (&'a DArray<$left>));
    )* };
    (@one $trait:ident $method:ident ($left:ty)) => {
        left_operators!(@impl $trait $method ($left) (ComplexArray<T>));
        left_operators!(@impl $trait $method ($left) (&'b ComplexArray<T>));
    };
    (@impl $trait:ident $method:ident ($left:ty) ($right:ty)) => {
        impl<'a, 'b, T: ComplexPart> ops::$trait<$right> for $left
        where
            $left: ComplexOperand<T>,
        {
            type Output = ComplexArray<<$left as ComplexOperand<T>>::Output>;

            #[track_caller]
            fn $method(self, right: $right) -> Self::Output {
                let operation = Arithmetic::$trait;
                expect_at_caller(with_left(operation, self, &right, Origin::here(operation.name())))
            }
        }
    };
    // A real array and a complex scalar, on either side.
    (@promoted $trait:ident $method:ident $($left:ident)*) => { $(
        left_operators!(@scalar_right $trait $method (DArray<$left>) $left);
        left_operators!(@scalar_right $trait $method (&DArray<$left>) $left);
    )* };
    (@scalar_right $trait:ident $method:ident ($array:ty) $left:ident) => {
        impl ops::$trait<Complex<f64>> for $array {
            type Output = ComplexArray<<$left as Element>::Real>;

            #[track_caller]
            fn $method(self, right: Complex<f64>) -> Self::Output {
                let operation = Arithmetic::$trait;
                let origin = Origin::here(operation.name());
                expect_at_caller(of_real(operation, &self, right, true, origin))
            }
        }

        impl ops::$trait<$array> for Complex<f64> {
            type Output = ComplexArray<<$left as Element>::Real>;

            #[track_caller]
            fn $method(self, right: $array) -> Self::Output {
                let operation = Arithmetic::$trait;
                let origin = Origin::here(operation.name());
                expect_at_caller(of_real(operation, &right, self, false, origin))
            }
        }
    };
}

left_operators!(Add add Sub sub Mul mul Div div);

impl<T: ComplexPart> ops::Neg for &ComplexArray<T> {
    type Output = ComplexArray<T>;

    #[track_caller]
    fn neg(self) -> ComplexArray<T> {
        let origin = Origin::here("negative");
        let z = Pair::array(origin, self);
        expect_at_caller(Pair::new(-&z.re, -&z.im).into_complex(origin))
    }
}

impl<T: ComplexPart> ops::Neg for ComplexArray<T> {
    type Output = ComplexArray<T>;

    #[track_caller]
    fn neg(self) -> ComplexArray<T> {
        -&self
    }
}
