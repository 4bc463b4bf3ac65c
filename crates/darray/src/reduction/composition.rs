//! Reductions that are made of several operations.

use super::{Reduction, with_nan};
use crate::elementwise::emission::{ElementOp, Elementwise};
use crate::elementwise::operand::undefined;
use crate::elementwise::steps::Steps;
use crate::elementwise::untyped::{binary_as, unary_as};
use crate::{Argument, Binary, DynArray, Unary};
use darray_core::{Ix, Place, RealType, Result, Shape};
use darray_kernel::ir::Reducer;
use darray_kernel::operator::Operator;
use smallvec::SmallVec;

/// A reduction as folds, sorts and element-wise operations, all under one name and place.
///
/// What is left of the axes meets the array again through a view with axes of extent 1. A variance is
/// two folds over the array: the sum, and the sum of the squared deviations, which no array holds. What is reduced
/// of f16 is computed in f32 and rounded once, as NumPy's sums of f16 are.
pub(super) struct Composition<'a> {
    pub name: &'static str,
    pub place: Place,
    /// Of the array.
    pub rank: usize,
    /// The reduced axes, as a bit set.
    pub axes: u32,
    /// Of the result.
    pub shape: Shape,
    /// Elements per result.
    pub count: usize,
    /// A mask of the array's shape where elements count; `None`: everywhere.
    pub held: Option<&'a DynArray>,
}

impl Composition<'_> {
    pub fn steps(&self) -> Steps {
        Steps { name: self.name, place: self.place }
    }

    /// The reduction of an array, for whose shape this was made.
    pub fn reduce(&self, x: &DynArray, reduction: Reduction) -> Result<DynArray> {
        if let Some(parts) = x.parts() {
            return self.reduce_complex(x, &parts, reduction);
        }
        let dtype = x.real_type();
        let reduction = if dtype.is_float() { reduction } else { with_nan(reduction) };
        if let Some((reducer, folded)) = reduction.fold(dtype) {
            let defined = reducer.result(folded);
            defined.ok_or_else(|| undefined(self.name, &[dtype.into()], self.place))?;
            return self.fold(&self.only(x, neutral(reducer))?, reducer, folded);
        }
        if !dtype.is_narrow() {
            return self.compose(x, reduction);
        }
        let is_sorted = matches!(reduction, Reduction::Median | Reduction::Quantile { .. });
        let result = match is_sorted && self.count > 0 {
            // As they lie elements have the same order.
            true => self.compose(x, reduction)?,
            false => self.reduce(&self.cast(x, dtype.compute())?, reduction)?,
        };
        // Sums, places and numbers of elements may have the type of computation, too.
        let is_narrow = dtype.is_float() || reduction.gives_elements();
        match result.real_type() == dtype.compute() && is_narrow {
            true => self.cast(&result, dtype),
            false => Ok(result),
        }
    }

    /// A reduction that is no fold alone, of a type that kernels compute in, or of sorted elements.
    fn compose(&self, x: &DynArray, reduction: Reduction) -> Result<DynArray> {
        let dtype = x.real_type();
        match reduction {
            Reduction::Mean => self.mean(x),
            Reduction::Var { ddof } => self.variance(x, ddof),
            Reduction::Std { ddof } => self.root(&self.variance(x, ddof)?),
            Reduction::Ptp => {
                let rule = Binary::Sub.rule(dtype);
                rule.ok_or_else(|| undefined(self.name, &[dtype.into()], self.place))?;
                let largest = self.fold(x, Reducer::Max, dtype)?;
                self.apply(Binary::Sub, &largest, &self.fold(x, Reducer::Min, dtype)?)
            }
            Reduction::CountNonzero => {
                self.fold(&self.cast(x, RealType::Bool)?, Reducer::Sum, RealType::I64)
            }
            Reduction::Norm(norm) => self.norm(x, norm),
            Reduction::Median if self.count == 0 => self.mean(x),
            Reduction::Median => self.median(x),
            Reduction::Quantile { q } => self.quantile(x, q),
            _ => self.without_nan(x, reduction),
        }
    }

    /// NaN over nothing.
    fn mean(&self, x: &DynArray) -> Result<DynArray> {
        let sum = self.fold(&self.only(x, 0.0)?, Reducer::Sum, x.real_type().inexact())?;
        self.share(sum, 0)
    }

    /// Two passes, so that a large mean cancels nothing.
    fn variance(&self, x: &DynArray, ddof: usize) -> Result<DynArray> {
        let mean = self.mean(x)?;
        let deviations = self.apply(Binary::Sub, x, &self.spread(&mean)?)?;
        let deviations = self.only(&deviations, 0.0)?;
        let squares = self.apply(Binary::Mul, &deviations, &deviations)?;
        let sum = self.fold(&squares, Reducer::Sum, squares.real_type())?;
        self.share(sum, ddof)
    }

    /// A sum divided by the number of elements that count less `ddof`, or by 0.
    pub fn share(&self, sum: DynArray, ddof: usize) -> Result<DynArray> {
        let Some(held) = self.held else {
            return self.apply(Binary::Div, &sum, self.count.saturating_sub(ddof) as f64);
        };
        let mut count = self.counted(held)?;
        if ddof > 0 {
            // More than all elements, where an i64 cannot hold it.
            let ddof = i64::try_from(ddof).unwrap_or(i64::MAX);
            count = self.apply(Binary::Sub, &count, ddof)?;
            count = self.apply(Binary::Maximum, &count, 0)?;
        }
        self.steps().cast(&self.apply(Binary::Div, &sum, &count)?, sum.dtype())
    }

    /// One fold over the axes.
    pub fn fold(&self, x: &DynArray, reducer: Reducer, dtype: RealType) -> Result<DynArray> {
        x.fold(reducer, dtype, self.axes, &self.shape, (self.name, self.place))
    }

    /// A result of the reduction as it broadcasts against the reduced array: a view.
    pub fn spread(&self, result: &DynArray) -> Result<DynArray> {
        if result.shape().len() == self.rank {
            return Ok(result.alias());
        }
        let index = (0..self.rank).map(|axis| match self.axes >> axis & 1 {
            1 => Ix::NewAxis,
            _ => Ix::from(..),
        });
        result.slice(index.collect::<SmallVec<[Ix; 8]>>())
    }

    /// An element-wise operation of two operands.
    pub fn apply<'a>(
        &self,
        operation: Binary,
        left: &'a DynArray,
        right: impl Into<Argument<'a>>,
    ) -> Result<DynArray> {
        binary_as(self.name, operation, left.into(), right.into(), self.place)
    }

    /// An element-wise operation of one operand, for which it is defined.
    pub fn apply_one(&self, operation: Unary, x: &DynArray) -> Result<DynArray> {
        unary_as(self.name, operation, x, self.place)
    }

    pub fn root(&self, x: &DynArray) -> Result<DynArray> {
        self.apply_one(Unary::Sqrt, x)
    }

    /// `value` where the mask holds, else the array's element.
    pub fn replace(&self, mask: &DynArray, value: f64, x: &DynArray) -> Result<DynArray> {
        let op = ElementOp::Apply { operator: Operator::Select, compute: x.real_type() };
        let operands = &[Argument::Array(mask), Argument::from(value), Argument::Array(x)];
        Elementwise { op, name: self.name, operands, place: self.place }.create(x.real_type())
    }

    pub fn cast(&self, x: &DynArray, dtype: RealType) -> Result<DynArray> {
        match x.dtype() == dtype {
            true => Ok(x.alias()),
            false => x.copy_as(self.name, dtype, self.place),
        }
    }
}

/// What changes nothing in a fold.
fn neutral(reducer: Reducer) -> f64 {
    match reducer {
        Reducer::Prod | Reducer::All => 1.0,
        _ => 0.0,
    }
}
