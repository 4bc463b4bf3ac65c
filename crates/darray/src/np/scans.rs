//! Scans: along an axis, or with `..` of all elements.

use crate::{Along, AsArray, DArray, Element};

/// The cumulative sums along an axis; see [`DArray::cumsum`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1i64, 2, 3, 4]);
/// assert_eq!(darray::np::cumsum(&x, 1).to_vec(), [1, 3, 3, 7]);
/// ```
#[track_caller]
pub fn cumsum<T: Element>(x: impl AsArray<T>, axis: impl Into<Along>) -> DArray<T::Accumulator> {
    x.as_array().cumsum(axis)
}

/// The cumulative products along an axis; see [`DArray::cumprod`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1i64, 2, 3, 4]);
/// assert_eq!(darray::np::cumprod(&x, 1).to_vec(), [1, 2, 3, 12]);
/// ```
#[track_caller]
pub fn cumprod<T: Element>(x: impl AsArray<T>, axis: impl Into<Along>) -> DArray<T::Accumulator> {
    x.as_array().cumprod(axis)
}

/// Running results of any associative operation along an axis; see [`DArray::accumulate`].
///
/// ```
/// use darray::{DArray, np};
/// let x = DArray::from_vec(vec![3.0, 4.0, 12.0]);
/// assert_eq!(np::accumulate(&x, 0, |a, b| np::hypot(a, b)).to_vec(), [3.0, 5.0, 13.0]);
/// ```
#[track_caller]
pub fn accumulate<T: Element>(
    x: impl AsArray<T>,
    axis: impl Into<Along>,
    f: impl FnMut(&DArray<T>, &DArray<T>) -> DArray<T>,
) -> DArray<T> {
    x.as_array().accumulate(axis, f)
}

/// Modules of the names of NumPy's ufuncs, each with an `accumulate`.
macro_rules! ufuncs {
    ($($name:ident = $accumulate:expr, $output:ty, $result:literal;)*) => { $(
        #[doc = concat!("NumPy's `np.", stringify!($name), ".accumulate`.")]
        #[doc = concat!(
            "\n\n```\nuse darray::{DArray, np};\nlet x = DArray::from_vec(vec![3i64, 1, 7]);\n",
            "assert_eq!(np::", stringify!($name), "::accumulate(&x, ..).to_vec(), ", $result, ");\n```",
        )]
        pub mod $name {
            use crate::error::expect_at_caller;
            use crate::{AsArray, Along, Binary, DArray, DynArray, Element};
            use darray_core::{DType, Result};

            /// Running ones along an axis, or with `..` of all elements.
            #[doc = concat!(
                "\n\n```\nuse darray::{DArray, np};\nlet x = DArray::from_vec(vec![3i64, 1, 7]);\n",
                "assert_eq!(np::", stringify!($name), "::accumulate(&x, 0).to_vec(), ", $result, ");\n```",
            )]
            #[track_caller]
            pub fn accumulate<T: Element>(x: impl AsArray<T>, axis: impl Into<Along>) -> DArray<$output> {
                let run: fn(&DynArray, Along) -> Result<DynArray> = $accumulate;
                DArray::wrap(expect_at_caller(run(x.as_array().as_dyn(), axis.into())))
            }

            /// Running results of an operation, of truth values or of the elements.
            #[allow(dead_code, reason = "sums and extrema have scans of their own")]
            #[track_caller]
            fn of(
                x: &DynArray,
                axis: Along,
                operation: Binary,
                as_bool: bool,
            ) -> Result<DynArray> {
                let x = if as_bool { x.cast(DType::Bool)? } else { x.alias() };
                x.accumulate(axis, |a, b| a.binary(operation, b))
            }
        }
    )* };
}

ufuncs! {
    maximum = |x, axis| x.cummax(axis), T, "[3, 3, 7]";
    minimum = |x, axis| x.cummin(axis), T, "[3, 1, 1]";
    add = |x, axis| x.cumsum(axis), T::Accumulator, "[3, 4, 11]";
    multiply = |x, axis| x.cumprod(axis), T::Accumulator, "[3, 3, 21]";
    bitwise_and = |x, axis| of(x, axis, Binary::And, false), T, "[3, 1, 1]";
    bitwise_or = |x, axis| of(x, axis, Binary::Or, false), T, "[3, 3, 7]";
    bitwise_xor = |x, axis| of(x, axis, Binary::Xor, false), T, "[3, 2, 5]";
    logical_and = |x, axis| of(x, axis, Binary::And, true), bool, "[true, true, true]";
    logical_or = |x, axis| of(x, axis, Binary::Or, true), bool, "[true, true, true]";
    logical_xor = |x, axis| of(x, axis, Binary::Xor, true), bool, "[true, false, true]";
}
