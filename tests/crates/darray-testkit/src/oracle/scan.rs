//! Cumulative sums, products and extrema of cells.

use super::cell::Cell;
use super::reduce::{RunningProduct, RunningSum};
use super::types::normalise;
use crate::program::{Binary, Reduction};
use darray_core::RealType;
use ndarray::{ArrayD, Axis, IxDyn};

/// Along an axis, or of all elements in row-major order.
///
/// # Errors
/// A text when there is no such axis.
pub fn scan(
    cells: ArrayD<Cell>,
    dtype: RealType,
    reduction: Reduction,
    axis: Option<isize>,
) -> Result<ArrayD<Cell>, String> {
    let (mut cells, axis) = match axis {
        Some(axis) => {
            let axis = normalise(Some(&[axis]), cells.ndim())?[0];
            (cells, axis)
        }
        None => {
            let flat: Vec<Cell> = cells.iter().copied().collect();
            (ArrayD::from_shape_vec(IxDyn(&[flat.len()]), flat).expect("one axis"), 0)
        }
    };
    let compute = dtype.compute();
    for mut lane in cells.lanes_mut(Axis(axis)) {
        let (mut sum, mut product) = (RunningSum::default(), RunningProduct::default());
        let mut extremum: Option<Cell> = None;
        for cell in lane.iter_mut() {
            let scanned = match reduction {
                Reduction::Prod => {
                    product.push(cell.widened());
                    product.result(compute)
                }
                Reduction::Max | Reduction::Min => {
                    let by = match reduction {
                        Reduction::Max => Binary::Maximum,
                        _ => Binary::Minimum,
                    };
                    let all = extremum.map_or(*cell, |most| most.binary(by, *cell));
                    extremum = Some(all);
                    *cell = all;
                    continue;
                }
                _ => {
                    sum.push(compute, cell.widened());
                    sum.result(compute)
                }
            };
            *cell = scanned.narrowed(dtype);
        }
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::scan;
    use crate::oracle::cell::{Cell, Value};
    use crate::program::Reduction;
    use darray_core::RealType;
    use ndarray::{ArrayD, IxDyn};

    #[test]
    fn along_each_axis_and_along_none() {
        let cells = (1..=6).map(|v| Cell::exact(Value::whole(v))).collect();
        let cells = ArrayD::from_shape_vec(IxDyn(&[2, 3]), cells).expect("six");
        for (axis, wanted) in [
            (Some(0), [1.0, 2.0, 3.0, 5.0, 7.0, 9.0]),
            (Some(-1), [1.0, 3.0, 6.0, 4.0, 9.0, 15.0]),
            (None, [1.0, 3.0, 6.0, 10.0, 15.0, 21.0]),
        ] {
            let found = scan(cells.clone(), RealType::I64, Reduction::Sum, axis).expect("an axis");
            assert_eq!(found.iter().map(|c| c.value.float()).collect::<Vec<_>>(), wanted);
        }
        let found = scan(cells.clone(), RealType::I64, Reduction::Prod, None).expect("valid");
        assert_eq!(found.iter().last().map(|c| c.value.float()), Some(720.0));
        assert!(scan(cells, RealType::I64, Reduction::Sum, Some(2)).is_err());
    }
}
