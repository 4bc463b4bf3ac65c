//! Arrays in files.

use crate::{Archive, DArray, DynArray, Element, Saved};
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
pub fn save<T: Element>(path: impl AsRef<Path>, x: &DArray<T>) -> Result<()> {
    x.save(path)
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

/// Opens a `.npz` file (NumPy's `load` of one); see [`Archive::open`].
///
/// ```
/// use darray::{DArray, np};
/// # let path = std::env::temp_dir().join(format!("darray-np-npz-{}.npz", std::process::id()));
/// np::savez(&path, &[("x", DArray::<f64>::ones(2).as_dyn())]).unwrap();
/// assert_eq!(np::load_npz(&path).unwrap().names(), ["x"]);
/// # std::fs::remove_file(path).unwrap();
/// ```
#[track_caller]
pub fn load_npz(path: impl AsRef<Path>) -> Result<Archive> {
    Archive::open(path)
}

/// Writes arrays to a `.npz` file; see [`Archive::save`].
///
/// ```
/// use darray::{DArray, np};
/// # let path = std::env::temp_dir().join(format!("darray-np-savez-{}.npz", std::process::id()));
/// np::savez(&path, &[("x", DArray::<f64>::ones(2).as_dyn())]).unwrap();
/// # std::fs::remove_file(path).unwrap();
/// ```
#[track_caller]
pub fn savez<'a, A: Into<Saved<'a>> + Copy>(
    path: impl AsRef<Path>,
    arrays: &[(&str, A)],
) -> Result<()> {
    Archive::save(path, arrays)
}

/// Writes arrays to a compressed `.npz` file; see [`Archive::save_compressed`].
///
/// ```
/// use darray::{DArray, np};
/// # let path = std::env::temp_dir().join(format!("darray-np-savezc-{}.npz", std::process::id()));
/// np::savez_compressed(&path, &[("x", DArray::<f64>::ones(2).as_dyn())]).unwrap();
/// # std::fs::remove_file(path).unwrap();
/// ```
#[track_caller]
pub fn savez_compressed<'a, A: Into<Saved<'a>> + Copy>(
    path: impl AsRef<Path>,
    arrays: &[(&str, A)],
) -> Result<()> {
    Archive::save_compressed(path, arrays)
}
