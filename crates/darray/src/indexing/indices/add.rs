//! Adding by indices.

use super::{check_runtime, indices_of, nothing_there};
use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::{Argument, Assignable, DArray, DynArray, Element, Integral, Number};
use darray_core::{DType, ErrorKind, Place, Result, Shape, check_shape};

impl DynArray {
    /// NumPy's `np.add.at(x, indices, values)`: adds values, cast to this element type, at these indices along the first axis, as if
    /// all were read first. What has several indices gets all their values, added one after the other in the order of the indices.
    /// The values broadcast to the shape of the indices and behind it the other axes. Indices below 0 count from the end; one
    /// out of range is an error when the array is read. Small integers are added in i64 and f16 in f32; the sum is rounded once.
    ///
    /// Errors: the indices are no integers; there is no axis; the shapes do not broadcast; there are indices, but no elements; this
    /// is a view that reaches an element twice.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::zeros(3));
    /// x.add_at(&DynArray::from(DArray::from_vec(vec![0, -1, 0])), 5).unwrap();
    /// assert_eq!(DArray::<i64>::try_from(x).unwrap().to_vec(), [10, 0, 5]);
    /// ```
    #[track_caller]
    pub fn add_at<'a>(&self, indices: &DynArray, values: impl Into<Argument<'a>>) -> Result<()> {
        let steps = Steps { name: "add_at", place: Place::caller() };
        let Steps { name, place } = steps;
        let indices = indices_of(indices, name, place)?;
        let values = self.values(values.into(), name, place)?;
        check_runtime(self, &indices, name, place)?;
        check_runtime(self, &values, name, place)?;
        let Some(rest) = self.shape().get(1..) else {
            return Err(steps.shapes(&[self], "one axis or more"));
        };
        let wide: Shape = [indices.shape(), rest].concat().into_iter().collect();
        check_shape(&wide).map_err(|kind| steps.error(kind))?;
        let values = values.view().broadcast_to(&wide).map(|view| values.with_view(view));
        let values = values.map_err(|_| {
            let shapes = [self, &indices].map(|x| x.shape_of().clone()).to_vec();
            let expected = format!("values that broadcast to {wide}");
            steps.error(ErrorKind::Shapes { shapes, expected })
        })?;
        let count = indices.shape_of().size();
        let lanes: Vec<usize> = [&[count][..], rest].concat();
        let column: Vec<usize> = std::iter::once(count).chain(rest.iter().map(|_| 1)).collect();
        let values = steps.reshape(&values, &lanes)?;
        let indices = steps.reshape(&steps.ravel(&indices)?, &column)?;
        let spread = indices.view().broadcast_to(&Shape::new(&lanes));
        let indices = indices.with_view(spread.map_err(|kind| steps.error(kind))?);
        if self.shape_of().size() == 0 && indices.shape_of().size() > 0 {
            return Err(nothing_there(self, 0, name, place));
        }
        let sums = match self.dtype().as_real() {
            Some(real) => DType::from(real.accumulator().compute()),
            None => self.dtype(),
        };
        if self.dtype() == sums {
            return self.scatter((0, true), &indices, &values, name, place);
        }
        let wider = self.copy_as(name, sums, place)?;
        wider.scatter((0, true), &indices, &steps.cast(&values, sums)?, name, place)?;
        steps.assign(self, &steps.cast(&wider, self.dtype())?)
    }
}

impl<T: Element> DArray<T> {
    /// NumPy's `np.add.at(x, indices, values)`: adds values at these indices along the first axis, as if all were read first. What
    /// has several indices gets all their values, added one after the other in the order of the indices: the same bits on any
    /// number of devices and threads. The values broadcast to the shape of the indices and behind it the other axes. Indices
    /// below 0 count from the end; one out of range is an error when the array is read. Small integers are added in i64 and f16
    /// in f32; the sum is rounded once.
    ///
    /// # Panics
    ///
    /// If there is no axis, the shapes do not broadcast, there are indices, but no elements, or this view repeats elements.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<f64>::zeros(3);
    /// x.add_at(&DArray::from_vec(vec![0, 2, 0]), DArray::from_vec(vec![1.0, 0.5, 2.0]));
    /// assert_eq!(x.to_vec(), [3.0, 0.0, 0.5]);
    /// let rows = DArray::<i64>::zeros((2, 2));
    /// rows.add_at(&DArray::from_vec(vec![1, 1]), DArray::from_vec(vec![1i64, 10]));
    /// assert_eq!(rows.to_vec(), [0, 0, 2, 20]);
    /// ```
    #[track_caller]
    pub fn add_at<I: Integral + Number, R: Assignable<T>>(&self, indices: &DArray<I>, values: R) {
        expect_at_caller(self.try_add_at(indices, values));
    }

    /// As [`add_at`](Self::add_at); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<f64>::zeros(3);
    /// let error = x.try_add_at(&DArray::from_vec(vec![0, 1]), DArray::<f64>::ones(3)).unwrap_err();
    /// assert!(error.to_string().starts_with("add_at: shapes [3] and [2]: expected values that broadcast to [2]"));
    /// ```
    #[track_caller]
    pub fn try_add_at<I: Integral + Number, R: Assignable<T>>(
        &self,
        indices: &DArray<I>,
        values: R,
    ) -> Result<()> {
        self.as_dyn().add_at(indices.as_dyn(), values.argument())
    }
}
