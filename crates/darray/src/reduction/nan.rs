//! Reductions of what is not NaN.
//!
//! NaN is replaced by a value that changes nothing, in the same kernel as the fold; where nothing is
//! left, the answer is NumPy's.

use super::Reduction;
use super::composition::Composition;
use crate::{Binary, DynArray};
use darray_core::{RealType, Result};
use darray_kernel::ir::Reducer;

impl Composition {
    /// The reductions whose names begin with `nan`, of floats.
    pub(super) fn without_nan(&self, x: &DynArray, reduction: Reduction) -> Result<DynArray> {
        let dtype = x.real_type();
        let nan = self.apply(Binary::Ne, x, x)?;
        let fold_with =
            |reducer, neutral| self.fold(&self.replace(&nan, neutral, x)?, reducer, dtype);
        match reduction {
            Reduction::NanProd => fold_with(Reducer::Prod, 1.0),
            Reduction::NanMin | Reduction::NanMax => {
                let (reducer, neutral) = match reduction {
                    Reduction::NanMin => (Reducer::Min, f64::INFINITY),
                    _ => (Reducer::Max, f64::NEG_INFINITY),
                };
                let extreme = fold_with(reducer, neutral)?;
                let nothing = self.fold(&nan, Reducer::All, RealType::Bool)?;
                self.replace(&nothing, f64::NAN, &extreme)
            }
            Reduction::NanMean => self.nan_mean(x, &nan),
            Reduction::NanVar { ddof } => self.nan_variance(x, &nan, ddof),
            Reduction::NanStd { ddof } => self.root(&self.nan_variance(x, &nan, ddof)?),
            _ => fold_with(Reducer::Sum, 0.0),
        }
    }

    /// 0 / 0 is NaN where nothing is left.
    fn nan_mean(&self, x: &DynArray, nan: &DynArray) -> Result<DynArray> {
        let sum = self.fold(&self.replace(nan, 0.0, x)?, Reducer::Sum, x.real_type())?;
        let mean = self.apply(Binary::Div, &sum, &self.numbers(x)?)?;
        self.cast(&mean, x.real_type())
    }

    fn nan_variance(&self, x: &DynArray, nan: &DynArray, ddof: usize) -> Result<DynArray> {
        let mean = self.nan_mean(x, nan)?;
        let deviations = self.apply(Binary::Sub, x, &self.spread(&mean)?)?;
        let deviations = self.replace(nan, 0.0, &deviations)?;
        let squares = self.apply(Binary::Mul, &deviations, &deviations)?;
        let sum = self.fold(&squares, Reducer::Sum, x.real_type())?;
        // More than all elements, where an i64 cannot hold it.
        let ddof = i64::try_from(ddof).unwrap_or(i64::MAX);
        let freedom = self.apply(Binary::Sub, &self.numbers(x)?, ddof)?;
        let variance = self.apply(Binary::Div, &sum, &freedom)?;
        let undetermined = self.apply(Binary::Le, &freedom, 0)?;
        self.replace(&undetermined, f64::NAN, &self.cast(&variance, x.real_type())?)
    }

    /// How many elements are not NaN, i64.
    fn numbers(&self, x: &DynArray) -> Result<DynArray> {
        self.fold(&self.apply(Binary::Eq, x, x)?, Reducer::Sum, RealType::I64)
    }
}
