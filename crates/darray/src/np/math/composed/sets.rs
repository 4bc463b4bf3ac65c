//! Arrays as sets.

use crate::elementwise::steps::Steps;
use crate::{Binary, DynArray, Unary};
use darray_core::{DType, Place, Result, promote};

/// In the sorted elements of both, equal ones are neighbours: a group. What is in a group with an element of `y` is in `y`. NaN is equal
/// to nothing and so in a group of its own.
pub fn isin(steps: Steps, x: &DynArray, y: &DynArray) -> Result<DynArray> {
    let Steps { name, place } = steps;
    let dtype = promote(x.dtype(), y.dtype());
    let (flat, others) =
        (steps.cast(&steps.ravel(x)?, dtype)?, steps.cast(&steps.ravel(y)?, dtype)?);
    let (count, all) = (flat.shape()[0], flat.shape()[0] + others.shape()[0]);
    let found = steps.full(x, DType::Bool, &[all], 0.0)?;
    if count < all {
        let both = steps.concatenate(&[&flat, &others], 0)?;
        let order = both.sorted(Some(0), true, name, place)?;
        let elements = both.taken(&order, Some(0), steps)?;
        let begins = steps.full(x, DType::Bool, &[all], 0.0)?;
        let neighbours =
            (steps.range(&elements, 0, (0, all - 1))?, steps.range(&elements, 0, (1, all))?);
        let differ = steps.binary(Binary::Ne, &neighbours.0, &neighbours.1)?;
        steps.assign(&steps.range(&begins, 0, (1, all))?, &differ)?;
        let groups = begins.sums(0, name, place)?;
        let is_other = steps.binary(Binary::Ge, &order, count as i64)?;
        let others = steps.full(x, DType::I64, &[all], 0.0)?;
        others.scatter((0, true), &groups, &steps.cast(&is_other, DType::I64)?, name, place)?;
        let among = steps.binary(Binary::Gt, &others.taken(&groups, Some(0), steps)?, 0)?;
        found.scatter((0, false), &order, &among, name, place)?;
    }
    steps.range(&found, 0, (0, count))?.reshape_to(x.shape_of(), name, place)
}

/// The distinct elements, in the type of both arrays.
fn distinct(steps: Steps, x: &DynArray, dtype: DType) -> Result<DynArray> {
    steps.cast(x, dtype)?.distinct(steps)
}

/// The distinct elements that `y` has, or has not.
fn kept(steps: Steps, x: &DynArray, y: &DynArray, has: bool) -> Result<DynArray> {
    let found = isin(steps, x, y)?;
    let mask = if has { found } else { steps.unary(Unary::Not, &found)? };
    x.compressed(&mask, Some(0), steps)
}

pub fn union1d(steps: Steps, x: &DynArray, y: &DynArray) -> Result<DynArray> {
    steps.concatenate(&[&steps.ravel(x)?, &steps.ravel(y)?], 0)?.distinct(steps)
}

pub fn intersect1d(steps: Steps, x: &DynArray, y: &DynArray) -> Result<DynArray> {
    kept(steps, &distinct(steps, x, promote(x.dtype(), y.dtype()))?, y, true)
}

pub fn setdiff1d(steps: Steps, x: &DynArray, y: &DynArray) -> Result<DynArray> {
    kept(steps, &distinct(steps, x, x.dtype())?, y, false)
}

pub fn setxor1d(steps: Steps, x: &DynArray, y: &DynArray) -> Result<DynArray> {
    let dtype = promote(x.dtype(), y.dtype());
    let (x, y) = (distinct(steps, x, dtype)?, distinct(steps, y, dtype)?);
    let (left, right) = (kept(steps, &x, &y, false)?, kept(steps, &y, &x, false)?);
    steps.concatenate(&[&left, &right], 0)?.sorted(Some(0), false, steps.name, steps.place)
}

impl DynArray {
    /// NumPy's `unique_values`: [`unique`](Self::unique) under the array API's name.
    ///
    /// Errors: computing the array failed.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![3, 1, 3]));
    /// assert_eq!(x.unique_values().unwrap().shape(), [2]);
    /// ```
    #[track_caller]
    pub fn unique_values(&self) -> Result<DynArray> {
        self.distinct(Steps { name: "unique_values", place: Place::caller() })
    }
}
