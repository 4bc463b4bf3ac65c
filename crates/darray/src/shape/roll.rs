//! Elements moved along axes and around their ends: one copy per piece.

use crate::array::axes::resolve_one;
use crate::error::expect_at_caller;
use crate::{Axes, DArray, DynArray, Element};
use darray_core::{Error, ErrorKind, Place, Result};
use smallvec::SmallVec;
use std::ops::Range;

/// By how much [`roll`](DArray::roll) moves: the same along every axis, or one number per axis.
///
/// ```
/// use darray::DArray;
/// let x = DArray::<i64>::arange(4).reshape((2, 2));
/// assert_eq!(x.roll([1, 1], [0, 1]).to_vec(), x.roll(1, [0, 1]).to_vec());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shifts(SmallVec<[isize; 4]>);

impl From<&[isize]> for Shifts {
    fn from(shifts: &[isize]) -> Shifts {
        Shifts(shifts.into())
    }
}

macro_rules! shift_types {
    ($($t:ty)*) => { $(
        impl From<$t> for Shifts {
            fn from(shift: $t) -> Shifts {
                Shifts::from(&[shift as isize][..])
            }
        }
        impl<const N: usize> From<[$t; N]> for Shifts {
            fn from(shifts: [$t; N]) -> Shifts {
                Shifts::from(&shifts.map(|s| s as isize)[..])
            }
        }
    )* };
}

shift_types!(i32 isize);

impl DynArray {
    /// The elements moved along axes, those beyond an end coming in at the other; with `..` along
    /// the row-major order. Two copies per moved axis, multiplied.
    ///
    /// Errors: an axis out of range; not as many shifts as axes.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::arange(4)).roll(1, 0).unwrap();
    /// assert_eq!(DArray::<i64>::try_from(x).unwrap().to_vec(), [3, 0, 1, 2]);
    /// ```
    #[track_caller]
    pub fn roll(&self, shifts: impl Into<Shifts>, axes: impl Into<Axes>) -> Result<DynArray> {
        let (name, place) = ("roll", Place::caller());
        let (shifts, axes) = (shifts.into().0, axes.into());
        let Some(list) = axes.list() else {
            let flat = self.ravel_as(name, place)?;
            let result = DynArray::allocate(self.runtime(), self.dtype(), self.shape_of());
            let total = shifts.iter().fold(0, |sum, s| add(sum, *s, flat.shape()[0]));
            rolled(&flat, &result.ravel_as(name, place)?, &[total], name, place)?;
            return Ok(result);
        };
        let error = |kind| Error::new(name, kind, place);
        if list.len() != shifts.len() && list.len() != 1 && shifts.len() != 1 {
            let message = format!("{} shifts for {} axes", shifts.len(), list.len());
            return Err(error(ErrorKind::Index { message, shape: self.shape_of().clone() }));
        }
        let mut totals: SmallVec<[usize; 8]> = SmallVec::from_elem(0, self.shape().len());
        // Either of them may be one for all of the other, which may be none.
        let count = if list.len() == 1 { shifts.len() } else { list.len() };
        for k in 0..count {
            let axis = list[k.min(list.len() - 1)];
            let axis = resolve_one(axis, self.shape_of()).map_err(error)?;
            totals[axis] = add(totals[axis], shifts[k.min(shifts.len() - 1)], self.shape()[axis]);
        }
        let result = DynArray::allocate(self.runtime(), self.dtype(), self.shape_of());
        rolled(self, &result, &totals, name, place)?;
        Ok(result)
    }
}

/// Another shift, around the end of an axis.
fn add(total: usize, shift: isize, extent: usize) -> usize {
    match extent {
        0 => 0,
        n => (total + shift.rem_euclid(n as isize) as usize) % n,
    }
}

/// Copies the pieces that stay together, each to its place.
fn rolled(
    from: &DynArray,
    to: &DynArray,
    shifts: &[usize],
    name: &'static str,
    place: Place,
) -> Result<()> {
    // Pairs of a source and its destination, a range per axis.
    let mut pieces: Vec<[SmallVec<[Range<usize>; 4]>; 2]> = vec![Default::default()];
    for (&extent, &shift) in from.shape().iter().zip(shifts) {
        let stays = (0..extent - shift, shift..extent);
        let comes = (extent - shift..extent, 0..shift);
        let along = if shift == 0 { vec![stays] } else { vec![stays, comes] };
        let split = |piece: [SmallVec<[Range<usize>; 4]>; 2]| {
            let along = along.clone();
            along.into_iter().map(move |(source, destination)| {
                let mut piece = piece.clone();
                piece[0].push(source);
                piece[1].push(destination);
                piece
            })
        };
        pieces = pieces.into_iter().flat_map(split).collect();
    }
    for [source, destination] in pieces {
        let source = from.block(&source)?;
        to.block(&destination)?.assign_as((&source).into(), name, place)?;
    }
    Ok(())
}

/// # Rotation along axes
impl<T: Element> DArray<T> {
    /// The elements moved along axes, those beyond an end coming in at the other; with `..` along
    /// the row-major order. Two copies per moved axis, multiplied.
    ///
    /// # Panics
    ///
    /// If an axis is out of range, or there are not as many shifts as axes.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<i64>::arange(6).reshape((2, 3));
    /// assert_eq!(x.roll(1, 1).to_vec(), [2, 0, 1, 5, 3, 4]);
    /// assert_eq!(x.roll(-1, ..).to_vec(), [1, 2, 3, 4, 5, 0]);
    /// ```
    #[track_caller]
    pub fn roll(&self, shifts: impl Into<Shifts>, axes: impl Into<Axes>) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().roll(shifts, axes)))
    }
}
