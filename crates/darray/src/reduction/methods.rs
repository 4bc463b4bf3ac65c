//! The methods of `reduction/table.rs` of typed arrays, and their norms.

use super::table::{reduction_signature, reduction_table};
use crate::error::expect_at_caller;
use crate::{
    DArray, Element, ExtremumAxes, MeanAxes, NormAxes, PlainAxes, Reduction, SpreadAxes, SumAxes,
    TestAxes,
};

macro_rules! reduction_methods {
    (
        any { $($(#[$any_doc:meta])+ $any:ident = x.$any_name:ident(axes), x.$any_try:ident(axes),
            $any_rule:ident $(by $any_reducer:ident)?, $any_input:literal => $any_output:literal, $any_rows:literal;)+ }
        some { $($(#[$some_doc:meta])+ $some:ident = x.$some_name:ident(axes), x.$some_try:ident(axes),
            $some_rule:ident $(by $some_reducer:ident)?,
            $some_input:literal => $some_output:literal, $some_rows:literal;)+ }
        spread { $($(#[$doc:meta])+ $variant:ident = x.$name:ident(axes), x.$try:ident(axes),
            $input:literal => $output:literal, $rows:literal, $free:literal;)+ }
    ) => {
        impl<T: Element> DArray<T> {
            $(reduction_signature! { reduction_method! $any_rule {
                [$(#[$any_doc])+] [""]
                $any_name, Reduction::$any, $any_input, $any_output, $any_rows
            } })+
            $(reduction_signature! { reduction_method! $some_rule {
                [$(#[$some_doc])+] [", or there is nothing to reduce"]
                $some_name, Reduction::$some, $some_input, $some_output, $some_rows
            } })+
            $(spread_method! {
                [$(#[$doc])+] $name, $variant, $input, $output, $rows, $free
            })+
        }
    };
}

/// A reduction over axes: over what a family of reductions goes over, or over axes alone.
macro_rules! reduction_method {
    ($family:ident { $($row:tt)+ }) => {
        reduction_method! { @method [A: $family<T>] [A::Output] [options reduce_with] $($row)+ }
    };
    (plain { $output:ty } { $($row:tt)+ }) => {
        reduction_method! { @method [A: PlainAxes] [$output] [into reduce] $($row)+ }
    };
    (
        @method [$($bound:tt)+] [$result:ty] [$convert:ident $reduce:ident]
        [$($doc:tt)+] [$nothing:literal] $method:ident, $reduction:expr,
        $input:literal, $output:literal, $rows:literal
    ) => {
        $($doc)+
        ///
        /// Over `..` for all elements, `0`, `[0, -1]`, or `axis(0).keepdims()`.
        #[doc = concat!(
            "\n\n# Panics\n\nIf an axis is out of range or given twice", $nothing, ".",
            "\n\n```\nlet x = darray::DArray::from_vec(", $input, ");\n",
            "assert_eq!(x.", stringify!($method), "(..).item(), ", $output, ");\n",
            "assert_eq!(x.reshape((2, 2)).", stringify!($method), "(1).to_vec(), ", $rows, ");\n```",
        )]
        #[track_caller]
        pub fn $method<$($bound)+>(&self, all_or_axes: A) -> DArray<$result> {
            DArray::wrap(expect_at_caller(self.as_dyn().$reduce($reduction, all_or_axes.$convert())))
        }
    };
}

/// A reduction that takes a `ddof`.
macro_rules! spread_method {
    (
        [$($doc:tt)+] $method:ident, $variant:ident, $input:literal, $output:literal, $rows:literal, $free:literal
    ) => {
        $($doc)+
        ///
        /// Over `..` for all elements, `0`, `[0, -1]`, `axis(0).keepdims()`, or `axis(0).ddof(1)`; without that with a `ddof` of 0.
        #[doc = concat!(
            "\n\n# Panics\n\nIf an axis is out of range or given twice.",
            "\n\n```\nuse darray::{DArray, axis};\n",
            "let x = DArray::from_vec(", $input, ");\n",
            "assert_eq!(x.", stringify!($method), "(..).item(), ", $output, ");\n",
            "assert_eq!(x.", stringify!($method), "(axis(0).ddof(1)).item(), ", $free, ");\n",
            "assert_eq!(x.reshape((2, 2)).", stringify!($method), "(1).to_vec(), ", $rows, ");\n```",
        )]
        #[track_caller]
        pub fn $method(&self, all_or_axes: impl Into<SpreadAxes>) -> DArray<T::Spread> {
            let (options, ddof) = all_or_axes.into().take();
            DArray::wrap(expect_at_caller(self.as_dyn().reduce_with(Reduction::$variant { ddof }, options)))
        }
    };
}

reduction_table!(reduction_methods);

/// # Reductions
impl<T: Element> DArray<T> {
    /// NumPy's `linalg.vector_norm`, in floats: the Euclidean norm, the root of the sum of the squares of distances from 0, or
    /// that of another order, a [`Norm`](crate::Norm) or a number: over `..` for all elements, `0`, `[0, -1]`, `axis(0).keepdims()` or
    /// `axis(0).ord(1)`. (`linalg.norm` takes an order of a matrix for a matrix norm; of those there is [`Norm::Frobenius`](crate::Norm::Frobenius).)
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice; for [`Norm::NegInf`](crate::Norm::NegInf) over nothing, and
    /// [`Norm::Frobenius`](crate::Norm::Frobenius) over other than two axes.
    ///
    /// ```
    /// use darray::{DArray, Norm, axes, axis};
    /// let x = DArray::from_shape_vec((2, 2), vec![3.0, -4.0, 0.0, 2.0]);
    /// assert_eq!(x.norm(1).to_vec(), [5.0, 2.0]);
    /// assert_eq!(x.norm(axis(1).ord(1)).to_vec(), [7.0, 2.0]);
    /// assert_eq!(x.norm(axes(..).ord(Norm::Inf)).item(), 4.0);
    /// assert_eq!(DArray::from_vec(vec![9, 16]).norm(axis(0).ord(0.5)).item(), 49.0);
    /// ```
    #[track_caller]
    pub fn norm(&self, all_or_axes: impl Into<NormAxes>) -> DArray<T::Spread> {
        let NormAxes { axes, ord } = all_or_axes.into();
        DArray::wrap(expect_at_caller(self.as_dyn().reduce(Reduction::Norm(ord), axes)))
    }
}
