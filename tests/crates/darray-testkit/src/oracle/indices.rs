//! Sorting, and elements by arrays of indices, cell by cell.

use super::Oracle;
use super::cell::Cell;
use super::operands::together;
use super::types::normalise;
use crate::oracle::Value;
use crate::program::{Name, Operand};
use ndarray::{ArrayD, Axis, Dimension, IxDyn};
use std::cmp::Ordering;

/// The cells along an axis, or all of them as one axis where there is none.
fn along(cells: ArrayD<Cell>, axis: Option<isize>) -> Result<(ArrayD<Cell>, usize), String> {
    match axis {
        Some(axis) => {
            let axis = normalise(Some(&[axis]), cells.ndim())?[0];
            Ok((cells, axis))
        }
        None => Ok((flat(&cells), 0)),
    }
}

fn flat(cells: &ArrayD<Cell>) -> ArrayD<Cell> {
    let all: Vec<Cell> = cells.iter().copied().collect();
    ArrayD::from_shape_vec(IxDyn(&[all.len()]), all).expect("one axis")
}

/// NaN after everything else; zeros are equal.
pub(super) fn compare(a: &Cell, b: &Cell) -> Ordering {
    if let (Some(a), Some(b)) = (a.value.integer(), b.value.integer()) {
        return a.cmp(&b);
    }
    let (a, b) = (a.value.float(), b.value.float());
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// The cells in ascending order with their places; equal ones stay in order.
pub(super) fn ordered(cells: impl Iterator<Item = Cell>) -> Vec<(usize, Cell)> {
    let mut order: Vec<(usize, Cell)> = cells.enumerate().collect();
    order.sort_by(|(_, a), (_, b)| compare(a, b));
    order
}

/// The elements in order, or the indices that sort them. What is known of the elements to a radius is
/// known so of the sorted ones; of the indices nothing is.
///
/// # Errors
/// A text when there is no such axis, or when the indices are not determined.
pub fn sort(
    cells: ArrayD<Cell>,
    axis: Option<isize>,
    indices: bool,
) -> Result<ArrayD<Cell>, String> {
    let (mut cells, axis) = along(cells, axis)?;
    for mut lane in cells.lanes_mut(Axis(axis)) {
        let order = ordered(lane.iter().copied());
        let radius = order.iter().map(|(_, cell)| cell.radius).fold(0.0, f64::max);
        if indices && radius > 0.0 {
            return Err("the order of numbers that are not known to the bit".to_string());
        }
        for (cell, (index, value)) in lane.iter_mut().zip(order) {
            *cell = match indices {
                true => Cell::exact(Value::whole(index as i64)),
                false => Cell { radius, ..value },
            };
        }
    }
    Ok(cells)
}

impl Oracle {
    /// The indices as numbers from 0 to `bound`.
    pub(super) fn indices(&self, name: Name) -> Result<ArrayD<i64>, String> {
        let cells = self.cells(name)?;
        if !self.variable(name)?.dtype.is_integer() {
            return Err(format!("a{name} has no indices"));
        }
        match cells.iter().all(|cell| cell.radius == 0.0) {
            true => Ok(cells.mapv(|cell| cell.value.integer().expect("an integer") as i64)),
            false => Err(format!("a{name} is not known")),
        }
    }

    /// `take`, or `take_along_axis`.
    pub(super) fn take(
        &self,
        of: Name,
        indices: Name,
        axis: Option<isize>,
        own: bool,
    ) -> Result<ArrayD<Cell>, String> {
        let (cells, axis) = along(self.cells(of)?, axis)?;
        let (indices, n) = (self.indices(indices)?, cells.shape()[axis]);
        let (shape, new) = (cells.shape().to_vec(), indices.ndim());
        if !own {
            let mut result = shape.clone();
            result.splice(axis..=axis, indices.shape().iter().copied());
            if !result.contains(&0) {
                indices.iter().try_for_each(|&i| resolve(i, n).map(drop))?;
            }
            return Ok(ArrayD::from_shape_fn(IxDyn(&result), |at| {
                let at = at.as_array_view().to_vec();
                let index = resolve(indices[&at[axis..axis + new]], n).expect("checked");
                let from = [&at[..axis], &[index], &at[axis + new..]].concat();
                cells[&from[..]]
            }));
        }
        if new != shape.len() {
            return Err("another number of axes".to_string());
        }
        // The axis out of the way, so that the others broadcast.
        let mut one = indices.clone().into_shape_with_order(indices.shape()).expect("its shape");
        let count = indices.shape()[axis];
        let mut wide = shape.clone();
        wide[axis] = count;
        let places = ArrayD::from_elem(IxDyn(&wide), 0i64);
        one = together(&[one, places])?.swap_remove(0);
        if one.shape()[axis] != count {
            return Err("the axis does not broadcast".to_string());
        }
        one.iter().try_for_each(|&i| resolve(i, n).map(drop))?;
        Ok(ArrayD::from_shape_fn(IxDyn(one.shape()), |at| {
            let mut from = at.as_array_view().to_vec();
            let index = one[&from[..]];
            for (coordinate, &extent) in from.iter_mut().zip(&shape) {
                *coordinate = if extent == 1 { 0 } else { *coordinate };
            }
            from[axis] = resolve(index, n).expect("checked");
            cells[&from[..]]
        }))
    }

    /// `put`, or `put_along_axis` where there is an axis: the target's cells afterwards.
    pub(super) fn put(
        &self,
        target: Name,
        indices: Name,
        values: Operand,
        axis: Option<isize>,
    ) -> Result<ArrayD<Cell>, String> {
        let cells = self.cells(target)?;
        let values = self.operand(values, self.variable(target)?.dtype)?;
        let indices = self.indices(indices)?;
        let Some(axis) = axis else {
            let mut all: Vec<Cell> = cells.iter().copied().collect();
            let values: Vec<Cell> = values.iter().copied().collect();
            for (at, &index) in indices.iter().enumerate().filter(|_| !values.is_empty()) {
                let n = all.len();
                all[resolve(index, n)?] = values[at % values.len()];
            }
            return Ok(ArrayD::from_shape_vec(cells.raw_dim(), all).expect("its shape"));
        };
        let axis = normalise(Some(&[axis]), cells.ndim())?[0];
        if indices.ndim() != cells.ndim() {
            return Err("another number of axes".to_string());
        }
        let mut span = cells.shape().to_vec();
        span[axis] = indices.shape()[axis];
        let wide = |what: &str| format!("{what} do not broadcast to {span:?}");
        let indices = indices.broadcast(&span[..]).ok_or_else(|| wide("indices"))?;
        let values = values.broadcast(&span[..]).ok_or_else(|| wide("values"))?;
        let mut result = cells.clone();
        for (at, &index) in indices.indexed_iter() {
            let value = values[at.clone()];
            let mut to = at.as_array_view().to_vec();
            to[axis] = resolve(index, cells.shape()[axis])?;
            result[&to[..]] = value;
        }
        Ok(result)
    }
}

/// An index counted from the front.
pub(super) fn resolve(index: i64, n: usize) -> Result<usize, String> {
    let from_front = if index < 0 { index + n as i64 } else { index };
    match usize::try_from(from_front) {
        Ok(at) if at < n => Ok(at),
        _ => Err(format!("index {index} of {n}")),
    }
}

#[cfg(test)]
mod tests {
    use super::sort;
    use crate::oracle::cell::{Cell, Value};
    use ndarray::{ArrayD, IxDyn};

    #[test]
    fn sorts_are_stable_and_carry_radii() {
        let values = [2.0, f64::NAN, 0.0, -0.0, -1.0, 2.0];
        let cells: Vec<Cell> = values.iter().map(|&v| Cell::exact(Value::F64(v))).collect();
        let cells = ArrayD::from_shape_vec(IxDyn(&[6]), cells).expect("six");
        let order = sort(cells.clone(), Some(0), true).expect("an axis");
        let order: Vec<i64> =
            order.iter().map(|c| c.value.integer().expect("i64") as i64).collect();
        assert_eq!(order, [4, 2, 3, 0, 5, 1]);
        let mut near = cells;
        near[[2]].radius = 0.5;
        assert!(sort(near.clone(), None, true).is_err());
        let sorted = sort(near, None, false).expect("all");
        assert!(sorted.iter().all(|cell| cell.radius == 0.5));
    }
}
