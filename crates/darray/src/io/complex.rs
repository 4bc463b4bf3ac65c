//! Complex arrays in files.

use super::{Origin, complex, load, save};
use crate::{ComplexArray, ComplexPart};
use darray_core::{Place, Result};
use std::path::Path;

impl<T: ComplexPart> ComplexArray<T> {
    /// Writes the array to a `.npy` file as NumPy's `complex64` or `complex128`, see
    /// [`DynArray::save`](crate::DynArray::save).
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// # let path = std::env::temp_dir().join(format!("darray-csave-{}.npy", std::process::id()));
    /// ComplexArray::from_vec(vec![Complex::new(1.0, 2.5)]).save(&path).unwrap();
    /// assert_eq!(ComplexArray::<f64>::load(&path).unwrap().to_vec(), [Complex::new(1.0, 2.5)]);
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    #[track_caller]
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let origin = Origin { name: "save", path: path.as_ref(), place: Place::caller() };
        save(self.into(), origin, |file| file)
    }

    /// Reads the complex array of a `.npy` file, see [`DynArray::load`](crate::DynArray::load).
    ///
    /// Errors: as there; the file's elements are no complex numbers with parts of `T`.
    ///
    /// ```
    /// use darray::{ComplexArray, DArray};
    /// # let path = std::env::temp_dir().join(format!("darray-cload-{}.npy", std::process::id()));
    /// ComplexArray::<f32>::zeros(2).save(&path).unwrap();
    /// assert_eq!(ComplexArray::<f32>::load(&path).unwrap().shape(), [2]);
    /// let error = ComplexArray::<f64>::load(&path).unwrap_err().to_string();
    /// assert!(error.contains(".npy: elements of type complex f32, expected complex f64"));
    /// assert!(DArray::<f32>::load(&path).is_err());
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    #[track_caller]
    pub fn load(path: impl AsRef<Path>) -> Result<ComplexArray<T>> {
        load(path.as_ref(), Place::caller(), complex)
    }
}
