//! Reductions, and running ones.
//!
//! Reading order: `table` (what there is), `fold` (one task), `composition` (what is made of
//! several folds, sorts and element-wise operations), then the methods of typed arrays; `scan`, and `accumulate`, of any operation.

mod accumulate;
mod closeness;
mod complex;
mod composition;
mod covariance;
mod fold;
mod held;
mod into;
mod methods;
mod norm;
mod options;
mod quantile;
mod scan;
mod table;
mod typed_quantile;

use crate::elementwise::steps::Steps;
use crate::{Axes, DynArray};
pub use closeness::Tolerance;
use composition::Composition;
pub use covariance::Observations;
use darray_core::{Place, RealType, Result};
use darray_kernel::ir::Reducer;
pub use norm::Norm;
pub use options::{
    As, ExtremumAxes, InexactNumber, Initial, MeanAxes, NormAxes, Over, PlainAxes, ReduceOptions,
    SpreadAxes, SumAxes, TestAxes,
};
use smallvec::SmallVec;
pub(crate) use table::{reduction_signature, reduction_table};
pub use typed_quantile::Quantiles;

macro_rules! define_reductions {
    (
        any { $($(#[$any_doc:meta])+ $any:ident = x.$any_name:ident(axes), x.$any_try:ident(axes),
            $any_rule:ident $(by $any_reducer:ident)?, $($any_example:literal)=>+, $any_rows:literal;)+ }
        some { $($(#[$some_doc:meta])+ $some:ident = x.$some_name:ident(axes), x.$some_try:ident(axes),
            $some_rule:ident $(by $some_reducer:ident)?,
            $($some_example:literal)=>+, $some_rows:literal;)+ }
        spread { $($(#[$doc:meta])+ $variant:ident = x.$name:ident(axes), x.$try:ident(axes),
            $($example:literal)=>+, $rows:literal, $free:literal;)+ }
    ) => {
        /// A reduction over axes. Of `f16`, what is added or multiplied is computed in `f32` and rounded once.
        ///
        /// ```
        /// use darray::{Axes, DArray, DynArray, Reduction};
        /// let x = DynArray::from(DArray::<i64>::arange(4));
        /// let sum = x.reduce(Reduction::Sum, Axes::all()).unwrap();
        /// assert_eq!(DArray::<i64>::try_from(sum).unwrap().item(), 6);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Reduction {
            $($(#[$any_doc])+ $any,)+
            $($(#[$some_doc])+ #[doc = "\n\nNot over nothing."] $some,)+
            $($(#[$doc])+ $variant {
                /// NumPy's "delta degrees of freedom".
                ddof: usize,
            },)+
            /// A norm, in floats.
            Norm(Norm),
            /// The point below which a part of the elements lies, in floats: between two of them on the line through both. NaN
            /// wins. Not over nothing.
            Quantile {
                /// The part, between 0 and 1.
                q: f64,
            },
        }

        impl Reduction {
            /// Those of the table, with a `ddof` of 0: all but norms and quantiles.
            ///
            /// ```
            /// use darray::Reduction;
            /// assert!(Reduction::ALL.iter().any(|reduction| reduction.name() == "nanmax"));
            /// ```
            pub const ALL: &[Reduction] =
                &[$(Reduction::$any,)+ $(Reduction::$some,)+ $(Reduction::$variant { ddof: 0 },)+];

            /// The NumPy name.
            ///
            /// ```
            /// assert_eq!(darray::Reduction::ArgMin.name(), "argmin");
            /// ```
            pub fn name(self) -> &'static str {
                match self {
                    $(Reduction::$any => stringify!($any_name),)+
                    $(Reduction::$some => stringify!($some_name),)+
                    $(Reduction::$variant { .. } => stringify!($name),)+
                    Reduction::Norm(_) => "norm",
                    Reduction::Quantile { .. } => "quantile",
                }
            }

            /// Of a reduction that is one fold: the reducer, and the type that elements are cast to first. Of a narrow type, as
            /// f16 is, it is a fold in the type of computation and a rounding.
            fn fold(self, dtype: RealType) -> Option<(Reducer, RealType)> {
                let fold = match self {
                    $($(Reduction::$any => Some((Reducer::$any_reducer, folded!($any_rule dtype))),)?)+
                    $($(Reduction::$some => Some((Reducer::$some_reducer, folded!($some_rule dtype))),)?)+
                    _ => None,
                };
                fold.filter(|(_, dtype)| !dtype.is_narrow())
            }

            /// Whether a result has the type of the elements, whatever that is.
            fn gives_elements(self) -> bool {
                match self {
                    $(Reduction::$any => is_same!($any_rule),)+
                    $(Reduction::$some => is_same!($some_rule),)+
                    _ => false,
                }
            }

            /// Whether there is no result over no elements.
            fn needs_elements(self) -> bool {
                match self {
                    $(Reduction::$some)|+ | Reduction::Quantile { .. } => true,
                    Reduction::Norm(norm) => norm.needs_elements(),
                    _ => false,
                }
            }
        }
    };
}

/// Whether it is the rule of results that have the type of the elements.
macro_rules! is_same {
    (same) => {
        true
    };
    (range) => {
        true
    };
    ($other:ident) => {
        false
    };
}

/// The type that a rule of the table folds.
macro_rules! folded {
    (accumulator $dtype:ident) => {
        $dtype.accumulator()
    };
    (bool $dtype:ident) => {
        RealType::Bool
    };
    ($rule:ident $dtype:ident) => {
        $dtype
    };
}

reduction_table!(define_reductions);

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
        let steps = Steps { name, place };
        let whole = self.composition(axes.into(), None, steps)?;
        self.check_elements(reduction, whole.axes, steps)?;
        whole.reduce(self, reduction)
    }

    /// What a reduction over these axes is made of, of the elements where a mask of this shape holds.
    fn composition<'a>(
        &self,
        axes: Axes,
        held: Option<&'a DynArray>,
        steps: Steps,
    ) -> Result<Composition<'a>> {
        let domain = self.shape_of();
        let (axes, shape) = axes.resolve(domain).map_err(|kind| steps.error(kind))?;
        let reduced = (0..domain.rank()).filter(|axis| axes >> axis & 1 == 1);
        let count = reduced.map(|axis| domain[axis]).product();
        let Steps { name, place } = steps;
        Ok(Composition { name, place, rank: domain.rank(), axes, shape, count, held })
    }

    /// NumPy's `quantile` of several: [quantiles](Reduction::Quantile) of one sort, along an axis in front of those that are left; in
    /// floats.
    ///
    /// Errors: one is not between 0 and 1; there is no element along the axes; an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::{Axes, DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![1.0, 2.0, 4.0]));
    /// let found = DArray::<f64>::try_from(x.quantiles(&[0.0, 0.75], Axes::all()).unwrap()).unwrap();
    /// assert_eq!(found.to_vec(), [1.0, 3.0]);
    /// ```
    #[track_caller]
    pub fn quantiles(&self, quantiles: &[f64], axes: impl Into<Axes>) -> Result<DynArray> {
        let steps = Steps { name: "quantile", place: Place::caller() };
        self.quantiles_as(quantiles, 1.0, axes, steps)
    }

    /// One quantile or several, which are given in parts of a whole.
    pub(crate) fn quantiles_as<Q: Quantiles>(
        &self,
        quantiles: Q,
        whole: f64,
        axes: impl Into<Axes>,
        steps: Steps,
    ) -> Result<DynArray> {
        let numbers: SmallVec<[f64; 4]> = quantiles.numbers().iter().map(|q| q / whole).collect();
        if let ([q], false) = (&numbers[..], Q::ARE_LISTED) {
            let reduction = Reduction::Quantile { q: *q };
            return self.reduce_named(reduction, axes, steps.name, steps.place);
        }
        let composition = self.composition(axes.into(), None, steps)?;
        self.check_elements(Reduction::Quantile { q: 0.0 }, composition.axes, steps)?;
        composition.quantiles(self, &numbers)
    }

    /// Refuses axes along which there is nothing, where the reduction needs an element.
    fn check_elements(&self, reduction: Reduction, axes: u32, steps: Steps) -> Result<()> {
        let domain = self.shape_of();
        let is_empty = (0..domain.rank()).any(|axis| axes >> axis & 1 == 1 && domain[axis] == 0);
        match reduction.needs_elements() && is_empty {
            true => Err(steps.shapes(&[self], "at least one element to reduce")),
            false => Ok(()),
        }
    }
}

/// What a reduction is where there is no NaN.
fn with_nan(reduction: Reduction) -> Reduction {
    match reduction {
        Reduction::NanSum => Reduction::Sum,
        Reduction::NanProd => Reduction::Prod,
        Reduction::NanMin => Reduction::Min,
        Reduction::NanMax => Reduction::Max,
        Reduction::NanMean => Reduction::Mean,
        Reduction::NanVar { ddof } => Reduction::Var { ddof },
        Reduction::NanStd { ddof } => Reduction::Std { ddof },
        other => other,
    }
}
