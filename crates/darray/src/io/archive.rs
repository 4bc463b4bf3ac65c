//! `.npz` files: zip archives of `.npy` files.

use super::npy::{self, Contents};
use super::replace::replace;
use super::{Malformed, Origin, open, typed};
use crate::{DArray, DynArray, Element};
use darray_core::{Error, ErrorKind, Place, Result};
use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// An open `.npz` file: arrays by name, each read when it is asked for.
///
/// ```
/// use darray::{Archive, DArray};
/// # let path = std::env::temp_dir().join(format!("darray-archive-{}.npz", std::process::id()));
/// let (x, y) = (DArray::<f64>::ones((2, 2)), DArray::<i64>::arange(3));
/// Archive::save(&path, &[("x", x.as_dyn()), ("y", y.as_dyn())]).unwrap();
/// let mut archive = Archive::open(&path).unwrap();
/// assert_eq!(archive.names(), ["x", "y"]);
/// assert_eq!(archive.get_as::<i64>("y").unwrap().to_vec(), [0, 1, 2]);
/// # std::fs::remove_file(path).unwrap();
/// ```
pub struct Archive {
    path: PathBuf,
    /// Bytes of the file.
    length: u64,
    zip: ZipArchive<BufReader<File>>,
    names: Vec<String>,
}

/// What NumPy adds to the names of arrays.
const SUFFIX: &str = ".npy";

/// Bytes of the longest name of an array: with what is before and behind it in the zip archive it has less than 64 KiB.
const LONGEST: usize = u16::MAX as usize - 1 - 30 - SUFFIX.len();

impl Archive {
    /// Opens an archive: reads its directory, and no array.
    ///
    /// Errors: the file cannot be read; it is no archive.
    ///
    /// ```
    /// use darray::Archive;
    /// let error = Archive::open("there is no such file.npz").unwrap_err();
    /// assert!(error.to_string().starts_with("load: there is no such file.npz: "));
    /// ```
    #[track_caller]
    pub fn open(path: impl AsRef<Path>) -> Result<Archive> {
        let path = path.as_ref();
        let origin = Origin { name: "load", path, place: Place::caller() };
        let (file, length) = open(origin)?;
        // The directory is sought from the end.
        let wrong =
            |error| origin.malformed(Malformed::new(length, format!("no .npz file: {error}")));
        let zip = ZipArchive::new(BufReader::new(file)).map_err(wrong)?;
        let plain = |name: &str| name.strip_suffix(SUFFIX).unwrap_or(name).to_string();
        let names = zip.file_names().map(|name| name.map(|name| plain(&name)));
        let names = names.collect::<std::result::Result<_, _>>().map_err(wrong)?;
        Ok(Archive { path: path.to_path_buf(), length, zip, names })
    }

    /// The names of the arrays, in the order of the file, without the `.npy` of the zip archive.
    ///
    /// ```
    /// use darray::{Archive, DArray};
    /// # let path = std::env::temp_dir().join(format!("darray-names-{}.npz", std::process::id()));
    /// Archive::save(&path, &[("x", DArray::<f64>::ones(2).as_dyn())]).unwrap();
    /// assert_eq!(Archive::open(&path).unwrap().names(), ["x"]);
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Reads an array, see [`DynArray::load`]. Offsets in errors count from the beginning of the
    /// array's own file, before compression.
    ///
    /// Errors: there is no array of this name; what is wrong with it.
    ///
    /// ```
    /// use darray::{Archive, DArray};
    /// # let path = std::env::temp_dir().join(format!("darray-get-{}.npz", std::process::id()));
    /// Archive::save(&path, &[("x", DArray::<f64>::ones(2).as_dyn())]).unwrap();
    /// let mut archive = Archive::open(&path).unwrap();
    /// assert_eq!(archive.get("x").unwrap().shape(), [2]);
    /// let error = archive.get("y").unwrap_err().to_string();
    /// assert!(error.contains("no array 'y'; there are x"));
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    #[track_caller]
    pub fn get(&mut self, array: &str) -> Result<DynArray> {
        self.with_contents(array, Place::caller(), |contents, origin| contents.into_array(origin))
    }

    /// What `make` makes of what the archive has of this name.
    fn with_contents<R>(
        &mut self,
        array: &str,
        place: Place,
        make: impl FnOnce(Contents<'_>, Origin<'_>) -> Result<R>,
    ) -> Result<R> {
        let name = "load";
        let Some(at) = self.names.iter().position(|known| known == array) else {
            let known = self.names.join(", ");
            let origin = Origin { name, path: &self.path, place };
            return Err(origin.failed(format!("no array '{array}'; there are {known}")));
        };
        let path = self.member(array);
        let origin = Origin { name, path: &path, place };
        let mut member = self.zip.by_index(at).map_err(|error| origin.failed(error))?;
        let mut bytes = Vec::new();
        // What it says of its size is believed up to the size of the file.
        let room = bytes.try_reserve_exact(member.size().min(self.length) as usize);
        room.map_err(|error| origin.failed(error))?;
        // The checksum is compared at the end.
        if let Err(error) = member.read_to_end(&mut bytes) {
            return Err(origin.malformed(Malformed::new(bytes.len() as u64, error.to_string())));
        }
        let mut rest = &bytes[..];
        let contents = npy::read(&mut rest, bytes.len() as u64);
        make(contents.map_err(|malformed| origin.malformed(malformed))?, origin)
    }

    /// How errors name an array of the archive.
    fn member(&self, array: &str) -> PathBuf {
        self.path.join(format!("{array}{SUFFIX}"))
    }

    /// As [`get`](Self::get), of this element type.
    ///
    /// Errors: as there; the array's element type is not `T`.
    ///
    /// ```
    /// use darray::{Archive, DArray};
    /// # let path = std::env::temp_dir().join(format!("darray-get-as-{}.npz", std::process::id()));
    /// Archive::save(&path, &[("x", DArray::<f64>::ones(2).as_dyn())]).unwrap();
    /// let mut archive = Archive::open(&path).unwrap();
    /// assert_eq!(archive.get_as::<f64>("x").unwrap().to_vec(), [1.0, 1.0]);
    /// assert!(archive.get_as::<bool>("x").is_err());
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    #[track_caller]
    pub fn get_as<T: Element>(&mut self, array: &str) -> Result<DArray<T>> {
        self.with_contents(array, Place::caller(), typed)
    }

    /// Writes arrays to a `.npz` file without compression, as `numpy.savez` does. The path is taken as
    /// it is. Flushes, and waits for the arrays. A file that was there is
    /// [replaced](DynArray::save) by a whole one.
    ///
    /// Errors: two arrays of one name, a name with NUL, at which NumPy would cut it, or one too long for a zip archive; the
    /// file cannot be written; a failure while an array was computed. The file that was there is as it was then.
    ///
    /// ```
    /// use darray::{Archive, DArray};
    /// # let path = std::env::temp_dir().join(format!("darray-savez-{}.npz", std::process::id()));
    /// let (x, y) = (DArray::<f64>::ones((2, 2)), DArray::<bool>::ones(3));
    /// Archive::save(&path, &[("x", x.as_dyn()), ("y", y.as_dyn())]).unwrap();
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    #[track_caller]
    pub fn save<A: AsRef<DynArray>>(path: impl AsRef<Path>, arrays: &[(&str, A)]) -> Result<()> {
        let origin = Origin { name: "savez", path: path.as_ref(), place: Place::caller() };
        save(origin, &listed(arrays), CompressionMethod::Stored, |file| file)
    }

    /// As [`save`](Self::save), compressed (deflate), as `numpy.savez_compressed` does.
    ///
    /// ```
    /// use darray::{Archive, DArray};
    /// # let path = std::env::temp_dir().join(format!("darray-savezc-{}.npz", std::process::id()));
    /// Archive::save_compressed(&path, &[("x", DArray::<f64>::ones(10_000).as_dyn())]).unwrap();
    /// assert!(std::fs::metadata(&path).unwrap().len() < 2000);
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    #[track_caller]
    pub fn save_compressed<A: AsRef<DynArray>>(
        path: impl AsRef<Path>,
        arrays: &[(&str, A)],
    ) -> Result<()> {
        let (path, place) = (path.as_ref(), Place::caller());
        let origin = Origin { name: "savez_compressed", path, place };
        save(origin, &listed(arrays), CompressionMethod::Deflated, |file| file)
    }
}

impl fmt::Debug for Archive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Archive").field("path", &self.path).field("names", &self.names).finish()
    }
}

fn listed<'a, A: AsRef<DynArray>>(arrays: &'a [(&'a str, A)]) -> Vec<(&'a str, &'a DynArray)> {
    arrays.iter().map(|(name, array)| (*name, array.as_ref())).collect()
}

/// Writes an archive, its file through what `through` makes of it.
pub(super) fn save<W: Write + Seek>(
    origin: Origin<'_>,
    arrays: &[(&str, &DynArray)],
    method: CompressionMethod,
    through: impl FnOnce(File) -> W,
) -> Result<()> {
    let refused = |message| Error::new(origin.name, ErrorKind::Argument { message }, origin.place);
    for (at, (array, _)) in arrays.iter().enumerate() {
        if arrays[..at].iter().any(|(other, _)| other == array) {
            return Err(refused(format!("two arrays of the name '{array}'")));
        }
        if array.contains('\0') {
            return Err(refused(format!("the name {array:?} has a NUL")));
        }
        let bytes = array.len();
        if bytes > LONGEST {
            let begin: String = array.chars().take(20).collect();
            let most = format!("an .npz file holds names of at most {LONGEST}");
            return Err(refused(format!("the name '{begin}...' has {bytes} bytes; {most}")));
        }
    }
    replace(origin, through, |file| {
        let failed = |error| origin.failed(error);
        let mut zip = ZipWriter::new(file);
        for (array, values) in arrays {
            // Sizes of 64 bits only where they are needed.
            let large = (values.shape_of().size() * values.dtype().size()) as u64
                >= u64::from(u32::MAX) - (1 << 20);
            let options = SimpleFileOptions::default().compression_method(method).large_file(large);
            zip.start_file(format!("{array}{SUFFIX}"), options).map_err(failed)?;
            npy::write(&mut zip, values, origin)?;
        }
        zip.finish().map_err(failed)?;
        Ok(())
    })
}
