//! What stands beside an array in an operation: another array, or a weak scalar.

use crate::{Binary, DArray, DynArray, Element, Promote};
use darray_core::{DType, Scalar};

/// An operand of an operation on run-time types: an array, or a weak scalar (bool, i64 or f64).
///
/// ```
/// use darray::{Argument, DArray, DynArray};
/// let x = DynArray::from(DArray::<f64>::ones(3));
/// assert!(matches!(Argument::from(&x), Argument::Array(_)));
/// assert!(matches!(Argument::from(2.5), Argument::Scalar(_)));
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Argument<'a> {
    /// Promotes by its element type.
    Array(&'a DynArray),
    /// Joins an array without widening it, as a Python scalar does.
    Scalar(Scalar),
}

impl Argument<'_> {
    /// As an operation takes it: a scalar by [`Binary::weak`].
    pub(crate) fn seen_by(self, operation: Binary) -> Self {
        match self {
            Argument::Scalar(scalar) => Argument::Scalar(operation.weak(scalar)),
            Argument::Array(_) => self,
        }
    }
}

impl<'a> From<&'a DynArray> for Argument<'a> {
    fn from(array: &'a DynArray) -> Argument<'a> {
        Argument::Array(array)
    }
}

impl From<f64> for Argument<'_> {
    fn from(value: f64) -> Self {
        Argument::Scalar(value.into())
    }
}

impl From<i64> for Argument<'_> {
    fn from(value: i64) -> Self {
        Argument::Scalar(value.into())
    }
}

impl From<bool> for Argument<'_> {
    fn from(value: bool) -> Self {
        Argument::Scalar(value.into())
    }
}

/// The other side of an operation on `DArray<T>`: an array (by value or reference) or a scalar.
///
/// Arrays promote as NumPy's do. Scalars are `f64`, `i64` and `bool`, and are weak, as Python's are:
/// they take the array's element type, unless its kind cannot hold them (`i64` array and `f64`
/// scalar give `f64`). So `2.0 * &x` keeps an `f32` array `f32`, in generic code too, and `x + 1`
/// keeps a `u8` array `u8`. An integer that the type cannot hold (300 or -1 beside `u8`) is an error;
/// comparisons answer for it what is true of the numbers.
///
/// ```
/// use darray::DArray;
/// let x = DArray::<f32>::ones(2);
/// let y: DArray<f32> = 1.0 + 0.5 * &x;
/// let z: DArray<f64> = &y * DArray::<f64>::ones(2);
/// assert_eq!(z.to_vec(), [1.5, 1.5]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be combined with an array of `{T}`",
    note = "scalars are f64, i64 and bool and take the array's element type: write `k as f64`, `f64::from(x)`, `n as i64`",
    note = "arrays of types that do not promote as needed are cast first: `.cast::<f64>()`"
)]
pub trait Operand<T: Element> {
    /// The element type in which the two sides are combined.
    type Output: Element;

    /// The operand without its static type.
    fn argument(&self) -> Argument<'_>;
}

impl<T: Element + Promote<V>, V: Element> Operand<T> for DArray<V> {
    type Output = <T as Promote<V>>::Output;

    fn argument(&self) -> Argument<'_> {
        Argument::Array(self.as_dyn())
    }
}

impl<T: Element + Promote<V>, V: Element> Operand<T> for &DArray<V> {
    type Output = <T as Promote<V>>::Output;

    fn argument(&self) -> Argument<'_> {
        Argument::Array(self.as_dyn())
    }
}

impl<T: Element> Operand<T> for f64 {
    type Output = T::WithFloat;

    fn argument(&self) -> Argument<'_> {
        Argument::from(*self)
    }
}

impl<T: Element> Operand<T> for i64 {
    type Output = T::WithInteger;

    fn argument(&self) -> Argument<'_> {
        Argument::from(*self)
    }
}

impl<T: Element> Operand<T> for bool {
    type Output = T;

    fn argument(&self) -> Argument<'_> {
        Argument::from(*self)
    }
}

/// The element types of operands.
pub(crate) fn dtypes(operands: &[Argument<'_>]) -> Vec<DType> {
    let dtype = |operand: &Argument<'_>| match operand {
        Argument::Array(array) => array.dtype(),
        Argument::Scalar(scalar) => scalar.dtype(),
    };
    operands.iter().map(dtype).collect()
}
