//! THE table of reductions: one row per reduction.
//!
//! The enum [`Reduction`](crate::Reduction), its names and what it folds, the methods of [`DArray`](crate::DArray) with their
//! `try_` forms and the functions of [`np`](crate::np) come from here. A row is
//!
//! ```text
//! /// Documentation.
//! Variant = x.method(axes), x.try_method(axes), rule by Reducer, "x" =>
//!     "result", "results";
//! ```
//!
//! The reducer is that of the table in `darray_kernel`; a row without one is made of several operations, in
//! `reduction/composition.rs` or `reduction/held.rs`. The texts become the examples that run as tests: four elements, their
//! result, and the results of two rows of two. Rules (`P` is the element type of `x`):
//!
//! | rule | folds | gives |
//! |---|---|---|
//! | `accumulator` | `P`, `i64` for integers and `bool` | as it folds |
//! | `same` | `P` | `P` |
//! | `real` | floats, and complex numbers | as it folds |
//! | `spread` | as `real` | floats |
//! | `bool` | `bool` | `bool` |
//! | `i64` | `P` | `i64` |
//! | `middle` | as `real` | as it folds |
//! | `range` | `P` | `P` |
//!
//! What a method takes beside axes goes by the rule, too: `accumulator` a mask, a start and a type, `real` a mask and a type, `same` a mask and a start, `spread` a mask and `ddof`,
//! `bool` a mask, the others nothing (`reduction/options.rs`).
//!
//! Rows of `some` have no result over no elements; rows of `spread` go by that rule, take a `ddof`, and have the result of all elements for one of 1 besides.

/// Calls `callback! { any { rows } some { rows } spread { rows } }` with the reductions.
macro_rules! reduction_table {
    ($callback:ident) => {
        $callback! {
            any {
                /// The sum; 0 for none. Unsigned integers are summed in `u64`, others and `bool` in `i64`.
                Sum = x.sum(axes), x.try_sum(axes), accumulator by Sum,
                    "vec![1.0, 2.0, 3.0, 6.0]" => "12.0", "[3.0, 9.0]";
                /// The product; 1 for none. Unsigned integers are multiplied in `u64`, others and `bool` in `i64`.
                Prod = x.prod(axes), x.try_prod(axes), accumulator by Prod,
                    "vec![200u8, 3, 2, 1]" => "1200", "[600, 2]";
                /// The arithmetic mean: the sum, in `f32` for `f16` and `f32` (as NumPy's, in the order of darray's
                /// tree) and in `f64` for everything else, divided by the count; NaN for none.
                Mean = x.mean(axes), x.try_mean(axes), real,
                    "vec![1, 2, 3, 6]" => "3.0", "[1.5, 4.5]";
                /// How many elements differ from zero; NaN does.
                CountNonzero = x.count_nonzero(axes), x.try_count_nonzero(axes), i64,
                    "vec![0.0, 2.0, f64::NAN, 1.0]" => "3", "[1, 2]";
                /// Whether all elements differ from zero.
                All = x.all(axes), x.try_all(axes), bool by All,
                    "vec![true, false, true, true]" => "false", "[false, true]";
                /// Whether any element differs from zero.
                Any = x.any(axes), x.try_any(axes), bool by Any,
                    "vec![0, 0, 3, 0]" => "true", "[false, true]";
                /// The element in the middle, or the mean of the two there, in floats; NaN if one of them is, or for
                /// none.
                Median = x.median(axes), x.try_median(axes), middle,
                    "vec![7, 1, 2, 4]" => "3.0", "[4.0, 3.0]";
                /// The sum of the elements that are not NaN; 0 for none. This and the following are, for types without
                /// NaN, the reductions that they are named after.
                NanSum = x.nansum(axes), x.try_nansum(axes), accumulator,
                    "vec![1.0, f64::NAN, 3.0, 6.0]" => "10.0", "[1.0, 9.0]";
                /// The product of the elements that are not NaN; 1 for none.
                NanProd = x.nanprod(axes), x.try_nanprod(axes), accumulator,
                    "vec![1.0, f64::NAN, 3.0, 6.0]" => "18.0", "[1.0, 18.0]";
                /// The mean of the elements that are not NaN; NaN for none.
                NanMean = x.nanmean(axes), x.try_nanmean(axes), real,
                    "vec![1.0, f64::NAN, 2.0, 6.0]" => "3.0", "[1.0, 4.0]";
            }
            some {
                /// The smallest element; NaN wins, and -0.0 is smaller than 0.0.
                ///
                /// ```
                /// let zeros = darray::DArray::<f64>::from_vec(vec![0.0, -0.0, 0.0]);
                /// assert!(zeros.min(..).item().is_sign_negative());
                /// ```
                Min = x.min(axes), x.try_min(axes), same by Min,
                    "vec![2, 1, 3, 6]" => "1", "[1, 3]";
                /// The largest element; NaN wins, and 0.0 is larger than -0.0.
                ///
                /// ```
                /// let zeros = darray::DArray::<f64>::from_vec(vec![-0.0, 0.0, -0.0]);
                /// assert!(zeros.max(..).item().is_sign_positive());
                /// ```
                Max = x.max(axes), x.try_max(axes), same by Max,
                    "vec![2, 1, 3, 6]" => "6", "[2, 6]";
                /// The row-major index, among the reduced axes, of the first smallest element; the first NaN wins.
                ArgMin = x.argmin(axes), x.try_argmin(axes), i64 by ArgMin,
                    "vec![2, 1, 1, 6]" => "1", "[1, 0]";
                /// The row-major index, among the reduced axes, of the first largest element; the first NaN wins.
                ArgMax = x.argmax(axes), x.try_argmax(axes), i64 by ArgMax,
                    "vec![2, 3, 3, 1]" => "1", "[1, 0]";
                /// The largest element less the smallest; NaN wins. Not of `bool`.
                ///
                /// ```
                /// use darray::Fallible;
                /// let error = darray::DArray::<bool>::ones(2).try_ptp(..).unwrap_err();
                /// assert!(error.to_string().starts_with("ptp: element types bool: expected "));
                /// ```
                Ptp = x.ptp(axes), x.try_ptp(axes), range,
                    "vec![5, 2, 3, 3]" => "3", "[3, 0]";
                /// The smallest element that is not NaN; NaN where all are.
                NanMin = x.nanmin(axes), x.try_nanmin(axes), same,
                    "vec![1.0, f64::NAN, 3.0, 6.0]" => "1.0", "[1.0, 3.0]";
                /// The largest element that is not NaN; NaN where all are.
                NanMax = x.nanmax(axes), x.try_nanmax(axes), same,
                    "vec![1.0, f64::NAN, 3.0, 6.0]" => "6.0", "[1.0, 6.0]";
            }
            spread {
                /// The variance: the mean of the squared deviations from the mean, which is taken first, so that it is
                /// accurate where the mean is large; their sum is divided by the count less `ddof`. f16 and f32 compute in
                /// f32, as NumPy does, everything else in f64. NaN for none.
                Var = x.var(axes), x.try_var(axes),
                    "vec![1.0, 2.0, 3.0, 6.0]" => "3.5", "[0.25, 2.25]", "14.0 / 3.0";
                /// The standard deviation: the square root of the variance.
                Std = x.std(axes), x.try_std(axes),
                    "vec![0.0, 2.0, 2.0, 0.0]" => "1.0", "[1.0, 1.0]",
                    "(4.0f64 / 3.0).sqrt()";
                /// The variance of the elements that are not NaN; NaN where not more than `ddof` are left.
                NanVar = x.nanvar(axes), x.try_nanvar(axes),
                    "vec![1.0, f64::NAN, 6.0, 2.0]" => "14.0 / 3.0", "[0.0, 4.0]",
                    "7.0";
                /// The standard deviation of the elements that are not NaN; NaN where not more than `ddof` are left.
                NanStd = x.nanstd(axes), x.try_nanstd(axes),
                    "vec![1.0, f64::NAN, 6.0, 2.0]" => "(14.0f64 / 3.0).sqrt()",
                    "[0.0, 2.0]", "7.0f64.sqrt()";
            }
        }
    };
}

/// What a method of this rule goes over, and what it gives: the trait of `reduction/options.rs`.
macro_rules! reduction_signature {
    ($callback:ident! accumulator { $($rest:tt)* }) => {
        $callback! { SumAxes { $($rest)* } }
    };
    ($callback:ident! real { $($rest:tt)* }) => {
        $callback! { MeanAxes { $($rest)* } }
    };
    ($callback:ident! same { $($rest:tt)* }) => {
        $callback! { ExtremumAxes { $($rest)* } }
    };
    ($callback:ident! bool { $($rest:tt)* }) => {
        $callback! { TestAxes { $($rest)* } }
    };
    ($callback:ident! middle { $($rest:tt)* }) => {
        $callback! { plain { T::Inexact } { $($rest)* } }
    };
    ($callback:ident! range { $($rest:tt)* }) => {
        $callback! { plain { T } { $($rest)* } }
    };
    ($callback:ident! i64 { $($rest:tt)* }) => {
        $callback! { plain { i64 } { $($rest)* } }
    };
}

pub(crate) use {reduction_signature, reduction_table};
