//! What stands beside an array in an operation: another array, or a weak scalar.

use crate::error::expect_at_caller;
use crate::{
    Binary, DArray, DynArray, Element, FitsIn, Float, Integer, Number, Promote, ScalarLike, Unary,
    WeakScalar,
};
use darray_core::{DType, Error, ErrorKind, Place, Scalar, bf16, f16, promote, promote_weak};
use num_complex::Complex;

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

impl From<WeakScalar> for Argument<'_> {
    fn from(value: WeakScalar) -> Self {
        match value {
            WeakScalar::Real(scalar) => Argument::Scalar(scalar),
            WeakScalar::Complex(value) => Argument::Complex(value),
        }
    }
}

macro_rules! numbers {
    ($($scalar:ty)*) => { $(
        impl From<$scalar> for Argument<'_> {
            fn from(value: $scalar) -> Self {
                value.weak().into()
            }
        }
    )* };
}

numbers!(bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 bf16 f32 f64 Complex<f32> Complex<f64>);

/// The other side of an operation on `DArray<T>`: an array (by value or reference) or a number.
///
/// Arrays promote as NumPy's do. Numbers are weak, as Python's are: beside an array of `T` stand literals, integers of any type, and floats
/// and complex numbers that lose nothing in `T`, and all of them take its type. So `&x * 2.0` keeps an `f32` array `f32`, and `x + 1` a `u8` array
/// `u8`; in generic code a constant is `T::from(2.0)`. A float beside an array of integers gives `f64`, a complex number beside reals a complex array.
/// An integer that the type cannot hold (300 or -1 beside `u8`) is an error; comparisons answer for it what is true of the numbers.
///
/// ```
/// use darray::DArray;
/// let x = DArray::<f32>::ones(2);
/// let y: DArray<f32> = 1.0 + 0.5 * &x;
/// let z: DArray<f64> = &y * DArray::<f64>::ones(2);
/// assert_eq!(z.to_vec(), [1.5, 1.5]);
/// let mean = z.sum(..) / z.len();
/// assert_eq!(mean.item(), 1.5);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot stand beside an array of `{T}`",
    label = "convert it: `x as {T}`, beside integers `x as f64`, in generic code `T::from(0.5)`; of a list make an array, `DArray::from(list)`",
    note = "beside an array stand arrays, literals, integers of any type, and floats of the array's own type",
    note = "or widen the array, `.cast::<f64>()`; `darray::weak(x)` is an f64 that takes any float type"
)]
pub trait Operand<T: Element> {
    /// The element type in which the two sides are combined.
    type Output: Element;
    /// The element type that functions such as `hypot` give for the two.
    type FunctionOutput: Number;

    /// The operand without its static type.
    fn argument(&self) -> Argument<'_>;
}

macro_rules! array_operands {
    ($($array:ty)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T: Element + Promote<V>, V: Element> Operand<T> for $array {
            type Output = <T as Promote<V>>::Output;
            type FunctionOutput = <T as Promote<V>>::FunctionOutput;

            fn argument(&self) -> Argument<'_> {
                Argument::Array(self.as_dyn())
            }
        }
    )* };
}

array_operands!(DArray<V> &DArray<V>);

// The result is `T` whatever the number's type is, so it is known while a literal has no type yet.
#[diagnostic::do_not_recommend]
impl<T: Number, S: ScalarLike + FitsIn<T>> Operand<T> for S {
    type Output = T;
    type FunctionOutput = <T as Element>::Function;

    fn argument(&self) -> Argument<'_> {
        self.weak().into()
    }
}

/// By reference, as iterators give them. Not for all numbers at once, as another crate could make a number of its `&Theirs`.
macro_rules! numbers_by_reference {
    ($($scalar:ty)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T: Number> Operand<T> for &$scalar where $scalar: FitsIn<T> {
            type Output = T;
            type FunctionOutput = <T as Element>::Function;

            fn argument(&self) -> Argument<'_> {
                self.weak().into()
            }
        }
    )* };
}

numbers_by_reference!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 bf16 f32 f64 Complex<f32> Complex<f64>);

/// Numbers whose kind the array cannot hold: for each type of arrays one float and one complex type, so that a literal has one type.
macro_rules! widening {
    ($($scalar:ty => $output:ty: $($t:ty)*;)*) => { $($(
        #[diagnostic::do_not_recommend]
        impl Operand<$t> for $scalar {
            type Output = $output;
            type FunctionOutput = <$output as Element>::Function;

            fn argument(&self) -> Argument<'_> {
                self.weak().into()
            }
        }
    )*)* };
}

widening! {
    bool => bool: bool;
    f64 => f64: bool i8 i16 i32 i64 u8 u16 u32 u64;
    Complex<f64> => Complex<f64>: bool i8 i16 i32 i64 u8 u16 u32 u64 f64;
    Complex<f32> => Complex<f32>: f16 bf16 f32;
}

#[diagnostic::do_not_recommend]
impl<S: Integer> Operand<bool> for S {
    type Output = i64;
    type FunctionOutput = f64;

    fn argument(&self) -> Argument<'_> {
        self.weak().into()
    }
}

/// A number on the left of an array of `T`: of the array's own type, an `i64` beside floats, an `f64` beside integers. Of each kind there is one
/// type, so that literals have a type at once.
///
/// ```
/// use darray::{DArray, Element, Left};
/// fn is_left<S: Left<T>, T: Element>(_: S, _: &DArray<T>) {}
/// is_left(0.5f32, &DArray::<f32>::ones(1));
/// is_left(2i64, &DArray::<f64>::ones(1));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not stand on the left of an array of `{T}`",
    label = "put it on the right, or convert it: `x as {T}`",
    note = "on the left of an array stand literals and numbers of its own type"
)]
pub trait Left<T: Element>: ScalarLike {
    /// The element type in which the two sides are combined.
    type Output: Element;
}

macro_rules! left {
    (own: $($t:ty)*) => { $(
        #[diagnostic::do_not_recommend]
        impl Left<$t> for $t {
            type Output = $t;
        }
    )* };
    ($($scalar:ty => $output:ty: $($t:ty)*;)*) => { $($(
        #[diagnostic::do_not_recommend]
        impl Left<$t> for $scalar {
            type Output = $output;
        }
    )*)* };
}

left!(own: i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 Complex<f32> Complex<f64>);

#[diagnostic::do_not_recommend]
impl<T: Float> Left<T> for i64 {
    type Output = T;
}

left! {
    i64 => i64: bool;
    i64 => Complex<f32>: Complex<f32>;
    i64 => Complex<f64>: Complex<f64>;
    f64 => f16: f16;
    f64 => bf16: bf16;
    f64 => f64: bool i8 i16 i32 i64 u8 u16 u32 u64;
    f64 => Complex<f64>: Complex<f64>;
    f32 => Complex<f32>: Complex<f32>;
    Complex<f64> => Complex<f64>: bool i8 i16 i32 i64 u8 u16 u32 u64 f64;
    Complex<f32> => Complex<f32>: f16 bf16 f32;
}

/// What is written into an array of `T`, by `a.assign(x)` and `a += x`: what meets `T` in `T` itself, so that nothing is lost.
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
    label = "convert it first, `.cast::<{T}>()`, `x as {T}`, or make a new array: `a = a + x`",
    note = "in generic code a constant is `T::from(0.5)`"
)]
pub trait Assignable<T: Element>: Operand<T> {}

#[diagnostic::do_not_recommend]
impl<T: Element, R: Operand<T, Output = T>> Assignable<T> for R {}

/// What a function of one operand takes: an array, by value or by reference, or a number, f64 or i64, of which it gives a number.
///
/// ```
/// use darray::np;
/// let x = np::array([4.0, 9.0]);
/// assert_eq!((np::sqrt(2.0) * &x).to_vec(), [4.0 * 2f64.sqrt(), 9.0 * 2f64.sqrt()]);
/// assert_eq!(np::sqrt(x).to_vec(), [2.0, 3.0]);
/// assert_eq!(np::sqrt(4), 2.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an array nor a number of type f64 or i64",
    label = "write `&a`, or `x as f64`"
)]
pub trait MathArgument {
    /// The type of the elements, or of the number.
    type Element: Element;
    /// What has results of type `U`: an array, or a number.
    type Of<U: Element>;

    /// The operation's results, which have type `U`.
    #[doc(hidden)]
    fn apply<U: Element>(self, operation: Unary) -> Self::Of<U>;
}

macro_rules! math_arrays {
    ($($array:ty)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T: Element> MathArgument for $array {
            type Element = T;
            type Of<U: Element> = DArray<U>;

            #[track_caller]
            fn apply<U: Element>(self, operation: Unary) -> DArray<U> {
                DArray::wrap(expect_at_caller(self.as_dyn().unary(operation)))
            }
        }
    )* };
}

math_arrays!(DArray<T> &DArray<T>);

// One type of each kind, so that a literal has a type at once.
macro_rules! math_numbers {
    ($($t:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl MathArgument for $t {
            type Element = $t;
            type Of<U: Element> = U;

            #[track_caller]
            fn apply<U: Element>(self, operation: Unary) -> U {
                let number = operation.of_number(self.into());
                let refused = || undefined(operation.name(), &[$t::DTYPE], Place::caller());
                U::from_real(expect_at_caller(number.ok_or_else(refused)))
            }
        }
    )* };
}

math_numbers!(f64 i64);

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
