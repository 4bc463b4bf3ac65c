//! Arrays in files.

use crate::{AsArray, DynArray, Element};
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

/// Reads the array of a `.npy` file, of the element type that the file has; see [`DynArray::load`].
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
