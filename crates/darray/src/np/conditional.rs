//! Choosing elements by masks.

use crate::error::expect_at_caller;
use crate::{AsArray, Assignable, Bound, DArray, Element, Operands};
use darray_core::Place;

/// Where the mask holds `then`'s element, else `otherwise`'s; see [`DArray::select`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![-1.0, 2.0]);
/// assert_eq!(darray::np::where_(&x.gt(0.0), &x, 0.0).to_vec(), [0.0, 2.0]);
/// ```
#[track_caller]
pub fn where_<A: Operands<B>, B>(
    mask: impl AsArray<bool>,
    then: A,
    otherwise: B,
) -> DArray<A::Output> {
    mask.as_array().select(then, otherwise)
}

/// Writes `value` into `target` where the mask holds; see [`DArray::assign_where`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![-1.0, 2.0]);
/// darray::np::copyto(&x, 0.0, &x.lt(0.0));
/// assert_eq!(x.to_vec(), [0.0, 2.0]);
/// ```
#[track_caller]
pub fn copyto<T: Element, R: Assignable<T>>(
    target: impl AsArray<T>,
    value: R,
    where_: impl AsArray<bool>,
) {
    let (mask, place) = (where_.as_array().as_dyn(), Place::caller());
    expect_at_caller(target.as_array().as_dyn().assign_where_as(
        "copyto",
        mask,
        value.argument(),
        place,
    ));
}

/// The elements between two bounds, `()` for none; see [`DArray::clip`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![-1.0, 0.5, 2.0]);
/// assert_eq!(darray::np::clip(&x, 0.0, 1.0).to_vec(), [0.0, 0.5, 1.0]);
/// assert_eq!(darray::np::clip(&x, 0.0, ()).to_vec(), [0.0, 0.5, 2.0]);
/// ```
#[track_caller]
pub fn clip<T: Element, L: Bound<T>, H: Bound<L::Output>>(
    x: impl AsArray<T>,
    low: L,
    high: H,
) -> DArray<H::Output> {
    x.as_array().clip(low, high)
}

/// Numbers for NaN and the infinities; see [`DArray::nan_to_num`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![f64::NAN, 1.0]);
/// assert_eq!(darray::np::nan_to_num(&x).to_vec(), [0.0, 1.0]);
/// ```
#[track_caller]
pub fn nan_to_num<T: Element>(x: impl AsArray<T>) -> DArray<T> {
    x.as_array().nan_to_num()
}
