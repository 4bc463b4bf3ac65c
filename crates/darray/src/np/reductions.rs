//! Reductions: of all elements, and, with names ending in `_axis`, along axes: `0`, `[0, -1]`, `..`, or
//! [`keepdims`](crate::keepdims) of those. Most are those of `reduction/table.rs`.

use crate::reduction::{reduction_output, reduction_table};
use crate::{Axes, DArray, Element};

macro_rules! reduction_functions {
    (
        any { $($(#[$any_doc:meta])+ $any:ident = x.$any_all:ident(), x.$any_axis:ident(axes), x.$any_try:ident(axes),
            $any_rule:ident $(by $any_reducer:ident)?, $any_input:literal => $any_output:literal, $any_rows:literal;)+ }
        some { $($(#[$some_doc:meta])+ $some:ident = x.$one:ident(), x.$try_one:ident(), x.$some_axis:ident(axes),
            x.$some_try:ident(axes), $some_rule:ident $(by $some_reducer:ident)?,
            $some_input:literal => $some_output:literal, $some_rows:literal;)+ }
        spread { $($(#[$doc:meta])+ $variant:ident = x.$method:ident(), x.$axis:ident(axes), x.$try_axis:ident(axes),
            x.$ddof:ident(ddof, axes), x.$try_ddof:ident(ddof, axes),
            $input:literal => $output:literal, $rows:literal, $free:literal;)+ }
    ) => {
        $(all_and_axis! { [$(#[$any_doc])+] $any_all $any_axis, $any_rule, $any_input, $any_output, $any_rows })+
        $(all_and_axis! { [$(#[$some_doc])+] $one $some_axis, $some_rule, $some_input, $some_output, $some_rows })+
        $(all_and_axis! { [$(#[$doc])+] $method $axis, spread, $input, $output, $rows }

        #[doc = concat!(
            "As [`", stringify!($axis), "`], with this `ddof`. See [`DArray::", stringify!($ddof), "`].",
            "\n\n```\nlet x = darray::DArray::from_vec(", $input, ");\n",
            "assert_eq!(darray::np::", stringify!($ddof), "(&x, 1, ..).item(), ", $free, ");\n```",
        )]
        #[track_caller]
        pub fn $ddof<T: Element>(
            x: &DArray<T>,
            ddof: usize,
            axes: impl Into<Axes>,
        ) -> DArray<T::Spread> {
            x.$ddof(ddof, axes)
        })+
    };
}

/// The functions of one reduction.
macro_rules! all_and_axis {
    (
        [$($doc:tt)+] $method:ident $axis:ident, $rule:ident, $input:literal, $output:literal, $rows:literal
    ) => {
        $($doc)+
        #[doc = concat!(
            "\n\nSee [`DArray::", stringify!($method), "`].",
            "\n\n```\nlet x = darray::DArray::from_vec(", $input, ");\n",
            "assert_eq!(darray::np::", stringify!($method), "(&x).item(), ", $output, ");\n```",
        )]
        #[track_caller]
        pub fn $method<T: Element>(x: &DArray<T>) -> DArray<reduction_output!($rule T)> {
            x.$method()
        }

        #[doc = concat!(
            "As [`", stringify!($method), "`](fn@", stringify!($method),
            "), along axes. See [`DArray::", stringify!($axis), "`].",
            "\n\n```\nlet x = darray::DArray::from_shape_vec((2, 2), ", $input, ");\n",
            "assert_eq!(darray::np::", stringify!($axis), "(&x, 1).to_vec(), ", $rows, ");\n```",
        )]
        #[track_caller]
        pub fn $axis<T: Element>(
            x: &DArray<T>,
            axes: impl Into<Axes>,
        ) -> DArray<reduction_output!($rule T)> {
            x.$axis(axes)
        }
    };
}

reduction_table!(reduction_functions);

/// A quantile of all elements; see [`DArray::quantile`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![5.0, 1.0, 2.0]);
/// assert_eq!(darray::np::quantile(&x, 0.25).item(), 1.5);
/// ```
#[track_caller]
pub fn quantile<T: Element>(x: &DArray<T>, q: f64) -> DArray<T::Inexact> {
    x.quantile(q)
}

/// Quantiles along axes; see [`DArray::quantile_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 4, 3, 2]);
/// assert_eq!(darray::np::quantile_axis(&x, 0.25, 0).to_vec(), [1.5, 2.5]);
/// ```
#[track_caller]
pub fn quantile_axis<T: Element>(
    x: &DArray<T>,
    q: f64,
    axes: impl Into<Axes>,
) -> DArray<T::Inexact> {
    x.quantile_axis(q, axes)
}

/// Several quantiles of all elements; see [`DArray::quantiles`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, 2.0, 3.0]);
/// assert_eq!(darray::np::quantiles(&x, &[0.25, 1.0]).to_vec(), [1.5, 3.0]);
/// ```
#[track_caller]
pub fn quantiles<T: Element>(x: &DArray<T>, quantiles: &[f64]) -> DArray<T::Inexact> {
    x.quantiles(quantiles)
}

/// Several quantiles along axes; see [`DArray::quantiles_axis`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, 2.0, 3.0]);
/// assert_eq!(darray::np::quantiles_axis(&x, &[0.25, 1.0], 0).to_vec(), [1.5, 3.0]);
/// ```
#[track_caller]
pub fn quantiles_axis<T: Element>(
    x: &DArray<T>,
    quantiles: &[f64],
    axes: impl Into<Axes>,
) -> DArray<T::Inexact> {
    x.quantiles_axis(quantiles, axes)
}

/// Covariances of rows; see [`DArray::cov`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1.0, 3.0, 5.0, 1.0]);
/// assert_eq!(darray::np::cov(&x).to_vec(), [2.0, -4.0, -4.0, 8.0]);
/// ```
#[track_caller]
pub fn cov<T: Element>(x: &DArray<T>) -> DArray<T::Inexact> {
    x.cov()
}

/// Covariances of rows, divided by another number; see [`DArray::cov_ddof`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, 3.0]);
/// assert_eq!(darray::np::cov_ddof(&x, 0).item(), 1.0);
/// ```
#[track_caller]
pub fn cov_ddof<T: Element>(x: &DArray<T>, ddof: usize) -> DArray<T::Inexact> {
    x.cov_ddof(ddof)
}

/// A quantile of all elements for a percentage; see [`DArray::percentile`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![5.0, 1.0, 2.0]);
/// assert_eq!(darray::np::percentile(&x, 25.0).item(), 1.5);
/// ```
#[track_caller]
pub fn percentile<T: Element>(x: &DArray<T>, percent: f64) -> DArray<T::Inexact> {
    x.percentile(percent)
}

/// Quantiles along axes for a percentage; see [`DArray::percentile_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 4, 3, 2]);
/// assert_eq!(darray::np::percentile_axis(&x, 25.0, 0).to_vec(), [1.5, 2.5]);
/// ```
#[track_caller]
pub fn percentile_axis<T: Element>(
    x: &DArray<T>,
    percent: f64,
    axes: impl Into<Axes>,
) -> DArray<T::Inexact> {
    x.percentile_axis(percent, axes)
}
