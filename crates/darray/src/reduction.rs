//! Reductions.
//!
//! Reading order: [`Reduction`] (what there is), `fold` (one task), `composition` (what is made of
//! several folds, sorts and element-wise operations), then the methods of typed arrays.

mod composition;
mod fold;
mod into;
mod nan;
mod norm;
mod quantile;
mod statistics;
mod typed;
mod typed_nan;
mod typed_quantile;
mod typed_search;

use crate::{Axes, DynArray};
use composition::Composition;
use darray_core::{DType, Error, ErrorKind, Place, Result};
use darray_kernel::ir::Reducer;
pub use norm::Norm;

/// A reduction over axes.
///
/// ```
/// use darray::{Axes, DArray, DynArray, Reduction};
/// let x = DynArray::from(DArray::<i64>::arange(4));
/// let sum = x.reduce(Reduction::Sum, Axes::all()).unwrap();
/// assert_eq!(DArray::<i64>::try_from(sum).unwrap().item(), 6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reduction {
    /// Sum, of integers and bool in i64.
    Sum,
    /// Product, of integers and bool in i64.
    Prod,
    /// Smallest; NaN wins. Not over nothing.
    Min,
    /// Largest; NaN wins. Not over nothing.
    Max,
    /// Sum divided by count, in floats: f16 and f32 are summed in f32, everything else in f64.
    Mean,
    /// Mean of the squared deviations from the mean, which is taken first: the sum of the squares
    /// divided by the count less `ddof`. In floats, as the mean.
    Var {
        /// NumPy's "delta degrees of freedom".
        ddof: usize,
    },
    /// Square root of [`Var`](Reduction::Var).
    Std {
        /// As in [`Var`](Reduction::Var).
        ddof: usize,
    },
    /// Largest less smallest; not of bool, not over nothing.
    Ptp,
    /// How many elements differ from zero (NaN does), i64.
    CountNonzero,
    /// A norm, in floats.
    Norm(Norm),
    /// The element in the middle, or the mean of the two there, in floats; NaN wins, and is what there is over nothing.
    Median,
    /// The point below which a part of the elements lies, in floats: between two of them on the line through both. NaN wins. Not
    /// over nothing.
    Quantile {
        /// The part, between 0 and 1.
        q: f64,
    },
    /// Sum of what is not NaN. This and the following are, for types without NaN, the reductions
    /// that they are named after.
    NanSum,
    /// Product of what is not NaN.
    NanProd,
    /// Smallest that is not NaN; NaN where all are. Not over nothing.
    NanMin,
    /// Largest that is not NaN; NaN where all are. Not over nothing.
    NanMax,
    /// Mean of what is not NaN; NaN where all are.
    NanMean,
    /// Variance of what is not NaN; NaN where not more than `ddof` elements are left.
    NanVar {
        /// As in [`Var`](Reduction::Var).
        ddof: usize,
    },
    /// Square root of [`NanVar`](Reduction::NanVar).
    NanStd {
        /// As in [`Var`](Reduction::Var).
        ddof: usize,
    },
    /// Whether all elements differ from zero.
    All,
    /// Whether any element differs from zero.
    Any,
    /// Row-major index, among the reduced axes, of the first smallest. Not over nothing.
    ArgMin,
    /// Row-major index, among the reduced axes, of the first largest. Not over nothing.
    ArgMax,
}

impl Reduction {
    /// The NumPy name.
    ///
    /// ```
    /// assert_eq!(darray::Reduction::ArgMin.name(), "argmin");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Reduction::Sum => "sum",
            Reduction::Prod => "prod",
            Reduction::Min => "min",
            Reduction::Max => "max",
            Reduction::Mean => "mean",
            Reduction::Var { .. } => "var",
            Reduction::Std { .. } => "std",
            Reduction::Ptp => "ptp",
            Reduction::CountNonzero => "count_nonzero",
            Reduction::Norm(_) => "norm",
            Reduction::Median => "median",
            Reduction::Quantile { .. } => "quantile",
            Reduction::NanSum => "nansum",
            Reduction::NanProd => "nanprod",
            Reduction::NanMin => "nanmin",
            Reduction::NanMax => "nanmax",
            Reduction::NanMean => "nanmean",
            Reduction::NanVar { .. } => "nanvar",
            Reduction::NanStd { .. } => "nanstd",
            Reduction::All => "all",
            Reduction::Any => "any",
            Reduction::ArgMin => "argmin",
            Reduction::ArgMax => "argmax",
        }
    }

    /// Of a reduction that is one fold: the reducer, and the type that elements are cast to first. Of a narrow type, as f16
    /// is, it is a fold in the type of computation and a rounding.
    fn fold(self, dtype: DType) -> Option<(Reducer, DType)> {
        let fold = match self {
            Reduction::Sum => Some((Reducer::Sum, dtype.accumulator())),
            Reduction::Prod => Some((Reducer::Prod, dtype.accumulator())),
            Reduction::Min => Some((Reducer::Min, dtype)),
            Reduction::Max => Some((Reducer::Max, dtype)),
            Reduction::All => Some((Reducer::All, DType::Bool)),
            Reduction::Any => Some((Reducer::Any, DType::Bool)),
            Reduction::ArgMin => Some((Reducer::ArgMin, dtype)),
            Reduction::ArgMax => Some((Reducer::ArgMax, dtype)),
            _ => None,
        };
        fold.filter(|(_, dtype)| !dtype.is_narrow())
    }

    /// Whether there is no result over no elements.
    fn needs_elements(self) -> bool {
        use Reduction::{ArgMax, ArgMin, Max, Min, NanMax, NanMin, Ptp, Quantile};
        match self {
            Min | Max | ArgMin | ArgMax | Ptp | NanMin | NanMax | Quantile { .. } => true,
            Reduction::Norm(norm) => norm.needs_elements(),
            _ => false,
        }
    }
}

impl DynArray {
    /// A reduction over axes. The order of combination, and so the rounding, depends on the shape
    /// and nothing else.
    ///
    /// Errors: an axis out of range or given twice; a minimum, maximum or quantile over nothing; a range of
    /// bool; a Frobenius norm over other than two axes; a quantile of a number that is not between 0 and 1.
    ///
    /// ```
    /// use darray::{Axes, DArray, DynArray, Reduction};
    /// let x = DynArray::from(DArray::<f64>::ones((2, 3)));
    /// assert_eq!(x.reduce(Reduction::Max, 1).unwrap().shape(), [2]);
    /// ```
    #[track_caller]
    pub fn reduce(&self, reduction: Reduction, axes: impl Into<Axes>) -> Result<DynArray> {
        self.reduce_at(reduction, axes.into(), Place::caller())
    }

    fn reduce_at(&self, reduction: Reduction, axes: Axes, place: Place) -> Result<DynArray> {
        self.reduce_named(reduction, axes, reduction.name(), place)
    }

    /// A reduction under the name of the operation that it is a part of.
    pub(crate) fn reduce_named(
        &self,
        reduction: Reduction,
        axes: impl Into<Axes>,
        name: &'static str,
        place: Place,
    ) -> Result<DynArray> {
        let error = |kind| Error::new(name, kind, place);
        let domain = self.shape_of();
        let (axes, shape) = axes.into().resolve(domain).map_err(error)?;
        let count = self.check_elements(reduction, axes, (name, place))?;
        let rank = domain.rank();
        Composition { name, place, rank, axes, shape, count }.reduce(self, reduction)
    }

    /// The number of elements that make one result, if there are as many as the reduction needs.
    fn check_elements(
        &self,
        reduction: Reduction,
        axes: u32,
        (name, place): (&'static str, Place),
    ) -> Result<usize> {
        let domain = self.shape_of();
        let count = (0..domain.rank()).filter(|a| axes >> a & 1 == 1).map(|a| domain[a]).product();
        if reduction.needs_elements() && count == 0 {
            let expected = "at least one element to reduce".to_string();
            let kind = ErrorKind::Shapes { shapes: vec![domain.clone()], expected };
            return Err(Error::new(name, kind, place));
        }
        Ok(count)
    }
}
