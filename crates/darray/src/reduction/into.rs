//! Reductions into existing arrays.

use super::Reduction;
use crate::elementwise::emission::write_through;
use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::{Axes, DArray, DynArray, Element};
use darray_core::{Chart, Dim, Error, ErrorKind, Map, Place, Result, Shape};
use std::sync::Arc;

impl DynArray {
    /// A reduction whose results are written to `target`, an array or view of the result's shape
    /// (NumPy's `out=`). A result of another element type is cast.
    ///
    /// Results go straight into the target, unless they are cast, are indices, or are made
    /// of several operations (a mean), or the reduction reads the target's own array: then they are reduced first and assigned.
    ///
    /// Errors: as [`reduce`](Self::reduce); the target has another shape, or reaches an element
    /// twice.
    ///
    /// ```
    /// use darray::{Axes, DArray, DynArray, Reduction, s};
    /// let x = DynArray::from(DArray::from_vec(vec![3.0, 1.0, 2.0]));
    /// let table = DArray::<f64>::zeros(2);
    /// let row = |k: isize| DynArray::from(table.slice(s![k]));
    /// x.reduce_into(Reduction::Min, Axes::all(), &row(0)).unwrap();
    /// x.reduce_into(Reduction::Max, Axes::all(), &row(1)).unwrap();
    /// assert_eq!(table.to_vec(), [1.0, 3.0]);
    /// ```
    #[track_caller]
    pub fn reduce_into(
        &self,
        reduction: Reduction,
        axes: impl Into<Axes>,
        target: &DynArray,
    ) -> Result<()> {
        let place = Place::caller();
        let axes = axes.into();
        let error = |kind| Error::new(reduction.name(), kind, place);
        let (reduced, shape) = axes.clone().resolve(self.shape_of()).map_err(error)?;
        if shape != *target.shape_of() {
            let expected = format!("a target of shape {shape}");
            let shapes = vec![self.shape_of().clone(), target.shape_of().clone()];
            return Err(error(ErrorKind::Shapes { shapes, expected }));
        }
        let fold = reduction.fold(self.real_type()).filter(|&(reducer, dtype)| {
            reduced != 0
                && !self.is_complex()
                && !target.is_complex()
                && !reducer.has_index()
                && reducer.result(dtype) == Some(target.real_type())
                && self.runtime() == target.runtime()
                // Points of a linear map may write between each other's results.
                && target.view().map().chart == Chart::Native
                && !reads(self, target)
        });
        let Some((reducer, _)) = fold else {
            let result = self.reduce_at(reduction, axes, place)?;
            return target.assign_as((&result).into(), reduction.name(), place);
        };
        let named = (reduction.name(), place);
        self.check_elements(reduction, reduced, Steps { name: reduction.name(), place })?;
        let map = over_domain(target.view().map(), self.shape_of(), reduced, &shape);
        write_through(target, reduction.name(), place, |store, _| {
            self.emit_fold(reducer, reduced, &map, &[store], named)
        })
    }
}

/// Whether `array` is a view of the store that `target` is.
fn reads(array: &DynArray, target: &DynArray) -> bool {
    let (read, written) = (array.current(), target.current());
    Arc::ptr_eq(read.store(), written.store())
}

/// The target's map, which is over the results, over the domain of the reduction.
fn over_domain(map: &Map, domain: &Shape, reduced: u32, shape: &Shape) -> Map {
    if shape.rank() == domain.rank() {
        return map.clone();
    }
    let parallel: Vec<u8> = (0..domain.rank() as u8).filter(|a| reduced >> a & 1 == 0).collect();
    let dims = map.dims.iter().map(|dim| match dim.axis {
        Some(axis) => Dim::along(parallel[axis as usize], dim.start, dim.step),
        None => *dim,
    });
    Map { chart: map.chart, dims: dims.collect() }
}

/// # Reductions into arrays
impl<T: Element> DArray<T> {
    /// A reduction whose results are written to `target`, an array or view of the result's shape
    /// (NumPy's `out=`); see [`DynArray::reduce_into`].
    ///
    /// # Panics
    ///
    /// As the reduction; if the target has another shape or reaches an element twice.
    ///
    /// ```
    /// use darray::{DArray, Reduction, s};
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 4.0]);
    /// let table = DArray::<f64>::zeros((2, 2));
    /// x.reduce_into(Reduction::Sum, 0, &table.slice(s![0]));
    /// x.reduce_into(Reduction::Max, 1, &table.slice(s![1]));
    /// assert_eq!(table.to_vec(), [4.0, 6.0, 2.0, 4.0]);
    /// ```
    #[track_caller]
    pub fn reduce_into<U: Element>(
        &self,
        reduction: Reduction,
        axes: impl Into<Axes>,
        target: &DArray<U>,
    ) {
        expect_at_caller(self.as_dyn().reduce_into(reduction, axes, target.as_dyn()))
    }
}
