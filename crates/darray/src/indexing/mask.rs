//! Elements by masks: results whose extent depends on data.
//!
//! All go one way: the mask's elements are counted on the devices, the window is flushed, the count is read, and then a task is
//! recorded whose result has that extent. See docs/decisions/0057. The task is a builtin that writes what the mask holds; each
//! device makes its part of the result and has the whole mask, and the whole source along the axis.

use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::indexing::held::Held;
use crate::{Along, Binary, DArray, DynArray, DynPicked, Element, Pick};
use darray_core::{DType, Ix, Place, Result, Shape};
use smallvec::SmallVec;

impl DynArray {
    /// NumPy's `a[mask]`, or, along an axis, `np.compress`: what a mask holds, in order. Without an axis the mask has the shape of
    /// this array or of its first axes, which become one; along an axis it has one axis of the same extent. Flushes, and waits for
    /// the mask alone, since the extent depends on it.
    ///
    /// Errors: the mask is not bool or has another shape; the axis is out of range; computing the mask failed.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::arange(4));
    /// let mask = DynArray::from(DArray::from_vec(vec![true, false, false, true]));
    /// let held = DArray::<i64>::try_from(x.compress(&mask, None).unwrap()).unwrap();
    /// assert_eq!(held.to_vec(), [0, 3]);
    /// ```
    #[track_caller]
    pub fn compress(&self, mask: &DynArray, axis: impl Into<Along>) -> Result<DynArray> {
        let steps = Steps { name: "compress", place: Place::caller() };
        self.compressed(mask, axis.into().0, steps)
    }

    /// NumPy's `extract`: the elements in row-major order that a mask of the same number of elements holds. Flushes, and waits for
    /// the mask alone.
    ///
    /// Errors: the mask is not bool or has another number of elements; computing the mask failed.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::arange(4).reshape((2, 2)));
    /// let mask = DynArray::from(DArray::from_vec(vec![true, false, false, true]));
    /// assert_eq!(x.extract(&mask).unwrap().shape(), [2]);
    /// ```
    #[track_caller]
    pub fn extract(&self, mask: &DynArray) -> Result<DynArray> {
        let steps = Steps { name: "extract", place: Place::caller() };
        if self.shape_of().size() != mask.shape_of().size() {
            return Err(steps.shapes(&[self, mask], "as many elements of the mask as of the array"));
        }
        steps.ravel(self)?.compressed(&steps.ravel(mask)?, None, steps)
    }

    /// NumPy's `flatnonzero`: the places (i64) in row-major order of the elements that are not 0; NaN is not 0. Flushes, and waits
    /// for this array alone.
    ///
    /// Errors: computing the array failed.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![0.0, 2.0, -1.0]));
    /// let places = DArray::<i64>::try_from(x.flatnonzero().unwrap()).unwrap();
    /// assert_eq!(places.to_vec(), [1, 2]);
    /// ```
    #[track_caller]
    pub fn flatnonzero(&self) -> Result<DynArray> {
        self.places(Steps { name: "flatnonzero", place: Place::caller() })
    }

    /// NumPy's `nonzero`: for each axis the indices (i64) along it of the elements that are not 0, in row-major order. Flushes, and
    /// waits for this array alone.
    ///
    /// Errors: there is no axis; computing the array failed.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_shape_vec((2, 2), vec![0, 1, 1, 0]));
    /// let indices = x.nonzero().unwrap();
    /// assert_eq!((indices.len(), indices[0].shape()), (2, &[2][..]));
    /// ```
    #[track_caller]
    pub fn nonzero(&self) -> Result<Vec<DynArray>> {
        let steps = Steps { name: "nonzero", place: Place::caller() };
        if self.shape().is_empty() {
            return Err(steps.shapes(&[self], "one axis or more"));
        }
        self.indices_of_places(&self.places(steps)?, steps)
    }

    /// NumPy's `argwhere`: the indices (i64) of the elements that are not 0, a row for each, in row-major order: elements by axes.
    /// Flushes, and waits for this array alone.
    ///
    /// Errors: computing the array failed.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_shape_vec((2, 2), vec![0, 1, 1, 0]));
    /// let indices = DArray::<i64>::try_from(x.argwhere().unwrap()).unwrap();
    /// assert_eq!((indices.shape(), indices.to_vec()), (&[2, 2][..], vec![0, 1, 1, 0]));
    /// ```
    #[track_caller]
    pub fn argwhere(&self) -> Result<DynArray> {
        let steps = Steps { name: "argwhere", place: Place::caller() };
        let rank = self.shape().len();
        let places = self.places(steps)?;
        let found = steps.empty(self, DType::I64, &Shape::new(&[places.shape()[0], rank]));
        for (axis, index) in self.indices_of_places(&places, steps)?.iter().enumerate() {
            let column = steps.range(&found, 1, (axis, axis + 1))?;
            steps.assign(&column, &steps.reshape(index, &[index.shape()[0], 1])?)?;
        }
        Ok(found)
    }

    /// Places in row-major order as indices along each axis.
    fn indices_of_places(&self, places: &DynArray, steps: Steps) -> Result<Vec<DynArray>> {
        let mut outer = places.alias();
        let mut indices = Vec::with_capacity(self.shape().len());
        for &extent in self.shape().iter().rev() {
            let extent = (extent as i64).max(1);
            indices.push(steps.binary(Binary::Rem, &outer, extent)?);
            outer = steps.binary(Binary::FloorDivide, &outer, extent)?;
        }
        indices.reverse();
        Ok(indices)
    }

    pub(crate) fn compressed(
        &self,
        mask: &DynArray,
        axis: Option<isize>,
        steps: Steps,
    ) -> Result<DynArray> {
        if mask.dtype() != DType::Bool {
            return Err(steps.dtypes(&[mask], "a mask of bool"));
        }
        let (masked, axis) = match axis {
            None => (mask.shape().len(), 0),
            Some(axis) => (1, steps.axis(self, axis)?),
        };
        let fits = masked > 0
            && mask.shape().len() == masked
            && self.shape().get(axis..axis + masked) == Some(mask.shape());
        if !fits {
            let expected = "a mask of the shape of the array, of its first axes or of the axis";
            return Err(steps.shapes(&[self, mask], expected));
        }
        let before = (0..axis).map(|_| Pick::Ix(Ix::from(..)));
        let items: SmallVec<[Pick; 4]> = before.chain([Pick::from(mask)]).collect();
        DynPicked::new(self, &items, steps)?.array()
    }

    /// The places of what is not 0.
    fn places(&self, steps: Steps) -> Result<DynArray> {
        Held::of(&steps.ravel(&steps.cast(self, DType::Bool)?)?, steps)?.places()
    }
}

/// # Elements by masks
impl<T: Element> DArray<T> {
    /// NumPy's `compress` along an axis: the indices of the axis that a mask holds. Flushes, and waits for the mask alone.
    ///
    /// # Panics
    ///
    /// If the mask has not one axis of the axis' extent, the axis is out of range, or computing the mask failed.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<i64>::arange(6).reshape((2, 3));
    /// let mask = DArray::from_vec(vec![true, false, true]);
    /// assert_eq!(x.compress(&mask, 1).to_vec(), [0, 2, 3, 5]);
    /// ```
    #[track_caller]
    pub fn compress(&self, mask: &DArray<bool>, axis: impl Into<Along>) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().compress(mask.as_dyn(), axis)))
    }

    /// NumPy's `extract`: the elements in row-major order that a mask of as many elements holds. Flushes, and waits for the mask
    /// alone.
    ///
    /// # Panics
    ///
    /// If the mask has another number of elements, or computing it failed.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<i64>::arange(6).reshape((2, 3));
    /// assert_eq!(x.extract(&(&x % 2).eq(0)).to_vec(), [0, 2, 4]);
    /// ```
    #[track_caller]
    pub fn extract(&self, mask: &DArray<bool>) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().extract(mask.as_dyn())))
    }

    /// NumPy's `flatnonzero`: the places in row-major order of the elements that are not 0. Flushes, and waits for this array
    /// alone.
    ///
    /// # Panics
    ///
    /// If computing the array failed.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![0.0, 2.0, f64::NAN, -0.0]);
    /// assert_eq!(x.flatnonzero().to_vec(), [1, 2]);
    /// ```
    #[track_caller]
    pub fn flatnonzero(&self) -> DArray<i64> {
        DArray::wrap(expect_at_caller(self.as_dyn().flatnonzero()))
    }

    /// NumPy's `nonzero`: for each axis the indices along it of the elements that are not 0, in row-major order. Flushes, and waits
    /// for this array alone.
    ///
    /// # Panics
    ///
    /// If there is no axis, or computing the array failed.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![0, 5, 7, 0]);
    /// let [rows, columns] = &x.nonzero()[..] else { panic!() };
    /// assert_eq!((rows.to_vec(), columns.to_vec()), (vec![0, 1], vec![1, 0]));
    /// ```
    #[track_caller]
    pub fn nonzero(&self) -> Vec<DArray<i64>> {
        expect_at_caller(self.as_dyn().nonzero()).into_iter().map(DArray::wrap).collect()
    }

    /// NumPy's `argwhere`: the indices of the elements that are not 0, a row for each: elements by axes. Flushes, and waits for this
    /// array alone.
    ///
    /// # Panics
    ///
    /// If computing the array failed.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![0, 5, 7, 0]);
    /// assert_eq!(x.argwhere().to_vec(), [0, 1, 1, 0]);
    /// ```
    #[track_caller]
    pub fn argwhere(&self) -> DArray<i64> {
        DArray::wrap(expect_at_caller(self.as_dyn().argwhere()))
    }
}
