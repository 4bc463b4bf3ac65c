//! What reductions take beside axes: `axis(0).ddof(1)`, `axis(0).ord(1)`.

use crate::{Axes, Norm};
use std::ops::RangeFull;

impl Axes {
    /// With NumPy's "delta degrees of freedom" for variances: their sums are divided by the count less this.
    ///
    /// ```
    /// use darray::{DArray, axis};
    /// let x = DArray::from_vec(vec![1.0, 2.0, 3.0, 6.0]);
    /// assert_eq!(x.std(axis(0).ddof(1)).item(), (14.0f64 / 3.0).sqrt());
    /// ```
    pub fn ddof(self, ddof: usize) -> SpreadAxes {
        SpreadAxes { axes: self, ddof }
    }

    /// With the order of a norm.
    ///
    /// ```
    /// use darray::{DArray, Norm, axis};
    /// let x = DArray::from_shape_vec((2, 2), vec![3.0, -4.0, 0.0, 2.0]);
    /// assert_eq!(x.norm(axis(0).ord(1)).to_vec(), [3.0, 6.0]);
    /// assert_eq!(x.norm(axis(0).ord(Norm::Inf)).to_vec(), [3.0, 4.0]);
    /// ```
    pub fn ord(self, ord: impl Into<Norm>) -> NormAxes {
        NormAxes { axes: self, ord: ord.into() }
    }
}

/// The axes of a variance or standard deviation: as [`Axes`], or of [`Axes::ddof`].
///
/// ```
/// use darray::{SpreadAxes, axis};
/// assert_eq!(SpreadAxes::from(0), axis(0).ddof(0));
/// assert_eq!(axis(0).ddof(1).keepdims(), axis(0).keepdims().ddof(1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpreadAxes {
    pub(crate) axes: Axes,
    pub(crate) ddof: usize,
}

impl SpreadAxes {
    /// As [`Axes::keepdims`].
    ///
    /// ```
    /// use darray::{DArray, axis};
    /// let x = DArray::<f64>::ones((2, 3));
    /// assert_eq!(x.var(axis(1).ddof(1).keepdims()).shape(), [2, 1]);
    /// ```
    pub fn keepdims(self) -> SpreadAxes {
        SpreadAxes { axes: self.axes.keepdims(), ..self }
    }
}

/// The axes of a norm: as [`Axes`], for the Euclidean norm, or of [`Axes::ord`].
///
/// ```
/// use darray::{NormAxes, axis};
/// assert_eq!(NormAxes::from(0), axis(0).ord(2));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NormAxes {
    pub(crate) axes: Axes,
    pub(crate) ord: Norm,
}

impl NormAxes {
    /// As [`Axes::keepdims`].
    ///
    /// ```
    /// use darray::{DArray, axis};
    /// let x = DArray::<f64>::ones((2, 3));
    /// assert_eq!(x.norm(axis(1).ord(1).keepdims()).shape(), [2, 1]);
    /// ```
    pub fn keepdims(self) -> NormAxes {
        NormAxes { axes: self.axes.keepdims(), ..self }
    }
}

/// What has axes and options takes whatever says axes.
macro_rules! with_options {
    ($([$($generics:tt)*] $t:ty;)*) => { $(
        impl $($generics)* From<$t> for SpreadAxes {
            fn from(axes: $t) -> SpreadAxes {
                Axes::from(axes).ddof(0)
            }
        }

        impl $($generics)* From<$t> for NormAxes {
            fn from(axes: $t) -> NormAxes {
                Axes::from(axes).ord(Norm::Two)
            }
        }
    )* };
}

with_options! {
    [] Axes;
    [] RangeFull;
    [] &[isize];
    [] Vec<isize>;
    [] i32;
    [] usize;
    [] isize;
    [<const N: usize>] [i32; N];
    [<const N: usize>] [usize; N];
    [<const N: usize>] [isize; N];
}
