//! Reductions that are defined by others: variances, quantiles, and those that leave NaN out.

use super::norm::{norm, order};
use super::{fold, settled};
use crate::oracle::cell::{Cell, Value, unknown};
use crate::oracle::indices::ordered;
use crate::program::{Binary, Reduction, Unary};
use darray_core::RealType;

/// One result of such a reduction; `dtype` is that of the cells.
pub fn composed(reduction: Reduction, dtype: RealType, cells: &[Cell]) -> Cell {
    use Reduction::*;
    match reduction {
        Var { ddof } => {
            let mean = fold(Mean, dtype, cells);
            let deviations = cells.iter().map(|c| c.binary(Binary::Subtract, mean));
            let sum = fold(Sum, dtype, &squares(deviations));
            sum.binary(Binary::Divide, number(cells.len().saturating_sub(ddof) as i64, dtype))
        }
        Std { ddof } => fold(Var { ddof }, dtype, cells).unary(Unary::Apply(darray::Unary::Sqrt)),
        Ptp => {
            let (most, least) = (fold(Max, dtype, cells), fold(Min, dtype, cells));
            most.binary(Binary::Subtract, least)
        }
        CountNonzero => {
            let count = cells.iter().filter(|c| c.value.bits() != 0).count();
            settled(cells, Value::whole(count as i64))
        }
        Norm(which) => norm(order(which), dtype, cells),
        Median if cells.is_empty() => nan(dtype),
        Median | Quantile { .. } => quantile(reduction, dtype, cells),
        _ => without_nan(reduction, dtype, cells),
    }
}

/// Of floats: on the line between two neighbours in order, from the nearer of them; a median is the mean of two. Where a cell
/// may be NaN or not, nothing is known.
fn quantile(reduction: Reduction, dtype: RealType, cells: &[Cell]) -> Cell {
    let (q, is_median) = match reduction {
        Reduction::Quantile { q } => (q, false),
        _ => (0.5, true),
    };
    // Neither neighbour moves further than the cell that moves most.
    let radius = cells.iter().map(|cell| cell.radius).fold(0.0, f64::max);
    let sorted = ordered(cells.iter().copied());
    let last = sorted.last().expect("at least one").1;
    if radius.is_infinite() || last.value.float().is_nan() {
        return if radius.is_infinite() { unknown(last.value) } else { nan(dtype) };
    }
    let at = q * (sorted.len() - 1) as f64;
    let neighbour = |place: f64| Cell { radius, ..sorted[place as usize].1 };
    let (lower, upper) = (neighbour(at.floor()), neighbour(at.ceil()));
    let float = |value: f64| Cell::exact(Value::F64(value).cast(dtype));
    let along =
        |part: f64| upper.binary(Binary::Subtract, lower).binary(Binary::Multiply, float(part));
    match at - at.floor() {
        0.0 => lower,
        _ if is_median => lower.binary(Binary::Add, upper).binary(Binary::Divide, float(2.0)),
        part if part < 0.5 => lower.binary(Binary::Add, along(part)),
        part => upper.binary(Binary::Subtract, along(1.0 - part)),
    }
}

/// Of floats. Where a cell may be NaN or not, nothing is known.
fn without_nan(reduction: Reduction, dtype: RealType, cells: &[Cell]) -> Cell {
    use Reduction::*;
    let is_nan = |c: &Cell| c.value.float().is_nan();
    if cells.iter().any(|c| c.radius.is_infinite()) {
        return unknown(number(0, dtype).value);
    }
    let left = cells.iter().filter(|c| !is_nan(c)).count() as i64;
    let fold_with = |reduction, neutral: f64| {
        let neutral = Cell::exact(Value::F64(neutral).cast(dtype));
        let filled = cells.iter().map(|c| if is_nan(c) { neutral } else { *c });
        fold(reduction, dtype, &filled.collect::<Vec<_>>())
    };
    match reduction {
        NanSum => fold_with(Sum, 0.0),
        NanProd => fold_with(Prod, 1.0),
        NanMin | NanMax if left == 0 => nan(dtype),
        NanMin => fold_with(Min, f64::INFINITY),
        NanMax => fold_with(Max, f64::NEG_INFINITY),
        NanMean => divided(fold_with(Sum, 0.0), left),
        NanVar { ddof } if left <= ddof as i64 => nan(dtype),
        NanVar { ddof } => {
            let mean = without_nan(NanMean, dtype, cells);
            let deviations = cells.iter().map(|c| match is_nan(c) {
                true => number(0, dtype),
                false => c.binary(Binary::Subtract, mean),
            });
            divided(fold(Sum, dtype, &squares(deviations)), left - ddof as i64)
        }
        NanStd { ddof } => {
            without_nan(NanVar { ddof }, dtype, cells).unary(Unary::Apply(darray::Unary::Sqrt))
        }
        other => unreachable!("{other:?} does not leave NaN out"),
    }
}

pub(super) fn squares(cells: impl Iterator<Item = Cell>) -> Vec<Cell> {
    cells.map(|c| c.binary(Binary::Multiply, c)).collect()
}

/// By an i64, which makes f32 compute in f64 and round back.
fn divided(sum: Cell, count: i64) -> Cell {
    let quotient = sum.cast(RealType::F64).binary(Binary::Divide, number(count, RealType::F64));
    quotient.cast(sum.value.dtype())
}

pub(super) fn number(value: i64, dtype: RealType) -> Cell {
    Cell::exact(Value::whole(value).cast(dtype))
}

fn nan(dtype: RealType) -> Cell {
    Cell::exact(Value::F64(f64::NAN).cast(dtype))
}

#[cfg(test)]
mod tests {
    use super::composed;
    use crate::oracle::cell::{array, floats};
    use crate::program::Reduction;
    use darray_core::RealType;
    use ndarray::ArrayD;

    fn of(reduction: Reduction, values: &[f64]) -> f64 {
        let cells: Vec<_> = array(&[values.len()], values).into_iter().collect();
        let result = composed(reduction, RealType::F64, &cells);
        assert_eq!(result.radius, 0.0);
        floats(&ArrayD::from_elem(vec![1], result))[0]
    }

    /// The median is a mean, the quantile lies on a line: they may round otherwise.
    #[test]
    fn quantiles_are_numpys() {
        assert_eq!(of(Reduction::Median, &[0.3, -0.1]), 0.09999999999999999);
        assert_eq!(of(Reduction::Quantile { q: 0.5 }, &[0.3, -0.1]), 0.09999999999999998);
        assert_eq!(of(Reduction::Median, &[f64::INFINITY; 2]), f64::INFINITY);
        assert!(of(Reduction::Quantile { q: 0.5 }, &[f64::INFINITY; 2]).is_nan());
        assert_eq!(of(Reduction::Quantile { q: 0.25 }, &[8.0, 1.0, 4.0, 2.0]), 1.75);
        assert!(of(Reduction::Quantile { q: 0.0 }, &[1.0, f64::NAN]).is_nan());
        assert!(of(Reduction::Median, &[]).is_nan());
    }
}
