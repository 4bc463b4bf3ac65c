//! Making arrays, of NumPy's default types: integers are i64, floats f64. Of any type: `DArray::<f32>::zeros(..)`, and so all others.

use crate::array::into_shape::checked_shape;
use crate::error::expect_at_caller;
use crate::{
    AsArray, Assignable, DArray, Element, Indexing, Integer, IntoShape, Nested, Number, ScalarLike,
};
use darray_core::{Error, ErrorKind, Place, Result, bf16, f16};
use num_complex::Complex;
use std::ops::Range;

/// An array of zeros of type f64; of other types [`DArray::zeros`].
///
/// ```
/// use darray::np;
/// assert_eq!(np::zeros((2, 3)).sum(0).to_vec(), [0.0; 3]);
/// ```
#[track_caller]
pub fn zeros(shape: impl IntoShape) -> DArray {
    DArray::zeros(shape)
}

/// An array of ones of type f64; of other types [`DArray::ones`].
///
/// ```
/// assert_eq!(darray::np::ones(2).to_vec(), [1.0, 1.0]);
/// ```
#[track_caller]
pub fn ones(shape: impl IntoShape) -> DArray {
    DArray::ones(shape)
}

/// An array of type f64 that nothing is written to; of other types [`DArray::empty`].
///
/// ```
/// assert_eq!(darray::np::empty((2, 3)).shape(), [2, 3]);
/// ```
#[track_caller]
pub fn empty(shape: impl IntoShape) -> DArray {
    DArray::empty(shape)
}

/// An array of equal elements, of the type that the value has in NumPy: integers give i64, floats f64; of other types [`DArray::full`].
///
/// ```
/// use darray::np;
/// assert_eq!(np::full(2, 7).to_vec(), [7i64, 7]);
/// assert_eq!(np::full(2, 0.5).to_vec(), [0.5, 0.5]);
/// ```
#[track_caller]
pub fn full<V: Fill>(shape: impl IntoShape, value: V) -> DArray<V::Element> {
    DArray::<V::Element>::full(shape, value)
}

/// What [`full`] fills with: an integer, f64, bool or `Complex<f64>`.
///
/// ```
/// use darray::np::{Fill, full};
/// fn pair<V: Fill>(value: V) -> darray::DArray<V::Element> {
///     full(2, value)
/// }
/// assert_eq!(pair(true).to_vec(), [true, true]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`np::full` makes arrays of i64, f64, bool and Complex<f64>, and the value is `{Self}`",
    label = "write `DArray::<{Self}>::full(..)`"
)]
pub trait Fill: ScalarLike + Assignable<Self::Element> {
    /// The type of the elements.
    type Element: Element;
}

#[diagnostic::do_not_recommend]
impl<I: Integer> Fill for I
where
    I: Assignable<i64>,
{
    type Element = i64;
}

macro_rules! fills {
    ($($t:ty)*) => { $(
        #[diagnostic::do_not_recommend]
        impl Fill for $t {
            type Element = $t;
        }
    )* };
}

fills!(f64 bool Complex<f64>);

/// An array of nested arrays, vectors or slices; integers give i64, floats f64. Of other types [`DArray::array`].
///
/// ```
/// use darray::np;
/// let x = np::array([[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!((&x * 2.0).sum(..).item().sqrt(), 20f64.sqrt());
/// assert_eq!(np::array(vec![vec![1, 2], vec![3, 4]]).shape(), [2, 2]);
/// ```
#[doc(alias("asarray", "asanyarray"))]
#[track_caller]
pub fn array<N: Nested>(rows: N) -> DArray<N::Element> {
    DArray::array(rows)
}

/// A new array with the same elements; see [`DArray::copy`].
///
/// ```
/// use darray::np;
/// let x = np::zeros(2);
/// np::copy(&x).assign(1.0);
/// assert_eq!(x.to_vec(), [0.0, 0.0]);
/// ```
#[track_caller]
pub fn copy<T: Element>(x: impl AsArray<T>) -> DArray<T> {
    x.as_array().copy()
}

/// The numbers from 0 or a start up to a stop, which is left out: integers give i64, floats f64. Of other types [`DArray::arange`] and
/// [`DArray::range`].
///
/// # Panics
///
/// If the step is 0, or no float lies between two numbers.
///
/// ```
/// use darray::np;
/// assert_eq!(np::arange(3).to_vec(), [0, 1, 2]);
/// assert_eq!(np::arange((1, 6, 2)).to_vec(), [1, 3, 5]);
/// assert_eq!(np::arange(2..4).to_vec(), [2, 3]);
/// assert_eq!(np::arange((1.0, 2.0, 0.5)).to_vec(), [1.0, 1.5]);
/// ```
#[track_caller]
pub fn arange<S: Span>(span: S) -> DArray<S::Element> {
    span.arange()
}

/// What [`arange`] runs over: `n`, `(start, stop)`, `(start, stop, step)`, `a..b`; all integers, or all f64.
///
/// ```
/// use darray::np::{Span, arange};
/// fn squares<S: Span>(span: S) -> darray::DArray<S::Element> {
///     let x = arange(span);
///     &x * &x
/// }
/// assert_eq!(squares((1, 4)).to_vec(), [1, 4, 9]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`arange` does not run over `{Self}`",
    label = "write `n`, `(start, stop)`, `(start, stop, step)`, `a..b`, all integers or all f64: `(0.0, 1.0, 0.1)`"
)]
pub trait Span {
    /// The type of the numbers.
    type Element: Number;

    /// The numbers.
    fn arange(self) -> DArray<Self::Element>;
}

/// Patterns of spans, and what `DArray::range` takes for them.
macro_rules! spans {
    ($([$($integer:ident)*] $span:ty => $t:ty: $self:ident ($start:expr, $stop:expr, $step:expr);)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($integer: Integer),*> Span for $span {
            type Element = $t;

            #[track_caller]
            fn arange($self) -> DArray<$t> {
                DArray::range($start, $stop, $step)
            }
        }
    )* };
}

spans! {
    [I] I => i64: self (0, self.index() as i64, 1);
    [I] Range<I> => i64: self (self.start.index() as i64, self.end.index() as i64, 1);
    [I J] (I, J) => i64: self (self.0.index() as i64, self.1.index() as i64, 1);
    [I J K] (I, J, K) => i64: self (self.0.index() as i64, self.1.index() as i64, self.2.index() as i64);
    [] f64 => f64: self (0.0, self, 1.0);
    [] Range<f64> => f64: self (self.start, self.end, 1.0);
    [] (f64, f64) => f64: self (self.0, self.1, 1.0);
    [] (f64, f64, f64) => f64: self (self.0, self.1, self.2);
}

/// `count` numbers from `start` to `stop`, both included, of type f64; of other types [`DArray::linspace`], and for
/// `endpoint=False` [`DArray::linspace_open`].
///
/// ```
/// use darray::np;
/// assert_eq!(np::linspace(0, 1, 3).to_vec(), [0.0, 0.5, 1.0]);
/// assert_eq!(np::linspace(-0.5, 1, 2).to_vec(), [-0.5, 1.0]);
/// ```
#[track_caller]
pub fn linspace(start: impl Endpoint, stop: impl Endpoint, count: usize) -> DArray {
    DArray::linspace(start.endpoint(), stop.endpoint(), count)
}

/// Powers of 10 with exponents from `start` to `stop`, both included, of type f64; of other types [`DArray::logspace`], and for
/// other bases [`DArray::logspace_of`].
///
/// ```
/// assert_eq!(darray::np::logspace(0, 2, 3).to_vec(), [1.0, 10.0, 100.0]);
/// ```
#[track_caller]
pub fn logspace(start: impl Endpoint, stop: impl Endpoint, count: usize) -> DArray {
    DArray::logspace(start.endpoint(), stop.endpoint(), count)
}

/// An end of [`linspace`] and [`logspace`]: any real number.
///
/// ```
/// assert_eq!(darray::np::Endpoint::endpoint(2u8), 2.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no end of an interval",
    label = "a real number is wanted; of an array of one number `x.item()`"
)]
pub trait Endpoint {
    /// The number.
    fn endpoint(self) -> f64;
}

#[diagnostic::do_not_recommend]
impl<I: Integer> Endpoint for I {
    fn endpoint(self) -> f64 {
        self.index() as f64
    }
}

macro_rules! endpoints {
    ($($t:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl Endpoint for $t {
            fn endpoint(self) -> f64 {
                self.into()
            }
        }
    )* };
}

endpoints!(f16 bf16 f32 f64);

/// As [`empty`], of another array's shape and type; see [`DArray::empty_like`].
///
/// ```
/// let x = darray::np::zeros(2);
/// assert_eq!(darray::np::empty_like(&x).shape(), [2]);
/// ```
pub fn empty_like<T: Element>(x: impl AsArray<T>) -> DArray<T> {
    x.as_array().empty_like()
}

/// Zeros of another array's shape and type; see [`DArray::zeros_like`].
///
/// ```
/// let x = darray::np::ones(2);
/// assert_eq!(darray::np::zeros_like(&x).to_vec(), [0.0, 0.0]);
/// ```
#[track_caller]
pub fn zeros_like<T: Element>(x: impl AsArray<T>) -> DArray<T> {
    x.as_array().zeros_like()
}

/// Ones of another array's shape and type; see [`DArray::ones_like`].
///
/// ```
/// let x = darray::np::zeros(2);
/// assert_eq!(darray::np::ones_like(&x).to_vec(), [1.0, 1.0]);
/// ```
#[track_caller]
pub fn ones_like<T: Element>(x: impl AsArray<T>) -> DArray<T> {
    x.as_array().ones_like()
}

/// Equal elements of another array's shape and type; see [`DArray::full_like`].
///
/// ```
/// let x = darray::np::zeros(2);
/// assert_eq!(darray::np::full_like(&x, 7.0).to_vec(), [7.0, 7.0]);
/// ```
#[track_caller]
pub fn full_like<T, V>(x: impl AsArray<T>, value: V) -> DArray<T>
where
    T: Element,
    V: ScalarLike + Assignable<T>,
{
    x.as_array().full_like(value)
}

/// Ones on the diagonal, zeros elsewhere, of type f64: `eye(3)`, `eye((2, 3))`. Of other types and diagonals [`DArray::eye`].
///
/// # Panics
///
/// If the shape has neither one extent nor two.
///
/// ```
/// use darray::np;
/// assert_eq!(np::eye(2).to_vec(), [1.0, 0.0, 0.0, 1.0]);
/// assert_eq!(np::eye((1, 2)).to_vec(), [1.0, 0.0]);
/// ```
#[track_caller]
pub fn eye(shape: impl IntoShape) -> DArray {
    let (rows, columns) = expect_at_caller(matrix("eye", &shape, Place::caller()));
    DArray::eye(rows, columns, 0)
}

/// The square matrix with ones on its diagonal, of type f64; of other types [`DArray::identity`].
///
/// ```
/// assert_eq!(darray::np::identity(2).to_vec(), [1.0, 0.0, 0.0, 1.0]);
/// ```
#[track_caller]
pub fn identity(count: usize) -> DArray {
    DArray::identity(count)
}

/// Ones up to the diagonal, zeros above it, of type f64: `tri(3)`, `tri((2, 3))`. Of other types and diagonals [`DArray::tri`].
///
/// # Panics
///
/// As [`eye`].
///
/// ```
/// assert_eq!(darray::np::tri(2).to_vec(), [1.0, 0.0, 1.0, 1.0]);
/// ```
#[track_caller]
pub fn tri(shape: impl IntoShape) -> DArray {
    let (rows, columns) = expect_at_caller(matrix("tri", &shape, Place::caller()));
    DArray::tri(rows, columns, 0)
}

/// The extents of a matrix, given both or once.
fn matrix(name: &'static str, shape: &impl IntoShape, place: Place) -> Result<(usize, usize)> {
    let shape = checked_shape(name, shape, place)?;
    match *shape {
        [count] => Ok((count, count)),
        [rows, columns] => Ok((rows, columns)),
        _ => {
            let message = format!("one extent or two are wanted, not {shape}");
            Err(Error::new(name, ErrorKind::Argument { message }, place))
        }
    }
}

/// The elements up to the diagonal, zeros above it; of other diagonals [`DArray::tril`].
///
/// ```
/// use darray::np;
/// assert_eq!(np::tril(np::ones((2, 2))).to_vec(), [1.0, 0.0, 1.0, 1.0]);
/// ```
#[track_caller]
pub fn tril<T: Element>(x: impl AsArray<T>) -> DArray<T> {
    x.as_array().tril(0)
}

/// The elements from the diagonal on, zeros below it; of other diagonals [`DArray::triu`].
///
/// ```
/// use darray::np;
/// assert_eq!(np::triu(np::ones((2, 2))).to_vec(), [1.0, 1.0, 0.0, 1.0]);
/// ```
#[track_caller]
pub fn triu<T: Element>(x: impl AsArray<T>) -> DArray<T> {
    x.as_array().triu(0)
}

/// A matrix of a diagonal, or the diagonal of a matrix; of other diagonals [`DArray::diag`].
///
/// ```
/// use darray::np;
/// let x = np::array([1.0, 2.0]);
/// assert_eq!(np::diag(&x).to_vec(), [1.0, 0.0, 0.0, 2.0]);
/// assert_eq!(np::diag(np::diag(&x)).to_vec(), [1.0, 2.0]);
/// ```
#[track_caller]
pub fn diag<T: Element>(x: impl AsArray<T>) -> DArray<T> {
    x.as_array().diag(0)
}

/// Coordinates of the points of a grid, the first array's along the columns (NumPy's `indexing="xy"`); the other order is
/// [`DArray::meshgrid`] with [`Indexing::Ij`].
///
/// ```
/// use darray::np;
/// let [x, y] = np::meshgrid([np::linspace(0, 1, 2), np::linspace(0, 2, 3)]);
/// assert_eq!((x.shape(), y.shape()), (&[3, 2][..], &[3, 2][..]));
/// assert_eq!(y.at(1).to_vec(), [1.0, 1.0]);
/// ```
#[track_caller]
pub fn meshgrid<T: Element, A: AsArray<T>, const N: usize>(arrays: [A; N]) -> [DArray<T>; N] {
    let references = arrays.each_ref().map(AsArray::as_array);
    let grids = DArray::meshgrid(references, Indexing::Xy);
    grids.try_into().unwrap_or_else(|_| unreachable!("as many grids as arrays"))
}
