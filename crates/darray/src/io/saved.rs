//! What is written to files.

use super::Origin;
use super::code::Kind;
use super::pieces::pieces;
use crate::{ComplexArray, ComplexPart, DArray, DynArray, Element};
use darray_core::{Chart, DType, Dim, Ix, Map, Result};
use darray_device::Plain;
use std::io;
use std::ops::Range;

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

    #[cfg(feature = "npz")]
    /// Bytes of all elements.
    pub(super) fn size(&self) -> usize {
        self.shape().iter().product::<usize>() * self.kind().size()
    }

    /// Hands on the elements in row-major order, the parts of complex ones as pairs, piece by piece.
    pub(super) fn each_piece(
        &self,
        origin: Origin<'_>,
        hand_on: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<()> {
        match self.0 {
            Parts::Real(array) => {
                let array = array.snapshot();
                for piece in pieces_of([&array], array.dtype().size()) {
                    let bytes: Vec<u8> = read(&array, &piece, origin)?;
                    hand_on(&bytes).map_err(|error| origin.failed(error))?;
                }
                Ok(())
            }
            Parts::Complex(re, im) if re.dtype() == DType::F32 => {
                each_pair::<f32>([re, im], origin, hand_on)
            }
            Parts::Complex(re, im) => each_pair::<f64>([re, im], origin, hand_on),
        }
    }
}

/// As [`Saved::each_piece`], of complex numbers with parts of `T`.
fn each_pair<T: Plain>(
    parts: [&DynArray; 2],
    origin: Origin<'_>,
    hand_on: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> Result<()> {
    let parts = parts.map(DynArray::snapshot);
    let mut pairs = Vec::new();
    for piece in pieces_of([&parts[0], &parts[1]], 2 * size_of::<T>()) {
        let (re, im): (Vec<T>, Vec<T>) =
            (read(&parts[0], &piece, origin)?, read(&parts[1], &piece, origin)?);
        pairs.resize(2 * re.len(), T::default());
        let parts = re.iter().zip(&im);
        for (pair, (&re, &im)) in pairs.as_chunks_mut::<2>().0.iter_mut().zip(parts) {
            *pair = [re, im];
        }
        hand_on(T::bytes_of(&pairs)).map_err(|error| origin.failed(error))?;
    }
    Ok(())
}

/// The pieces in which arrays of one shape are read. One that lies in another order, as a transpose does, is read whole: each of
/// its pieces would go through all of its memory.
fn pieces_of<const COUNT: usize>(
    arrays: [&DynArray; COUNT],
    size: usize,
) -> Vec<Vec<Range<usize>>> {
    let shape = arrays[0].shape();
    match arrays.iter().all(|array| is_in_order(array.view().map())) || shape.contains(&0) {
        true => pieces(shape, size).collect(),
        false => vec![shape.iter().map(|&extent| 0..extent).collect()],
    }
}

/// Whether no axis goes further in memory than one before it.
fn is_in_order(map: &Map) -> bool {
    let along = |dim: &Dim| Some((dim.axis?, dim.step.unsigned_abs()));
    let mut steps: Vec<(u8, u64)> = map.dims.iter().filter_map(along).collect();
    match map.chart {
        Chart::Native => steps.is_sorted_by_key(|(axis, _)| *axis),
        Chart::Linear => {
            steps.sort_unstable();
            steps.is_sorted_by_key(|(_, step)| std::cmp::Reverse(*step))
        }
    }
}

fn read<T: Plain>(array: &DynArray, piece: &[Range<usize>], origin: Origin<'_>) -> Result<Vec<T>> {
    let span = |span: &Range<usize>| Ix::from(span.start as isize..span.end as isize);
    let index: Vec<Ix> = piece.iter().map(span).collect();
    array.slice(index)?.read(origin.name, origin.place)
}
