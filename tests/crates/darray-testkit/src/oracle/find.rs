//! What is found in arrays, cell by cell.

use super::Oracle;
use super::cell::{Cell, Value};
use super::types::normalise;
use crate::program::{Finding, Name};
use darray_core::DType;
use ndarray::{ArrayD, Axis, Dimension, IxDyn};

type Found = (DType, ArrayD<Cell>);

impl Oracle {
    pub(super) fn find(
        &self,
        finding: Finding,
        of: Name,
        by: Option<Name>,
        axis: Option<isize>,
    ) -> Result<Found, String> {
        let (dtype, cells) = (self.variable(of)?.dtype, self.cells(of)?);
        let by = || by.ok_or("nothing to find by");
        match finding {
            Finding::Compress => Ok((dtype, self.compress(cells, by()?, axis)?)),
            Finding::Extract => {
                let mask = self.mask(by()?)?;
                if mask.len() != cells.len() {
                    return Err("another number of elements".to_string());
                }
                let held = cells.iter().zip(&mask).filter(|(_, held)| **held);
                Ok((dtype, row(held.map(|(cell, _)| *cell).collect())))
            }
            Finding::FlatNonzero => {
                let held = nonzero(&cells)?;
                let places = held.iter().enumerate().filter(|(_, held)| **held);
                Ok(places_of(places.map(|(place, _)| place).collect()))
            }
            Finding::Nonzero(which) if which >= cells.ndim() => Err("no such axis".to_string()),
            Finding::Nonzero(which) => {
                let found = indices(&cells)?;
                Ok(places_of(found.iter().map(|index| index[which]).collect()))
            }
            Finding::ArgWhere => {
                let found = indices(&cells)?;
                let shape = [found.len(), cells.ndim()];
                let (dtype, flat) = places_of(found.concat());
                Ok((dtype, flat.into_shape_with_order(IxDyn(&shape)).expect("rows")))
            }
        }
    }

    /// A mask whose elements are known.
    fn mask(&self, name: Name) -> Result<ArrayD<bool>, String> {
        match self.variable(name)?.dtype {
            DType::Bool => nonzero(&self.cells(name)?),
            _ => Err(format!("a{name} is no mask")),
        }
    }

    fn compress(
        &self,
        cells: ArrayD<Cell>,
        by: Name,
        axis: Option<isize>,
    ) -> Result<ArrayD<Cell>, String> {
        let mask = self.mask(by)?;
        let (masked, axis) = match axis {
            None => (mask.ndim(), 0),
            Some(axis) => (1, normalise(Some(&[axis]), cells.ndim())?[0]),
        };
        let fits = masked > 0 && cells.shape().get(axis..axis + masked) == Some(mask.shape());
        if !fits {
            return Err("a mask of another shape".to_string());
        }
        let held = mask.iter().enumerate().filter(|(_, held)| **held);
        let held: Vec<usize> = held.map(|(place, _)| place).collect();
        let (before, rest) = cells.shape().split_at(axis);
        let joined = [before, &[mask.len()], &rest[masked..]].concat();
        let all = cells.iter().copied().collect();
        let cells = ArrayD::from_shape_vec(IxDyn(&joined), all).expect("as many cells");
        Ok(cells.select(Axis(axis), &held))
    }
}

/// Which cells are not 0, if that is known.
fn nonzero(cells: &ArrayD<Cell>) -> Result<ArrayD<bool>, String> {
    match cells.iter().all(|cell| cell.radius == 0.0) {
        true => Ok(cells.mapv(|cell| matches!(cell.cast(DType::Bool).value, Value::Bool(true)))),
        false => Err("cells that are not known to the bit".to_string()),
    }
}

/// The indices of what is not 0.
fn indices(cells: &ArrayD<Cell>) -> Result<Vec<Vec<usize>>, String> {
    let held = nonzero(cells)?;
    let found = held.indexed_iter().filter(|(_, held)| **held);
    Ok(found.map(|(at, _)| at.as_array_view().to_vec()).collect())
}

fn row(cells: Vec<Cell>) -> ArrayD<Cell> {
    ArrayD::from_shape_vec(IxDyn(&[cells.len()]), cells).expect("one axis")
}

fn places_of(places: Vec<usize>) -> Found {
    let cells = places.into_iter().map(|place| Cell::exact(Value::whole(place as i64)));
    (DType::I64, row(cells.collect()))
}
