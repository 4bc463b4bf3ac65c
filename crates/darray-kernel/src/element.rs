//! Rust types of elements.

pub use darray_core::f16;
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

/// One row per element type: how the bits of a scalar make the value.
macro_rules! elements {
    ($($element:ident $dtype:ident: $bits:ident => $value:expr;)+) => { $(
        impl Element for $element {
            const DTYPE: DType = DType::$dtype;
            fn from_scalar(scalar: Scalar) -> $element {
                let $bits = scalar.bits();
                $value
            }
            fn into_scalar(self) -> Scalar {
                self.into()
            }
        }
    )+ };
}

elements! {
    bool Bool: bits => bits != 0;
    u8 U8: bits => bits as u8;
    i32 I32: bits => bits as i32;
    i64 I64: bits => bits as i64;
    f16 F16: bits => f16::from_bits(bits as u16);
    f32 F32: bits => f32::from_bits(bits as u32);
    f64 F64: bits => f64::from_bits(bits);
}
