//! Reductions of some of the elements: of those where a mask holds, and of those that are not NaN.
//!
//! What does not count is replaced by a value that changes nothing, in the same kernel as the fold; where nothing is left, the answer is NumPy's.

use super::composition::Composition;
use super::options::ReduceOptions;
use super::{Reduction, with_nan};
use crate::elementwise::nullary::filled_in;
use crate::elementwise::steps::Steps;
use crate::{Argument, Binary, DynArray, Unary};
use darray_core::{ErrorKind, Place, RealType, Result};
use darray_kernel::ir::Reducer;

impl DynArray {
    /// A reduction with options: of the elements where a mask holds, from a start, computed in another type.
    ///
    /// Sums, products and means, extrema, `all`, `any`, variances and their `nan` forms take a mask; sums, products and extrema a start;
    /// sums, products and means a type.
    ///
    /// Errors: as [`reduce`](Self::reduce); the mask does not broadcast to the array; an option that the reduction does not take; extrema of a mask
    /// without a start; an integer start that the result's type cannot hold.
    ///
    /// ```
    /// use darray::{Axes, DArray, DynArray, ReduceOptions, Reduction};
    /// let x = DynArray::from(DArray::from([1.0, 2.0, 4.0]));
    /// let mask = DArray::from([true, false, true]);
    /// let options = ReduceOptions { mask: Some(mask.into()), ..ReduceOptions::from(Axes::all()) };
    /// let sum = DArray::<f64>::try_from(x.reduce_with(Reduction::Sum, options).unwrap()).unwrap();
    /// assert_eq!(sum.item(), 5.0);
    /// ```
    #[track_caller]
    pub fn reduce_with(&self, reduction: Reduction, options: ReduceOptions) -> Result<DynArray> {
        let steps = Steps { name: reduction.name(), place: Place::caller() };
        options.check(reduction, steps)?;
        let ReduceOptions { axes, mask, initial, dtype } = options;
        let cast = dtype.map(|dtype| steps.cast(self, dtype)).transpose()?;
        let x = cast.as_ref().unwrap_or(self);
        let mask = mask.map(|mask| held(x, &mask, steps)).transpose()?;
        let whole = x.composition(axes, mask.as_ref(), steps)?;
        let result = match (initial, extreme(reduction)) {
            (None, _) => {
                x.check_elements(reduction, whole.axes, steps)?;
                whole.reduce(x, reduction)?
            }
            (Some(start), None) => {
                let combined = match with_nan(reduction) {
                    Reduction::Prod => Binary::Mul,
                    _ => Binary::Add,
                };
                steps.binary(combined, &whole.reduce(x, reduction)?, start)?
            }
            (Some(start), Some(_)) if whole.count == 0 => {
                filled_in(x.runtime(), steps.name, x.dtype(), &whole.shape, start, steps.place)?
            }
            (Some(start), Some(combined)) => {
                // The start changes nothing, so it stands for what does not count.
                let held = match with_nan(reduction) == reduction {
                    true => mask.as_ref().map(DynArray::alias),
                    false => Some(whole.numbers(x)?),
                };
                let start = Argument::from(start);
                let replaced = held.map(|held| steps.select(&held, x, start, x.dtype()));
                let replaced = replaced.transpose()?;
                let all = Composition { held: None, shape: whole.shape.clone(), ..whole };
                let found = all.reduce(replaced.as_ref().unwrap_or(x), with_nan(reduction))?;
                steps.binary(combined, &found, start)?
            }
        };
        match dtype {
            Some(dtype) => steps.cast(&result, dtype),
            None => Ok(result),
        }
    }
}

/// The mask as it broadcasts to the array: a view.
fn held(x: &DynArray, mask: &DynArray, steps: Steps) -> Result<DynArray> {
    if mask.dtype() != RealType::Bool {
        return Err(steps.dtypes(&[mask], "a mask of type bool"));
    }
    steps.same_runtime(x, mask)?;
    let view = mask.view().broadcast_to(x.shape_of());
    let view = view.map_err(|_| steps.shapes(&[x, mask], "a mask that broadcasts to the array"))?;
    Ok(mask.with_view(view))
}

/// What combines an extremum with its start.
fn extreme(reduction: Reduction) -> Option<Binary> {
    match with_nan(reduction) {
        Reduction::Min => Some(Binary::Minimum),
        Reduction::Max => Some(Binary::Maximum),
        _ => None,
    }
}

impl ReduceOptions {
    /// Refuses what the reduction does not take.
    fn check(&self, reduction: Reduction, steps: Steps) -> Result<()> {
        use Reduction as R;
        let of = with_nan(reduction);
        let extreme = extreme(reduction).is_some();
        let sum = matches!(of, R::Sum | R::Prod);
        let held = sum
            || extreme
            || matches!(of, R::Mean | R::All | R::Any | R::Var { .. } | R::Std { .. });
        let refused = match self {
            ReduceOptions { mask: Some(_), .. } if !held => "a mask",
            ReduceOptions { initial: Some(_), .. } if !(sum || extreme) => "a start",
            ReduceOptions { dtype: Some(_), .. } if !(sum || of == R::Mean) => "an element type",
            ReduceOptions { mask: Some(_), initial: None, .. } if extreme => {
                return Err(steps.argument(
                    "where a mask may hold nowhere there has to be a start, `.initial(v)`",
                ));
            }
            _ => return Ok(()),
        };
        Err(steps.argument(format!("{} does not take {refused}", steps.name)))
    }
}

impl Composition<'_> {
    /// The elements that count, and elsewhere what changes nothing.
    pub(super) fn only(&self, x: &DynArray, neutral: f64) -> Result<DynArray> {
        match self.held {
            None => Ok(x.alias()),
            Some(held) => self.steps().select(held, x, neutral, x.dtype()),
        }
    }

    /// How many elements count, i64.
    pub(super) fn counted(&self, held: &DynArray) -> Result<DynArray> {
        self.fold(held, Reducer::Sum, RealType::I64)
    }

    /// Where elements count that are not NaN.
    fn numbers(&self, x: &DynArray) -> Result<DynArray> {
        let numbers = match x.is_complex() {
            false => self.apply(Binary::Eq, x, x)?,
            true => self.apply_one(Unary::Not, &self.apply_one(Unary::IsNan, x)?)?,
        };
        match self.held {
            None => Ok(numbers),
            Some(held) => self.apply(Binary::And, held, &numbers),
        }
    }

    /// The reductions whose names begin with `nan`, of floats and complex numbers.
    pub(super) fn without_nan(&self, x: &DynArray, reduction: Reduction) -> Result<DynArray> {
        let numbers = self.numbers(x)?;
        let some = Composition { held: Some(&numbers), shape: self.shape.clone(), ..*self };
        match reduction {
            Reduction::NanMin | Reduction::NanMax => {
                let neutral = match reduction {
                    Reduction::NanMin => f64::INFINITY,
                    _ => f64::NEG_INFINITY,
                };
                let all = Composition { held: None, shape: self.shape.clone(), ..*self };
                let found = all.reduce(&some.only(x, neutral)?, with_nan(reduction))?;
                let any = all.fold(&numbers, Reducer::Any, RealType::Bool)?;
                self.steps().select(&any, &found, f64::NAN, found.dtype())
            }
            Reduction::NanVar { ddof } => some.determined_variance(x, ddof, &numbers),
            Reduction::NanStd { ddof } => self.root(&some.determined_variance(x, ddof, &numbers)?),
            _ if with_nan(reduction) != reduction => some.reduce(x, with_nan(reduction)),
            _ => Err(self.steps().error(ErrorKind::DType {
                found: vec![x.dtype()],
                expected: "types for which the operation is defined".to_string(),
            })),
        }
    }

    /// A variance that is NaN where not more than `ddof` elements count.
    fn determined_variance(&self, x: &DynArray, ddof: usize, held: &DynArray) -> Result<DynArray> {
        let variance = self.reduce(x, Reduction::Var { ddof })?;
        // More than all elements, where an i64 cannot hold it.
        let ddof = i64::try_from(ddof).unwrap_or(i64::MAX);
        let determined = self.apply(Binary::Gt, &self.counted(held)?, ddof)?;
        self.steps().select(&determined, &variance, f64::NAN, variance.dtype())
    }
}
