//! Reductions.

mod into;
mod typed;

use crate::creation::create_in;
use crate::{Axes, DynArray};
use darray_core::{DType, Dim, Error, ErrorKind, Map, Place, Result, Scalar, Shape};
use darray_ir::{Privilege, TaskOp};
use darray_kernel::ir::Reducer;
use darray_runtime::{Emission, Store, StoreOwner};
use smallvec::SmallVec;
use std::sync::Arc;

/// A reduction over axes.
///
/// ```
/// use darray::{Axes, DArray, DynArray, Reduction};
/// let x = DynArray::from(DArray::<i64>::arange(4));
/// let sum = x.reduce(Reduction::Sum, Axes::all()).unwrap();
/// assert_eq!(DArray::<i64>::try_from(sum).unwrap().item(), 6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// Sum, of integers and bool in i64.
    Sum,
    /// Product, of integers and bool in i64.
    Prod,
    /// Smallest; NaN wins. Not over nothing.
    Min,
    /// Largest; NaN wins. Not over nothing.
    Max,
    /// Arithmetic mean, in floats.
    Mean,
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
    pub fn name(self) -> &'static str {
        match self {
            Reduction::Sum => "sum",
            Reduction::Prod => "prod",
            Reduction::Min => "min",
            Reduction::Max => "max",
            Reduction::Mean => "mean",
            Reduction::All => "all",
            Reduction::Any => "any",
            Reduction::ArgMin => "argmin",
            Reduction::ArgMax => "argmax",
        }
    }

    /// The reducer, and the type that elements are cast to before they are folded.
    fn rule(self, dtype: DType) -> (Reducer, DType) {
        match self {
            Reduction::Sum => (Reducer::Sum, dtype.accumulator()),
            Reduction::Prod => (Reducer::Prod, dtype.accumulator()),
            Reduction::Min => (Reducer::Min, dtype),
            Reduction::Max => (Reducer::Max, dtype),
            Reduction::Mean => (Reducer::Sum, dtype.real()),
            Reduction::All => (Reducer::All, DType::Bool),
            Reduction::Any => (Reducer::Any, DType::Bool),
            Reduction::ArgMin => (Reducer::ArgMin, dtype),
            Reduction::ArgMax => (Reducer::ArgMax, dtype),
        }
    }

    /// Whether there is no result over no elements.
    fn needs_elements(self) -> bool {
        use Reduction::{ArgMax, ArgMin, Max, Min};
        matches!(self, Min | Max | ArgMin | ArgMax)
    }
}

impl DynArray {
    /// A reduction over axes. The order of combination, and so the rounding, depends on the shape
    /// and nothing else.
    ///
    /// Errors: an axis out of range or given twice; a minimum or maximum over nothing.
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
        let error = |kind| Error::new(reduction.name(), kind, place);
        let (axes, shape) = axes.resolve(self.shape_of()).map_err(error)?;
        let reduced = self.check_elements(reduction, axes, place)?;
        let (reducer, dtype) = reduction.rule(self.dtype());
        let name = reduction.name();
        let result = match axes {
            0 => self.fold_nothing(reducer, dtype, name, place)?,
            _ => self.fold(reducer, dtype, name, axes, &shape, place)?,
        };
        match reduction {
            Reduction::Mean => divide_by_count(&result, reduced, place),
            _ => Ok(result),
        }
    }

    /// The number of elements that make one result, if there are as many as the reduction needs.
    fn check_elements(&self, reduction: Reduction, axes: u32, place: Place) -> Result<usize> {
        let domain = self.shape_of();
        let reduced: usize =
            (0..domain.rank()).filter(|a| axes >> a & 1 == 1).map(|a| domain[a]).product();
        if reduction.needs_elements() && reduced == 0 {
            let expected = "at least one element to reduce".to_string();
            let kind = ErrorKind::Shapes { shapes: vec![domain.clone()], expected };
            return Err(Error::new(reduction.name(), kind, place));
        }
        Ok(reduced)
    }

    /// A reduction over no axis: each element by itself.
    fn fold_nothing(
        &self,
        reducer: Reducer,
        dtype: DType,
        name: &'static str,
        place: Place,
    ) -> Result<DynArray> {
        match reducer {
            Reducer::ArgMin | Reducer::ArgMax => {
                let (runtime, shape, first) = (self.runtime(), self.shape_of(), Scalar::from(0i64));
                create_in(runtime, name, TaskOp::Fill, DType::I64, shape, &[first], place)
            }
            _ => self.copy_as(name, dtype, place),
        }
    }

    /// Emits the task; gives the index for arg-reductions, else the value.
    fn fold(
        &self,
        reducer: Reducer,
        dtype: DType,
        name: &'static str,
        axes: u32,
        shape: &Shape,
        place: Place,
    ) -> Result<DynArray> {
        let runtime = self.runtime();
        let value = DynArray::allocate(runtime, dtype, shape);
        let index = matches!(reducer, Reducer::ArgMin | Reducer::ArgMax)
            .then(|| DynArray::allocate(runtime, DType::I64, shape));
        let outputs: SmallVec<[_; 2]> = [Some(&value), index.as_ref()]
            .into_iter()
            .flatten()
            .map(|a| a.variable().current())
            .collect();
        let outputs: SmallVec<[_; 2]> = outputs.iter().collect();
        let map = output_map(self.shape_of(), axes, shape);
        self.emit_fold(reducer, name, axes, &map, &outputs, place)?;
        Ok(index.unwrap_or(value))
    }

    /// Emits a fold into stores through a map over this array's shape.
    fn emit_fold(
        &self,
        reducer: Reducer,
        name: &'static str,
        axes: u32,
        map: &Map,
        outputs: &[&StoreOwner],
        place: Place,
    ) -> Result<()> {
        let input = self.variable().current();
        let mut args: SmallVec<[(&Arc<Store>, &Map, Privilege); 3]> = SmallVec::new();
        for output in outputs {
            args.push((output.store(), map, Privilege::Reduce(reducer)));
        }
        args.push((input.store(), self.view().map(), Privilege::Read));
        let (op, domain) = (TaskOp::Reduce { reducer, axes }, self.shape_of());
        self.runtime().emit(Emission { op, name, domain, args: &args, scalars: &[], place })
    }
}

/// The output's map over the domain: kept axes in order, nothing for reduced ones.
fn output_map(domain: &Shape, axes: u32, shape: &Shape) -> Map {
    let kept = shape.rank() != domain.rank();
    let mut dims = SmallVec::new();
    for (axis, &extent) in domain.iter().enumerate() {
        match axes >> axis & 1 == 1 {
            true if kept => {}
            reduced if reduced || extent == 1 => dims.push(Dim::fixed(0)),
            _ => dims.push(Dim::along(axis as u8, 0, 1)),
        }
    }
    Map { chart: darray_core::Chart::Native, dims }
}

fn divide_by_count(sum: &DynArray, count: usize, place: Place) -> Result<DynArray> {
    use crate::emission::{ElementOp, Elementwise};
    let op =
        ElementOp::Apply { operator: darray_kernel::operator::Operator::Div, compute: sum.dtype() };
    let operands = [sum.into(), crate::Argument::from(count as f64)];
    Elementwise { op, name: "mean", operands: &operands, place }.create(sum.dtype())
}
