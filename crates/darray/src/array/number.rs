//! Rust's numbers beside arrays: weak scalars, as Python's numbers are.

use darray_core::{DType, ErrorKind, Scalar, bf16, f16};
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

/// A Rust number or a bool: what stands beside arrays as a weak scalar.
///
/// ```
/// use darray::{ScalarLike, WeakScalar};
/// assert_eq!(7usize.weak(), WeakScalar::from(7i64));
/// assert_eq!(0.5f32.weak(), WeakScalar::from(0.5));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number",
    label = "a Rust number or a bool is wanted; of an array of one number `.item()`"
)]
pub trait ScalarLike: Copy {
    /// The value, which remembers only the kind of its type: bool, integer, float, complex.
    fn weak(self) -> WeakScalar;
}

/// An integer as index or bound of a range, of any of Rust's types of integers up to 64 bits. What an `isize` cannot hold lies
/// beyond every axis on its side, so `usize::MAX` is out of range and not -1.
///
/// ```
/// use darray::Index;
/// assert_eq!((3u8.index(), usize::MAX.index()), (3, isize::MAX));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no index",
    label = "indices are integers, and ranges of integers: `i`, `a..b`"
)]
pub trait Index: Copy {
    /// As an `isize`.
    fn index(self) -> isize;
}

macro_rules! index_types {
    ($($int:ty)*) => { $(
        #[diagnostic::do_not_recommend]
        impl Index for $int {
            fn index(self) -> isize {
                #[allow(unused_comparisons, reason = "one macro for signed and unsigned")]
                let limit = if self < 0 { isize::MIN } else { isize::MAX };
                isize::try_from(self).unwrap_or(limit)
            }
        }
    )* };
}

index_types!(i8 u8 i16 u16 i32 u32 i64 u64 isize usize);

/// An integer of Rust: `i8` to `i64`, `u8` to `u64`, `isize` and `usize`.
///
/// ```
/// use darray::{FitsIn, DArray, Integer};
/// fn share<N: Integer + FitsIn<f64>>(total: &DArray<f64>, count: N) -> DArray<f64> {
///     total / count
/// }
/// assert_eq!(share(&DArray::<f64>::ones(1), 4usize).item(), 0.25);
/// ```
pub trait Integer: ScalarLike + Index {}

/// How each type of Rust is a weak scalar, by `From`, too.
macro_rules! scalars {
    ($($scalar:ty: $value:ident => $weak:expr;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl ScalarLike for $scalar {
            #[inline]
            fn weak(self) -> WeakScalar {
                let $value = self;
                $weak
            }
        }

        impl From<$scalar> for WeakScalar {
            fn from(value: $scalar) -> WeakScalar {
                value.weak()
            }
        }
    )* };
    (integers $($scalar:ident)*) => { $(
        scalars! { $scalar: n => WeakScalar::Real(integer(n.into())); }
        impl Integer for $scalar {}
    )* };
    (sizes $($scalar:ident as $wide:ident)*) => { $(
        scalars! { $scalar: n => WeakScalar::Real(integer((n as $wide).into())); }
        impl Integer for $scalar {}
    )* };
}

scalars! {
    bool: b => WeakScalar::Real(b.into());
    f16: x => WeakScalar::Real(f64::from(x).into());
    bf16: x => WeakScalar::Real(f64::from(x).into());
    f32: x => WeakScalar::Real(f64::from(x).into());
    f64: x => WeakScalar::Real(x.into());
    Complex<f32>: z => WeakScalar::Complex(Complex::new(z.re.into(), z.im.into()));
    Complex<f64>: z => WeakScalar::Complex(z);
}
scalars!(integers i8 i16 i32 i64 u8 u16 u32 u64);
scalars!(sizes isize as i64 usize as u64);

/// An integer as a weak scalar: an i64 where it is one.
#[inline]
fn integer(value: i128) -> Scalar {
    match i64::try_from(value) {
        Ok(value) => value.into(),
        Err(_) => (value as u64).into(),
    }
}

/// An f64 that takes the type of any array of floats, rounded to it; made by [`weak`].
///
/// ```
/// use darray::{DArray, Weak, weak};
/// let half: Weak = weak(0.5);
/// assert_eq!((DArray::<f32>::ones(1) * half).item(), 0.5f32);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weak(f64);

/// An f64 beside arrays of any float type, as a Python float is, rounded to it.
///
/// ```
/// use darray::{DArray, Float, weak};
/// let rate: f64 = 0.1;
/// let x = DArray::<f32>::ones(2);
/// assert_eq!((&x * weak(rate)).to_vec(), [0.1f32, 0.1]);
/// ```
pub fn weak(constant: f64) -> Weak {
    Weak(constant)
}

#[diagnostic::do_not_recommend]
impl ScalarLike for Weak {
    fn weak(self) -> WeakScalar {
        self.0.weak()
    }
}
