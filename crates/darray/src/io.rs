//! Arrays in files: NumPy's `.npy` (one array) and `.npz` (an archive of them).
//!
//! [`npy`] is the format of one array, its header read by [`literal`]; [`code`] says which element
//! types there are; [`saved`] is what is written; [`archive`] is the `.npz` file; [`complex`] has the methods of
//! complex arrays.

mod archive;
mod code;
mod complex;
mod literal;
mod npy;
mod saved;

use crate::{ComplexArray, ComplexPart, DArray, DynArray, Element};
use code::Kind;
use darray_core::{Error, ErrorKind, Place, Result};
use npy::Contents;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

pub use archive::Archive;
pub use saved::Saved;

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

    fn at(self, name: &'static str, path: &Path, place: Place) -> Error {
        let (path, reason) = (path.display().to_string(), self.reason);
        Error::new(name, ErrorKind::File { path, offset: Some(self.offset), reason }, place)
    }
}

/// The error of a file that cannot be opened, read or written.
fn failed(name: &'static str, path: &Path, reason: impl ToString, place: Place) -> Error {
    let (path, reason) = (path.display().to_string(), reason.to_string());
    Error::new(name, ErrorKind::File { path, offset: None, reason }, place)
}

/// A file for reading, and its length.
fn open(name: &'static str, path: &Path, place: Place) -> Result<(File, u64)> {
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
    let (length, file) = opened.map_err(|error| failed(name, path, error, place))?;
    Ok((file, length))
}

impl DynArray {
    /// Writes the array to a `.npy` file, in row-major order, as `numpy.save` does. The path is taken
    /// as it is. Flushes, and waits for this array alone.
    ///
    /// Errors: the file cannot be written; a failure while the array was computed.
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
        save(self.into(), path.as_ref(), Place::caller())
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
        let (name, place, path) = ("load", Place::caller(), path.as_ref());
        real(read(name, path, place)?, name, path, place)
    }
}

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
        let (place, path) = (Place::caller(), path.as_ref());
        typed("load", DynArray::load(path)?, path, place)
    }
}

/// Writes an array to a `.npy` file.
fn save(array: Saved<'_>, path: &Path, place: Place) -> Result<()> {
    let name = "save";
    let bytes = array.bytes(name, place)?;
    let write = || {
        let mut file = BufWriter::new(File::create(path)?);
        npy::write(&mut file, array.kind(), array.shape(), &bytes)?;
        file.flush()
    };
    write().map_err(|error| failed(name, path, error, place))
}

/// Reads a `.npy` file.
fn read(name: &'static str, path: &Path, place: Place) -> Result<Contents> {
    let (file, length) = open(name, path, place)?;
    let contents = npy::read(&mut BufReader::new(file), Some(length));
    contents.map_err(|malformed| malformed.at(name, path, place))
}

/// The array of real elements that a file has.
fn real(contents: Contents, name: &'static str, path: &Path, place: Place) -> Result<DynArray> {
    match contents.kind {
        Kind::Real(_) => contents.into_array(name, place),
        Kind::Complex(dtype) => {
            let reason =
                format!("complex numbers with parts of type {dtype}, which ComplexArray has");
            Err(failed(name, path, reason, place))
        }
    }
}

/// The complex array that a file has, with parts of `T`.
fn complex<T: ComplexPart>(
    contents: Contents,
    name: &'static str,
    path: &Path,
    place: Place,
) -> Result<ComplexArray<T>> {
    let expected = Kind::Complex(T::DTYPE);
    if contents.kind != expected {
        let reason = format!("elements of type {}, expected {expected}", contents.kind);
        return Err(failed(name, path, reason, place));
    }
    let [re, im] = contents.into_parts(name, place)?;
    ComplexArray::try_from_parts(DArray::wrap(re), DArray::wrap(im))
}

/// The array of a file as one of `T`.
fn typed<T: Element>(
    name: &'static str,
    array: DynArray,
    path: &Path,
    place: Place,
) -> Result<DArray<T>> {
    let found = array.dtype();
    DArray::try_from(array).map_err(|_| {
        let reason = format!("elements of type {found}, expected {}", T::DTYPE);
        failed(name, path, reason, place)
    })
}
