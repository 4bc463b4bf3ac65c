//! Rust types of elements.

use darray_core::{RealType, Scalar};
pub use darray_core::{bf16, f16};

/// A Rust type whose values are elements of arrays.
///
/// ```
/// use darray_kernel::element::Element;
/// assert_eq!(f32::from_scalar(1.5f32.into_scalar()), 1.5);
/// ```
pub trait Element: Copy + PartialEq + std::fmt::Debug + Send + Sync + 'static {
    /// The element type at run time.
    const DTYPE: RealType;
    /// The value of a scalar of this type. Its dtype is not looked at.
    fn from_scalar(scalar: Scalar) -> Self;
    /// The value as a scalar.
    fn into_scalar(self) -> Scalar;
}

/// The value that bits of a scalar are, by the kind of the type.
macro_rules! value_of {
    (Bool $rust:ident $bits:expr) => {
        $bits != 0
    };
    (Float $rust:ident $bits:expr) => {
        $rust::from_bits($bits as _)
    };
    (Brain $rust:ident $bits:expr) => {
        $rust::from_bits($bits as _)
    };
    ($integer:ident $rust:ident $bits:expr) => {
        $bits as $rust
    };
}

macro_rules! element {
    ($kind:ident $rust:ident $name:ident) => {
        impl Element for $rust {
            const DTYPE: RealType = RealType::$name;
            fn from_scalar(scalar: Scalar) -> $rust {
                value_of!($kind $rust scalar.bits())
            }
            fn into_scalar(self) -> Scalar {
                self.into()
            }
        }
    };
}

darray_core::each_element! { element }
