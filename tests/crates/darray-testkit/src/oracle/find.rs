//! What is found in arrays, cell by cell.

use super::Oracle;
use super::cell::{Cell, Value};
use super::indices::{compare, ordered, resolve, sort};
use super::types::normalise;
use crate::program::{Binary, Finding, Name, Operand};
use darray_core::RealType;
use ndarray::{ArrayD, Axis, Dimension, IxDyn};
use std::cmp::Ordering;

type Found = (RealType, ArrayD<Cell>);

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
            Finding::BinCount => self.bincount(&cells, by().ok()),
            Finding::SearchSorted { right } => self.searchsorted(of, by()?, right),
            Finding::Unique | Finding::UniqueInverse => {
                let (values, inverse) = unique(&cells)?;
                match finding {
                    Finding::Unique => Ok((dtype, row(values))),
                    _ => {
                        let (dtype, flat) = places_of(inverse);
                        let shape = cells.raw_dim();
                        Ok((dtype, flat.into_shape_with_order(shape).expect("as many cells")))
                    }
                }
            }
            Finding::TopK(k) => topk(&cells, k),
            Finding::ArgWhere => {
                let found = indices(&cells)?;
                let shape = [found.len(), cells.ndim()];
                let (dtype, flat) = places_of(found.concat());
                Ok((dtype, flat.into_shape_with_order(IxDyn(&shape)).expect("rows")))
            }
        }
    }

    /// With at least three numbers.
    fn bincount(&self, keys: &ArrayD<Cell>, weights: Option<Name>) -> Result<Found, String> {
        let keys = keys.iter().map(|cell| cell.value.integer().filter(|key| (0..99).contains(key)));
        let keys: Option<Vec<i128>> = keys.collect();
        let keys = keys.ok_or("keys that are no numbers from 0 on")?;
        let extent = keys.iter().map(|key| *key as usize + 1).max().unwrap_or(0).max(3);
        let dtype = if weights.is_some() { RealType::F64 } else { RealType::I64 };
        let values = match weights {
            Some(weights) => self.cells(weights)?.iter().map(|cell| cell.cast(dtype)).collect(),
            None => vec![Cell::exact(Value::whole(1)); keys.len()],
        };
        if values.len() != keys.len() {
            return Err("another number of weights".to_string());
        }
        let mut counts = vec![Cell::exact(Value::whole(0)).cast(dtype); extent];
        for (key, value) in keys.into_iter().zip(values) {
            counts[key as usize] = counts[key as usize].binary(Binary::Add, value);
        }
        Ok((dtype, row(counts)))
    }

    fn searchsorted(&self, of: Name, by: Name, right: bool) -> Result<Found, String> {
        let dtype = self.promote(&[Operand::Name(of), Operand::Name(by)])?;
        let sorted = self.operand(Operand::Name(of), dtype)?;
        let values = self.operand(Operand::Name(by), dtype)?;
        if sorted.ndim() != 1 || sorted.iter().chain(&values).any(|cell| cell.radius > 0.0) {
            return Err("cells whose order is not known".to_string());
        }
        let before = |value: &Cell| {
            let stands = |cell: &&Cell| match compare(cell, value) {
                Ordering::Equal => right,
                order => order == Ordering::Less,
            };
            Cell::exact(Value::whole(sorted.iter().filter(stands).count() as i64))
        };
        Ok((RealType::I64, values.map(before)))
    }

    /// The target's cells afterwards.
    pub(super) fn add_at(
        &self,
        target: Name,
        indices: Name,
        values: Operand,
    ) -> Result<ArrayD<Cell>, String> {
        let dtype = self.variable(target)?.dtype;
        let (mut cells, indices) = (self.cells(target)?, self.indices(indices)?);
        let values = self.operand(values, dtype)?;
        let mut shape = cells.shape().to_vec();
        let extent = *shape.first().ok_or("no axis")?;
        shape[0] = indices.len();
        let values = values.broadcast(&shape[..]).ok_or("values do not broadcast")?;
        let wide = dtype.compute();
        let mut sums = cells.mapv(|cell| cell.cast(wide));
        for (&index, lane) in indices.iter().zip(values.axis_iter(Axis(0))) {
            let mut sum = sums.index_axis_mut(Axis(0), resolve(index, extent)?);
            sum.zip_mut_with(&lane, |sum, value| *sum = sum.binary(Binary::Add, value.cast(wide)));
        }
        cells.zip_mut_with(&sums, |cell, sum| *cell = sum.cast(dtype));
        Ok(cells)
    }

    /// A mask whose elements are known.
    fn mask(&self, name: Name) -> Result<ArrayD<bool>, String> {
        match self.variable(name)?.dtype {
            RealType::Bool => nonzero(&self.cells(name)?),
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
        true => Ok(cells.mapv(|cell| matches!(cell.cast(RealType::Bool).value, Value::Bool(true)))),
        false => Err("cells that are not known to the bit".to_string()),
    }
}

/// The indices of what is not 0.
fn indices(cells: &ArrayD<Cell>) -> Result<Vec<Vec<usize>>, String> {
    let held = nonzero(cells)?;
    let found = held.indexed_iter().filter(|(_, held)| **held);
    Ok(found.map(|(at, _)| at.as_array_view().to_vec()).collect())
}

/// The distinct cells in order, and of each cell the place of its value.
fn unique(cells: &ArrayD<Cell>) -> Result<(Vec<Cell>, Vec<usize>), String> {
    if cells.iter().any(|cell| cell.radius > 0.0) {
        return Err("cells that are not known to the bit".to_string());
    }
    let (mut values, mut inverse): (Vec<Cell>, _) = (Vec::new(), vec![0; cells.len()]);
    for (place, cell) in ordered(cells.iter().copied()) {
        if values.last().is_none_or(|last| compare(last, &cell) != Ordering::Equal) {
            values.push(cell);
        }
        inverse[place] = values.len() - 1;
    }
    Ok((values, inverse))
}

/// The indices of the greatest cells along the last axis.
fn topk(cells: &ArrayD<Cell>, k: usize) -> Result<Found, String> {
    let order = sort(cells.clone(), Some(-1), true)?;
    let last = Axis(order.ndim() - 1);
    let n = order.len_of(last);
    if k > n {
        return Err("too few elements".to_string());
    }
    let wanted: Vec<usize> = (n - k..n).rev().collect();
    Ok((RealType::I64, order.select(last, &wanted)))
}

fn row(cells: Vec<Cell>) -> ArrayD<Cell> {
    ArrayD::from_shape_vec(IxDyn(&[cells.len()]), cells).expect("one axis")
}

fn places_of(places: Vec<usize>) -> Found {
    let cells = places.into_iter().map(|place| Cell::exact(Value::whole(place as i64)));
    (RealType::I64, row(cells.collect()))
}
