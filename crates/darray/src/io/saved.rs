//! What is written to files.

use super::code::Kind;
use crate::{ComplexArray, ComplexPart, DArray, DynArray, Element};
use darray_core::{DType, Place, Result};

/// An array to be written to a file: a [`DynArray`], [`DArray`] or [`ComplexArray`].
///
/// ```
/// use darray::{Archive, ComplexArray, DArray, Saved};
/// # let path = std::env::temp_dir().join(format!("darray-saved-{}.npz", std::process::id()));
/// let (x, z) = (DArray::<f64>::ones(2), ComplexArray::<f64>::zeros(3));
/// Archive::save(&path, &[("x", Saved::from(&x)), ("z", Saved::from(&z))]).unwrap();
/// # std::fs::remove_file(path).unwrap();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Saved<'a>(Parts<'a>);

#[derive(Clone, Copy, Debug)]
enum Parts<'a> {
    Real(&'a DynArray),
    /// The real and the imaginary parts.
    Complex(&'a DynArray, &'a DynArray),
}

impl<'a> From<&'a DynArray> for Saved<'a> {
    fn from(array: &'a DynArray) -> Saved<'a> {
        Saved(Parts::Real(array))
    }
}

impl<'a, T: Element> From<&'a DArray<T>> for Saved<'a> {
    fn from(array: &'a DArray<T>) -> Saved<'a> {
        Saved(Parts::Real(array.as_dyn()))
    }
}

impl<'a, T: ComplexPart> From<&'a ComplexArray<T>> for Saved<'a> {
    fn from(array: &'a ComplexArray<T>) -> Saved<'a> {
        let [re, im] = array.untyped();
        Saved(Parts::Complex(re, im))
    }
}

impl Saved<'_> {
    pub(super) fn kind(&self) -> Kind {
        match self.0 {
            Parts::Real(array) => Kind::Real(array.dtype()),
            Parts::Complex(re, _) => Kind::Complex(re.dtype()),
        }
    }

    pub(super) fn shape(&self) -> &[usize] {
        match self.0 {
            Parts::Real(array) | Parts::Complex(array, _) => array.shape(),
        }
    }

    /// The elements in row-major order, the parts of complex ones as pairs.
    pub(super) fn bytes(&self, name: &'static str, place: Place) -> Result<Vec<u8>> {
        match self.0 {
            Parts::Real(array) => array.read(name, place),
            Parts::Complex(re, im) => {
                Ok(paired(re.dtype(), &re.read::<u8>(name, place)?, &im.read::<u8>(name, place)?))
            }
        }
    }
}

/// Elements of one list and those of the other by turns.
fn paired(dtype: DType, first: &[u8], second: &[u8]) -> Vec<u8> {
    let size = dtype.size();
    let pairs = first.chunks_exact(size).zip(second.chunks_exact(size));
    pairs.flat_map(|(first, second)| [first, second]).flatten().copied().collect()
}
