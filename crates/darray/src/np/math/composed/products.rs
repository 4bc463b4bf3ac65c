//! Products.

use crate::elementwise::steps::Steps;
use crate::{Binary, DynArray, Reduction};
use darray_core::{Ix, Result, Shape, check_shape};
use smallvec::SmallVec;

pub fn kron(steps: Steps, x: &DynArray, y: &DynArray) -> Result<DynArray> {
    let rank = x.shape().len().max(y.shape().len());
    let extents = |array: &DynArray| -> Vec<usize> {
        let missing = std::iter::repeat_n(1, rank - array.shape().len());
        missing.chain(array.shape().iter().copied()).collect()
    };
    let (left, right) = (extents(x), extents(y));
    let shape: Shape = left.iter().zip(&right).map(|(a, b)| a.saturating_mul(*b)).collect();
    check_shape(&shape).map_err(|kind| steps.error(kind))?;
    // Axes where just one of both has elements side by side need not be two.
    let (mut wide_left, mut wide_right) = (Vec::new(), Vec::new());
    for (&a, &b) in left.iter().zip(&right) {
        if a != 1 || b == 1 {
            wide_left.push(a);
            wide_right.push(1);
        }
        if b != 1 {
            wide_left.push(1);
            wide_right.push(b);
        }
    }
    let wide = Shape::new(&wide_left);
    check_shape(&wide).map_err(|kind| steps.error(kind))?;
    let product = steps.binary(
        Binary::Mul,
        &steps.reshape(x, &wide_left)?,
        &steps.reshape(y, &wide_right)?,
    )?;
    steps.reshape(&product, &shape)
}

pub fn vecdot(steps: Steps, x: &DynArray, y: &DynArray) -> Result<DynArray> {
    if x.shape().is_empty() || y.shape().is_empty() || x.shape().last() != y.shape().last() {
        return Err(steps.shapes(&[x, y], "last axes of one extent"));
    }
    let conjugate = x.conj_as(steps.name, steps.place)?;
    let products = steps.binary(Binary::Mul, &conjugate, y)?;
    let dtype = products.dtype();
    let sums = products.reduce_named(Reduction::Sum, -1, steps.name, steps.place)?;
    steps.cast(&sums, dtype)
}

/// With an axis of extent 1 as the last one, or the last but one.
fn widened(steps: Steps, x: &DynArray, last: bool) -> Result<DynArray> {
    if x.shape().is_empty() {
        return Err(steps.shapes(&[x], "at least one axis"));
    }
    let items = match last {
        true => [Ix::Ellipsis, Ix::NewAxis].to_vec(),
        false => [Ix::Ellipsis, Ix::NewAxis, Ix::from(..)].to_vec(),
    };
    Ok(x.with_view(x.view().slice(&items).map_err(|kind| steps.error(kind))?))
}

/// Without that axis again.
fn narrowed(steps: Steps, x: &DynArray, last: bool) -> Result<DynArray> {
    let items: SmallVec<[Ix; 8]> = match last {
        true => [Ix::Ellipsis, Ix::from(0)].into_iter().collect(),
        false => [Ix::Ellipsis, Ix::from(0), Ix::from(..)].into_iter().collect(),
    };
    Ok(x.with_view(x.view().slice(&items).map_err(|kind| steps.error(kind))?))
}

pub fn matvec(steps: Steps, x: &DynArray, y: &DynArray) -> Result<DynArray> {
    if x.shape().len() < 2 {
        return Err(steps.shapes(&[x, y], "matrices and vectors"));
    }
    narrowed(steps, &x.matmul_as(&widened(steps, y, true)?, steps.name, steps.place)?, true)
}

pub fn vecmat(steps: Steps, x: &DynArray, y: &DynArray) -> Result<DynArray> {
    if y.shape().len() < 2 {
        return Err(steps.shapes(&[x, y], "vectors and matrices"));
    }
    let x = x.conj_as(steps.name, steps.place)?;
    narrowed(steps, &widened(steps, &x, false)?.matmul_as(y, steps.name, steps.place)?, false)
}
