//! One element, and what lies at indices of the first axes.

use super::grammar::Position;
use crate::error::expect_at_caller;
use crate::{Argument, DArray, DynArray, Element};
use darray_core::{Error, ErrorKind, Ix, Place, Result};
use num_complex::Complex;

impl DynArray {
    /// NumPy's `self[index]`: what lies at one index of the first axis, a view without that axis; at several, of as many axes.
    ///
    /// Errors: an index is out of range; there are fewer axes than indices.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::arange(6).reshape((2, 3)));
    /// assert_eq!(x.at(-1).unwrap().shape(), [3]);
    /// ```
    #[track_caller]
    pub fn at(&self, index: impl Position) -> Result<DynArray> {
        self.view_at(index.indices().as_ref(), "at", Place::caller())
    }

    /// The view of one element, for the operation of this name.
    pub(crate) fn element(
        &self,
        indices: &[Ix],
        name: &'static str,
        place: Place,
    ) -> Result<DynArray> {
        let (given, axes) = (indices.len(), self.shape().len());
        if given != axes {
            let message = format!("an element has {axes} indices, one for each axis, not {given}");
            let kind = ErrorKind::Index { message, shape: self.shape_of().clone() };
            return Err(Error::new(name, kind, place));
        }
        self.view_at(indices, name, place)
    }

    /// The view of an index, for the operation of this name.
    pub(crate) fn view_at(
        &self,
        indices: &[Ix],
        name: &'static str,
        place: Place,
    ) -> Result<DynArray> {
        let view = self.view().slice(indices);
        Ok(self.with_view(view.map_err(|kind| Error::new(name, kind, place))?))
    }
}

/// # Elements
impl<T: Element> DArray<T> {
    /// One element (NumPy's `self[i, j]`), by an index for each axis. Flushes, and waits for this array alone: where many elements
    /// are read, [`to_vec`](Self::to_vec) reads them at once.
    ///
    /// # Panics
    ///
    /// If there is not one index for each axis, an index is out of range, or computing the array failed.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<i64>::arange(6).reshape((2, 3));
    /// let (i, j) = (1usize, 0usize);
    /// assert_eq!((x.get([i, j]), x.get((i, -1))), (3, 5));
    /// assert_eq!((x.ravel().get(4), x.sum(..).get(())), (4, 15));
    /// ```
    #[track_caller]
    pub fn get(&self, position: impl Position) -> T {
        let (name, place) = ("get", Place::caller());
        let element =
            expect_at_caller(self.as_dyn().element(position.indices().as_ref(), name, place));
        expect_at_caller(T::read(&element, name, place))[0]
    }

    /// NumPy's `self[i, j] = value`: writes one element, by an index for each axis. It is recorded as every write is; an array of
    /// one element is written by `self.slice(s![i, j]).assign(&value)`.
    ///
    /// # Panics
    ///
    /// If there is not one index for each axis, or an index is out of range.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<f64>::zeros((2, 2));
    /// x.set([0, -1], 0.5);
    /// x.t().set([0, 1], 2.0);
    /// assert_eq!(x.to_vec(), [0.0, 0.5, 2.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn set(&self, position: impl Position, value: T) {
        expect_at_caller(self.set_at(position, value, Place::caller()));
    }

    /// As [`set`](Self::set), from this place, with an error.
    pub(crate) fn set_at(&self, position: impl Position, value: T, place: Place) -> Result<()> {
        let name = "set";
        let element = self.as_dyn().element(position.indices().as_ref(), name, place)?;
        let value = match value.into_scalars() {
            (re, None) => Argument::Scalar(re),
            (re, Some(im)) => Argument::Complex(Complex::new(re.to_f64(), im.to_f64())),
        };
        element.assign_as(value, name, place)
    }

    /// NumPy's `self[index]`: what lies at one index of the first axis, a view without that axis, which writes through; at several
    /// indices, `at([i, j])`, a view without as many axes.
    ///
    /// # Panics
    ///
    /// If an index is out of range, or there are fewer axes than indices.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<i64>::arange(6).reshape((2, 3));
    /// x.at(0).assign(x.at(-1));
    /// assert_eq!(x.to_vec(), [3, 4, 5, 3, 4, 5]);
    /// assert_eq!(x.at([0, -1]).item(), 5);
    /// ```
    #[track_caller]
    pub fn at(&self, index: impl Position) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().at(index)))
    }
}
