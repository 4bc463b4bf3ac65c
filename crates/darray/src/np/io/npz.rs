//! Archives of arrays.

use crate::{Archive, DynArray};
use darray_core::Result;
use std::path::Path;

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
pub fn savez<A: AsRef<DynArray>>(path: impl AsRef<Path>, arrays: &[(&str, A)]) -> Result<()> {
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
pub fn savez_compressed<A: AsRef<DynArray>>(
    path: impl AsRef<Path>,
    arrays: &[(&str, A)],
) -> Result<()> {
    Archive::save_compressed(path, arrays)
}
