//! Reductions of cells, in row-major order.

mod norm;
mod statistics;

use super::cell::{Cell, Value, rounded, ulps, unknown};
use crate::program::{Binary, Reduction};
use darray_core::{Kind, RealType};
use ndarray::{ArrayD, IxDyn};
use norm::order;

/// Reduces `axes` (normalised, ascending); they stay with extent 1 if `keepdims`.
///
/// # Errors
/// A text when a maximum or minimum is asked of nothing.
pub fn reduce(
    cells: &ArrayD<Cell>,
    dtype: RealType,
    reduction: Reduction,
    axes: &[usize],
    keepdims: bool,
) -> Result<ArrayD<Cell>, String> {
    let kept: Vec<usize> = (0..cells.ndim()).filter(|axis| !axes.contains(axis)).collect();
    let count: usize = axes.iter().map(|&axis| cells.shape()[axis]).product();
    if count == 0 && needs_elements(reduction) {
        return Err(format!("{reduction:?} of no elements"));
    }
    let order: Vec<usize> = kept.iter().chain(axes).copied().collect();
    let shape: Vec<usize> = (0..cells.ndim())
        .filter(|axis| keepdims || kept.contains(axis))
        .map(|axis| if axes.contains(&axis) { 1 } else { cells.shape()[axis] })
        .collect();
    // Of f16 and bf16 in f32, rounded once. A place is no element, whatever its type.
    let is_place = matches!(reduction, Reduction::ArgMin | Reduction::ArgMax);
    let ordered = cells.view().permuted_axes(IxDyn(&order));
    let ordered: Vec<Cell> = ordered.iter().map(|cell| cell.widened()).collect();
    let groups = shape.iter().product();
    let reduced = (0..groups).map(|g| {
        let group = &ordered[g * count..][..count];
        let cell = fold(reduction, dtype.compute(), group);
        if is_place { cell } else { cell.narrowed(dtype) }
    });
    Ok(ArrayD::from_shape_vec(IxDyn(&shape), reduced.collect()).expect("one per group"))
}

/// The type in which an operand of type `from` is reduced.
pub fn operand(reduction: Reduction, from: RealType) -> RealType {
    use Reduction::*;
    match (reduction, from) {
        (Sum | Prod | NanSum | NanProd, from) if !from.is_float() => match from.kind() {
            Kind::Unsigned => RealType::U64,
            _ => RealType::I64,
        },
        (Mean | Var { .. } | Std { .. } | Norm(_) | Median | Quantile { .. }, _) => real(from),
        (NanMean | NanVar { .. } | NanStd { .. }, _) => real(from),
        (All | Any | CountNonzero, _) => RealType::Bool,
        _ => from,
    }
}

/// The type of means and roots.
fn real(from: RealType) -> RealType {
    if from.is_float() { from } else { RealType::F64 }
}

/// The type of the result.
pub fn result_type(reduction: Reduction, from: RealType) -> RealType {
    match reduction {
        Reduction::ArgMax | Reduction::ArgMin | Reduction::CountNonzero => RealType::I64,
        _ => operand(reduction, from),
    }
}

/// What it is for types that have no NaN.
pub(super) fn with_nan(reduction: Reduction) -> Reduction {
    match reduction {
        Reduction::NanSum => Reduction::Sum,
        Reduction::NanProd => Reduction::Prod,
        Reduction::NanMin => Reduction::Min,
        Reduction::NanMax => Reduction::Max,
        Reduction::NanMean => Reduction::Mean,
        Reduction::NanVar { ddof } => Reduction::Var { ddof },
        Reduction::NanStd { ddof } => Reduction::Std { ddof },
        other => other,
    }
}

/// Whether there is no result over no elements.
fn needs_elements(reduction: Reduction) -> bool {
    use Reduction::*;
    match reduction {
        Norm(norm) => order(norm) == f64::NEG_INFINITY,
        Max | Min | ArgMax | ArgMin | Ptp | NanMin | NanMax | Quantile { .. } => true,
        _ => false,
    }
}

pub(super) fn fold(reduction: Reduction, dtype: RealType, cells: &[Cell]) -> Cell {
    let extreme = |operator| {
        cells.iter().copied().reduce(|a, b| a.binary(operator, b)).expect("at least one")
    };
    match reduction {
        Reduction::Sum => sum(dtype, cells),
        Reduction::Max => extreme(Binary::Maximum),
        Reduction::Min => extreme(Binary::Minimum),
        Reduction::ArgMax | Reduction::ArgMin => {
            let best = first_best(cells, reduction == Reduction::ArgMax);
            settled(cells, Value::whole(best as i64))
        }
        Reduction::Prod => product(dtype, cells),
        Reduction::Mean => {
            let count = Cell::exact(Value::whole(cells.len() as i64)).cast(dtype);
            sum(dtype, cells).binary(Binary::Divide, count)
        }
        Reduction::All => settled(cells, Value::Bool(cells.iter().all(|c| c.value.bits() != 0))),
        Reduction::Any => settled(cells, Value::Bool(cells.iter().any(|c| c.value.bits() != 0))),
        other => statistics::composed(other, dtype, cells),
    }
}

/// Exact if all of `cells` are.
pub(super) fn settled(cells: &[Cell], value: Value) -> Cell {
    let open = cells.iter().any(|cell| cell.radius > 0.0);
    if open { unknown(value) } else { Cell::exact(value) }
}

/// The first NaN, or else the first greatest or least.
fn first_best(cells: &[Cell], greatest: bool) -> usize {
    let mut best = 0;
    for (i, cell) in cells.iter().enumerate() {
        let (new, old) = (cell.value, cells[best].value);
        let (first, second) = if greatest { (old, new) } else { (new, old) };
        let better = match (first, second) {
            (a, b) if a.integer().is_some() => a.integer() < b.integer(),
            (a, b) if new.float().is_nan() || old.float().is_nan() => {
                debug_assert!(a.dtype() == b.dtype());
                new.float().is_nan() && !old.float().is_nan()
            }
            (a, b) => a.float() < b.float(),
        };
        if better {
            best = i;
        }
    }
    best
}

/// Integers wrap; floats in any order.
fn product(dtype: RealType, cells: &[Cell]) -> Cell {
    let mut running = RunningProduct::default();
    cells.iter().for_each(|cell| running.push(*cell));
    running.result(dtype)
}

/// Integers wrap; floats in any order, from -0.0, and 0.0 for none.
pub(super) fn sum(dtype: RealType, cells: &[Cell]) -> Cell {
    let mut running = RunningSum::default();
    cells.iter().for_each(|cell| running.push(dtype, *cell));
    running.result(dtype)
}

/// The product of the cells so far.
#[derive(Default)]
pub(super) struct RunningProduct {
    product: Option<Cell>,
    count: usize,
    /// Sum of the absolute exponents.
    exponents: f64,
}

impl RunningProduct {
    pub fn push(&mut self, cell: Cell) {
        self.product = Some(match self.product {
            None => cell,
            Some(product) => product.binary(Binary::Multiply, cell),
        });
        self.count += 1;
        let size = cell.value.float().abs();
        if size != 0.0 && size.is_finite() {
            self.exponents += size.log2().abs();
        }
    }

    pub fn result(&self, dtype: RealType) -> Cell {
        let one = Cell::exact(Value::whole(1).cast(dtype));
        let Some(product) = self.product else { return one };
        if !dtype.is_float() || self.count == 1 {
            return product;
        }
        // No order overflows or loses bits to denormals where the exponents stay small together.
        let most = if dtype == RealType::F32 { 100.0 } else { 900.0 };
        if self.exponents > most {
            return unknown(product.value);
        }
        let size = product.value.float().abs();
        if product.radius == 0.0 && (size == 0.0 || !size.is_finite()) {
            return product;
        }
        let order = ulps(dtype, size, 2.0 * self.count as f64);
        Cell { radius: product.radius * 1.01 + order, ..product }
    }
}

/// The sum of the cells so far.
#[derive(Default)]
pub(super) struct RunningSum {
    total: Option<Value>,
    count: usize,
    /// Sum of the radii.
    spread: f64,
    /// Sum of the finite absolute values.
    size: f64,
}

impl RunningSum {
    pub fn push(&mut self, dtype: RealType, cell: Cell) {
        let start = if dtype.is_float() { Value::F64(-0.0) } else { Value::whole(0) };
        let value = cell.value.integer().map_or(cell.value, Value::whole);
        let start = self.total.unwrap_or_else(|| start.cast(value.dtype()));
        self.total = Some(match (start, value) {
            (Value::Integer(a, _), Value::Integer(b, _)) => Value::whole(a + b).cast(dtype),
            (Value::F32(a), Value::F32(b)) => Value::F32(a + b),
            (Value::F64(a), Value::F64(b)) => Value::F64(a + b),
            _ => unreachable!("one type"),
        });
        self.count += 1;
        self.spread += cell.radius;
        let size = cell.value.float().abs();
        self.size += if size.is_finite() { size } else { 0.0 };
    }

    pub fn result(&self, dtype: RealType) -> Cell {
        let (spread, size) = (self.spread, self.size);
        if !dtype.is_float() {
            let total = self.total.unwrap_or(Value::whole(0)).cast(dtype);
            return if spread > 0.0 { unknown(total) } else { Cell::exact(total) };
        }
        let total = self.total.unwrap_or(Value::F64(0.0).cast(dtype));
        let most = if dtype == RealType::F32 { 1e37 } else { 1e300 };
        if spread == 0.0 && (self.count <= 1 || size == 0.0) {
            return Cell::exact(total);
        }
        if !total.float().is_finite() {
            // Infinities and NaNs give one result in every order unless finite parts overflow.
            return if spread == 0.0 && size < most { Cell::exact(total) } else { unknown(total) };
        }
        let order = ulps(dtype, size, self.count as f64);
        if size < most { rounded(total, spread + order) } else { unknown(total) }
    }
}

#[cfg(test)]
mod tests {
    use super::reduce;
    use crate::oracle::cell::{array, floats};
    use crate::program::Reduction;
    use darray_core::RealType;

    #[test]
    fn axes_are_reduced_and_kept() {
        let a = array(&[2, 3], &[1.0, 5.0, 3.0, 4.0, 2.0, 6.0]);
        let run =
            |reduction, axes: &[usize], keep| reduce(&a, RealType::F64, reduction, axes, keep);
        let sums = run(Reduction::Sum, &[1], true).expect("valid");
        assert_eq!((sums.shape(), floats(&sums)), (&[2, 1][..], vec![9.0, 12.0]));
        let most = run(Reduction::ArgMax, &[0], false).expect("valid");
        assert_eq!(floats(&most), [1.0, 0.0, 1.0]);
        let all = run(Reduction::Max, &[0, 1], false).expect("valid");
        assert_eq!((all.ndim(), floats(&all)), (0, vec![6.0]));
    }

    #[test]
    fn sums_of_zeros_keep_their_sign_and_nothing_sums_to_zero() {
        let sign = |values: &[f64]| {
            let a = array(&[values.len()], values);
            let sum = reduce(&a, RealType::F64, Reduction::Sum, &[0], false).expect("valid");
            let cell = sum.first().copied().expect("one element");
            assert_eq!(cell.radius, 0.0);
            cell.value.float().is_sign_negative()
        };
        assert!(sign(&[-0.0, -0.0]) && !sign(&[-0.0, 0.0]) && !sign(&[]));
        assert!(reduce(&array(&[0], &[]), RealType::F64, Reduction::Max, &[0], false).is_err());
    }
}
