//! Products of matrices of cells.

use super::broadcast;
use super::cell::{Cell, Value, ulps, unknown};
use super::reduce::sum;
use crate::program::Binary;
use darray_core::DType;
use ndarray::{ArrayD, Axis, Dimension, IxDyn};

/// NumPy's `matmul` of operands of one type.
///
/// # Errors
/// A text when the shapes do not fit.
pub fn matmul(
    left: &ArrayD<Cell>,
    right: &ArrayD<Cell>,
    dtype: DType,
) -> Result<ArrayD<Cell>, String> {
    let refused = || format!("matmul of {:?} and {:?}", left.shape(), right.shape());
    if left.ndim() == 0 || right.ndim() == 0 {
        return Err(refused());
    }
    let (row, column) = (left.ndim() == 1, right.ndim() == 1);
    let a = if row { left.clone().insert_axis(Axis(0)) } else { left.clone() };
    let b = if column { right.clone().insert_axis(Axis(1)) } else { right.clone() };
    let (a_stack, [m, k]) = split(a.shape());
    let (b_stack, [inner, n]) = split(b.shape());
    let stack = broadcast(a_stack, b_stack).filter(|_| k == inner).ok_or_else(refused)?;
    let whole = |last: [usize; 2]| -> Vec<usize> { stack.iter().copied().chain(last).collect() };
    let a = a.broadcast(whole([m, k])).ok_or_else(refused)?;
    let b = b.broadcast(whole([k, n])).ok_or_else(refused)?;
    let mut result = ArrayD::from_shape_fn(whole([m, n]), |at: IxDyn| {
        let (stack, [i, j]) = split(at.as_array_view().to_slice().expect("an index"));
        let index =
            |last: [usize; 2]| -> Vec<usize> { stack.iter().copied().chain(last).collect() };
        cell(dtype, (0..k).map(|p| (a[&index([i, p])[..]], b[&index([p, j])[..]])))
    });
    if column {
        result = result.index_axis_move(Axis(stack.len() + 1), 0);
    }
    if row {
        result = result.index_axis_move(Axis(stack.len()), 0);
    }
    Ok(result)
}

/// NumPy's `tensordot` over the last `count` axes of one operand and the first of the other.
///
/// # Errors
/// A text when the shapes do not fit.
pub fn tensordot(
    left: &ArrayD<Cell>,
    right: &ArrayD<Cell>,
    count: usize,
    dtype: DType,
) -> Result<ArrayD<Cell>, String> {
    let refused = || format!("tensordot of {:?} and {:?}", left.shape(), right.shape());
    let first = left.ndim().checked_sub(count).ok_or_else(refused)?;
    if right.ndim() < count || left.shape()[first..] != right.shape()[..count] {
        return Err(refused());
    }
    let (rows, inner) = left.shape().split_at(first);
    let columns = &right.shape()[count..];
    let [m, k, n] = [rows, inner, columns].map(|axes| axes.iter().product());
    let matrix = |array: &ArrayD<Cell>, shape: [usize; 2]| {
        let cells = array.iter().copied().collect();
        ArrayD::from_shape_vec(IxDyn(&shape), cells).expect("the same elements")
    };
    let product = matmul(&matrix(left, [m, k]), &matrix(right, [k, n]), dtype)?;
    let shape: Vec<usize> = rows.iter().chain(columns).copied().collect();
    let cells = product.iter().copied().collect();
    Ok(ArrayD::from_shape_vec(IxDyn(&shape), cells).expect("the same elements"))
}

/// The extents or indices before the last two, and those.
fn split(shape: &[usize]) -> (&[usize], [usize; 2]) {
    let (stack, last) = shape.split_at(shape.len() - 2);
    (stack, [last[0], last[1]])
}

/// The sum of the products of pairs.
fn cell(dtype: DType, pairs: impl Iterator<Item = (Cell, Cell)>) -> Cell {
    if dtype == DType::Bool {
        let any =
            |sum: Cell, (a, b): (Cell, Cell)| sum.binary(Binary::Or, a.binary(Binary::And, b));
        return pairs.fold(Cell::exact(Value::Bool(false)), any);
    }
    let terms: Vec<Cell> = pairs.map(|(a, b)| a.binary(Binary::Multiply, b)).collect();
    let sum = sum(dtype, &terms);
    if !dtype.is_float() {
        return sum.cast(dtype);
    }
    if terms.is_empty() {
        return sum;
    }
    // Products may be fused into the sum, and a zero's sign is left open.
    let size: f64 = terms.iter().map(|t| t.value.float().abs()).sum();
    let slack = ulps(dtype, size, 1.0 + terms.len() as f64);
    if size.is_finite() { Cell { radius: sum.radius + slack, ..sum } } else { unknown(sum.value) }
}

#[cfg(test)]
mod tests {
    use super::{matmul, tensordot};
    use crate::oracle::cell::{array, floats};
    use darray_core::DType;

    #[test]
    fn matrices_vectors_and_stacks_multiply() {
        let row = array(&[1, 2], &[2.0, 3.0]);
        let matrix = array(&[2, 2], &[1.0, 0.0, 4.0, 1.0]);
        let product = matmul(&row, &matrix, DType::F64).expect("fits");
        assert_eq!((product.shape(), floats(&product)), (&[1, 2][..], vec![14.0, 3.0]));
        let vector = array(&[2], &[2.0, 3.0]);
        let product = matmul(&vector, &matrix, DType::F64).expect("fits");
        assert_eq!((product.shape(), floats(&product)), (&[2][..], vec![14.0, 3.0]));
        let stack = array(&[2, 1, 2], &[1.0, 0.0, 0.0, 1.0]);
        let product = matmul(&stack, &vector, DType::F64).expect("fits");
        assert_eq!((product.shape(), floats(&product)), (&[2, 1][..], vec![2.0, 3.0]));
        assert!(matmul(&row, &stack, DType::F64).is_err());
        let product = tensordot(&stack, &vector, 1, DType::F64).expect("fits");
        assert_eq!((product.shape(), floats(&product)), (&[2, 1][..], vec![2.0, 3.0]));
        assert_eq!(tensordot(&matrix, &matrix, 2, DType::F64).expect("fits").ndim(), 0);
    }
}
