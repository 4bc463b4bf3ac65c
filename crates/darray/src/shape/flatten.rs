//! Arrays as one axis, and arrays of one shape.

use crate::error::expect_at_caller;
use crate::{Arrays, DArray, DynArray, Element};
use darray_core::{Error, Place, Result, Shape, broadcast_shapes};

impl DynArray {
    /// The elements in row-major order as one axis: a view where strides can express it, else a copy.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones((2, 3)));
    /// assert_eq!(x.ravel().unwrap().shape(), [6]);
    /// ```
    #[track_caller]
    pub fn ravel(&self) -> Result<DynArray> {
        self.ravel_as("ravel", Place::caller())
    }

    pub(crate) fn ravel_as(&self, name: &'static str, place: Place) -> Result<DynArray> {
        self.reshape_to(&Shape::from([self.shape_of().size()]), name, place)
    }

    /// A copy of the elements in row-major order as one axis.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones((2, 3)));
    /// assert_eq!(x.flatten().unwrap().shape(), [6]);
    /// ```
    #[track_caller]
    pub fn flatten(&self) -> Result<DynArray> {
        let (name, place) = ("flatten", Place::caller());
        self.copy_as(name, self.dtype(), place)?.ravel_as(name, place)
    }

    /// The arrays, each repeated to the shape to which all broadcast: views.
    ///
    /// Errors: the shapes do not broadcast.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones((2, 1)));
    /// let y = DynArray::from(DArray::<i64>::ones(3));
    /// let both = DynArray::broadcast_arrays(&[&x, &y]).unwrap();
    /// assert!(both.iter().all(|array| array.shape() == [2, 3]));
    /// ```
    #[track_caller]
    pub fn broadcast_arrays(arrays: &[&DynArray]) -> Result<Vec<DynArray>> {
        let place = Place::caller();
        let error = |kind| Error::new("broadcast_arrays", kind, place);
        let shapes = arrays.iter().map(|array| array.shape_of());
        let shape = shapes
            .clone()
            .try_fold(Shape::scalar(), |all, shape| broadcast_shapes(&all, shape))
            .map_err(|kind| match kind {
                darray_core::ErrorKind::Broadcast { .. } => {
                    darray_core::ErrorKind::Broadcast { shapes: shapes.cloned().collect() }
                }
                other => other,
            })
            .map_err(error)?;
        let repeated = |array: &&DynArray| {
            Ok(array.with_view(array.view().broadcast_to(&shape).map_err(error)?))
        };
        arrays.iter().map(repeated).collect()
    }
}

/// # One axis, one shape
impl<T: Element> DArray<T> {
    /// The elements in row-major order as one axis: a view where strides can express it, else a copy.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<i64>::zeros((2, 2));
    /// x.ravel().assign(DArray::<i64>::arange(4));
    /// assert_eq!((x.to_vec(), x.t().ravel().to_vec()), (vec![0, 1, 2, 3], vec![0, 2, 1, 3]));
    /// ```
    #[track_caller]
    pub fn ravel(&self) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().ravel()))
    }

    /// A copy of the elements in row-major order as one axis.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<i64>::zeros((2, 2));
    /// x.flatten().assign(1);
    /// assert_eq!(x.to_vec(), [0; 4]);
    /// ```
    #[track_caller]
    pub fn flatten(&self) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().flatten()))
    }

    /// The arrays, each repeated to the shape to which all broadcast: views.
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast.
    ///
    /// ```
    /// use darray::DArray;
    /// let (x, y) = (DArray::<f64>::ones((2, 1)), DArray::<f64>::ones(3));
    /// let both = DArray::broadcast_arrays(&[&x, &y]);
    /// assert!(both.iter().all(|array| array.shape() == [2, 3]));
    /// ```
    #[track_caller]
    pub fn broadcast_arrays(arrays: impl Arrays<T>) -> Vec<DArray<T>> {
        let repeated = expect_at_caller(DynArray::broadcast_arrays(&arrays.untyped()));
        repeated.into_iter().map(DArray::wrap).collect()
    }
}
