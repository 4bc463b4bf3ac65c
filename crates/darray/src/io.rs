//! Arrays in files: NumPy's `.npy` (one array) and `.npz` (an archive of them), and pictures.
//!
//! [`npy`] is the format of one array, its header read by [`literal`]; [`code`] says which element
//! types there are; [`saved`] is what is written, in [`pieces`]; [`replace`] writes a file whole or not at all; [`archive`]
//! is the `.npz` file; [`image`] writes pictures; [`text`] are tables in text files.

#[cfg(feature = "npz")]
mod archive;
mod code;
#[cfg(feature = "png")]
pub mod image;
mod literal;
mod npy;
mod pieces;
mod replace;
mod saved;
#[cfg(test)]
mod tests;
mod text;

use crate::{DArray, DynArray, Element};
use darray_core::{Error, ErrorKind, Place, Result};
use npy::Contents;
use replace::replace;
use std::fs::File;
use std::io::{BufReader, Seek, Write};
use std::path::Path;

#[cfg(feature = "npz")]
pub use archive::Archive;
pub use text::TextFormat;

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq)]
struct Malformed {
    /// The first byte that is not as it should be, from the file's (or member's) beginning.
    offset: u64,
    /// What is wrong there.
    reason: String,
}

impl Malformed {
    fn new(offset: u64, reason: impl Into<String>) -> Malformed {
        Malformed { offset, reason: reason.into() }
    }
}

/// What errors name beside what is wrong.
#[derive(Clone, Copy)]
struct Origin<'p> {
    /// The operation.
    name: &'static str,
    path: &'p Path,
    place: Place,
}

impl Origin<'_> {
    /// The error of a file that is not as it should be.
    fn malformed(self, Malformed { offset, reason }: Malformed) -> Error {
        self.error(Some(offset), reason)
    }

    /// The error of a file that cannot be opened, read or written.
    fn failed(self, reason: impl ToString) -> Error {
        self.error(None, reason.to_string())
    }

    fn error(self, offset: Option<u64>, reason: String) -> Error {
        let path = self.path.display().to_string();
        Error::new(self.name, ErrorKind::File { path, offset, reason }, self.place)
    }
}

/// A file for reading, and its length.
fn open(origin: Origin<'_>) -> Result<(File, u64)> {
    let opened = File::open(origin.path).and_then(|file| Ok((file.metadata()?.len(), file)));
    let (length, file) = opened.map_err(|error| origin.failed(error))?;
    Ok((file, length))
}

impl DynArray {
    /// Writes the array to a `.npy` file, in row-major order, as `numpy.save` does. The path is taken
    /// as it is. Flushes, and waits for this array alone.
    ///
    /// A file that was there is replaced by the whole new one, which lies beside it until then; a symbolic link still leads to it,
    /// a hard link to the old one.
    ///
    /// Errors: the file cannot be written; a failure while the array was computed. The file that was there is as it
    /// was then.
    ///
    /// ```
    /// use darray::{DType, DynArray};
    /// # let path = std::env::temp_dir().join(format!("darray-dyn-save-{}.npy", std::process::id()));
    /// let x = DynArray::full((2, 3), DType::F32, 1.5).unwrap();
    /// x.save(&path).unwrap();
    /// assert_eq!(DynArray::load(&path).unwrap().shape(), [2, 3]);
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    #[track_caller]
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let origin = Origin { name: "save", path: path.as_ref(), place: Place::caller() };
        save(self, origin, |file| file)
    }

    /// Reads the array of a `.npy` file, versions 1.0 to 3.0, of either byte order.
    ///
    /// An array in Fortran order becomes the transpose of one in row-major order: its elements keep
    /// their places in memory. Nothing but plain numbers and bools is read; Python objects never are.
    ///
    /// Errors, with the path and, for what is wrong inside, the offset in bytes and the reason: the
    /// file cannot be read; it is no `.npy` file, or not whole; darray has not its element type; no
    /// memory on the device.
    ///
    /// ```
    /// use darray::{DArray, DType, DynArray};
    /// # let path = std::env::temp_dir().join(format!("darray-dyn-load-{}.npy", std::process::id()));
    /// DArray::<i64>::arange(4).save(&path).unwrap();
    /// assert_eq!(DynArray::load(&path).unwrap().dtype(), DType::I64);
    /// std::fs::write(&path, "no array").unwrap();
    /// let error = DynArray::load(&path).unwrap_err().to_string();
    /// assert!(error.contains(".npy: byte 0: no .npy file"));
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    #[track_caller]
    pub fn load(path: impl AsRef<Path>) -> Result<DynArray> {
        load(path.as_ref(), Place::caller(), |contents, origin| contents.into_array(origin))
    }
}

/// # Files
impl<T: Element> DArray<T> {
    /// Writes the array to a `.npy` file, see [`DynArray::save`].
    ///
    /// ```
    /// use darray::DArray;
    /// # let path = std::env::temp_dir().join(format!("darray-save-{}.npy", std::process::id()));
    /// DArray::from_vec(vec![1.0, 2.5]).save(&path).unwrap();
    /// assert_eq!(DArray::<f64>::load(&path).unwrap().to_vec(), [1.0, 2.5]);
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    #[track_caller]
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.as_dyn().save(path)
    }

    /// Reads the array of a `.npy` file, see [`DynArray::load`].
    ///
    /// Errors: as there; the file's element type is not `T`.
    ///
    /// ```
    /// use darray::DArray;
    /// # let path = std::env::temp_dir().join(format!("darray-load-{}.npy", std::process::id()));
    /// DArray::<i64>::arange(3).save(&path).unwrap();
    /// assert_eq!(DArray::<i64>::load(&path).unwrap().to_vec(), [0, 1, 2]);
    /// let error = DArray::<f64>::load(&path).unwrap_err().to_string();
    /// assert!(error.contains(".npy: elements of type i64, expected f64"));
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    #[track_caller]
    pub fn load(path: impl AsRef<Path>) -> Result<DArray<T>> {
        load(path.as_ref(), Place::caller(), typed)
    }
}

/// Writes an array to a `.npy` file, through what `through` makes of it.
fn save<W: Write + Seek>(
    array: &DynArray,
    origin: Origin<'_>,
    through: impl FnOnce(File) -> W,
) -> Result<()> {
    replace(origin, through, |file| npy::write(file, array, origin))
}

/// What `make` makes of a `.npy` file.
fn load<R>(
    path: &Path,
    place: Place,
    make: impl FnOnce(Contents<'_>, Origin<'_>) -> Result<R>,
) -> Result<R> {
    let origin = Origin { name: "load", path, place };
    let (file, length) = open(origin)?;
    let mut file = BufReader::new(file);
    make(npy::read(&mut file, length).map_err(|malformed| origin.malformed(malformed))?, origin)
}

/// An array whose elements are to be of this type.
fn typed<T: Element>(contents: Contents<'_>, origin: Origin<'_>) -> Result<DArray<T>> {
    let array = contents.into_array(origin)?;
    let found = array.dtype();
    DArray::try_from(array)
        .map_err(|_| origin.failed(format!("elements of type {found}, expected {}", T::DTYPE)))
}
