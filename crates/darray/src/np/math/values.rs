//! Functions of several arrays or results.

use crate::error::expect_at_caller;
use crate::{
    Along, Arrays, AsArray, Assignable, Axes, DArray, DType, DynArray, Element, Integral,
    IntoShape, Number, Operand, Overlap, Promote, Spacing, WindowFunction,
};

/// To the power `y` in f64, or complex128; see [`DynArray::float_power`].
///
/// ```
/// let x = darray::DArray::from(vec![2, 4]);
/// assert_eq!(darray::np::float_power(&x, -1).to_vec(), [0.5, 0.25]);
/// ```
#[track_caller]
pub fn float_power<T, R>(x: impl AsArray<T>, y: R) -> DArray<<R::Output as Promote<f64>>::Output>
where
    T: Element,
    R: Operand<T>,
    R::Output: Promote<f64>,
{
    DArray::wrap(expect_at_caller(x.as_array().as_dyn().float_power(y.argument())))
}

/// Quotients rounded down, and what is left of them; see [`DynArray::divmod`].
///
/// ```
/// let (q, r) = darray::np::divmod(&darray::DArray::from(vec![7, -7]), 2);
/// assert_eq!((q.to_vec(), r.to_vec()), (vec![3, -4], vec![1, 1]));
/// ```
#[track_caller]
pub fn divmod<T: Element, R: Operand<T>>(
    x: impl AsArray<T>,
    y: R,
) -> (DArray<R::Output>, DArray<R::Output>) {
    let (quotient, rest) = expect_at_caller(x.as_array().as_dyn().divmod(y.argument()));
    (DArray::wrap(quotient), DArray::wrap(rest))
}

/// The parts of numbers behind the point and before it; see [`DynArray::modf`].
///
/// ```
/// let (part, whole) = darray::np::modf(&darray::DArray::from(vec![-1.5]));
/// assert_eq!((part.to_vec(), whole.to_vec()), (vec![-0.5], vec![-1.0]));
/// ```
#[track_caller]
pub fn modf<T: Element>(x: impl AsArray<T>) -> (DArray<T::Inexact>, DArray<T::Inexact>) {
    let (part, whole) = expect_at_caller(x.as_array().as_dyn().modf());
    (DArray::wrap(part), DArray::wrap(whole))
}

/// The mean with weights; see [`DynArray::average`].
///
/// ```
/// use darray::{DArray, np};
/// let (x, w) = (DArray::from(vec![1.0, 4.0]), DArray::from(vec![2.0, 1.0]));
/// assert_eq!(np::average(&x, &w, ..).item(), 2.0);
/// ```
#[track_caller]
pub fn average<T: Element + Promote<W>, W: Element>(
    x: impl AsArray<T>,
    weights: impl AsArray<W>,
    all_or_axes: impl Into<Axes>,
) -> DArray<<<T as Promote<W>>::Output as Element>::Inexact> {
    DArray::wrap(expect_at_caller(
        x.as_array().as_dyn().average(weights.as_array().as_dyn(), all_or_axes),
    ))
}

/// The integral of lines between elements along an axis; see [`DynArray::trapezoid`].
///
/// ```
/// let y = darray::DArray::from(vec![1.0, 2.0, 4.0]);
/// assert_eq!(darray::np::trapezoid(&y, 0.5, 0).item(), 2.25);
/// ```
#[doc(alias = "trapz")]
#[track_caller]
pub fn trapezoid<T: Element>(
    y: impl AsArray<T>,
    spacing: impl Into<Spacing>,
    axis: isize,
) -> DArray<T::Inexact> {
    DArray::wrap(expect_at_caller(y.as_array().as_dyn().trapezoid(spacing, axis)))
}

/// Values between points; see [`DynArray::interp`].
///
/// ```
/// use darray::{DArray, np};
/// let (xp, fp) = (DArray::from(vec![0.0, 1.0]), DArray::from(vec![10.0, 20.0]));
/// assert_eq!(np::interp(&DArray::from(vec![0.5, 9.0]), &xp, &fp).to_vec(), [15.0, 20.0]);
/// ```
#[track_caller]
pub fn interp<T: Element, U: Element, V: Element + Promote<f64>>(
    x: impl AsArray<T>,
    xp: impl AsArray<U>,
    fp: impl AsArray<V>,
) -> DArray<<V as Promote<f64>>::Output> {
    DArray::wrap(expect_at_caller(
        x.as_array().as_dyn().interp(xp.as_array().as_dyn(), fp.as_array().as_dyn()),
    ))
}

/// A quantile of what is not NaN; see [`DynArray::nanquantile`].
///
/// ```
/// let x = darray::DArray::from(vec![1.0, f64::NAN, 2.0]);
/// assert_eq!(darray::np::nanquantile(&x, 0.25, ..).item(), 1.25);
/// ```
#[track_caller]
pub fn nanquantile<T: Element>(
    x: impl AsArray<T>,
    q: f64,
    axis: impl Into<Along>,
) -> DArray<T::Inexact> {
    DArray::wrap(expect_at_caller(x.as_array().as_dyn().nanquantile(q, axis)))
}

/// The [`nanquantile`] for a percentage.
///
/// ```
/// let x = darray::DArray::from(vec![1.0, f64::NAN, 2.0]);
/// assert_eq!(darray::np::nanpercentile(&x, 25.0, ..).item(), 1.25);
/// ```
#[track_caller]
pub fn nanpercentile<T: Element>(
    x: impl AsArray<T>,
    percent: f64,
    axis: impl Into<Along>,
) -> DArray<T::Inexact> {
    DArray::wrap(expect_at_caller(x.as_array().as_dyn().nanquantile(percent / 100.0, axis)))
}

/// Sums of products of elements whose places add up to one number; see [`DynArray::convolve`].
///
/// ```
/// use darray::{DArray, Overlap, np};
/// let (x, y) = (DArray::from(vec![1, 2, 3]), DArray::from(vec![1, 1]));
/// assert_eq!(np::convolve(&x, &y, Overlap::Full).to_vec(), [1, 3, 5, 3]);
/// ```
#[track_caller]
pub fn convolve<T: Element + Promote<U>, U: Element>(
    x: impl AsArray<T>,
    y: impl AsArray<U>,
    overlap: Overlap,
) -> DArray<<T as Promote<U>>::Output> {
    DArray::wrap(expect_at_caller(x.as_array().as_dyn().convolve(y.as_array().as_dyn(), overlap)))
}

/// Sums of products of elements and those of an array that moves along; see [`DynArray::correlate`].
///
/// ```
/// use darray::{DArray, Overlap, np};
/// let (x, y) = (DArray::from(vec![1, 2, 3]), DArray::from(vec![0, 1]));
/// assert_eq!(np::correlate(&x, &y, Overlap::Valid).to_vec(), [2, 3]);
/// ```
#[track_caller]
pub fn correlate<T: Element + Promote<U>, U: Element>(
    x: impl AsArray<T>,
    y: impl AsArray<U>,
    overlap: Overlap,
) -> DArray<<T as Promote<U>>::Output> {
    DArray::wrap(expect_at_caller(x.as_array().as_dyn().correlate(y.as_array().as_dyn(), overlap)))
}

/// An antiderivative of a polynomial; see [`DynArray::polyint`].
///
/// ```
/// let p = darray::DArray::from(vec![6.0, 2.0]);
/// assert_eq!(darray::np::polyint(&p, 0.0).to_vec(), [3.0, 2.0, 0.0]);
/// ```
#[track_caller]
pub fn polyint<T: Element>(p: impl AsArray<T>, k: f64) -> DArray<T::Inexact> {
    DArray::wrap(expect_at_caller(p.as_array().as_dyn().polyint(k)))
}

/// For each index the element of the array with that number; see [`DynArray::choose`].
///
/// ```
/// use darray::{DArray, np};
/// let (a, b) = (DArray::from(vec![1, 2]), DArray::from(vec![3, 4]));
/// assert_eq!(np::choose(DArray::from(vec![1, 0]), [&a, &b]).to_vec(), [3, 2]);
/// ```
#[track_caller]
pub fn choose<I: Integral + Number, T: Element>(
    indices: impl AsArray<I>,
    choices: impl Arrays<T>,
) -> DArray<T> {
    DArray::wrap(expect_at_caller(indices.as_array().as_dyn().choose(&choices.untyped())))
}

/// At each place the element of the first array whose mask holds there, or a default; see [`DynArray::first_of`].
///
/// ```
/// use darray::{DArray, np};
/// let x = DArray::from(vec![-1, 5, 50]);
/// let (zero, nine) = (np::zeros_like(&x), np::full_like(&x, 9));
/// let clipped = np::select([x.lt(0), x.gt(9)], [zero, nine], &x);
/// assert_eq!(clipped.to_vec(), [0, 5, 9]);
/// ```
#[track_caller]
pub fn select<T: Element>(
    masks: impl Arrays<bool>,
    values: impl Arrays<T>,
    default: impl Assignable<T>,
) -> DArray<T> {
    let (masks, values) = (masks.untyped(), values.untyped());
    DArray::wrap(expect_at_caller(DynArray::first_of(&masks, &values, default.argument())))
}

/// The places in row-major order of indices of several axes; see [`DynArray::ravel_multi_index`].
///
/// ```
/// use darray::{DArray, np};
/// let (i, j) = (DArray::from(vec![0, 1]), DArray::from(vec![2, 1]));
/// assert_eq!(np::ravel_multi_index([&i, &j], (2, 3)).to_vec(), [2, 4]);
/// ```
#[track_caller]
pub fn ravel_multi_index<I: Integral>(
    indices: impl Arrays<I>,
    shape: impl IntoShape,
) -> DArray<i64> {
    DArray::wrap(expect_at_caller(DynArray::ravel_multi_index(&indices.untyped(), shape)))
}

/// The indices along each axis of places in row-major order; see [`DynArray::unravel_index`].
///
/// ```
/// let places = darray::DArray::from(vec![2, 4]);
/// assert_eq!(darray::np::unravel_index(&places, (2, 3))[1].to_vec(), [2, 1]);
/// ```
#[track_caller]
pub fn unravel_index<I: Integral>(
    places: impl AsArray<I>,
    shape: impl IntoShape,
) -> Vec<DArray<i64>> {
    let indices = expect_at_caller(places.as_array().as_dyn().unravel_index(shape));
    indices.into_iter().map(DArray::wrap).collect()
}

/// Numbers of one ratio; see [`DynArray::geomspace`].
///
/// ```
/// assert_eq!(darray::np::geomspace(1.0, 100.0, 3).get(2), 100.0);
/// ```
#[track_caller]
pub fn geomspace(start: f64, stop: f64, count: usize) -> DArray<f64> {
    DArray::wrap(expect_at_caller(DynArray::geomspace(start, stop, count, DType::F64)))
}

macro_rules! windows {
    ($($(#[$doc:meta])+ $name:ident $function:ident;)*) => { $(
        $(#[$doc])+
        ///
        /// ```
        #[doc = concat!("assert!((darray::np::", stringify!($name), "(3).get(1) - 1.0).abs() < 1e-15);")]
        /// ```
        #[track_caller]
        pub fn $name(count: usize) -> DArray<f64> {
            DArray::wrap(expect_at_caller(DynArray::window(WindowFunction::$function, count)))
        }
    )* };
}

windows! {
    /// The Bartlett window of so many values: a triangle.
    bartlett Bartlett;
    /// The Blackman window of so many values.
    blackman Blackman;
    /// The Hamming window of so many values.
    hamming Hamming;
    /// The Hann window of so many values.
    hanning Hann;
}
