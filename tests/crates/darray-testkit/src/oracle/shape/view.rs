//! NumPy's views, as arrays of positions in the storage.
//!
//! A view holds, for each of its elements, the position of that element in the flat storage. Every
//! way of viewing is then an ordinary ndarray operation on positions.

use super::axes;
use crate::program::{Index, View};
use ndarray::{ArrayD, Axis, Dimension, IxDyn};

/// The positions of a new array of this shape.
pub fn whole(shape: &[usize]) -> ArrayD<usize> {
    let size = shape.iter().product();
    ArrayD::from_shape_vec(IxDyn(shape), (0..size).collect()).expect("as many as the shape holds")
}

/// The positions seen through `view`, and whether they alias; a reshape that no strides express
/// is the one view that does not.
///
/// # Errors
/// A text when the view does not fit the shape.
pub fn see(positions: &ArrayD<usize>, view: &View) -> Result<(ArrayD<usize>, bool), String> {
    let shape = positions.shape();
    match view {
        View::Slice(items) => Ok((slice(positions, items)?, true)),
        View::Transpose => Ok((positions.clone().reversed_axes(), true)),
        View::Permute(order) | View::Reorder(Some(order)) => Ok((permute(positions, order)?, true)),
        View::Reorder(None) => Ok((positions.clone().reversed_axes(), true)),
        View::Broadcast(to) => match positions.broadcast(IxDyn(to)) {
            Some(view) => Ok((view.to_owned(), true)),
            None => Err(format!("{shape:?} does not broadcast to {to:?}")),
        },
        View::Diagonal { offset, rows, columns } => {
            Ok((diagonal(positions, *offset, *rows, *columns)?, true))
        }
        View::Diag(offset) if shape.len() == 2 => Ok((diagonal(positions, *offset, 0, 1)?, true)),
        View::Diag(_) => Err(format!("the diagonal of {shape:?}")),
        View::Alias => Ok((positions.clone(), true)),
        View::ExpandDims(new) => Ok((axes::expand(positions, new)?, true)),
        View::Squeeze(gone) => Ok((axes::squeeze(positions, gone.as_deref())?, true)),
        View::SwapAxes(a, b) => Ok((axes::swap(positions, *a, *b)?, true)),
        View::MoveAxis(from, to) => Ok((axes::moved(positions, from, to)?, true)),
        View::Flip(along) => Ok((axes::flip(positions, along.as_deref())?, true)),
        View::Part { sections, unequal, axis, part } => {
            Ok((axes::part(positions, sections, *unequal, *axis, *part)?, true))
        }
        View::Ravel => see(positions, &View::Reshape(vec![positions.len()])),
        View::Reshape(to) => {
            if shape.iter().product::<usize>() != to.iter().product::<usize>() {
                return Err(format!("{shape:?} does not reshape to {to:?}"));
            }
            let aliases = strides_express(positions, to);
            let flat: Vec<usize> = positions.iter().copied().collect();
            Ok((ArrayD::from_shape_vec(IxDyn(to), flat).expect("equal sizes"), aliases))
        }
    }
}

fn permute(positions: &ArrayD<usize>, order: &[isize]) -> Result<ArrayD<usize>, String> {
    let shape = positions.shape();
    let rank = shape.len() as isize;
    let from_start = |axis: &isize| if *axis < 0 { axis + rank } else { *axis };
    let order: Vec<usize> = order.iter().map(|a| from_start(a) as usize).collect();
    let mut sorted = order.clone();
    sorted.sort();
    if !sorted.into_iter().eq(0..shape.len()) {
        return Err(format!("{order:?} does not permute {shape:?}"));
    }
    Ok(positions.clone().permuted_axes(IxDyn(&order)))
}

/// The shape to which two shapes broadcast.
pub fn broadcast(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let rank = a.len().max(b.len());
    let extent = |shape: &[usize], axis: usize| {
        (axis + shape.len()).checked_sub(rank).map_or(1, |axis| shape[axis])
    };
    (0..rank)
        .map(|axis| match (extent(a, axis), extent(b, axis)) {
            (m, n) if m == n => Some(m),
            (1, n) => Some(n),
            (m, 1) => Some(m),
            _ => None,
        })
        .collect()
}

/// `len(range(*slice(start, stop, step).indices(extent)))` and where it starts, as Python says.
pub fn range(start: Option<isize>, stop: Option<isize>, step: isize, extent: usize) -> Vec<usize> {
    let n = extent as isize;
    let (low, high) = if step > 0 { (0, n) } else { (-1, n - 1) };
    let clamp = |bound: isize| (if bound < 0 { bound + n } else { bound }).clamp(low, high);
    let mut at = start.map_or(if step > 0 { low } else { high }, clamp);
    let end = stop.map_or(if step > 0 { high } else { low }, clamp);
    let mut indices = Vec::new();
    while if step > 0 { at < end } else { at > end } {
        indices.push(at as usize);
        at += step;
    }
    indices
}

fn slice(positions: &ArrayD<usize>, items: &[Index]) -> Result<ArrayD<usize>, String> {
    let consumed = |i: &&Index| matches!(i, Index::At(_) | Index::Range { .. });
    let named = items.iter().filter(consumed).count();
    if named > positions.ndim() {
        return Err(format!("{named} indices for rank {}", positions.ndim()));
    }
    let rest = positions.ndim() - named;
    let (mut out, mut axis) = (positions.clone(), 0);
    for item in items {
        match *item {
            Index::Ellipsis => axis += rest,
            Index::NewAxis => {
                out = out.insert_axis(Axis(axis));
                axis += 1;
            }
            Index::At(at) => {
                let extent = out.shape()[axis] as isize;
                let from_start = if at < 0 { at + extent } else { at };
                if !(0..extent).contains(&from_start) {
                    return Err(format!("index {at} for extent {extent}"));
                }
                out = out.index_axis_move(Axis(axis), from_start as usize);
            }
            Index::Range { step: 0, .. } => return Err("step 0".to_string()),
            Index::Range { start, stop, step } => {
                out = out.select(Axis(axis), &range(start, stop, step, out.shape()[axis]));
                axis += 1;
            }
        }
    }
    Ok(out)
}

/// `[.., i, i + offset]` of two axes, as the last axis.
fn diagonal(
    positions: &ArrayD<usize>,
    offset: isize,
    rows: isize,
    columns: isize,
) -> Result<ArrayD<usize>, String> {
    let rank = positions.ndim() as isize;
    let from_start = |axis: isize| if axis < 0 { axis + rank } else { axis };
    let (rows, columns) = (from_start(rows), from_start(columns));
    if rows == columns || !(0..rank).contains(&rows) || !(0..rank).contains(&columns) {
        return Err(format!("axes {rows} and {columns} of rank {rank}"));
    }
    let others = (0..rank as usize).filter(|a| ![rows, columns].contains(&(*a as isize)));
    let order: Vec<usize> = others.chain([rows as usize, columns as usize]).collect();
    let ordered = positions.view().permuted_axes(IxDyn(&order));
    let (outer, plane) = ordered.shape().split_at(rank as usize - 2);
    let length = (0..plane[0] as isize).filter(|i| (0..plane[1] as isize).contains(&(i + offset)));
    let length = length.count();
    let mut shape = outer.to_vec();
    shape.push(length);
    let (down, right) = ((-offset).max(0) as usize, offset.max(0) as usize);
    Ok(ArrayD::from_shape_fn(IxDyn(&shape), |at| {
        let (last, outer) = at.slice().split_last().expect("an axis for the diagonal");
        let index: Vec<usize> = outer.iter().copied().chain([down + last, right + last]).collect();
        ordered[IxDyn(&index)]
    }))
}

/// Whether strides over the storage can express the reshape (NumPy's no-copy rule): each group of
/// old axes that becomes a group of new ones is contiguous in itself.
fn strides_express(positions: &ArrayD<usize>, to: &[usize]) -> bool {
    if positions.is_empty() {
        return true;
    }
    // Axes of extent 1 have no stride to agree with.
    let old: Vec<(usize, isize)> = (0..positions.ndim())
        .filter(|&axis| positions.shape()[axis] > 1)
        .map(|axis| (positions.shape()[axis], stride(positions, axis)))
        .collect();
    let new: Vec<usize> = to.iter().copied().filter(|&n| n > 1).collect();
    let (mut i, mut j) = (0, 0);
    while i < old.len() {
        let first = i;
        let (mut have, mut want) = (old[i].0, new[j]);
        while have != want {
            if have < want {
                i += 1;
                have *= old[i].0;
            } else {
                j += 1;
                want *= new[j];
            }
        }
        let contiguous = |k: usize| old[k].1 == old[k + 1].1 * old[k + 1].0 as isize;
        if !(first..i).all(contiguous) {
            return false;
        }
        (i, j) = (i + 1, j + 1);
    }
    true
}

fn stride(positions: &ArrayD<usize>, axis: usize) -> isize {
    let mut at = vec![0; positions.ndim()];
    let origin = positions[IxDyn(&at)] as isize;
    at[axis] = 1;
    positions[IxDyn(&at)] as isize - origin
}

#[cfg(test)]
mod tests {
    use super::{broadcast, range, see, whole};
    use crate::program::{Index, View};

    #[test]
    fn ranges_are_pythons() {
        assert_eq!(range(None, None, -2, 5), [4, 2, 0]);
        assert_eq!(range(Some(-2), None, 1, 5), [3, 4]);
        assert_eq!(range(Some(5), Some(0), -1, 5), [4, 3, 2, 1]);
        assert_eq!(range(Some(3), Some(1), 1, 5), []);
        assert_eq!(range(Some(-9), Some(9), 3, 5), [0, 3]);
        assert_eq!(range(Some(1), Some(-9), -1, 5), [1, 0]);
    }

    #[test]
    fn shapes_broadcast_from_the_right() {
        assert_eq!(broadcast(&[3, 1], &[4]), Some(vec![3, 4]));
        assert_eq!(broadcast(&[], &[0]), Some(vec![0]));
        assert_eq!(broadcast(&[2], &[3]), None);
    }

    #[test]
    fn diagonals_run_through_two_axes() {
        let base = whole(&[2, 3, 2]);
        let diagonal = |offset, rows, columns| {
            let (seen, aliases) = see(&base, &View::Diagonal { offset, rows, columns })?;
            assert!(aliases);
            Ok::<_, String>((seen.shape().to_vec(), seen.into_iter().collect::<Vec<_>>()))
        };
        assert_eq!(diagonal(0, 1, 2), Ok((vec![2, 2], vec![0, 3, 6, 9])));
        assert_eq!(diagonal(-1, 1, 0), Ok((vec![2, 2], vec![2, 10, 3, 11])));
        assert_eq!(diagonal(5, 0, -1), Ok((vec![3, 0], vec![])));
        assert!(diagonal(0, 1, -2).is_err());
    }

    #[test]
    fn reshapes_alias_exactly_where_strides_express_them() {
        let base = whole(&[4, 6]);
        let reshaped = |view: View, to: &[usize]| {
            let (seen, _) = see(&base, &view).expect("valid");
            see(&seen, &View::Reshape(to.to_vec())).expect("valid").1
        };
        let all = Index::Range { start: None, stop: None, step: 1 };
        let odd = Index::Range { start: None, stop: None, step: -2 };
        assert!(reshaped(View::Slice(vec![]), &[2, 2, 6]));
        assert!(reshaped(View::Slice(vec![odd]), &[2, 2, 3]));
        assert!(!reshaped(View::Slice(vec![odd]), &[12]));
        assert!(!reshaped(View::Slice(vec![all, odd]), &[12]));
        let even = Index::Range { start: None, stop: None, step: 2 };
        assert!(reshaped(View::Slice(vec![all, even]), &[12]));
        assert!(reshaped(View::Slice(vec![Index::At(1), odd]), &[3, 1]));
        assert!(!reshaped(View::Transpose, &[24]));
        assert!(reshaped(View::Transpose, &[3, 2, 4]));
        assert!(!reshaped(View::Broadcast(vec![2, 4, 6]), &[48]));
    }
}
