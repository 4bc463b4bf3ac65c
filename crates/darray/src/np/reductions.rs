//! Reductions over axes: `..` for all elements, `0`, `[0, -1]`, `axis(0).keepdims()`. Most are those of `reduction/table.rs`.

use crate::error::expect_at_caller;
use crate::reduction::{reduction_signature, reduction_table};
use crate::{
    AsArray, Axes, DArray, Element, ExtremumAxes, MeanAxes, PlainAxes, Quantiles, SpreadAxes,
    SumAxes, TestAxes,
};

macro_rules! reduction_functions {
    (
        any { $($(#[$any_doc:meta])+ $any:ident = x.$any_name:ident(axes), x.$any_try:ident(axes),
            $any_rule:ident $(by $any_reducer:ident)?, $any_input:literal => $any_output:literal, $any_rows:literal;)+ }
        some { $($(#[$some_doc:meta])+ $some:ident = x.$some_name:ident(axes), x.$some_try:ident(axes),
            $some_rule:ident $(by $some_reducer:ident)?,
            $some_input:literal => $some_output:literal, $some_rows:literal;)+ }
        spread { $($(#[$doc:meta])+ $variant:ident = x.$name:ident(axes), x.$try:ident(axes),
            $input:literal => $output:literal, $rows:literal, $free:literal;)+ }
    ) => {
        $(reduction_signature! { reduction_function! $any_rule {
            [$(#[$any_doc])+] $any_name, $any_input, $any_output, $any_rows
        } })+
        $(reduction_signature! { reduction_function! $some_rule {
            [$(#[$some_doc])+] $some_name, $some_input, $some_output, $some_rows
        } })+
        $(reduction_function! { @function [A: Into<SpreadAxes>] [A] [T::Spread]
            [$(#[$doc])+] $name, $input, $output, $rows
        })+
    };
}

/// The function of one reduction.
macro_rules! reduction_function {
    ($family:ident { $($row:tt)+ }) => {
        reduction_function! { @function [A: $family<T>] [A] [A::Output] $($row)+ }
    };
    (plain { $output:ty } { $($row:tt)+ }) => {
        reduction_function! { @function [A: PlainAxes] [A] [$output] $($row)+ }
    };
    (
        @function [$($bound:tt)+] [$axes:ident] [$result:ty]
        [$($doc:tt)+] $name:ident, $input:literal, $output:literal, $rows:literal
    ) => {
        $($doc)+
        #[doc = concat!(
            "\n\nSee [`DArray::", stringify!($name), "`].",
            "\n\n```\nuse darray::{DArray, np};\n",
            "let x = DArray::from_vec(", $input, ");\n",
            "assert_eq!(np::", stringify!($name), "(&x, ..).item(), ", $output, ");\n",
            "assert_eq!(np::", stringify!($name), "(x.reshape((2, 2)), 1).to_vec(), ", $rows, ");\n```",
        )]
        #[track_caller]
        pub fn $name<T: Element, $($bound)+>(x: impl AsArray<T>, all_or_axes: $axes) -> DArray<$result> {
            x.as_array().$name(all_or_axes)
        }
    };
}

reduction_table!(reduction_functions);

/// Quantiles along axes, one or several; see [`DArray::quantile`].
///
/// ```
/// use darray::np;
/// let x = np::array([[1, 4], [3, 2]]);
/// assert_eq!(np::quantile(&x, 0.25, 0).to_vec(), [1.5, 2.5]);
/// assert_eq!(np::quantile(&x, [0.0, 1.0], ..).to_vec(), [1.0, 4.0]);
/// ```
#[track_caller]
pub fn quantile<T: Element>(
    x: impl AsArray<T>,
    q: impl Quantiles,
    all_or_axes: impl Into<Axes>,
) -> DArray<T::Inexact> {
    x.as_array().quantile(q, all_or_axes)
}

/// Covariances of rows; others, and other divisors: see [`DArray::cov`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1.0, 3.0, 5.0, 1.0]);
/// assert_eq!(darray::np::cov(&x).to_vec(), [2.0, -4.0, -4.0, 8.0]);
/// ```
#[track_caller]
pub fn cov<T: Element>(x: impl AsArray<T>) -> DArray<T::Inexact> {
    x.as_array().cov(..)
}

/// Correlation coefficients of rows: NumPy's `corrcoef`.
///
/// ```
/// use darray::{DArray, np};
/// let x = DArray::from_shape_vec((2, 2), vec![1.0, 3.0, 5.0, 1.0]);
/// let expected = DArray::from([[1.0, -1.0], [-1.0, 1.0]]);
/// assert!(np::allclose(&np::corrcoef(&x), &expected).item());
/// ```
#[track_caller]
pub fn corrcoef<T: Element>(x: impl AsArray<T>) -> DArray<T::Inexact> {
    DArray::wrap(expect_at_caller(x.as_array().as_dyn().corrcoef()))
}

/// Quantiles along axes for percentages; see [`DArray::percentile`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 4, 3, 2]);
/// assert_eq!(darray::np::percentile(&x, 25, 0).to_vec(), [1.5, 2.5]);
/// ```
#[track_caller]
pub fn percentile<T: Element>(
    x: impl AsArray<T>,
    percent: impl Quantiles,
    all_or_axes: impl Into<Axes>,
) -> DArray<T::Inexact> {
    x.as_array().percentile(percent, all_or_axes)
}
