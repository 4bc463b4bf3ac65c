//! Quantiles of typed arrays.

use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::{Axes, DArray, Element};
use darray_core::Place;
use smallvec::SmallVec;

/// Which quantiles are meant: a number, or a list of them, whose quantiles stand along an axis in front.
///
/// ```
/// use darray::{DArray, Quantiles};
/// fn whiskers(x: &DArray, at: impl Quantiles) -> DArray {
///     x.quantile(at, ..)
/// }
/// let x = DArray::<f64>::arange(5);
/// assert_eq!(whiskers(&x, 0.25).item(), 1.0);
/// assert_eq!(whiskers(&x, [0.25, 0.75]).to_vec(), [1.0, 3.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which quantiles",
    label = "write `0.5`, or of several `[0.1, 0.9]`, `&list`; behind them the axes: `..` for all, `0`, `[0, 1]`"
)]
pub trait Quantiles {
    /// Whether there is a list of them.
    const ARE_LISTED: bool;

    /// The numbers.
    fn numbers(&self) -> SmallVec<[f64; 4]>;
}

macro_rules! numbers {
    ($($t:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl Quantiles for $t {
            const ARE_LISTED: bool = false;

            fn numbers(&self) -> SmallVec<[f64; 4]> {
                SmallVec::from_slice(&[f64::from(*self)])
            }
        }
    )* };
}

numbers!(f64 f32 i32);

macro_rules! lists {
    ($([$($extent:ident)?] $list:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<N: Copy + Into<f64> $(, const $extent: usize)?> Quantiles for $list {
            const ARE_LISTED: bool = true;

            fn numbers(&self) -> SmallVec<[f64; 4]> {
                self.iter().map(|&number| number.into()).collect()
            }
        }
    )* };
}

lists! {
    [K] [N; K];
    [K] &[N; K];
    [] &[N];
    [] Vec<N>;
    [] &Vec<N>;
}

/// # Quantiles
impl<T: Element> DArray<T> {
    /// The quantiles along axes: `0`, `[0, -1]`, `..`, or `axis(0).keepdims()`. Several are of one sort, along an axis in front of those that are left.
    ///
    /// # Panics
    ///
    /// If a `q` is not between 0 and 1, there is no element along the axes, or an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 3), vec![1.0, 9.0, 2.0, 3.0, 6.0, 4.0]);
    /// assert_eq!(x.quantile(0.25, 1).to_vec(), [1.5, 3.5]);
    /// let found = x.quantile([0.0, 0.25], 1);
    /// assert_eq!((found.shape(), found.to_vec()), (&[2, 2][..], vec![1.0, 3.0, 1.5, 3.5]));
    /// ```
    #[track_caller]
    pub fn quantile(&self, q: impl Quantiles, all_or_axes: impl Into<Axes>) -> DArray<T::Inexact> {
        let steps = Steps { name: "quantile", place: Place::caller() };
        DArray::wrap(expect_at_caller(self.as_dyn().quantiles_as(q, 1.0, all_or_axes, steps)))
    }

    /// The [quantiles](Self::quantile) along axes for percentages.
    ///
    /// # Panics
    ///
    /// As [`quantile`](Self::quantile).
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 6.0]);
    /// assert_eq!(x.percentile(50, 0).to_vec(), [2.0, 4.0]);
    /// assert_eq!(x.percentile([0.0, 62.5], ..).to_vec(), [1.0, 2.875]);
    /// ```
    #[track_caller]
    pub fn percentile(
        &self,
        percent: impl Quantiles,
        all_or_axes: impl Into<Axes>,
    ) -> DArray<T::Inexact> {
        let steps = Steps { name: "percentile", place: Place::caller() };
        DArray::wrap(expect_at_caller(self.as_dyn().quantiles_as(
            percent,
            100.0,
            all_or_axes,
            steps,
        )))
    }
}
