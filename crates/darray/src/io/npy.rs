//! The `.npy` format: magic string, version, length of the header, header, data.
//!
//! ```text
//! byte 0   93 4e 55 4d 50 59       "\x93NUMPY"
//!      6   01 00                   version 1.0 (or 2.0, 3.0)
//!      8   76 00                   length of the header: 2 bytes, from version 2.0 on 4
//!     10   {'descr': '<f8', 'fortran_order': False, 'shape': (3,), }   \n
//!    128   data
//! ```

use super::pieces::pieces;
use super::saved::each_piece;
use super::{Malformed, Origin, code, literal};
use crate::{DynArray, Runtime};
use darray_core::{DType, RealType, Result, Shape, check_shape};
use darray_device::{HostBytesMut, Plain};
use darray_runtime::{Import, StoreOwner};
use std::io::{ErrorKind, Read, Write};
use std::ops::Range;
use std::sync::Arc;

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// The longest header that is read: plain arrays need a few hundred bytes.
const LONGEST_HEADER: u32 = 1 << 16;
/// What precedes the data has a multiple of so many bytes.
const ALIGNMENT: usize = 64;

/// An array in a file whose header was read.
pub struct Contents<'f> {
    /// What its elements are.
    pub dtype: DType,
    shape: Vec<usize>,
    fortran: bool,
    /// Whether the elements' parts are in the other byte order than this machine's.
    reverse: bool,
    source: Source<'f>,
}

impl Contents<'_> {
    /// The array.
    pub fn into_array(self, origin: Origin<'_>) -> Result<DynArray> {
        match (self.dtype.is_complex(), self.dtype.part()) {
            (true, RealType::F32) => self.into_complex::<f32>(origin),
            (true, _) => self.into_complex::<f64>(origin),
            (false, part) => self.into_real(part == RealType::Bool, origin),
        }
    }

    fn into_real(self, is_bool: bool, origin: Origin<'_>) -> Result<DynArray> {
        let [array] = self.imported(origin, |bytes: &mut Vec<u8>| {
            if is_bool {
                // Kernels count on 0 and 1.
                bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
            }
            [std::mem::take(bytes)]
        })?;
        Ok(array)
    }

    fn into_complex<T: Plain>(self, origin: Origin<'_>) -> Result<DynArray> {
        let [re, im] = self.imported(origin, |pairs: &mut Vec<T>| {
            [0, 1].map(|part| pairs.as_chunks::<2>().0.iter().map(|pair| pair[part]).collect())
        })?;
        DynArray::complex_of(re, im, origin.name, origin.place)
    }

    /// The arrays into which `split` divides the elements.
    fn imported<T: Plain, const ARRAYS: usize>(
        self,
        origin: Origin<'_>,
        split: impl Fn(&mut Vec<T>) -> [Vec<T>; ARRAYS],
    ) -> Result<[DynArray; ARRAYS]> {
        let (dtype, fortran) = (self.dtype.part(), self.fortran);
        let runtime = Runtime::current_at(origin.place)?;
        let shape = Shape::new(&self.row_major());
        let begin = |_| runtime.engine().begin_import(dtype, &shape, origin.name, origin.place);
        let imports: [Import<'_>; ARRAYS] = std::array::from_fn(begin);
        self.each_piece(origin, |piece, elements| {
            let mut parts = imports.iter().zip(split(elements));
            parts.try_for_each(|(import, part)| import.put(piece, Arc::new(part)))
        })?;
        Ok(imports.map(|import| {
            let array = DynArray::of_store(&runtime, StoreOwner::new(import.finish()));
            if fortran { array.t() } else { array }
        }))
    }

    /// The extents in the order of the file.
    fn row_major(&self) -> Vec<usize> {
        let mut shape = self.shape.clone();
        if self.fortran {
            shape.reverse();
        }
        shape
    }

    /// Hands on the elements, or what they consist of, piece by piece in the order of the file. The list may be taken.
    fn each_piece<T: Plain>(
        mut self,
        origin: Origin<'_>,
        mut hand_on: impl FnMut(&[Range<usize>], &mut Vec<T>) -> Result<()>,
    ) -> Result<()> {
        let mut elements = Vec::new();
        for piece in pieces(&self.row_major(), self.dtype.size()) {
            let count: usize = piece.iter().map(|span| span.len()).product();
            elements.resize(count * self.dtype.size() / size_of::<T>(), T::default());
            let bytes = elements.bytes_mut();
            self.source.data(bytes).map_err(|malformed| origin.malformed(malformed))?;
            if self.reverse {
                reverse(bytes, self.dtype.part().size());
            }
            hand_on(&piece, &mut elements)?;
        }
        Ok(())
    }
}

/// Turns the bytes of each element of so many around.
fn reverse(bytes: &mut [u8], size: usize) {
    fn each<const SIZE: usize>(bytes: &mut [u8]) {
        bytes.as_chunks_mut::<SIZE>().0.iter_mut().for_each(|element| element.reverse());
    }
    match size {
        2 => each::<2>(bytes),
        4 => each::<4>(bytes),
        8 => each::<8>(bytes),
        _ => debug_assert_eq!(size, 1),
    }
}

/// Writes an array, row-major and in this machine's byte order.
pub fn write(file: &mut dyn Write, array: &DynArray, origin: Origin<'_>) -> Result<()> {
    let header = header(array.dtype(), array.shape());
    file.write_all(&header).map_err(|error| origin.failed(error))?;
    each_piece(array, origin, &mut |bytes| file.write_all(bytes))
}

/// What precedes the elements.
fn header(dtype: DType, shape: &[usize]) -> Vec<u8> {
    let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let shape = format!("({}{comma})", extents.join(", "));
    let code = code::write(dtype);
    let mut text = format!("{{'descr': '{code}', 'fortran_order': False, 'shape': {shape}, }}");
    let start = MAGIC.len() + 4;
    let padded = (start + text.len() + 1).next_multiple_of(ALIGNMENT);
    text.push_str(&" ".repeat(padded - start - text.len() - 1));
    text.push('\n');
    [MAGIC, &[1, 0][..], &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat()
}

/// Reads the header of an array in a file of so many bytes.
pub fn read(file: &mut dyn Read, length: u64) -> std::result::Result<Contents<'_>, Malformed> {
    let mut source = Source { file, at: 0, start: 0, count: 0 };
    let magic = source.bytes(MAGIC.len(), "the magic string")?;
    if magic != MAGIC {
        return Err(Malformed::new(0, "no .npy file: it does not begin with \\x93NUMPY"));
    }
    let version = source.bytes(2, "the version")?;
    let wide = match version[..] {
        [1, 0] => false,
        [2 | 3, 0] => true,
        _ => {
            let reason = format!("version {}.{} is not known", version[0], version[1]);
            return Err(Malformed::new(6, reason));
        }
    };
    let size = source.bytes(if wide { 4 } else { 2 }, "the header's length")?;
    let size = size.iter().rev().fold(0u32, |size, &byte| size << 8 | u32::from(byte));
    if size > LONGEST_HEADER {
        return Err(Malformed::new(8, format!("a header of {size} bytes is too long")));
    }
    let start = source.at;
    let text = source.bytes(size as usize, "the header")?;
    let utf8 = version[0] == 3;
    if let Some(error) = std::str::from_utf8(&text).err().filter(|_| utf8) {
        let at = start + error.valid_up_to() as u64;
        return Err(Malformed::new(at, "the header of a file of version 3.0 is no UTF-8"));
    }
    let header = literal::header(&text, start, !utf8)?;
    let (at, code) = header.code;
    let (dtype, reverse) = code::read(&code).map_err(|reason| Malformed::new(at, reason))?;
    let (at, shape) = header.shape;
    // Extents are below 2^63, so that nothing overflows before the check.
    let large = shape.iter().any(|&extent| i64::try_from(extent).is_err());
    let checked = match large {
        true => Err("an extent that is too large".to_string()),
        false => check_shape(&Shape::new(&shape)).map_err(|kind| kind.to_string()),
    };
    checked.map_err(|reason| Malformed::new(at, reason))?;
    (source.start, source.count) = (source.at, (Shape::new(&shape).size() * dtype.size()) as u64);
    // Memory is taken for what the file has, not for what it says.
    let there = length.saturating_sub(source.at);
    match there < source.count {
        true => Err(source.ends(there)),
        false => Ok(Contents { dtype, shape, fortran: header.fortran, reverse, source }),
    }
}

/// A file and the position in it.
struct Source<'f> {
    file: &'f mut dyn Read,
    at: u64,
    /// Where the data begins, and how many bytes it should have.
    start: u64,
    count: u64,
}

impl Source<'_> {
    /// The next bytes, which are few.
    fn bytes(&mut self, count: usize, what: &str) -> std::result::Result<Vec<u8>, Malformed> {
        let mut bytes = vec![0; count];
        match self.fill(&mut bytes)? < count {
            true => Err(Malformed::new(self.at, format!("the file ends within {what}"))),
            false => Ok(bytes),
        }
    }

    /// The next bytes of the data.
    fn data(&mut self, bytes: &mut [u8]) -> std::result::Result<(), Malformed> {
        match self.fill(bytes)? < bytes.len() {
            // It was longer when its length was asked.
            true => Err(self.ends(self.at - self.start)),
            false => Ok(()),
        }
    }

    /// Behind so many bytes of the data.
    fn ends(&self, found: u64) -> Malformed {
        let reason = format!("the file ends after {found} of {} bytes of data", self.count);
        Malformed::new(self.start + found, reason)
    }

    /// Fills `bytes` as far as the file goes.
    fn fill(&mut self, bytes: &mut [u8]) -> std::result::Result<usize, Malformed> {
        let mut filled = 0;
        while filled < bytes.len() {
            match self.file.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(more) => {
                    filled += more;
                    self.at += more as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Malformed::new(self.at, error.to_string())),
            }
        }
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use darray_core::Place;
    use std::path::Path;

    fn file(version: [u8; 2], header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = [&MAGIC[..], &version].concat();
        match version[0] {
            1 => bytes.extend((header.len() as u16).to_le_bytes()),
            _ => bytes.extend((header.len() as u32).to_le_bytes()),
        }
        [&bytes, header.as_bytes(), data].concat()
    }

    fn plain(shape: &str) -> Vec<u8> {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}");
        file([1, 0], &header, &[0; 48])
    }

    fn origin() -> Origin<'static> {
        Origin { name: "load", path: Path::new("x.npy"), place: Place::caller() }
    }

    fn error(bytes: &[u8]) -> (u64, String) {
        let Err(found) = read(&mut &bytes[..], bytes.len() as u64) else { panic!("an array") };
        (found.offset, found.reason)
    }

    /// The bytes of a file's elements.
    fn bytes_of(contents: Contents<'_>) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        contents.each_piece(origin(), |_, bytes: &mut Vec<u8>| {
            all.append(bytes);
            Ok(())
        })?;
        Ok(all)
    }

    #[test]
    fn what_is_wrong_is_named_with_its_offset() {
        let good = plain("(2, 3)");
        let mut rest = &good[..];
        let contents = read(&mut rest, good.len() as u64).unwrap_or_else(|_| panic!("good"));
        assert_eq!(bytes_of(contents).unwrap().len(), 48);
        let shape_at = 60;
        let mut no_text = file([3, 0], "{'  ", &[]);
        no_text[14] = 0xff;
        let too_long = [&MAGIC[..], &[2, 0], &[255; 4], &[b' '; 100]].concat();
        for (bytes, offset, reason) in [
            (b"PK\x03\x04 a zip file".to_vec(), 0, "no .npy file: it does not begin with"),
            (good[..4].to_vec(), 4, "the file ends within the magic string"),
            (good[..7].to_vec(), 7, "the file ends within the version"),
            (good[..9].to_vec(), 9, "the file ends within the header's length"),
            (good[..50].to_vec(), 50, "the file ends within the header"),
            (good[..90].to_vec(), 90, "the file ends after 23 of 48 bytes of data"),
            (plain("(7,)"), 113, "the file ends after 48 of 56 bytes of data"),
            (file([4, 0], "", &[]), 6, "version 4.0 is not known"),
            (file([1, 1], "", &[]), 6, "version 1.1 is not known"),
            (too_long, 8, "a header of 4294967295 bytes is too long"),
            (no_text, 14, "the header of a file of version 3.0 is no UTF-8"),
            (file([2, 0], "", &[]), 12, "expected `{` in the header, found the end of the header"),
            (plain("(4611686018427387904,)"), shape_at, "too many elements"),
            (plain("(1099511627776, 1099511627776)"), shape_at, "too many elements"),
            (plain("(0, 18446744073709551615)"), shape_at, "an extent that is too large"),
            (plain("(1, 1, 1, 1, 1, 1, 1, 1, 1)"), shape_at, "9 axes, at most 8"),
            (plain("(1099511627776,)"), 125, "the file ends after 48 of 8796093022208 bytes"),
        ] {
            let found = error(&bytes);
            assert!(found.1.starts_with(reason), "{found:?} {reason}");
            assert_eq!(found.0, offset, "{reason}");
        }
    }

    /// Whatever stands in a file, there is an array or an error, and no more memory is taken than
    /// the file has bytes.
    #[test]
    fn broken_files_are_errors() {
        let good = [&header(DType::F64, &[2, 3])[..], &[1; 48]].concat();
        let check = |bytes: &[u8]| match read(&mut &bytes[..], bytes.len() as u64) {
            Ok(contents) => {
                let size = contents.shape.iter().product::<usize>() * contents.dtype.size();
                let found = bytes_of(contents).expect("as many bytes as the file says");
                assert!(found.len() == size && size <= bytes.len());
                true
            }
            Err(malformed) => {
                assert!(malformed.offset <= bytes.len() as u64);
                false
            }
        };
        for end in 0..good.len() {
            assert!(!check(&good[..end]));
        }
        assert!(check(&good));
        for at in 0..good.len() {
            let mut bytes = good.clone();
            for byte in 0..=255 {
                bytes[at] = byte;
                check(&bytes);
            }
            bytes.remove(at);
            check(&bytes);
        }
    }

    #[test]
    fn a_file_that_becomes_shorter_is_an_error() {
        let good = plain("(2, 3)");
        let mut rest = &good[..good.len() - 5];
        let contents = read(&mut rest, good.len() as u64);
        let contents = contents.unwrap_or_else(|_| panic!("the header is good"));
        let error = bytes_of(contents).unwrap_err().to_string();
        let end = good.len() - 5;
        let wanted = format!("load: x.npy: byte {end}: the file ends after 43 of 48 bytes of data");
        assert!(error.starts_with(&wanted), "{error}");
    }
}
