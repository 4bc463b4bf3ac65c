//! Element-wise functions.
//!
//! Reading order: `operation` (what there is, by NumPy's rules), `operand`, `emission` (from an operation to an index task), `nullary`
//! (tasks without operands), `exponent`, `real` and `complex` (operations of either), `untyped` (operations of untyped arrays), then the
//! methods and operators of typed arrays, a module a kind; `steps`: what functions of several operations are made of.

mod complex;
pub(crate) mod conditional;
pub(crate) mod differences;
pub(crate) mod emission;
mod exponent;
mod mul_add;
pub(crate) mod nullary;
pub(crate) mod operand;
pub(crate) mod operation;
pub(crate) mod operators;
mod power;
mod real;
mod rounding;
pub(crate) mod steps;
pub(crate) mod untyped;

use crate::elementwise::operation::{binary_table, rule_output, rule_text, unary_table};
use crate::error::expect_at_caller;
use crate::{Argument, Binary, DArray, Element, Number, Operand, Unary};
use darray_core::Result;
use num_complex::Complex;

/// The methods of `operation/table.rs` of one array.
macro_rules! unary_methods {
    (operators { $($operators:tt)* } functions {
        $($(#[$doc:meta])+ $variant:ident = x.$method:ident(), np::$name:ident, $rule:ident,
            $input:literal => $output:literal;)+
    }) => {
        impl<T: Element> DArray<T> { $(
            unary_methods! { @$rule $variant $method
                $(#[$doc])+
                #[doc = concat!(
                    rule_text!($rule),
                    "\n\n```\nlet x = darray::DArray::from_vec(", $input, ");\n",
                    "assert_eq!(x.", stringify!($method), "().to_vec(), ", $output, ");\n```",
                )]
            }
        )+ }
    };
    (@number $variant:ident $method:ident $(#[$doc:meta])+) => {
        $(#[$doc])+
        #[track_caller]
        pub fn $method(&self) -> DArray<T> where T: Number {
            DArray::wrap(expect_at_caller(self.as_dyn().unary(Unary::$variant)))
        }
    };
    (@$rule:ident $variant:ident $method:ident $(#[$doc:meta])+) => {
        $(#[$doc])+
        #[track_caller]
        pub fn $method(&self) -> DArray<rule_output!($rule T)> {
            DArray::wrap(expect_at_caller(self.as_dyn().unary(Unary::$variant)))
        }
    };
}

/// The methods of `operation/table.rs` of two operands.
macro_rules! binary_methods {
    (operators { $($operators:tt)* } functions {
        $($(#[$doc:meta])+ $variant:ident = x.$method:ident(y), x.$try:ident(y), np::$name:ident,
            $rule:ident, $left:literal, $right:literal => $output:literal;)+
    }) => {
        impl<T: Element> DArray<T> { $(
            $(#[$doc])+
            #[doc = concat!(
                rule_text!($rule),
                "\n\n# Panics\n\nIf the shapes do not broadcast.",
                "\n\n```\nlet x = darray::DArray::from_vec(", $left, ");\n",
                "assert_eq!(x.", stringify!($method), "(", $right, ").to_vec(), ", $output, ");\n```",
            )]
            #[track_caller]
            pub fn $method<R: Operand<T>>(&self, y: R) -> DArray<rule_output!($rule R::Output)> {
                expect_at_caller(self.$try(y))
            }

            #[doc = concat!(
                "As [`", stringify!($method), "`](Self::", stringify!($method),
                "); shapes that do not broadcast are an error.",
                "\n\n```\nuse darray::DArray;\n",
                "let (x, y) = (DArray::<f64>::ones(3), DArray::<f64>::ones(2));\n",
                "assert!(x.", stringify!($try), "(&y).is_err());\n```",
            )]
            #[track_caller]
            pub fn $try<R: Operand<T>>(
                &self,
                y: R,
            ) -> Result<DArray<rule_output!($rule R::Output)>> {
                Ok(DArray::wrap(self.as_dyn().binary(Binary::$variant, y.argument())?))
            }
        )+ }
    };
}

unary_table!(unary_methods);
binary_table!(binary_methods);

impl<T: Element> DArray<T> {
    /// The elements to a fixed integer power, by repeated multiplication; a negative power is the
    /// reciprocal of the positive one. `bool` gives `i64`.
    ///
    /// # Panics
    ///
    /// If a power of integers is negative.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![2.0, -3.0]).powi(3).to_vec(), [8.0, -27.0]);
    /// assert_eq!(DArray::from_vec(vec![2.0]).powi(-2).to_vec(), [0.25]);
    /// ```
    #[track_caller]
    pub fn powi(&self, exponent: i32) -> DArray<T::WithInteger> {
        expect_at_caller(self.try_powi(exponent))
    }

    /// As [`powi`](Self::powi); a negative power of integers is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::from_vec(vec![2]).try_powi(-1).is_err());
    /// ```
    #[track_caller]
    pub fn try_powi(&self, exponent: i32) -> Result<DArray<T::WithInteger>> {
        Ok(DArray::wrap(self.as_dyn().powi(exponent)?))
    }

    /// The elements converted to another type (NumPy's `astype`): floats to integers toward zero,
    /// saturating; integers to narrower ones by their low bits; anything to `bool` by comparison
    /// with zero.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![1.5, -1.5]).cast::<i64>().to_vec(), [1, -1]);
    /// assert_eq!(DArray::from_vec(vec![300, -1]).cast::<u8>().to_vec(), [44, 255]);
    /// ```
    #[track_caller]
    pub fn cast<V: Element>(&self) -> DArray<V> {
        DArray::wrap(expect_at_caller(self.as_dyn().cast(V::DTYPE)))
    }

    /// [`cast`](Self::cast) by NumPy's name.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![1.5, -1.5]).astype::<i64>().to_vec(), [1, -1]);
    /// ```
    #[track_caller]
    pub fn astype<V: Element>(&self) -> DArray<V> {
        DArray::wrap(expect_at_caller(self.as_dyn().cast(V::DTYPE)))
    }
}

impl DArray<bool> {
    /// Where the mask holds `then`'s element, else `otherwise`'s (NumPy's `where`). Mask and
    /// choices broadcast; either choice may be a scalar.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![-1.0, 2.0]);
    /// assert_eq!(x.gt(0.0).select(&x, 0.0).to_vec(), [0.0, 2.0]);
    /// assert_eq!(x.gt(0.0).select(1, -1).to_vec(), [-1, 1]);
    /// ```
    #[doc(alias = "where")]
    #[track_caller]
    pub fn select<A: Choice<B>, B>(&self, then: A, otherwise: B) -> DArray<A::Output> {
        expect_at_caller(self.try_select(then, otherwise))
    }

    /// As [`select`](Self::select); shapes that do not broadcast are an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let (mask, x) = (DArray::<bool>::full(2, true), DArray::<f64>::ones(3));
    /// assert!(mask.try_select(&x, 0.0).is_err());
    /// ```
    #[track_caller]
    pub fn try_select<A: Choice<B>, B>(&self, then: A, otherwise: B) -> Result<DArray<A::Output>> {
        let (then, otherwise) = then.arguments(&otherwise);
        Ok(DArray::wrap(self.as_dyn().select(then, otherwise)?))
    }
}

/// The first choice of [`select`](DArray::select) beside a second one of type `B`: two arrays, an
/// array and a scalar, or two scalars of one kind.
///
/// ```
/// use darray::DArray;
/// let (mask, x) = (DArray::from_vec(vec![true, false]), DArray::<f32>::ones(2));
/// let y: DArray<f32> = mask.select(0.0, &x);
/// assert_eq!(y.to_vec(), [0.0, 1.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "a mask does not select between `{Self}` and `{B}`",
    label = "choices are arrays, or numbers of one kind, f64, i64, bool or Complex<f64>: `1.0, 0.5`, `n as i64, 0`"
)]
pub trait Choice<B> {
    /// The element type of the selection.
    type Output: Element;

    /// Both choices without their static types.
    fn arguments<'a>(&'a self, other: &'a B) -> (Argument<'a>, Argument<'a>);
}

#[diagnostic::do_not_recommend]
impl<T: Element, B: Operand<T>> Choice<B> for &DArray<T> {
    type Output = B::Output;

    fn arguments<'a>(&'a self, other: &'a B) -> (Argument<'a>, Argument<'a>) {
        (Argument::Array(self.as_dyn()), other.argument())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, B: Operand<T>> Choice<B> for DArray<T> {
    type Output = B::Output;

    fn arguments<'a>(&'a self, other: &'a B) -> (Argument<'a>, Argument<'a>) {
        (Argument::Array(self.as_dyn()), other.argument())
    }
}

/// A scalar as first choice: beside an array in both forms, and beside a scalar of its own kind.
macro_rules! scalar_choices {
    ($($scalar:ty => $output:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T: Element> Choice<&DArray<T>> for $scalar {
            type Output = $output;

            fn arguments<'a>(&'a self, other: &'a &DArray<T>) -> (Argument<'a>, Argument<'a>) {
                (Argument::from(*self), Argument::Array(other.as_dyn()))
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: Element> Choice<DArray<T>> for $scalar {
            type Output = $output;

            fn arguments<'a>(&'a self, other: &'a DArray<T>) -> (Argument<'a>, Argument<'a>) {
                (Argument::from(*self), Argument::Array(other.as_dyn()))
            }
        }

        #[diagnostic::do_not_recommend]
        impl Choice<$scalar> for $scalar {
            type Output = $scalar;

            fn arguments<'a>(&'a self, other: &'a $scalar) -> (Argument<'a>, Argument<'a>) {
                (Argument::from(*self), Argument::from(*other))
            }
        }
    )* };
}

scalar_choices! {
    f64 => T::WithFloat;
    i64 => T::WithInteger;
    bool => T;
    Complex<f64> => T::WithComplex;
}
