//! Copies under other shapes, element by element.

use crate::oracle::cell::{Cell, Value};
use crate::oracle::types::normalise;
use crate::program::{Arrangement, Border};
use darray_core::RealType;
use ndarray::{ArrayD, ArrayViewD, Axis, Dimension, IxDyn};

/// What the arrangement makes of arrays of type `dtype`.
///
/// # Errors
/// A text when the arrays do not fit it.
pub fn arrange(
    arrays: &[ArrayD<Cell>],
    dtype: RealType,
    how: &Arrangement,
) -> Result<ArrayD<Cell>, String> {
    let views: Vec<_> = arrays.iter().map(|array| array.view()).collect();
    let first = arrays.first().ok_or("no arrays")?;
    let (shape, rank) = (first.shape().to_vec(), first.ndim());
    let exact = |value: i64| Cell::exact(Value::whole(value).cast(dtype));
    match how {
        Arrangement::Concatenate(None) => {
            let all: Vec<Cell> = arrays.iter().flatten().copied().collect();
            Ok(made(&[all.len()], |at| all[at[0]]))
        }
        Arrangement::Concatenate(Some(axis)) => {
            let axis = from_start(*axis, rank)?;
            ndarray::concatenate(Axis(axis), &views).map_err(|e| e.to_string())
        }
        Arrangement::Vstack => {
            let rows = views.iter().map(|v| raised(v.clone(), 2)).collect::<Vec<_>>();
            ndarray::concatenate(Axis(0), &rows).map_err(|e| e.to_string())
        }
        Arrangement::Hstack => {
            let lines = views.iter().map(|v| raised(v.clone(), 1)).collect::<Vec<_>>();
            let axis = Axis(usize::from(lines[0].ndim() > 1));
            ndarray::concatenate(axis, &lines).map_err(|e| e.to_string())
        }
        Arrangement::Stack(axis) => {
            let axis = from_start(*axis, rank + 1)?;
            ndarray::stack(Axis(axis), &views).map_err(|e| e.to_string())
        }
        Arrangement::Repeat { count, axes: None } => {
            let flat: Vec<Cell> = first.iter().copied().collect();
            Ok(made(&[flat.len() * count], |at| flat[at[0] / count]))
        }
        Arrangement::Repeat { count, axes: Some(axes) } => {
            let axes = normalise(Some(axes), rank)?;
            let mut wide = shape;
            axes.iter().for_each(|&axis| wide[axis] *= count);
            Ok(made(&wide, |at| {
                let mut at = at.to_vec();
                axes.iter().for_each(|&axis| at[axis] /= count);
                first[IxDyn(&at)]
            }))
        }
        Arrangement::Tile(counts) => {
            let wide = rank.max(counts.len());
            let extent = |k: usize| (k + rank).checked_sub(wide).map_or(1, |axis| shape[axis]);
            let count = |k: usize| (k + counts.len()).checked_sub(wide).map_or(1, |i| counts[i]);
            let tiled: Vec<usize> = (0..wide).map(|k| extent(k) * count(k)).collect();
            Ok(made(&tiled, |at| {
                let at: Vec<usize> = (wide - rank..wide).map(|k| at[k] % extent(k)).collect();
                first[IxDyn(&at)]
            }))
        }
        Arrangement::Roll { shifts, axes: None } => {
            let flat: Vec<Cell> = first.iter().copied().collect();
            let (n, by) = (flat.len() as isize, shifts.iter().sum::<isize>());
            let rolled = (0..n).map(|at| flat[(at - by).rem_euclid(n) as usize]).collect();
            Ok(ArrayD::from_shape_vec(IxDyn(&shape), rolled).expect("as many as before"))
        }
        Arrangement::Roll { shifts, axes: Some(axes) } => {
            // One shift goes along all axes, several along one axis add up.
            let steps = match (&shifts[..], &axes[..]) {
                (&[shift], axes) => axes.iter().map(|&axis| (axis, shift)).collect(),
                (shifts, &[axis]) => shifts.iter().map(|&shift| (axis, shift)).collect(),
                (shifts, axes) if shifts.len() == axes.len() => {
                    axes.iter().copied().zip(shifts.iter().copied()).collect::<Vec<_>>()
                }
                _ => return Err(format!("{} shifts for {} axes", shifts.len(), axes.len())),
            };
            let mut rolled = first.clone();
            for (axis, shift) in steps {
                let axis = from_start(axis, rank)?;
                let n = shape[axis] as isize;
                rolled = made(&shape, |at| {
                    let mut at = at.to_vec();
                    at[axis] = (at[axis] as isize - shift).rem_euclid(n) as usize;
                    rolled[IxDyn(&at)]
                });
            }
            Ok(rolled)
        }
        Arrangement::Pad { widths, border } => {
            if widths.len() != rank {
                return Err(format!("{} widths for rank {rank}", widths.len()));
            }
            let bordered = |axis: usize| widths[axis].0 + widths[axis].1 > 0;
            let empty = (0..rank).any(|axis| shape[axis] == 0 && bordered(axis));
            if empty && !matches!(border, Border::Constant(_)) {
                return Err("a border beside nothing".to_string());
            }
            let wide: Vec<usize> =
                (0..rank).map(|a| shape[a] + widths[a].0 + widths[a].1).collect();
            Ok(made(&wide, |at| {
                let source =
                    |a: usize| inside(at[a] as isize - widths[a].0 as isize, shape[a], *border);
                let index: Option<Vec<usize>> = (0..rank).map(source).collect();
                match (index, border) {
                    (Some(index), _) => first[IxDyn(&index)],
                    (None, Border::Constant(value)) => exact(*value),
                    (None, _) => unreachable!("other borders have a source"),
                }
            }))
        }
        Arrangement::Triangle { offset, lower } => {
            // A line is the row of a square.
            let shape = match shape[..] {
                [] => return Err("a triangle of no axis".to_string()),
                [count] => vec![count; 2],
                _ => shape,
            };
            Ok(made(&shape, |at| {
                let (row, column) = (at[shape.len() - 2], at[shape.len() - 1]);
                let above = column as isize - row as isize - offset;
                let stays = if *lower { above <= 0 } else { above >= 0 };
                if stays { first[IxDyn(&at[at.len() - rank..])] } else { exact(0) }
            }))
        }
        Arrangement::Diag(offset) => {
            let [count] = shape[..] else { return Err(format!("a diagonal of rank {rank}")) };
            let (extent, down) = (count + offset.unsigned_abs(), (-offset).max(0) as usize);
            Ok(made(&[extent; 2], |at| {
                let diagonal = at[0] as isize + offset == at[1] as isize;
                if diagonal { first[IxDyn(&[at[0] - down])] } else { exact(0) }
            }))
        }
        Arrangement::Flatten => {
            let flat: Vec<Cell> = first.iter().copied().collect();
            Ok(made(&[flat.len()], |at| flat[at[0]]))
        }
        Arrangement::Copy => Ok(first.clone()),
    }
}

/// With as many axes of extent 1 in front as make `least` axes.
fn raised(mut view: ArrayViewD<'_, Cell>, least: usize) -> ArrayViewD<'_, Cell> {
    while view.ndim() < least {
        view = view.insert_axis(Axis(0));
    }
    view
}

/// The index of the array's axis whose element a border or the inside holds at `at`, one step at a
/// time.
fn inside(mut at: isize, extent: usize, border: Border) -> Option<usize> {
    let n = extent as isize;
    while !(0..n).contains(&at) {
        at = match border {
            Border::Constant(_) => return None,
            Border::Edge => at.clamp(0, n - 1),
            Border::Reflect if n == 1 => 0,
            Border::Reflect if at < 0 => -at,
            Border::Reflect => 2 * (n - 1) - at,
            Border::Symmetric if at < 0 => -1 - at,
            Border::Symmetric => 2 * n - 1 - at,
            Border::Wrap if at < 0 => at + n,
            Border::Wrap => at - n,
        };
    }
    Some(at as usize)
}

fn made(shape: &[usize], cell: impl Fn(&[usize]) -> Cell) -> ArrayD<Cell> {
    ArrayD::from_shape_fn(IxDyn(shape), |at: IxDyn| cell(at.slice()))
}

fn from_start(axis: isize, rank: usize) -> Result<usize, String> {
    let at = if axis < 0 { axis + rank as isize } else { axis };
    if (0..rank as isize).contains(&at) { Ok(at as usize) } else { Err(format!("axis {axis}")) }
}

#[cfg(test)]
mod tests {
    use super::inside;
    use crate::program::Border;

    #[test]
    fn borders_continue_the_array() {
        let row = |border| (-7..10).map(|at| inside(at, 3, border).map_or(9, |i| i)).collect();
        let expected: [(Border, Vec<usize>); 5] = [
            (Border::Edge, vec![0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 2]),
            (Border::Reflect, vec![1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1]),
            (Border::Symmetric, vec![0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 2]),
            (Border::Wrap, vec![2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0]),
            (Border::Constant(5), vec![9, 9, 9, 9, 9, 9, 9, 0, 1, 2, 9, 9, 9, 9, 9, 9, 9]),
        ];
        for (border, expected) in expected {
            let found: Vec<usize> = row(border);
            assert_eq!(found, expected, "{border:?}");
        }
    }
}
