//! Rust types of elements.

use darray_core::{DType, Scalar};

/// A Rust type whose values are elements of arrays.
///
/// ```
/// use darray_kernel::element::Element;
/// assert_eq!(f32::from_scalar(1.5f32.into_scalar()), 1.5);
/// ```
pub trait Element: Copy + PartialEq + std::fmt::Debug + Send + Sync + 'static {
    /// The element type at run time.
    const DTYPE: DType;
    /// The value of a scalar of this type. Its dtype is not looked at.
    fn from_scalar(scalar: Scalar) -> Self;
    /// The value as a scalar.
    fn into_scalar(self) -> Scalar;
}

impl Element for bool {
    const DTYPE: DType = DType::Bool;
    fn from_scalar(scalar: Scalar) -> bool {
        scalar.bits() != 0
    }
    fn into_scalar(self) -> Scalar {
        self.into()
    }
}

impl Element for i64 {
    const DTYPE: DType = DType::I64;
    fn from_scalar(scalar: Scalar) -> i64 {
        scalar.bits() as i64
    }
    fn into_scalar(self) -> Scalar {
        self.into()
    }
}

impl Element for f32 {
    const DTYPE: DType = DType::F32;
    fn from_scalar(scalar: Scalar) -> f32 {
        f32::from_bits(scalar.bits() as u32)
    }
    fn into_scalar(self) -> Scalar {
        self.into()
    }
}

impl Element for f64 {
    const DTYPE: DType = DType::F64;
    fn from_scalar(scalar: Scalar) -> f64 {
        f64::from_bits(scalar.bits())
    }
    fn into_scalar(self) -> Scalar {
        self.into()
    }
}
