//! Reductions and matrix products of cells, in row-major order.

use super::cell::{Cell, Value, rounded, ulps, unknown};
use crate::program::{Binary, Reduction};
use darray_core::DType;
use ndarray::{ArrayD, IxDyn};

/// Reduces `axes` (normalised, ascending); they stay with extent 1 if `keepdims`.
///
/// # Errors
/// A text when a maximum or minimum is asked of nothing.
pub fn reduce(
    cells: &ArrayD<Cell>,
    dtype: DType,
    reduction: Reduction,
    axes: &[usize],
    keepdims: bool,
) -> Result<ArrayD<Cell>, String> {
    let kept: Vec<usize> = (0..cells.ndim()).filter(|axis| !axes.contains(axis)).collect();
    let count: usize = axes.iter().map(|&axis| cells.shape()[axis]).product();
    if count == 0 && reduction.needs_elements() {
        return Err(format!("{reduction:?} of no elements"));
    }
    let order: Vec<usize> = kept.iter().chain(axes).copied().collect();
    let shape: Vec<usize> = (0..cells.ndim())
        .filter(|axis| keepdims || kept.contains(axis))
        .map(|axis| if axes.contains(&axis) { 1 } else { cells.shape()[axis] })
        .collect();
    let ordered: Vec<Cell> = cells.view().permuted_axes(IxDyn(&order)).iter().copied().collect();
    let groups = shape.iter().product();
    let reduced = (0..groups).map(|g| fold(reduction, dtype, &ordered[g * count..][..count]));
    Ok(ArrayD::from_shape_vec(IxDyn(&shape), reduced.collect()).expect("one per group"))
}

/// `(m, k)` times `(k, n)`.
pub fn matmul(left: &ArrayD<Cell>, right: &ArrayD<Cell>, dtype: DType) -> ArrayD<Cell> {
    let (m, k, n) = (left.shape()[0], left.shape()[1], right.shape()[1]);
    ArrayD::from_shape_fn(IxDyn(&[m, n]), |at| {
        let terms = (0..k).map(|i| left[[at[0], i]].binary(Binary::Multiply, right[[i, at[1]]]));
        let terms: Vec<Cell> = terms.collect();
        if !dtype.is_float() {
            return sum(dtype, &terms).cast(dtype);
        }
        let zero = Value::I64(0).cast(dtype);
        let sum = match k {
            0 => Cell::exact(zero),
            _ => sum(dtype, &terms),
        };
        // Products may be fused into the sum, and a zero's sign is left open.
        let size: f64 = terms.iter().map(|t| t.value.float().abs()).sum();
        let slack = ulps(dtype, size, 1.0 + k as f64);
        if size.is_finite() {
            Cell { radius: sum.radius + slack, ..sum }
        } else {
            unknown(sum.value)
        }
    })
}

fn fold(reduction: Reduction, dtype: DType, cells: &[Cell]) -> Cell {
    let extreme = |operator| {
        cells.iter().copied().reduce(|a, b| a.binary(operator, b)).expect("at least one")
    };
    match reduction {
        Reduction::Sum => sum(dtype, cells),
        Reduction::Maximum => extreme(Binary::Maximum),
        Reduction::Minimum => extreme(Binary::Minimum),
        Reduction::ArgMaximum | Reduction::ArgMinimum => {
            let best = first_best(cells, reduction == Reduction::ArgMaximum);
            settled(cells, Value::I64(best as i64))
        }
        Reduction::Product => product(dtype, cells),
        Reduction::Mean => {
            let count = Cell::exact(Value::I64(cells.len() as i64)).cast(dtype);
            sum(dtype, cells).binary(Binary::Divide, count)
        }
        Reduction::All => settled(cells, Value::Bool(cells.iter().all(|c| c.value.bits() != 0))),
        Reduction::Any => settled(cells, Value::Bool(cells.iter().any(|c| c.value.bits() != 0))),
    }
}

/// Exact if all of `cells` are.
fn settled(cells: &[Cell], value: Value) -> Cell {
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
fn product(dtype: DType, cells: &[Cell]) -> Cell {
    let one = Cell::exact(Value::I64(1).cast(dtype));
    let multiply = |product: Cell, cell: &Cell| product.binary(Binary::Multiply, *cell);
    let Some((first, rest)) = cells.split_first() else { return one };
    let product = rest.iter().fold(*first, multiply);
    if !dtype.is_float() || rest.is_empty() {
        return product;
    }
    // No order overflows or loses bits to denormals where the exponents stay small together.
    let sizes = || cells.iter().map(|cell| cell.value.float().abs());
    let exponents: f64 =
        sizes().filter(|v| *v != 0.0 && v.is_finite()).map(|v| v.log2().abs()).sum();
    let most = if dtype == DType::F32 { 100.0 } else { 900.0 };
    if exponents > most {
        return unknown(product.value);
    }
    let size = product.value.float().abs();
    if product.radius == 0.0 && (size == 0.0 || !size.is_finite()) {
        return product;
    }
    let order = ulps(dtype, size, 2.0 * cells.len() as f64);
    Cell { radius: product.radius * 1.01 + order, ..product }
}

/// Integers wrap; floats in any order, from -0.0, and 0.0 for none.
fn sum(dtype: DType, cells: &[Cell]) -> Cell {
    if !dtype.is_float() {
        let number = |cell: &Cell| cell.value.integer().expect("no float");
        let total = cells.iter().fold(0i64, |sum, cell| sum.wrapping_add(number(cell)));
        return settled(cells, Value::I64(total));
    }
    let start = Value::F64(if cells.is_empty() { 0.0 } else { -0.0 }).cast(dtype);
    let step = |sum: Value, cell: &Cell| match (sum, cell.value) {
        (Value::F32(a), Value::F32(b)) => Value::F32(a + b),
        (Value::F64(a), Value::F64(b)) => Value::F64(a + b),
        _ => unreachable!("one float type"),
    };
    let total = cells.iter().fold(start, step);
    let spread: f64 = cells.iter().map(|cell| cell.radius).sum();
    let finite = cells.iter().map(|c| c.value.float().abs()).filter(|v| v.is_finite());
    let size: f64 = finite.sum();
    let most = if dtype == DType::F32 { 1e37 } else { 1e300 };
    if spread == 0.0 && (cells.len() <= 1 || size == 0.0) {
        return Cell::exact(total);
    }
    if !total.float().is_finite() {
        // Infinities and NaNs give one result in every order unless finite parts overflow.
        return if spread == 0.0 && size < most { Cell::exact(total) } else { unknown(total) };
    }
    let order = ulps(dtype, size, cells.len() as f64);
    if size < most { rounded(total, spread + order) } else { unknown(total) }
}

#[cfg(test)]
mod tests {
    use super::{matmul, reduce};
    use crate::oracle::cell::{Cell, Value};
    use crate::program::Reduction;
    use darray_core::DType;
    use ndarray::{ArrayD, IxDyn};

    fn array(shape: &[usize], values: &[f64]) -> ArrayD<Cell> {
        let cells = values.iter().map(|&v| Cell::exact(Value::F64(v))).collect();
        ArrayD::from_shape_vec(IxDyn(shape), cells).expect("as many as the shape holds")
    }

    fn floats(cells: &ArrayD<Cell>) -> Vec<f64> {
        cells.iter().map(|c| c.value.float()).collect()
    }

    #[test]
    fn axes_are_reduced_and_kept() {
        let a = array(&[2, 3], &[1.0, 5.0, 3.0, 4.0, 2.0, 6.0]);
        let run = |reduction, axes: &[usize], keep| reduce(&a, DType::F64, reduction, axes, keep);
        let sums = run(Reduction::Sum, &[1], true).expect("valid");
        assert_eq!((sums.shape(), floats(&sums)), (&[2, 1][..], vec![9.0, 12.0]));
        let most = run(Reduction::ArgMaximum, &[0], false).expect("valid");
        assert_eq!(floats(&most), [1.0, 0.0, 1.0]);
        let all = run(Reduction::Maximum, &[0, 1], false).expect("valid");
        assert_eq!((all.ndim(), floats(&all)), (0, vec![6.0]));
    }

    #[test]
    fn sums_of_zeros_keep_their_sign_and_nothing_sums_to_zero() {
        let sign = |values: &[f64]| {
            let a = array(&[values.len()], values);
            let sum = reduce(&a, DType::F64, Reduction::Sum, &[0], false).expect("valid");
            let cell = sum.first().copied().expect("one element");
            assert_eq!(cell.radius, 0.0);
            cell.value.float().is_sign_negative()
        };
        assert!(sign(&[-0.0, -0.0]) && !sign(&[-0.0, 0.0]) && !sign(&[]));
        assert!(reduce(&array(&[0], &[]), DType::F64, Reduction::Maximum, &[0], false).is_err());
    }

    #[test]
    fn matrices_multiply() {
        let product = matmul(
            &array(&[1, 2], &[2.0, 3.0]),
            &array(&[2, 2], &[1.0, 0.0, 4.0, 1.0]),
            DType::F64,
        );
        assert_eq!(floats(&product), [14.0, 3.0]);
    }
}
