//! Products of matrices of cells.

use super::cell::{Cell, Value, ulps, unknown};
use super::operands::together;
use super::reduce::sum;
use super::types::normalise;
use super::{broadcast, zip};
use crate::program::{Binary, Product};
use darray::ContractionAxes;
use darray_core::RealType;
use ndarray::{ArrayD, Axis, Dimension, IxDyn};

/// A product of operands of one type.
///
/// # Errors
/// A text when the shapes do not fit.
pub fn product(
    product: &Product,
    left: &ArrayD<Cell>,
    right: &ArrayD<Cell>,
    dtype: RealType,
) -> Result<ArrayD<Cell>, String> {
    if dtype.is_float() && dtype.is_narrow() {
        let [left, right] = [left, right].map(|cells| cells.mapv(Cell::widened));
        let wide = self::product(product, &left, &right, dtype.compute())?;
        return Ok(wide.mapv(|cell| cell.narrowed(dtype)));
    }
    let (a, b) = (left.ndim() as isize, right.ndim() as isize);
    match product {
        Product::Matmul => matmul(left, right, dtype),
        Product::Dot | Product::Inner if a == 0 || b == 0 => Ok(multiply(left, right, dtype)),
        Product::Dot => contract(left, right, (&[-1], &[if b == 1 { 0 } else { -2 }]), dtype),
        Product::Inner => contract(left, right, (&[-1], &[-1]), dtype),
        Product::Outer => Ok(multiply(&flat(left).insert_axis(Axis(1)), &flat(right), dtype)),
        Product::Vdot => matmul(&flat(left), &flat(right), dtype),
        Product::Tensordot(ContractionAxes::Pairs(over, under)) if over.len() == under.len() => {
            contract(left, right, (over, under), dtype)
        }
        Product::Tensordot(ContractionAxes::Pairs(..)) => Err("no pairs".to_string()),
        Product::Tensordot(ContractionAxes::Count(count)) => {
            let count = *count as isize;
            let (last, first): (Vec<_>, Vec<_>) = ((-count..0).collect(), (0..count).collect());
            contract(left, right, (&last, &first), dtype)
        }
    }
}

/// NumPy's `matmul` of operands of one type.
///
/// # Errors
/// A text when the shapes do not fit.
fn matmul(
    left: &ArrayD<Cell>,
    right: &ArrayD<Cell>,
    dtype: RealType,
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

/// The sum over pairs of axes, with the other axes of one array and then those of the other.
fn contract(
    left: &ArrayD<Cell>,
    right: &ArrayD<Cell>,
    (over, under): (&[isize], &[isize]),
    dtype: RealType,
) -> Result<ArrayD<Cell>, String> {
    let refused = || format!("{over:?} of {:?} and {under:?} of {:?}", left.shape(), right.shape());
    let at = |list: &[isize], rank: usize| -> Result<Vec<usize>, String> {
        normalise(Some(list), rank)?;
        Ok(list.iter().map(|axis| axis.rem_euclid(rank as isize) as usize).collect())
    };
    let (over, under) = (at(over, left.ndim())?, at(under, right.ndim())?);
    let rest = |array: &ArrayD<Cell>, taken: &[usize]| -> Vec<usize> {
        (0..array.ndim()).filter(|axis| !taken.contains(axis)).collect()
    };
    let extents = |array: &ArrayD<Cell>, axes: &[usize]| -> Vec<usize> {
        axes.iter().map(|&axis| array.shape()[axis]).collect()
    };
    if extents(left, &over) != extents(right, &under) {
        return Err(refused());
    }
    let (rows, columns) = (rest(left, &over), rest(right, &under));
    let matrix = |array: &ArrayD<Cell>, first: &[usize], last: &[usize]| {
        let order: Vec<usize> = first.iter().chain(last).copied().collect();
        let cells = array.view().permuted_axes(IxDyn(&order)).iter().copied().collect();
        let shape = [first, last].map(|axes| extents(array, axes).iter().product());
        ArrayD::from_shape_vec(IxDyn(&shape), cells).expect("the same elements")
    };
    let product = matmul(&matrix(left, &rows, &over), &matrix(right, &under, &columns), dtype)?;
    let shape = [extents(left, &rows), extents(right, &columns)].concat();
    let cells = product.iter().copied().collect();
    Ok(ArrayD::from_shape_vec(IxDyn(&shape), cells).expect("the same elements"))
}

/// Every element times the other's that broadcasts against it.
fn multiply(left: &ArrayD<Cell>, right: &ArrayD<Cell>, dtype: RealType) -> ArrayD<Cell> {
    let operator = if dtype == RealType::Bool { Binary::And } else { Binary::Multiply };
    let all =
        together(&[left.clone(), right.clone()]).expect("one of them has one element or axis");
    zip(&all[0], &all[1], |a, b| a.binary(operator, b))
}

/// All elements in row-major order.
fn flat(array: &ArrayD<Cell>) -> ArrayD<Cell> {
    let cells: Vec<Cell> = array.iter().copied().collect();
    ArrayD::from_shape_vec(IxDyn(&[cells.len()]), cells).expect("one axis")
}

/// The extents or indices before the last two, and those.
fn split(shape: &[usize]) -> (&[usize], [usize; 2]) {
    let (stack, last) = shape.split_at(shape.len() - 2);
    (stack, [last[0], last[1]])
}

/// The sum of the products of pairs.
fn cell(dtype: RealType, pairs: impl Iterator<Item = (Cell, Cell)>) -> Cell {
    if dtype == RealType::Bool {
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
    use super::matmul;
    use crate::oracle::cell::{array, floats};
    use crate::program::Product;
    use darray_core::RealType;

    #[test]
    fn matrices_vectors_and_stacks_multiply() {
        let row = array(&[1, 2], &[2.0, 3.0]);
        let matrix = array(&[2, 2], &[1.0, 0.0, 4.0, 1.0]);
        let product = matmul(&row, &matrix, RealType::F64).expect("fits");
        assert_eq!((product.shape(), floats(&product)), (&[1, 2][..], vec![14.0, 3.0]));
        let vector = array(&[2], &[2.0, 3.0]);
        let product = matmul(&vector, &matrix, RealType::F64).expect("fits");
        assert_eq!((product.shape(), floats(&product)), (&[2][..], vec![14.0, 3.0]));
        let stack = array(&[2, 1, 2], &[1.0, 0.0, 0.0, 1.0]);
        let product = matmul(&stack, &vector, RealType::F64).expect("fits");
        assert_eq!((product.shape(), floats(&product)), (&[2, 1][..], vec![2.0, 3.0]));
        assert!(matmul(&row, &stack, RealType::F64).is_err());
        let product = |kind: Product, left, right| {
            let product = super::product(&kind, left, right, RealType::F64).expect("fits");
            (product.shape().to_vec(), floats(&product))
        };
        let one = Product::Tensordot(1.into());
        assert_eq!(product(one, &stack, &vector), (vec![2, 1], vec![2.0, 3.0]));
        assert_eq!(product(Product::Tensordot(2.into()), &matrix, &matrix), (vec![], vec![18.0]));
        let pairs = Product::Tensordot(([1, 0], [0, 1]).into());
        assert_eq!(product(pairs, &matrix, &matrix), (vec![], vec![2.0]));
        assert_eq!(
            product(Product::Dot, &stack, &matrix),
            (vec![2, 1, 2], vec![1.0, 0.0, 4.0, 1.0])
        );
        assert_eq!(product(Product::Inner, &matrix, &vector), (vec![2], vec![2.0, 11.0]));
        assert_eq!(product(Product::Outer, &row, &vector), (vec![2, 2], vec![4.0, 6.0, 6.0, 9.0]));
        assert_eq!(product(Product::Vdot, &row, &vector), (vec![], vec![13.0]));
    }
}
