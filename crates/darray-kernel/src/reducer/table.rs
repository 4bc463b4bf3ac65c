//! The table of reducers: one row per reducer, one fold per row and element type.
//!
//! The enum, its methods and [`for_each_fold!`](crate::for_each_fold) come from here.

/// Calls `callback!{ prefix rows }` with the whole table. Used by this crate only.
///
/// A row has the name and how two values combine:
///
/// | | |
/// |---|---|
/// | `[running Operator]` | by the operator, and there is a scan |
/// | `[decided value Operator]` | by the operator; a bool that no other changes any more |
/// | `[first Operator]` | the first value that compares so with all others is taken, with its index |
///
/// A fold is `(element type, identity, value of the empty fold, combining function)`.
#[doc(hidden)]
#[macro_export]
macro_rules! reducer_table {
    ([$($callback:tt)+] $($prefix:tt)*) => {
        $($callback)+! {
            $($prefix)*
            /// Addition; wraps for i64 and u64, in which smaller integers are added. The identity is -0.0, so that the sum of -0.0 alone is
            /// -0.0; the empty sum is +0.0.
            Sum = "sum" [running Add] => {
                (i64, 0, Some(0), $crate::operator::scalar::add_i64)
                (u64, 0, Some(0), $crate::operator::scalar::add_u64)
                (f32, -0.0, Some(0.0), $crate::operator::scalar::add_f32)
                (f64, -0.0, Some(0.0), $crate::operator::scalar::add_f64)
            }
            /// Multiplication; wraps for i64 and u64, in which smaller integers are multiplied.
            Prod = "prod" [running Mul] => {
                (i64, 1, Some(1), $crate::operator::scalar::mul_i64)
                (u64, 1, Some(1), $crate::operator::scalar::mul_u64)
                (f32, 1.0, Some(1.0), $crate::operator::scalar::mul_f32)
                (f64, 1.0, Some(1.0), $crate::operator::scalar::mul_f64)
            }
            /// The smallest; NaN wins, `-0.0 < +0.0`.
            Min = "min" [running Minimum] => {
                (bool, true, None, $crate::operator::scalar::minimum_bool)
                (i32, i32::MAX, None, $crate::operator::scalar::minimum_i32)
                (i64, i64::MAX, None, $crate::operator::scalar::minimum_i64)
                (u64, u64::MAX, None, $crate::operator::scalar::minimum_u64)
                (f32, f32::INFINITY, None, $crate::operator::scalar::minimum_f32)
                (f64, f64::INFINITY, None, $crate::operator::scalar::minimum_f64)
            }
            /// The largest; NaN wins, `-0.0 < +0.0`.
            Max = "max" [running Maximum] => {
                (bool, false, None, $crate::operator::scalar::maximum_bool)
                (i32, i32::MIN, None, $crate::operator::scalar::maximum_i32)
                (i64, i64::MIN, None, $crate::operator::scalar::maximum_i64)
                (u64, u64::MIN, None, $crate::operator::scalar::maximum_u64)
                (f32, f32::NEG_INFINITY, None, $crate::operator::scalar::maximum_f32)
                (f64, f64::NEG_INFINITY, None, $crate::operator::scalar::maximum_f64)
            }
            /// Logical and.
            All = "all" [decided false And] => {
                (bool, true, Some(true), $crate::operator::scalar::and_bool)
            }
            /// Logical or.
            Any = "any" [decided true Or] => {
                (bool, false, Some(false), $crate::operator::scalar::or_bool)
            }
            /// (value, index): NaN first, then the smaller, then the lowest index; zeros are equal.
            ArgMin = "argmin" [first Lt] => {
                (bool, (true, i64::MAX), None, $crate::reducer::argmin::<bool>)
                (i32, (i32::MAX, i64::MAX), None, $crate::reducer::argmin::<i32>)
                (i64, (i64::MAX, i64::MAX), None, $crate::reducer::argmin::<i64>)
                (u64, (u64::MAX, i64::MAX), None, $crate::reducer::argmin::<u64>)
                (f32, (f32::INFINITY, i64::MAX), None, $crate::reducer::argmin::<f32>)
                (f64, (f64::INFINITY, i64::MAX), None, $crate::reducer::argmin::<f64>)
            }
            /// (value, index): NaN first, then the larger, then the lowest index; zeros are equal.
            ArgMax = "argmax" [first Gt] => {
                (bool, (false, i64::MAX), None, $crate::reducer::argmax::<bool>)
                (i32, (i32::MIN, i64::MAX), None, $crate::reducer::argmax::<i32>)
                (i64, (i64::MIN, i64::MAX), None, $crate::reducer::argmax::<i64>)
                (u64, (u64::MIN, i64::MAX), None, $crate::reducer::argmax::<u64>)
                (f32, (f32::NEG_INFINITY, i64::MAX), None, $crate::reducer::argmax::<f32>)
                (f64, (f64::NEG_INFINITY, i64::MAX), None, $crate::reducer::argmax::<f64>)
            }
        }
    };
}

/// Calls a macro with one row per reducer and element type, in table order.
///
/// `for_each_fold!{ callback }` expands to `callback!{ rows }`, `for_each_fold!{ callback [tokens] }`
/// to `callback!{ [tokens] rows }`, with rows of the form
///
/// ```text
/// (Sum, [running Add], f64, -0.0, $crate::operator::scalar::add_f64)
/// (ArgMin, [first Lt], f64, (f64::INFINITY, i64::MAX), $crate::reducer::argmin::<f64>)
/// ```
///
/// that is reducer, how two values combine, element type, identity, combining function. Accumulators of `ArgMin` and
/// `ArgMax` are pairs `(T, i64)`, all others are `T`; functions are `#[inline(always)]`, take two
/// accumulators and give one.
///
/// ```
/// use darray_kernel::{for_each_fold, reducer::Reducer};
/// macro_rules! folds_of_f64 {
///     ($(($reducer:ident, $how:tt, $dtype:ident, $identity:expr, $combine:path))*) => {
///         vec![$((Reducer::$reducer, stringify!($dtype) == "f64")),*]
///     };
/// }
/// let rows = for_each_fold!(folds_of_f64);
/// assert_eq!(rows.iter().filter(|row| row.1).count(), 6);
/// ```
#[macro_export]
macro_rules! for_each_fold {
    ($callback:ident $([$($tokens:tt)*])?) => {
        $crate::reducer_table! { [$crate::flatten_folds] [$callback] [$([$($tokens)*])?] }
    };
}

/// Rows of the table to rows of [`for_each_fold!`](crate::for_each_fold).
#[doc(hidden)]
#[macro_export]
macro_rules! flatten_folds {
    ([$callback:ident] [$($tokens:tt)*]
        $($(#[$doc:meta])+ $reducer:ident = $name:literal $how:tt => {
            $(($element:ident, $identity:expr, $empty:expr, $combine:path))+
        })+
    ) => {
        $callback! {
            $($tokens)*
            $($(($reducer, $how, $element, $identity, $combine))+)+
        }
    };
}
