//! Element types of [`DArray`](crate::DArray) and NumPy's promotion between them, at compile time.
//!
//! A new element type is one row in each of the two macros below, beside its row in
//! `darray_core`'s tables; a test compares types and tables.

use darray_core::{DType, Scalar, f16};
use darray_device::{HostBytesMut, HostElement};
use std::fmt;

/// A type that arrays can hold: `bool`, `i8`, `u8`, `i16`, `u16`, `i32`, `u32`, `i64`, `u64`, `f16`, `f32`,
/// `f64`.
///
/// ```
/// use darray::{DType, Element};
/// assert_eq!(<f32 as Element>::DTYPE, DType::F32);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array element type",
    label = "element types are bool, i8, u8, i16, u16, i32, u32, i64, u64, f16, f32 and f64"
)]
pub trait Element:
    Copy + PartialEq + fmt::Debug + HostElement + Promote<Self, Output = Self>
{
    /// The same type as a value.
    const DTYPE: DType;
    /// What true division and functions such as `sqrt` give: itself for floats, else `f64`.
    type Real: Float;
    /// What sums and products give: itself for floats, `u64` for unsigned integers, else `i64`.
    type Accumulator: Number;
    /// What joining an integer scalar gives: `i64` for `bool`, else itself.
    type WithInteger: Number;
    /// What joining a float scalar gives: itself for floats, else `f64`.
    type WithFloat: Float;

    /// The value of a scalar, cast to this type.
    fn from_scalar(scalar: Scalar) -> Self;

    /// This value as a scalar.
    fn into_scalar(self) -> Scalar;

    /// Elements from their bytes in memory.
    fn from_bytes(bytes: &[u8]) -> Vec<Self> {
        let count = bytes.len() / size_of::<Self>();
        let mut elements = vec![Self::Plain::default(); count];
        elements.bytes_mut().copy_from_slice(&bytes[..count * size_of::<Self>()]);
        Self::of_plain(elements)
    }

    /// The bytes of elements in memory.
    fn to_bytes(elements: &[Self]) -> Vec<u8> {
        Self::bytes_of(elements).to_vec()
    }
}

/// An element type with arithmetic: integers and floats. Integers wrap.
///
/// ```
/// use darray::{DArray, Number};
/// fn double<T: Number>(x: &DArray<T>) -> DArray<T> {
///     x + x
/// }
/// assert_eq!(double(&DArray::<f64>::arange(3)).to_vec(), [0.0, 2.0, 4.0]);
/// ```
pub trait Number: Element<WithInteger = Self> {}

/// A floating-point element type: `f16`, `f32`, `f64`. f16 is computed with in f32, and every operation rounds its
/// result to f16; a reduction or product rounds once.
///
/// ```
/// use darray::{DArray, Float};
/// fn norm<T: Float>(x: &DArray<T>) -> DArray<T> {
///     (x * x).sum().sqrt()
/// }
/// assert_eq!(norm(&DArray::from_vec(vec![3.0f32, 4.0])).item(), 5.0);
/// ```
pub trait Float:
    Number + Element<Real = Self, Accumulator = Self, WithFloat = Self> + num_traits::Float
{
}

/// An element type with bitwise operators: `bool` and integers.
///
/// ```
/// use darray::{DArray, Integral};
/// fn both<T: Integral>(x: &DArray<T>, y: &DArray<T>) -> DArray<T> {
///     x & y
/// }
/// assert_eq!(both(&DArray::from_vec(vec![6]), &DArray::from_vec(vec![3])).to_vec(), [2]);
/// ```
pub trait Integral: Element {}

/// NumPy's promotion of arrays of two element types.
///
/// ```
/// use darray::DArray;
/// let sum: DArray<f64> = DArray::<i64>::ones(2) + DArray::<f32>::ones(2);
/// assert_eq!(sum.to_vec(), [2.0, 2.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "no promotion between element types `{Self}` and `{U}`",
    note = "cast one side: `.cast::<f64>()`"
)]
pub trait Promote<U: ?Sized> {
    /// The element type in which the two are combined.
    type Output: Element;
}

/// One row per element type: what its associated types are.
macro_rules! elements {
    ($($t:ident $dtype:ident: real $real:ident, sum $sum:ident, integer $int:ident, float $float:ident;)*) => { $(
        impl Element for $t {
            const DTYPE: DType = DType::$dtype;
            type Real = $real;
            type Accumulator = $sum;
            type WithInteger = $int;
            type WithFloat = $float;

            fn from_scalar(scalar: Scalar) -> Self {
                darray_kernel::element::Element::from_scalar(scalar.cast(DType::$dtype))
            }

            fn into_scalar(self) -> Scalar {
                Scalar::from(self)
            }
        }
    )* };
}

elements! {
    bool Bool: real f64, sum i64, integer i64, float f64;
    i8 I8: real f64, sum i64, integer i8, float f64;
    u8 U8: real f64, sum u64, integer u8, float f64;
    i16 I16: real f64, sum i64, integer i16, float f64;
    u16 U16: real f64, sum u64, integer u16, float f64;
    i32 I32: real f64, sum i64, integer i32, float f64;
    u32 U32: real f64, sum u64, integer u32, float f64;
    i64 I64: real f64, sum i64, integer i64, float f64;
    u64 U64: real f64, sum u64, integer u64, float f64;
    f16 F16: real f16, sum f16, integer f16, float f16;
    f32 F32: real f32, sum f32, integer f32, float f32;
    f64 F64: real f64, sum f64, integer f64, float f64;
}

/// Which element types a trait of this module stands for.
macro_rules! kinds {
    ($($kind:ident: $($t:ident)+;)+) => { $($(impl $kind for $t {})+)+ };
}

kinds! {
    Number: i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64;
    Float: f16 f32 f64;
    Integral: bool i8 u8 i16 u16 i32 u32 i64 u64;
}

/// One row per pair of element types, as `numpy.result_type` has it.
macro_rules! promotions {
    ($($a:ident $b:ident => $output:ident;)*) => { $(
        impl Promote<$b> for $a {
            type Output = $output;
        }
    )* };
}

promotions! {
    bool bool => bool; bool i8 => i8; bool u8 => u8; bool i16 => i16; bool u16 => u16;
    bool i32 => i32; bool u32 => u32; bool i64 => i64; bool u64 => u64; bool f16 => f16;
    bool f32 => f32; bool f64 => f64;
    i8 bool => i8; i8 i8 => i8; i8 u8 => i16; i8 i16 => i16; i8 u16 => i32; i8 i32 => i32;
    i8 u32 => i64; i8 i64 => i64; i8 u64 => f64; i8 f16 => f16; i8 f32 => f32;
    i8 f64 => f64;
    u8 bool => u8; u8 i8 => i16; u8 u8 => u8; u8 i16 => i16; u8 u16 => u16; u8 i32 => i32;
    u8 u32 => u32; u8 i64 => i64; u8 u64 => u64; u8 f16 => f16; u8 f32 => f32;
    u8 f64 => f64;
    i16 bool => i16; i16 i8 => i16; i16 u8 => i16; i16 i16 => i16; i16 u16 => i32;
    i16 i32 => i32; i16 u32 => i64; i16 i64 => i64; i16 u64 => f64; i16 f16 => f32;
    i16 f32 => f32; i16 f64 => f64;
    u16 bool => u16; u16 i8 => i32; u16 u8 => u16; u16 i16 => i32; u16 u16 => u16;
    u16 i32 => i32; u16 u32 => u32; u16 i64 => i64; u16 u64 => u64; u16 f16 => f32;
    u16 f32 => f32; u16 f64 => f64;
    i32 bool => i32; i32 i8 => i32; i32 u8 => i32; i32 i16 => i32; i32 u16 => i32;
    i32 i32 => i32; i32 u32 => i64; i32 i64 => i64; i32 u64 => f64; i32 f16 => f64;
    i32 f32 => f64; i32 f64 => f64;
    u32 bool => u32; u32 i8 => i64; u32 u8 => u32; u32 i16 => i64; u32 u16 => u32;
    u32 i32 => i64; u32 u32 => u32; u32 i64 => i64; u32 u64 => u64; u32 f16 => f64;
    u32 f32 => f64; u32 f64 => f64;
    i64 bool => i64; i64 i8 => i64; i64 u8 => i64; i64 i16 => i64; i64 u16 => i64;
    i64 i32 => i64; i64 u32 => i64; i64 i64 => i64; i64 u64 => f64; i64 f16 => f64;
    i64 f32 => f64; i64 f64 => f64;
    u64 bool => u64; u64 i8 => f64; u64 u8 => u64; u64 i16 => f64; u64 u16 => u64;
    u64 i32 => f64; u64 u32 => u64; u64 i64 => f64; u64 u64 => u64; u64 f16 => f64;
    u64 f32 => f64; u64 f64 => f64;
    f16 bool => f16; f16 i8 => f16; f16 u8 => f16; f16 i16 => f32; f16 u16 => f32;
    f16 i32 => f64; f16 u32 => f64; f16 i64 => f64; f16 u64 => f64; f16 f16 => f16;
    f16 f32 => f32; f16 f64 => f64;
    f32 bool => f32; f32 i8 => f32; f32 u8 => f32; f32 i16 => f32; f32 u16 => f32;
    f32 i32 => f64; f32 u32 => f64; f32 i64 => f64; f32 u64 => f64; f32 f16 => f32;
    f32 f32 => f32; f32 f64 => f64;
    f64 bool => f64; f64 i8 => f64; f64 u8 => f64; f64 i16 => f64; f64 u16 => f64;
    f64 i32 => f64; f64 u32 => f64; f64 i64 => f64; f64 u64 => f64; f64 f16 => f64;
    f64 f32 => f64; f64 f64 => f64;
}

#[cfg(test)]
mod tests {
    use super::*;
    use darray_core::{promote, promote_weak};

    fn check<T: Element>() {
        assert_eq!(<T::Real as Element>::DTYPE, T::DTYPE.real());
        assert_eq!(<T::Accumulator as Element>::DTYPE, T::DTYPE.accumulator());
        assert_eq!(<T::WithInteger as Element>::DTYPE, promote_weak(T::DTYPE, DType::I64));
        assert_eq!(<T::WithFloat as Element>::DTYPE, promote_weak(T::DTYPE, DType::F64));
        let one = Scalar::one(T::DTYPE);
        assert_eq!(T::from_scalar(one).into_scalar(), one);
        let elements = [T::from_scalar(one), T::from_scalar(Scalar::zero(T::DTYPE))];
        assert_eq!(T::from_bytes(&T::to_bytes(&elements)), elements);
    }

    fn pair<A: Element + Promote<B>, B: Element>() -> DType {
        assert_eq!(<<A as Promote<B>>::Output as Element>::DTYPE, promote(A::DTYPE, B::DTYPE));
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
        check::<f32>();
        check::<f64>();
        macro_rules! pairs {
            ($($a:ident)*) => { [$(
                pair::<$a, bool>(), pair::<$a, i8>(), pair::<$a, u8>(), pair::<$a, i16>(),
                pair::<$a, u16>(), pair::<$a, i32>(), pair::<$a, u32>(), pair::<$a, i64>(), pair::<$a, u64>(),
                pair::<$a, f16>(), pair::<$a, f32>(), pair::<$a, f64>(),
            )*] };
        }
        let seen = pairs!(bool i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64);
        assert_eq!(seen.len(), DType::ALL.len() * DType::ALL.len());
    }
}
