//! Norms of vectors, in NumPy's steps.

use super::statistics::{number, squares};
use super::{fold, settled};
use crate::oracle::cell::{Cell, Value};
use crate::program::{Binary, Reduction, Unary};
use darray::Norm;
use darray_core::RealType;

/// NumPy's `ord` of a vector's norm.
pub fn order(norm: Norm) -> f64 {
    match norm {
        Norm::Zero => 0.0,
        Norm::One => 1.0,
        Norm::Two | Norm::Frobenius => 2.0,
        Norm::Inf => f64::INFINITY,
        Norm::NegInf => f64::NEG_INFINITY,
        Norm::P(p) => p,
    }
}

/// The norm of order `p` of cells of the float type `dtype`.
pub fn norm(p: f64, dtype: RealType, cells: &[Cell]) -> Cell {
    let unary = |operation| move |cell: &Cell| cell.unary(Unary::Apply(operation));
    let sizes: Vec<Cell> = cells.iter().map(unary(darray::Unary::Abs)).collect();
    let power = |cell: Cell, exponent| cell.power_of_scalar(Cell::exact(exponent));
    match p {
        0.0 => {
            let count = cells.iter().filter(|cell| cell.value.float() != 0.0).count();
            settled(cells, Value::whole(count as i64).cast(dtype))
        }
        1.0 => fold(Reduction::Sum, dtype, &sizes),
        2.0 => {
            let sum = fold(Reduction::Sum, dtype, &squares(cells.iter().copied()));
            unary(darray::Unary::Sqrt)(&sum)
        }
        f64::INFINITY if cells.is_empty() => number(0, dtype),
        f64::INFINITY => fold(Reduction::Max, dtype, &sizes),
        f64::NEG_INFINITY => fold(Reduction::Min, dtype, &sizes),
        _ => {
            let order = Value::F64(p).cast(dtype);
            let powers: Vec<Cell> = sizes.iter().map(|size| power(*size, order)).collect();
            let inverse = number(1, dtype).binary(Binary::Divide, Cell::exact(order));
            power(fold(Reduction::Sum, dtype, &powers), inverse.value)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::norm;
    use crate::oracle::cell::{Cell, Value, array};
    use darray_core::RealType;

    fn of(p: f64, values: &[f64]) -> Cell {
        let cells: Vec<Cell> = array(&[values.len()], values).into_iter().collect();
        norm(p, RealType::F64, &cells)
    }

    #[test]
    fn orders_of_a_vector() {
        let values = [9.0, -16.0, -0.0];
        for (p, expected) in [
            (0.0, 2.0),
            (1.0, 25.0),
            (2.0, 337f64.sqrt()),
            (f64::INFINITY, 16.0),
            (f64::NEG_INFINITY, 0.0),
            (0.5, 49.0),
            (3.0, 4825f64.cbrt()),
        ] {
            let cell = of(p, &values);
            assert!(cell.admits(Value::F64(expected)), "{p}: {cell:?}, not {expected}");
            assert!(!cell.admits(Value::F64(expected + 1e-9)), "{p}: {cell:?}");
        }
    }

    #[test]
    fn negative_orders_weigh_small_numbers() {
        let cell = of(-1.0, &[4.0, 2.0, -4.0]);
        assert!(cell.admits(Value::F64(1.0)) && !cell.admits(Value::F64(1.0 + 1e-9)), "{cell:?}");
        assert_eq!((of(-1.0, &[0.0]).value.float(), of(-1.0, &[0.0]).radius), (0.0, 0.0));
    }

    #[test]
    fn nothing_has_norms() {
        let value = |p| of(p, &[]).value.float();
        assert_eq!([0.0, 1.0, 2.0, 3.0, f64::INFINITY].map(value), [0.0; 5]);
        assert_eq!(value(-2.0), f64::INFINITY);
    }

    #[test]
    fn nan_counts_and_stays() {
        assert_eq!(of(0.0, &[f64::NAN, 0.0]).value.float(), 1.0);
        for p in [1.0, 2.0, 0.5, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(of(p, &[f64::NAN, 1.0]).value.float().is_nan(), "{p}");
        }
    }
}
