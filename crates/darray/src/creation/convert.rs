//! Values to and from the host.

#[cfg(feature = "ndarray")]
mod ndarray;
mod standard;

use crate::array::host::bytes_of;
use crate::error::expect_at_caller;
use crate::{DArray, DynArray, Element};
use darray_core::{Error, ErrorKind, Place, Result};
use darray_device::Plain;

impl DynArray {
    /// The elements in row-major order as they lie in memory, complex ones with the real part first. Flushes, and waits for
    /// this array alone.
    ///
    /// Errors: a failure while the array was computed, with the operation and line that caused it.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![true, false]));
    /// assert_eq!(x.to_bytes().unwrap(), [1, 0]);
    /// ```
    #[track_caller]
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        bytes_of(self, "to_bytes", Place::caller())
    }

    /// The elements of a real array, in row-major order.
    pub(crate) fn read_real<T: Plain>(&self, name: &'static str, place: Place) -> Result<Vec<T>> {
        let store = self.current();
        let engine = self.runtime().engine();
        engine.read(store.store(), self.view().map(), self.shape_of(), name, place)
    }
}

/// # Values out of it
impl<T: Element> DArray<T> {
    /// The elements in row-major order. Flushes, and waits for this array alone.
    ///
    /// # Panics
    ///
    /// If computing the array failed; the text names the operation and line that caused it.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!((DArray::<f64>::arange(3) + 0.5).to_vec(), [0.5, 1.5, 2.5]);
    /// ```
    #[doc(alias = "tolist")]
    #[track_caller]
    pub fn to_vec(&self) -> Vec<T> {
        expect_at_caller(T::read(self.as_dyn(), "to_vec", Place::caller()))
    }

    /// The only element. Flushes, and waits for this array alone.
    ///
    /// # Panics
    ///
    /// If there is not exactly one element, or computing it failed.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f64>::arange(4).sum(..).item(), 6.0);
    /// ```
    #[track_caller]
    pub fn item(&self) -> T {
        expect_at_caller(self.item_at(Place::caller()))
    }

    /// As [`item`](Self::item), from this place, with an error.
    pub(crate) fn item_at(&self, place: Place) -> Result<T> {
        let name = "item";
        if self.len() != 1 {
            let expected = "one element".to_string();
            let shapes = vec![self.as_dyn().shape_of().clone()];
            return Err(Error::new(name, ErrorKind::Shapes { shapes, expected }, place));
        }
        Ok(T::read(self.as_dyn(), name, place)?[0])
    }
}
