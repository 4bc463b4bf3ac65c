//! Copies under other shapes, element by element.

use super::cell::{Cell, Value};
use crate::program::{Arrangement, Border};
use darray_core::DType;
use ndarray::{ArrayD, Axis, Dimension, IxDyn};

/// What the arrangement makes of arrays of type `dtype`.
///
/// # Errors
/// A text when the arrays do not fit it.
pub fn arrange(
    arrays: &[ArrayD<Cell>],
    dtype: DType,
    how: &Arrangement,
) -> Result<ArrayD<Cell>, String> {
    let views: Vec<_> = arrays.iter().map(|array| array.view()).collect();
    let first = arrays.first().ok_or("no arrays")?;
    let (shape, rank) = (first.shape().to_vec(), first.ndim());
    let exact = |value: i64| Cell::exact(Value::I64(value).cast(dtype));
    match how {
        Arrangement::Concatenate(axis) => {
            let axis = from_start(*axis, rank)?;
            ndarray::concatenate(Axis(axis), &views).map_err(|e| e.to_string())
        }
        Arrangement::Stack(axis) => {
            let axis = from_start(*axis, rank + 1)?;
            ndarray::stack(Axis(axis), &views).map_err(|e| e.to_string())
        }
        Arrangement::Repeat { count, axis } => {
            let axis = from_start(*axis, rank)?;
            let mut wide = shape;
            wide[axis] *= count;
            Ok(made(&wide, |at| {
                let mut at = at.to_vec();
                at[axis] /= count;
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
        Arrangement::Roll { shift, axis: None } => {
            let mut flat: Vec<Cell> = first.iter().copied().collect();
            if !flat.is_empty() {
                let by = shift.rem_euclid(flat.len() as isize) as usize;
                flat.rotate_right(by);
            }
            Ok(ArrayD::from_shape_vec(IxDyn(&shape), flat).expect("as many as before"))
        }
        Arrangement::Roll { shift, axis: Some(axis) } => {
            let axis = from_start(*axis, rank)?;
            let n = shape[axis] as isize;
            Ok(made(&shape, |at| {
                let mut at = at.to_vec();
                at[axis] = (at[axis] as isize - shift).rem_euclid(n) as usize;
                first[IxDyn(&at)]
            }))
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
            if rank < 2 {
                return Err(format!("a triangle of rank {rank}"));
            }
            Ok(made(&shape, |at| {
                let above = at[rank - 1] as isize - at[rank - 2] as isize - offset;
                let stays = if *lower { above <= 0 } else { above >= 0 };
                if stays { first[IxDyn(at)] } else { exact(0) }
            }))
        }
    }
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
