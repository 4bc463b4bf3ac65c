//! Views by what they do with axes: positions under other axes.

use super::view::range;
use crate::oracle::types::normalise;
use darray::Sections;
use ndarray::{ArrayD, Axis, IxDyn};

/// With new axes of extent 1 at these places of the result.
///
/// # Errors
/// A text when there are no such places.
pub fn expand(positions: &ArrayD<usize>, axes: &[isize]) -> Result<ArrayD<usize>, String> {
    let new = normalise(Some(axes), positions.ndim() + axes.len())?;
    Ok(new.iter().fold(positions.clone(), |seen, axis| seen.insert_axis(Axis(*axis))))
}

/// Without these axes of extent 1, or without any.
///
/// # Errors
/// A text when there are no such axes.
pub fn squeeze(positions: &ArrayD<usize>, axes: Option<&[isize]>) -> Result<ArrayD<usize>, String> {
    let shape = positions.shape();
    let mut gone = normalise(axes, shape.len())?;
    if axes.is_none() {
        gone.retain(|&axis| shape[axis] == 1);
    }
    if gone.iter().any(|&axis| shape[axis] != 1) {
        return Err(format!("axes {axes:?} of {shape:?} are not 1"));
    }
    let last_first = gone.iter().rev();
    Ok(last_first.fold(positions.clone(), |seen, axis| seen.index_axis_move(Axis(*axis), 0)))
}

/// With two axes in each other's place.
///
/// # Errors
/// A text when there are no such axes.
pub fn swap(positions: &ArrayD<usize>, a: isize, b: isize) -> Result<ArrayD<usize>, String> {
    let at = |axis| Ok::<usize, String>(normalise(Some(&[axis]), positions.ndim())?[0]);
    let mut seen = positions.clone();
    seen.swap_axes(at(a)?, at(b)?);
    Ok(seen)
}

/// With axes at other places, the others in order around them: one axis inserted after the other, as
/// NumPy does it.
///
/// # Errors
/// A text when there are no such axes or places.
pub fn moved(
    positions: &ArrayD<usize>,
    from: &[isize],
    to: &[isize],
) -> Result<ArrayD<usize>, String> {
    let rank = positions.ndim();
    if from.len() != to.len() {
        return Err(format!("{from:?} to {to:?}"));
    }
    let sources = normalise(Some(from), rank)?;
    let mut order: Vec<usize> = (0..rank).filter(|axis| !sources.contains(axis)).collect();
    let from_start = |axis: isize| if axis < 0 { axis + rank as isize } else { axis } as usize;
    for place in normalise(Some(to), rank)? {
        let k = to.iter().position(|&axis| from_start(axis) == place).expect("one of the places");
        order.insert(place, from_start(from[k]));
    }
    Ok(positions.clone().permuted_axes(IxDyn(&order)))
}

/// In reverse order along these axes, or all.
///
/// # Errors
/// A text when there are no such axes.
pub fn flip(positions: &ArrayD<usize>, axes: Option<&[isize]>) -> Result<ArrayD<usize>, String> {
    let mut seen = positions.clone();
    normalise(axes, positions.ndim())?.iter().for_each(|&axis| seen.invert_axis(Axis(axis)));
    Ok(seen)
}

/// A part of an array that is cut along an axis.
///
/// # Errors
/// A text when there is no such part.
pub fn part(
    positions: &ArrayD<usize>,
    sections: &Sections,
    unequal: bool,
    axis: isize,
    part: usize,
) -> Result<ArrayD<usize>, String> {
    let axis = normalise(Some(&[axis]), positions.ndim())?[0];
    let extent = positions.shape()[axis];
    let indices: Vec<usize> = match sections {
        Sections::Count(count) if part >= *count => return Err(format!("part {part} of {count}")),
        Sections::Count(count) if !unequal && !extent.is_multiple_of(*count) => {
            return Err(format!("{extent} does not divide into {count}"));
        }
        Sections::Count(count) => {
            // The parts take turns in growing by 1.
            let mut lengths = vec![0; *count];
            (0..extent).for_each(|at| lengths[at % count] += 1);
            let start: usize = lengths[..part].iter().sum();
            (start..start + lengths[part]).collect()
        }
        Sections::At(indices) if part > indices.len() => return Err(format!("part {part}")),
        Sections::At(indices) => {
            let start = part.checked_sub(1).map(|before| indices[before]);
            range(start, indices.get(part).copied(), 1, extent)
        }
    };
    Ok(positions.select(Axis(axis), &indices))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::shape::view::whole;

    #[test]
    fn axes_come_and_go_and_change_places() {
        let base = whole(&[2, 1, 3]);
        let shape = |seen: Result<ArrayD<usize>, String>| seen.map(|seen| seen.shape().to_vec());
        assert_eq!(shape(expand(&base, &[0, -1])), Ok(vec![1, 2, 1, 3, 1]));
        assert_eq!(shape(squeeze(&base, None)), Ok(vec![2, 3]));
        assert!(squeeze(&base, Some(&[0])).is_err());
        assert_eq!(shape(swap(&base, 0, -1)), Ok(vec![3, 1, 2]));
        assert_eq!(shape(moved(&base, &[0], &[-1])), Ok(vec![1, 3, 2]));
        assert_eq!(shape(moved(&base, &[0, 1], &[-1, 0])), Ok(vec![1, 3, 2]));
        let reversed = flip(&base, None).expect("all axes");
        assert_eq!(reversed.into_iter().collect::<Vec<_>>(), [5, 4, 3, 2, 1, 0]);
    }

    #[test]
    fn parts_follow_each_other() {
        let base = whole(&[5]);
        let part = |sections: Sections, unequal, k| {
            Ok::<Vec<usize>, String>(part(&base, &sections, unequal, 0, k)?.into_iter().collect())
        };
        assert_eq!(part(Sections::Count(3), true, 1), Ok(vec![2, 3]));
        assert!(part(Sections::Count(3), false, 1).is_err());
        assert_eq!(part(Sections::At(vec![1, -1]), false, 1), Ok(vec![1, 2, 3]));
        assert_eq!(part(Sections::At(vec![1, -1]), false, 2), Ok(vec![4]));
        assert!(part(Sections::At(vec![1]), false, 2).is_err());
    }
}
