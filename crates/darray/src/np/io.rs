//! Arrays in files.

#[cfg(feature = "npz")]
mod npz;

#[cfg(feature = "npz")]
pub use npz::*;

use crate::{AsArray, DArray, DynArray, Element};
use darray_core::Result;
use std::path::Path;

/// Writes an array to a `.npy` file; see [`DArray::save`].
///
/// ```
/// use darray::{DArray, np};
/// # let path = std::env::temp_dir().join(format!("darray-np-save-{}.npy", std::process::id()));
/// np::save(&path, &DArray::<f64>::arange(3)).unwrap();
/// assert_eq!(np::load(&path).unwrap().shape(), [3]);
/// # std::fs::remove_file(path).unwrap();
/// ```
#[track_caller]
pub fn save<T: Element>(path: impl AsRef<Path>, x: impl AsArray<T>) -> Result<()> {
    x.as_array().save(path)
}

/// Reads the array of a `.npy` file, of the element type that the file has; see [`DynArray::load`]. Of a type that is known:
/// [`DArray::load`].
///
/// ```
/// use darray::{DArray, np};
/// # let path = std::env::temp_dir().join(format!("darray-np-load-{}.npy", std::process::id()));
/// np::save(&path, &DArray::<bool>::ones(3)).unwrap();
/// let x = DArray::<bool>::try_from(np::load(&path).unwrap()).unwrap();
/// assert_eq!(x.to_vec(), [true; 3]);
/// # std::fs::remove_file(path).unwrap();
/// ```
#[track_caller]
pub fn load(path: impl AsRef<Path>) -> Result<DynArray> {
    DynArray::load(path)
}

/// The numbers of a text file; with a delimiter, rows left out and so on: `TextFormat::new().delimiter(',').skiprows(1).load(path)`, see
/// [`TextFormat`](crate::TextFormat).
///
/// ```
/// # let path = std::env::temp_dir().join(format!("darray-np-loadtxt-{}.txt", std::process::id()));
/// std::fs::write(&path, "1 2\n3 4\n").unwrap();
/// let x = darray::np::loadtxt::<f64>(&path).unwrap();
/// assert_eq!(x.to_vec(), [1.0, 2.0, 3.0, 4.0]);
/// # std::fs::remove_file(path).unwrap();
/// ```
#[doc(alias = "genfromtxt")]
#[track_caller]
pub fn loadtxt<T: Element>(path: impl AsRef<Path>) -> Result<DArray<T>> {
    DArray::loadtxt(path)
}

/// Writes an array of at most two axes to a text file; with other delimiters and so on: [`TextFormat`](crate::TextFormat).
///
/// ```
/// # let path = std::env::temp_dir().join(format!("darray-np-savetxt-{}.txt", std::process::id()));
/// darray::np::savetxt(&path, &darray::DArray::from([[1, 2]])).unwrap();
/// assert_eq!(std::fs::read_to_string(&path).unwrap(), "1 2\n");
/// # std::fs::remove_file(path).unwrap();
/// ```
#[track_caller]
pub fn savetxt<T: Element>(path: impl AsRef<Path>, x: impl AsArray<T>) -> Result<()> {
    x.as_array().savetxt(path)
}
