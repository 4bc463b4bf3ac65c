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

use crate::elementwise::operation::{
    binary_table, pair_output, rule_output, rule_text, unary_table,
};
use crate::error::expect_at_caller;
use crate::{Argument, Binary, DArray, Element, Number, Operand, ScalarLike, Unary};
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
            pub fn $method<R: Operand<T>>(&self, y: R) -> DArray<pair_output!($rule R)> {
                DArray::wrap(expect_at_caller(self.as_dyn().binary(Binary::$variant, y.argument())))
            }
        )+ }
    };
}

unary_table!(unary_methods);
binary_table!(binary_methods);

/// # Element-wise functions
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
        DArray::wrap(expect_at_caller(self.as_dyn().powi(exponent)))
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

/// # Element-wise functions
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
    pub fn select<A: Operands<B>, B>(&self, then: A, otherwise: B) -> DArray<A::Output> {
        let (then, otherwise) = then.arguments(&otherwise);
        DArray::wrap(expect_at_caller(self.as_dyn().select(then, otherwise)))
    }
}

/// The first of two operands that are on a par, beside a second one of type `B`: of [`select`](DArray::select) and of the functions of
/// [`np`](crate::np) of two operands. Two arrays, an array and a number, or two numbers of the types that literals have.
///
/// ```
/// use darray::{DArray, np};
/// let (mask, x) = (DArray::from([true, false]), DArray::<f32>::ones(2));
/// let y: DArray<f32> = mask.select(0.0, &x);
/// assert_eq!(y.to_vec(), [0.0, 1.0]);
/// assert_eq!(np::maximum(0.5, &y).to_vec(), [0.5, 1.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` and `{B}` do not go together",
    label = "operands are arrays, literals, and beside an array numbers of its type: `x as f64`, `n as i64`; two numbers are f64, i64, bool or Complex<f64>"
)]
pub trait Operands<B> {
    /// The element type in which the two meet.
    type Output: Element;
    /// The element type that functions such as `hypot` give for the two.
    type FunctionOutput: Number;

    /// Both operands without their static types.
    fn arguments<'a>(&'a self, other: &'a B) -> (Argument<'a>, Argument<'a>);
}

#[diagnostic::do_not_recommend]
impl<T: Element, B: Operand<T>> Operands<B> for &DArray<T> {
    type Output = B::Output;
    type FunctionOutput = B::FunctionOutput;

    fn arguments<'a>(&'a self, other: &'a B) -> (Argument<'a>, Argument<'a>) {
        (Argument::Array(self.as_dyn()), other.argument())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, B: Operand<T>> Operands<B> for DArray<T> {
    type Output = B::Output;
    type FunctionOutput = B::FunctionOutput;

    fn arguments<'a>(&'a self, other: &'a B) -> (Argument<'a>, Argument<'a>) {
        (Argument::Array(self.as_dyn()), other.argument())
    }
}

macro_rules! scalars_before_arrays {
    ($($array:ty)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T: Element, S: ScalarLike + Operand<T>> Operands<$array> for S {
            type Output = <S as Operand<T>>::Output;
            type FunctionOutput = <S as Operand<T>>::FunctionOutput;

            fn arguments<'a>(&'a self, other: &'a $array) -> (Argument<'a>, Argument<'a>) {
                (self.argument(), Argument::Array(other.as_dyn()))
            }
        }
    )* };
}

scalars_before_arrays!(&DArray<T> DArray<T>);

/// Two numbers, of the types that literals have.
macro_rules! two_numbers {
    ($($then:ty, $otherwise:ty => $output:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl Operands<$otherwise> for $then {
            type Output = $output;
            type FunctionOutput = <$output as Element>::Function;

            fn arguments<'a>(&'a self, other: &'a $otherwise) -> (Argument<'a>, Argument<'a>) {
                (Argument::from(*self), Argument::from(*other))
            }
        }
    )* };
}

two_numbers! {
    f64, f64 => f64;
    i64, i64 => i64;
    f64, i64 => f64;
    i64, f64 => f64;
    bool, bool => bool;
    Complex<f64>, Complex<f64> => Complex<f64>;
}
