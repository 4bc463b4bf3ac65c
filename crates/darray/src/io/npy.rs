//! The `.npy` format: magic string, version, length of the header, header, data.
//!
//! ```text
//! byte 0   93 4e 55 4d 50 59       "\x93NUMPY"
//!      6   01 00                   version 1.0 (or 2.0, 3.0)
//!      8   76 00                   length of the header: 2 bytes, from version 2.0 on 4
//!     10   {'descr': '<f8', 'fortran_order': False, 'shape': (3,), }   \n
//!    128   data
//! ```

use super::code::Kind;
use super::{Malformed, code, literal};
use crate::DynArray;
use darray_core::{Place, Result, Shape, check_shape};
use std::io::{ErrorKind, Read, Write};

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// The longest header that is read: plain arrays need a few hundred bytes.
const LONGEST_HEADER: u32 = 1 << 16;
/// What precedes the data has a multiple of so many bytes.
const ALIGNMENT: usize = 64;

/// An array as a file has it.
#[derive(Debug)]
pub struct Contents {
    /// What its elements are.
    pub kind: Kind,
    shape: Vec<usize>,
    fortran: bool,
    /// In this machine's byte order.
    bytes: Vec<u8>,
}

impl Contents {
    /// The array of real elements, in the current runtime.
    pub fn into_array(mut self, name: &'static str, place: Place) -> Result<DynArray> {
        let bytes = std::mem::take(&mut self.bytes);
        self.imported(bytes, name, place)
    }

    /// The arrays of the real and of the imaginary parts.
    pub fn into_parts(self, name: &'static str, place: Place) -> Result<[DynArray; 2]> {
        let size = self.kind.part().size();
        let part = |skip: usize| -> Vec<u8> {
            self.bytes.chunks_exact(size).skip(skip).step_by(2).flatten().copied().collect()
        };
        let [re, im] = [part(0), part(1)];
        Ok([self.imported(re, name, place)?, self.imported(im, name, place)?])
    }

    fn imported(&self, bytes: Vec<u8>, name: &'static str, place: Place) -> Result<DynArray> {
        let (dtype, mut shape) = (self.kind.part(), self.shape.clone());
        if !self.fortran {
            return DynArray::import(name, &shape[..], dtype, bytes, place);
        }
        shape.reverse();
        Ok(DynArray::import(name, &shape[..], dtype, bytes, place)?.t())
    }
}

/// Writes an array of row-major elements in this machine's byte order.
pub fn write(
    file: &mut dyn Write,
    kind: Kind,
    shape: &[usize],
    bytes: &[u8],
) -> std::io::Result<()> {
    let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let shape = format!("({}{comma})", extents.join(", "));
    let code = code::write(kind);
    let mut header = format!("{{'descr': '{code}', 'fortran_order': False, 'shape': {shape}, }}");
    let start = MAGIC.len() + 4;
    let padded = (start + header.len() + 1).next_multiple_of(ALIGNMENT);
    header.push_str(&" ".repeat(padded - start - header.len() - 1));
    header.push('\n');
    file.write_all(MAGIC)?;
    file.write_all(&[1, 0])?;
    file.write_all(&(header.len() as u16).to_le_bytes())?;
    file.write_all(header.as_bytes())?;
    file.write_all(bytes)
}

/// Reads an array. `length` is that of the whole file, where it is known.
pub fn read(file: &mut dyn Read, length: Option<u64>) -> std::result::Result<Contents, Malformed> {
    let mut source = Source { file, at: 0 };
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
    let header = literal::header(&text, start)?;
    let (at, code) = header.code;
    let (kind, reverse) = code::read(&code).map_err(|reason| Malformed::new(at, reason))?;
    let (at, shape) = header.shape;
    // Extents are below 2^63, so that nothing overflows before the check.
    let large = shape.iter().any(|&extent| i64::try_from(extent).is_err());
    let checked = match large {
        true => Err("an extent that is too large".to_string()),
        false => check_shape(&Shape::new(&shape)).map_err(|kind| kind.to_string()),
    };
    checked.map_err(|reason| Malformed::new(at, reason))?;
    let size = Shape::new(&shape).size() * kind.size();
    let mut bytes = source.data(size, length)?;
    if reverse {
        bytes.chunks_exact_mut(kind.part().size()).for_each(<[u8]>::reverse);
    }
    Ok(Contents { kind, shape, fortran: header.fortran, bytes })
}

/// A file and the position in it.
struct Source<'f> {
    file: &'f mut dyn Read,
    at: u64,
}

impl Source<'_> {
    /// The next bytes, which are few.
    fn bytes(&mut self, count: usize, what: &str) -> std::result::Result<Vec<u8>, Malformed> {
        let bytes = self.up_to(count, count)?;
        if bytes.len() < count {
            return Err(Malformed::new(self.at, format!("the file ends within {what}")));
        }
        Ok(bytes)
    }

    /// The elements. Memory is taken for what the file has, not for what it says.
    fn data(
        &mut self,
        count: usize,
        length: Option<u64>,
    ) -> std::result::Result<Vec<u8>, Malformed> {
        let there = length.map(|length| length.saturating_sub(self.at));
        let ends = |at, found| {
            Malformed::new(at, format!("the file ends after {found} of {count} bytes of data"))
        };
        if let Some(there) = there.filter(|&there| there < count as u64) {
            return Err(ends(self.at + there, there));
        }
        let start = self.at;
        let bytes = self.up_to(count, if there.is_some() { count } else { count.min(1 << 16) })?;
        match bytes.len() == count {
            true => Ok(bytes),
            false => Err(ends(start + bytes.len() as u64, bytes.len() as u64)),
        }
    }

    fn up_to(&mut self, count: usize, capacity: usize) -> std::result::Result<Vec<u8>, Malformed> {
        let mut bytes = Vec::new();
        let reserved = bytes.try_reserve_exact(capacity);
        let read = reserved.map_err(|_| std::io::Error::from(ErrorKind::OutOfMemory));
        let read = read.and_then(|()| self.file.take(count as u64).read_to_end(&mut bytes));
        self.at += bytes.len() as u64;
        match read {
            Ok(_) => Ok(bytes),
            Err(error) => Err(Malformed::new(self.at, error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use darray_core::DType;

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

    /// With the length of the file known and unknown.
    fn error(bytes: &[u8]) -> (u64, String) {
        let mut known = read(&mut &bytes[..], Some(bytes.len() as u64)).unwrap_err();
        let unknown = read(&mut &bytes[..], None).unwrap_err();
        assert_eq!(known, unknown);
        (known.offset, std::mem::take(&mut known.reason))
    }

    #[test]
    fn what_is_wrong_is_named_with_its_offset() {
        let good = plain("(2, 3)");
        assert_eq!(read(&mut &good[..], None).unwrap().bytes.len(), 48);
        let shape_at = 60;
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
        let mut good = Vec::new();
        write(&mut good, Kind::Real(DType::F64), &[2, 3], &[1; 48]).unwrap();
        let check = |bytes: &[u8]| {
            for length in [Some(bytes.len() as u64), None] {
                match read(&mut &bytes[..], length) {
                    Ok(contents) => {
                        let size: usize = contents.shape.iter().product();
                        assert_eq!(contents.bytes.len(), size * contents.kind.size());
                        assert!(contents.bytes.len() <= bytes.len());
                    }
                    Err(malformed) => assert!(malformed.offset <= bytes.len() as u64),
                }
            }
        };
        for end in 0..good.len() {
            check(&good[..end]);
            assert!(read(&mut &good[..end], Some(end as u64)).is_err());
        }
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
}
