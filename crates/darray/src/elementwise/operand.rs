//! What stands beside an array in an operation: another array, or a weak scalar.

use crate::{Binary, DArray, DynArray, Element, Promote};
use darray_core::{DType, Error, ErrorKind, Place, Scalar, promote, promote_weak};
use num_complex::Complex;

/// A scalar that joins an array without widening it, as a Python scalar does, unless the array's kind cannot hold it: a bool, an
/// integer, a float or a complex number.
///
/// ```
/// use darray::{Complex, DArray, DType, DynArray, WeakScalar};
/// let one: WeakScalar = 1.into();
/// let x = DynArray::full(2, DType::F32, one).unwrap();
/// assert_eq!(x.to_string(), "[1. 1.]");
/// assert!(DynArray::full(2, DType::F32, Complex::new(0.0, 1.0)).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WeakScalar {
    /// A real number or truth value.
    Real(Scalar),
    /// A complex number.
    Complex(Complex<f64>),
}

impl WeakScalar {
    /// As an element of this type, which has to hold it: of a complex type both parts.
    pub(crate) fn cast(self, dtype: DType) -> Result<(Scalar, Option<Scalar>), ErrorKind> {
        let part = dtype.part();
        match self {
            WeakScalar::Complex(_) if !dtype.is_complex() => {
                Err(ErrorKind::DType { found: vec![DType::C128], expected: real_value(dtype) })
            }
            WeakScalar::Complex(Complex { re, im }) => {
                Ok((Scalar::from(re).cast(part), Some(Scalar::from(im).cast(part))))
            }
            WeakScalar::Real(scalar) if !scalar.fits(part) => {
                Err(ErrorKind::Value { value: scalar, dtype })
            }
            WeakScalar::Real(scalar) => {
                let im = dtype.is_complex().then(|| Scalar::zero(part));
                Ok((scalar.cast(part), im))
            }
        }
    }
}

/// What is expected where a complex value meets an array of this real type.
pub(crate) fn real_value(dtype: DType) -> String {
    format!("a real value for an array of {dtype}: take `real()` or `abs()`")
}

impl From<Scalar> for WeakScalar {
    fn from(scalar: Scalar) -> WeakScalar {
        WeakScalar::Real(scalar)
    }
}

impl From<Complex<f64>> for WeakScalar {
    fn from(value: Complex<f64>) -> WeakScalar {
        WeakScalar::Complex(value)
    }
}

/// An operand of an operation on run-time types: an array, or a weak scalar (bool, i64, f64 or `Complex<f64>`).
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
    /// So does a complex number.
    Complex(Complex<f64>),
}

impl<'a> Argument<'a> {
    /// As an operation takes it: a scalar by [`Binary::weak`].
    pub(crate) fn seen_by(self, operation: Binary) -> Self {
        match self {
            Argument::Scalar(scalar) => Argument::Scalar(operation.weak(scalar)),
            Argument::Complex(value) if operation.is_logical() => {
                Argument::from(value != Complex::new(0.0, 0.0))
            }
            Argument::Array(_) | Argument::Complex(_) => self,
        }
    }

    /// The array that it is.
    pub(crate) fn array(self) -> Option<&'a DynArray> {
        match self {
            Argument::Array(array) => Some(array),
            Argument::Scalar(_) | Argument::Complex(_) => None,
        }
    }

    /// Its element type; of a scalar that of its kind.
    pub(crate) fn dtype(self) -> DType {
        match self {
            Argument::Array(array) => array.dtype(),
            Argument::Scalar(scalar) => scalar.dtype().into(),
            Argument::Complex(_) => DType::C128,
        }
    }

    /// Whether there is an imaginary part.
    #[inline]
    pub(crate) fn is_complex(self) -> bool {
        match self {
            Argument::Array(array) => array.is_complex(),
            Argument::Scalar(_) => false,
            Argument::Complex(_) => true,
        }
    }
}

impl<'a> From<&'a DynArray> for Argument<'a> {
    fn from(array: &'a DynArray) -> Argument<'a> {
        Argument::Array(array)
    }
}

impl From<Complex<f64>> for Argument<'_> {
    fn from(value: Complex<f64>) -> Self {
        Argument::Complex(value)
    }
}

/// Rust's types of real weak scalars.
macro_rules! weak_scalars {
    ($($scalar:ident)*) => { $(
        impl From<$scalar> for Argument<'_> {
            fn from(value: $scalar) -> Self {
                Argument::Scalar(value.into())
            }
        }

        impl From<$scalar> for WeakScalar {
            fn from(value: $scalar) -> WeakScalar {
                WeakScalar::Real(value.into())
            }
        }
    )* };
}

weak_scalars!(f64 i64 bool);

/// The other side of an operation on `DArray<T>`: an array (by value or reference) or a scalar.
///
/// Arrays promote as NumPy's do. Scalars are `f64`, `i64`, `bool` and `Complex<f64>`, and are weak, as Python's are:
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
    label = "convert it: `x as f64`, `n as i64`; of a list make an array, `DArray::from_vec(list)`",
    note = "numbers beside arrays are f64, i64, bool and Complex<f64>, and take the array's element type, as Python's do: f32 arrays stay f32",
    note = "arrays of types that do not promote as needed are cast first: `.cast::<f64>()`"
)]
pub trait Operand<T: Element> {
    /// The element type in which the two sides are combined.
    type Output: Element;

    /// The operand without its static type.
    fn argument(&self) -> Argument<'_>;
}

#[diagnostic::do_not_recommend]
impl<T: Element + Promote<V>, V: Element> Operand<T> for DArray<V> {
    type Output = <T as Promote<V>>::Output;

    fn argument(&self) -> Argument<'_> {
        Argument::Array(self.as_dyn())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element + Promote<V>, V: Element> Operand<T> for &DArray<V> {
    type Output = <T as Promote<V>>::Output;

    fn argument(&self) -> Argument<'_> {
        Argument::Array(self.as_dyn())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> Operand<T> for f64 {
    type Output = T::WithFloat;

    fn argument(&self) -> Argument<'_> {
        Argument::from(*self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> Operand<T> for i64 {
    type Output = T::WithInteger;

    fn argument(&self) -> Argument<'_> {
        Argument::from(*self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> Operand<T> for bool {
    type Output = T;

    fn argument(&self) -> Argument<'_> {
        Argument::from(*self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> Operand<T> for Complex<f64> {
    type Output = T::WithComplex;

    fn argument(&self) -> Argument<'_> {
        Argument::from(*self)
    }
}

/// The right side of `a += x` for a `DArray<T>`: what meets `T` in `T` itself, so that nothing is lost.
///
/// ```
/// use darray::{Assignable, DArray};
/// fn add_twice<R: Assignable<f32> + Copy>(x: &mut DArray<f32>, y: R) {
///     *x += y;
///     *x += y;
/// }
/// let mut x = DArray::<f32>::ones(2);
/// add_twice(&mut x, 0.5);
/// add_twice(&mut x, &DArray::<i16>::ones(2));
/// assert_eq!(x.to_vec(), [4.0, 4.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not written into an array of `{T}`: something would be lost",
    label = "convert it first, `.cast::<{T}>()`, `x as i64`, or make a new array: `a = a + x`"
)]
pub trait Assignable<T: Element>: Operand<T, Output = T> {}

#[diagnostic::do_not_recommend]
impl<T: Element, R: Operand<T, Output = T>> Assignable<T> for R {}

/// The element types of operands.
pub(crate) fn dtypes(operands: &[Argument<'_>]) -> Vec<DType> {
    operands.iter().map(|operand| operand.dtype()).collect()
}

/// The type of an array and what stands beside it.
pub(crate) fn promoted(array: DType, other: Argument<'_>) -> DType {
    match other {
        Argument::Array(other) => promote(array, other.dtype()),
        Argument::Scalar(_) | Argument::Complex(_) => promote_weak(array, other.dtype()),
    }
}

/// The type of two operands; where neither is an array, as if one were.
pub(crate) fn promoted_of(left: Argument<'_>, right: Argument<'_>) -> DType {
    match (left, right) {
        (Argument::Array(array), other) | (other, Argument::Array(array)) => {
            promoted(array.dtype(), other)
        }
        (a, b) => promote(a.dtype(), b.dtype()),
    }
}

/// The error of an operation that is not defined for these element types.
pub(crate) fn undefined(name: &'static str, found: &[DType], place: Place) -> Error {
    let expected = "types for which the operation is defined".to_string();
    Error::new(name, ErrorKind::DType { found: found.to_vec(), expected }, place)
}
