//! What is written to files.

use super::Origin;
use super::pieces::pieces;
use crate::DynArray;
use darray_core::{Chart, Dim, Ix, Map, RealType, Result};
use darray_device::Plain;
use std::io;
use std::ops::Range;

/// The bytes of the elements in row-major order, complex ones with the real part first, in pieces: those that the array has at the
/// beginning, whatever is written to it meanwhile.
pub(super) fn each_piece(
    array: &DynArray,
    origin: Origin<'_>,
    hand_on: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> Result<()> {
    let array = array.snapshot();
    if let Some(parts) = array.parts() {
        return match array.real_type() {
            RealType::F32 => each_pair::<f32>(&parts, origin, hand_on),
            _ => each_pair::<f64>(&parts, origin, hand_on),
        };
    }
    for piece in pieces_of(&array, array.real_type().size()) {
        let bytes: Vec<u8> = read(&array, &piece, origin)?;
        hand_on(&bytes).map_err(|error| origin.failed(error))?;
    }
    Ok(())
}

/// As [`Saved::each_piece`], of complex numbers with parts of `T`.
fn each_pair<T: Plain>(
    parts: &[DynArray; 2],
    origin: Origin<'_>,
    hand_on: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> Result<()> {
    let mut pairs = Vec::new();
    for piece in pieces_of(&parts[0], 2 * size_of::<T>()) {
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
fn pieces_of(array: &DynArray, size: usize) -> Vec<Vec<Range<usize>>> {
    let shape = array.shape();
    match is_in_order(array.view().map()) || shape.contains(&0) {
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
    array.slice(index)?.read_real(origin.name, origin.place)
}
