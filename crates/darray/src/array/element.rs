//! Element types of [`DArray`](crate::DArray) and NumPy's promotion between them, at compile time.
//!
//! A new element type is one row in each of the macros below and in `promotion`, beside its row in
//! `darray_core`'s tables; a test compares types and tables.

pub(crate) mod promotion;

pub use promotion::Promote;

use crate::array::dyn_array::DynArray;
use crate::array::host;
use crate::array::into_shape::IntoShape;
use crate::{DArray, ScalarLike, Weak};
use darray_core::{DType, Place, Result, Scalar, bf16, f16};
use num_complex::Complex;
use std::{fmt, ops};

/// A type that arrays can hold: `bool`, `i8`, `u8`, `i16`, `u16`, `i32`, `u32`, `i64`, `u64`, `f16`, `bf16`, `f32`, `f64`, `Complex<f32>`
/// (NumPy's `complex64`) and `Complex<f64>` (`complex128`).
///
/// ```
/// use darray::{DType, Element};
/// assert_eq!(<f32 as Element>::DTYPE, DType::F32);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array element type",
    label = "element types are bool, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, Complex<f32> and Complex<f64>"
)]
pub trait Element:
    Copy + PartialEq + fmt::Debug + Send + Sync + 'static + Promote<Self, Output = Self>
{
    /// The same type as a value.
    const DTYPE: DType;
    /// Of complex numbers the type of their parts, of real ones the type itself: what `abs` gives.
    type Part: Element;
    /// What true division and means give: itself for floats and complex numbers, else `f64`.
    type Inexact: Number;
    /// What functions such as `sqrt` give: itself for floats and complex numbers; of `bool` and integers of one byte `f16`, of two bytes
    /// `f32`, else `f64`.
    type Function: Number;
    /// What variances and norms give: the parts of [`Inexact`](Self::Inexact).
    type Spread: Float;
    /// What sums and products give: itself for floats and complex numbers, `u64` for unsigned integers, else `i64`.
    type Accumulator: Number;
    /// What joining an integer scalar gives: `i64` for `bool`, else itself.
    type WithInteger: Number;
    /// What joining a float scalar gives: itself for floats and complex numbers, else `f64`.
    type WithFloat: Number;
    /// What joining a complex scalar gives: complex numbers.
    type WithComplex: Number;

    /// An array of these elements in row-major order, for the operation of this name.
    #[doc(hidden)]
    fn import(
        name: &'static str,
        shape: impl IntoShape,
        elements: Vec<Self>,
        place: Place,
    ) -> Result<DynArray>;

    /// The elements of an array of this type, in row-major order.
    #[doc(hidden)]
    fn read(array: &DynArray, name: &'static str, place: Place) -> Result<Vec<Self>>;

    /// The value, of a complex number the real and the imaginary part.
    #[doc(hidden)]
    fn into_scalars(self) -> (Scalar, Option<Scalar>);

    /// The value of this real scalar, cast to this type.
    #[doc(hidden)]
    fn from_real(scalar: Scalar) -> Self;
}

/// An element type with arithmetic: integers, floats and complex numbers. Integers wrap. `T::zero()`, `T::one()` and the arithmetic of
/// numbers are those of [`num_traits::Num`].
///
/// ```
/// use darray::{DArray, Number};
/// fn double<T: Number>(x: &DArray<T>) -> DArray<T> {
///     x + x
/// }
/// assert_eq!(double(&DArray::<f64>::arange(3)).to_vec(), [0.0, 2.0, 4.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "an array of `{Self}` has no arithmetic of its own",
    label = "numbers are wanted: of a mask `.cast::<i64>()`"
)]
pub trait Number:
    Element<WithInteger = Self> + ScalarLike + FitsIn<Self> + num_traits::Num
{
}

/// An element type of real numbers: integers and floats.
///
/// ```
/// use darray::{DArray, Real};
/// fn spread<T: Real>(x: &DArray<T>) -> DArray<T> {
///     x.max(..) - x.min(..)
/// }
/// assert_eq!(spread(&DArray::from_vec(vec![3u8, 1, 8])).item(), 7);
/// ```
#[diagnostic::on_unimplemented(
    message = "real numbers are wanted here, and the elements are `{Self}`",
    label = "of complex numbers take `.real()`, `.imag()` or `.abs()`; of a mask `.cast::<i64>()`"
)]
pub trait Real: Number + Element<Part = Self> {
    /// This value as a scalar.
    #[doc(hidden)]
    fn into_scalar(self) -> Scalar;
}

/// A floating-point element type: `f16`, `bf16`, `f32`, `f64`. f16 and bf16 are computed with in f32, and every operation rounds
/// its result; a reduction or product rounds once.
///
/// Generic code needs no other bound: arrays and numbers of `T` stand on both sides of the operators. A constant is `T::from(2.0)`.
///
/// ```
/// use darray::{DArray, Float};
/// fn norm<T: Float>(x: &DArray<T>) -> DArray<T> {
///     (x * x).sum(..).sqrt()
/// }
/// fn hinge<T: Float>(x: &DArray<T>) -> DArray<T> {
///     (T::one() - x).maximum(T::zero()) * T::from(0.5)
/// }
/// assert_eq!(norm(&DArray::from_vec(vec![3.0f32, 4.0])).item(), 5.0);
/// assert_eq!(hinge(&DArray::from_vec(vec![0.0f32, 4.0])).to_vec(), [0.5, 0.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "floats are wanted here, and the elements are `{Self}`",
    label = "floats are f16, bf16, f32 and f64: `.cast::<f64>()`; of complex numbers take `.real()`, `.imag()` or `.abs()`"
)]
pub trait Float:
    Real
    + Element<Inexact = Self, Function = Self, Spread = Self, Accumulator = Self, WithFloat = Self>
    + FromConstant
    + PartialOrd
    + ops::Neg<Output = Self>
    + for<'a> ops::Add<&'a DArray<Self>, Output = DArray<Self>>
    + for<'a> ops::Sub<&'a DArray<Self>, Output = DArray<Self>>
    + for<'a> ops::Mul<&'a DArray<Self>, Output = DArray<Self>>
    + for<'a> ops::Div<&'a DArray<Self>, Output = DArray<Self>>
    + ops::Add<DArray<Self>, Output = DArray<Self>>
    + ops::Sub<DArray<Self>, Output = DArray<Self>>
    + ops::Mul<DArray<Self>, Output = DArray<Self>>
    + ops::Div<DArray<Self>, Output = DArray<Self>>
{
}

/// A constant of a float type in generic code, `T::from(2.0)`, rounded to it. It is apart from [`Float`], so that the prelude does not bring
/// its name beside that of `std`'s `From`.
///
/// ```
/// use darray::{DArray, Float};
/// fn half<T: Float>(x: &DArray<T>) -> DArray<T> {
///     x * T::from(0.5)
/// }
/// assert_eq!(half(&DArray::<f32>::ones(1)).item(), 0.5);
/// ```
pub trait FromConstant {
    /// The value of this type nearest to the constant.
    fn from(constant: f64) -> Self;
}

/// A complex element type: `Complex<f32>`, `Complex<f64>`.
///
/// ```
/// use darray::{Complex, ComplexNumber, DArray};
/// fn size<Z: ComplexNumber>(z: &DArray<Z>) -> DArray<Z::Part> {
///     z.real().abs() + z.imag().abs()
/// }
/// let z = DArray::from_vec(vec![Complex::new(1.0, -4.0)]);
/// assert_eq!(size(&z).to_vec(), [5.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "complex numbers are wanted here, and the elements are `{Self}`",
    label = "complex numbers are Complex<f32> and Complex<f64>: `.to_complex()`"
)]
pub trait ComplexNumber:
    Number
    + Element<
        Inexact = Self,
        Function = Self,
        Accumulator = Self,
        WithFloat = Self,
        WithComplex = Self,
        Part: Float,
    >
{
    /// The number with these parts.
    fn of_parts(re: Self::Part, im: Self::Part) -> Self;

    /// The real and the imaginary part.
    fn parts(self) -> [Self::Part; 2];
}

/// Numbers that take the type of an array of `T`: integers of any type, floats and complex numbers that lose nothing in it.
///
/// ```
/// use darray::{FitsIn, DArray, Number, ScalarLike};
/// fn shifted<T: Number, S: ScalarLike + FitsIn<T>>(x: &DArray<T>, by: S) -> DArray<T> {
///     x + by
/// }
/// assert_eq!(shifted(&DArray::<f64>::ones(1), 2u8).item(), 3.0);
/// ```
pub trait FitsIn<T> {}

/// A type of the parts of complex numbers: `f32`, `f64`.
///
/// ```
/// use darray::{ComplexPart, DArray};
/// fn turned<T: ComplexPart>(x: DArray<T>) -> DArray<T::WithComplex> {
///     DArray::from_parts(x.zeros_like(), x)
/// }
/// assert_eq!(turned(DArray::<f32>::ones(1)).to_string(), "[0.+1.j]");
/// ```
#[diagnostic::on_unimplemented(
    message = "parts of complex numbers are wanted here, and the elements are `{Self}`",
    label = "parts are f32 and f64: `.cast::<f64>()`"
)]
pub trait ComplexPart: Float + Element<WithComplex: ComplexNumber<Part = Self>> {}

/// An element type with bitwise operators: `bool` and integers.
///
/// ```
/// use darray::{DArray, Integral};
/// fn both<T: Integral>(x: &DArray<T>, y: &DArray<T>) -> DArray<T> {
///     x & y
/// }
/// assert_eq!(both(&DArray::from_vec(vec![6]), &DArray::from_vec(vec![3])).to_vec(), [2]);
/// ```
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` have no bits",
    label = "`&`, `|`, `^` and shifts are of masks and integers: a mask is `a.gt(0.5)`"
)]
pub trait Integral: Element {}

/// What the angles of elements are: those of real ones are of functions.
pub(crate) type Angle<T> = <<<T as Element>::WithInteger as Element>::Function as Element>::Part;

/// `Complex<f32>` and `Complex<f64>` by names for the tables below.
#[allow(non_camel_case_types)]
type c64 = Complex<f32>;
#[allow(non_camel_case_types)]
type c128 = Complex<f64>;

/// One row per element type: what its associated types are.
macro_rules! elements {
    ($($layout:ident $t:ident $dtype:ident: part $part:ident, inexact $inexact:ident, function $function:ident, spread $spread:ident,
        sum $sum:ident, integer $int:ident, float $float:ident, complex $complex:ident;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl Element for $t {
            const DTYPE: DType = DType::$dtype;
            type Part = $part;
            type Inexact = $inexact;
            type Function = $function;
            type Spread = $spread;
            type Accumulator = $sum;
            type WithInteger = $int;
            type WithFloat = $float;
            type WithComplex = $complex;

            fn import(
                name: &'static str,
                shape: impl IntoShape,
                elements: Vec<Self>,
                place: Place,
            ) -> Result<DynArray> {
                host::$layout::import(Self::DTYPE, name, shape, elements, place)
            }

            fn read(array: &DynArray, name: &'static str, place: Place) -> Result<Vec<Self>> {
                host::$layout::read(array, name, place)
            }

            fn into_scalars(self) -> (Scalar, Option<Scalar>) {
                host::$layout::into_scalars(self)
            }

            fn from_real(scalar: Scalar) -> Self {
                host::$layout::from_real(scalar.cast(Self::DTYPE.part()))
            }
        }
    )* };
}

elements! {
    real bool Bool: part bool, inexact f64, function f16, spread f64, sum i64, integer i64, float f64, complex c128;
    real i8 I8: part i8, inexact f64, function f16, spread f64, sum i64, integer i8, float f64, complex c128;
    real u8 U8: part u8, inexact f64, function f16, spread f64, sum u64, integer u8, float f64, complex c128;
    real i16 I16: part i16, inexact f64, function f32, spread f64, sum i64, integer i16, float f64, complex c128;
    real u16 U16: part u16, inexact f64, function f32, spread f64, sum u64, integer u16, float f64, complex c128;
    real i32 I32: part i32, inexact f64, function f64, spread f64, sum i64, integer i32, float f64, complex c128;
    real u32 U32: part u32, inexact f64, function f64, spread f64, sum u64, integer u32, float f64, complex c128;
    real i64 I64: part i64, inexact f64, function f64, spread f64, sum i64, integer i64, float f64, complex c128;
    real u64 U64: part u64, inexact f64, function f64, spread f64, sum u64, integer u64, float f64, complex c128;
    real f16 F16: part f16, inexact f16, function f16, spread f16, sum f16, integer f16, float f16, complex c64;
    real bf16 BF16: part bf16, inexact bf16, function bf16, spread bf16, sum bf16, integer bf16, float bf16, complex c64;
    real f32 F32: part f32, inexact f32, function f32, spread f32, sum f32, integer f32, float f32, complex c64;
    real f64 F64: part f64, inexact f64, function f64, spread f64, sum f64, integer f64, float f64, complex c128;
    complex c64 C64: part f32, inexact c64, function c64, spread f32, sum c64, integer c64, float c64, complex c64;
    complex c128 C128: part f64, inexact c128, function c128, spread f64, sum c128, integer c128, float c128, complex c128;
}

/// Which element types a trait of this module stands for.
macro_rules! kinds {
    ($($kind:ident: $($t:ident)+;)+) => { $($(
        #[diagnostic::do_not_recommend]
        impl $kind for $t {}
    )+)+ };
}

impl FromConstant for f16 {
    fn from(constant: f64) -> f16 {
        darray_core::f16_from_f64(constant)
    }
}

impl FromConstant for bf16 {
    fn from(constant: f64) -> bf16 {
        darray_core::bf16_from_f64(constant)
    }
}

impl FromConstant for f32 {
    fn from(constant: f64) -> f32 {
        constant as f32
    }
}

impl FromConstant for f64 {
    fn from(constant: f64) -> f64 {
        constant
    }
}

kinds! {
    Number: i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 c64 c128;
    Float: f16 bf16 f32 f64;
    Integral: bool i8 u8 i16 u16 i32 u32 i64 u64;
    ComplexPart: f32 f64;
}

macro_rules! fits_in {
    (any: $($scalar:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T: Number> FitsIn<T> for $scalar {}
    )* };
    ($($scalar:ty: $($t:ty)*;)*) => { $($(
        #[diagnostic::do_not_recommend]
        impl FitsIn<$t> for $scalar {}
    )*)* };
}

fits_in!(any: bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize);
fits_in! {
    f16: f16 f32 f64 Complex<f32> Complex<f64>;
    bf16: bf16 f32 f64 Complex<f32> Complex<f64>;
    f32: f32 f64 Complex<f32> Complex<f64>;
    // The literals of f16 and bf16, which have none of their own.
    f64: f16 bf16 f64 Complex<f64>;
    Complex<f32>: Complex<f32> Complex<f64>;
    Complex<f64>: Complex<f64>;
}

#[diagnostic::do_not_recommend]
impl<T: Float> FitsIn<T> for Weak {}

macro_rules! complex_numbers {
    ($($t:ident)+) => { $(
        #[diagnostic::do_not_recommend]
        impl ComplexNumber for $t {
            fn of_parts(re: Self::Part, im: Self::Part) -> Self {
                Complex::new(re, im)
            }

            fn parts(self) -> [Self::Part; 2] {
                [self.re, self.im]
            }
        }
    )+ };
}

complex_numbers!(c64 c128);

macro_rules! reals {
    ($($t:ident)+) => { $(
        #[diagnostic::do_not_recommend]
        impl Real for $t {
            fn into_scalar(self) -> Scalar {
                Scalar::from(self)
            }
        }
    )+ };
}

reals!(i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64);

#[cfg(test)]
mod tests {
    use super::*;
    use darray_core::{promote, promote_function, promote_weak};

    fn check<T: Element>() {
        let spread = DType::from(T::DTYPE.inexact().part());
        assert_eq!(<T::Part as Element>::DTYPE, DType::from(T::DTYPE.part()));
        assert_eq!(<T::Inexact as Element>::DTYPE, T::DTYPE.inexact());
        assert_eq!(<<T as Element>::Function as Element>::DTYPE, T::DTYPE.function());
        assert_eq!(<T::Spread as Element>::DTYPE, spread);
        assert_eq!(<T::Accumulator as Element>::DTYPE, T::DTYPE.accumulator());
        assert_eq!(<T::WithInteger as Element>::DTYPE, promote_weak(T::DTYPE, DType::I64));
        assert_eq!(<T::WithFloat as Element>::DTYPE, promote_weak(T::DTYPE, DType::F64));
        assert_eq!(<T::WithComplex as Element>::DTYPE, promote_weak(T::DTYPE, DType::C128));
    }

    fn pair<A: Element + Promote<B>, B: Element>() -> DType {
        assert_eq!(<<A as Promote<B>>::Output as Element>::DTYPE, promote(A::DTYPE, B::DTYPE));
        let function = match A::DTYPE.is_complex() || B::DTYPE.is_complex() {
            true => promote(A::DTYPE, B::DTYPE),
            false => promote_function(A::DTYPE.part(), B::DTYPE.part()).into(),
        };
        assert_eq!(<<A as Promote<B>>::FunctionOutput as Element>::DTYPE, function);
        A::DTYPE
    }

    #[test]
    fn types_say_what_the_tables_say() {
        check::<bool>();
        check::<i8>();
        check::<u8>();
        check::<i16>();
        check::<u16>();
        check::<i32>();
        check::<u32>();
        check::<i64>();
        check::<u64>();
        check::<f16>();
        check::<bf16>();
        check::<f32>();
        check::<f64>();
        check::<c64>();
        check::<c128>();
        macro_rules! pairs {
            ($($a:ident)*) => { [$(
                pair::<$a, bool>(), pair::<$a, i8>(), pair::<$a, u8>(), pair::<$a, i16>(),
                pair::<$a, u16>(), pair::<$a, i32>(), pair::<$a, u32>(), pair::<$a, i64>(), pair::<$a, u64>(), pair::<$a, f16>(), pair::<$a, bf16>(), pair::<$a, f32>(), pair::<$a, f64>(), pair::<$a, c64>(), pair::<$a, c128>(),
            )*] };
        }
        let seen = pairs!(bool i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 c64 c128);
        assert_eq!(seen.len(), DType::ALL.len() * DType::ALL.len());
    }
}
