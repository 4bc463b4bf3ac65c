//! Typed scalars, kept as exact bits.

use crate::{
    Kind, RealType, bf16, bf16_from_f32, bf16_from_f64, f16, f16_from_f32, f16_from_f64,
    f32_from_bf16, f32_from_f16,
};
use std::fmt;

/// A value of one element type, kept as its exact bits, so that NaN payloads, -0.0 and denormals
/// survive. Bits above the type's width are zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scalar {
    dtype: RealType,
    bits: u64,
}

impl Scalar {
    /// From raw bits; bits above the width of `dtype` are cleared.
    pub const fn from_bits(dtype: RealType, bits: u64) -> Scalar {
        let bits = match dtype.kind() {
            Kind::Bool => (bits != 0) as u64,
            Kind::Signed | Kind::Unsigned | Kind::Float | Kind::Brain => {
                bits & (u64::MAX >> unused(dtype))
            }
        };
        Scalar { dtype, bits }
    }

    /// From its text, the inverse of `Display`; none where the text is no value of `dtype`.
    ///
    /// ```
    /// use darray_core::{RealType, Scalar};
    /// assert_eq!(Scalar::parse(RealType::U8, "255"), Some(255u8.into()));
    /// assert_eq!(Scalar::parse(RealType::U8, "256"), None);
    /// ```
    pub fn parse(dtype: RealType, text: &str) -> Option<Scalar> {
        match (dtype.kind(), dtype.size()) {
            (Kind::Bool, _) => text.parse::<bool>().ok().map(Into::into),
            (Kind::Signed | Kind::Unsigned, _) => {
                let value = text.parse::<i128>().ok()?;
                let (least, largest) = bounds(dtype);
                let fits = (least..=largest).contains(&value);
                fits.then(|| Scalar::from_bits(dtype, value as u64))
            }
            (Kind::Float, 4) => text.parse::<f32>().ok().map(Into::into),
            // By way of f64, which is exact for every text that `Display` writes.
            (Kind::Float | Kind::Brain, _) => {
                text.parse::<f64>().ok().map(|value| Scalar::from(value).cast(dtype))
            }
        }
    }

    /// Zero (false) of `dtype`.
    pub const fn zero(dtype: RealType) -> Scalar {
        Scalar { dtype, bits: 0 }
    }

    /// One (true) of `dtype`.
    pub fn one(dtype: RealType) -> Scalar {
        Scalar::from(1i64).cast(dtype)
    }

    /// The element type.
    pub const fn dtype(self) -> RealType {
        self.dtype
    }

    /// The exact bits.
    pub const fn bits(self) -> u64 {
        self.bits
    }

    /// The value as f64 (integers beyond 2^53 round to nearest even).
    pub fn to_f64(self) -> f64 {
        match (self.dtype.kind(), self.dtype.size()) {
            (Kind::Bool | Kind::Unsigned, _) => self.bits as f64,
            (Kind::Signed, _) => self.to_i64() as f64,
            (Kind::Float, 2) => f32_from_f16(f16::from_bits(self.bits as u16)) as f64,
            (Kind::Brain, _) => f32_from_bf16(bf16::from_bits(self.bits as u16)) as f64,
            (Kind::Float, 4) => f32::from_bits(self.bits as u32) as f64,
            (Kind::Float, _) => f64::from_bits(self.bits),
        }
    }

    /// The value as i64; floats truncate toward zero and saturate, NaN gives 0. Of u64 the bits.
    pub fn to_i64(self) -> i64 {
        match self.dtype.kind() {
            Kind::Bool | Kind::Unsigned => self.bits as i64,
            Kind::Signed => (self.bits << unused(self.dtype)) as i64 >> unused(self.dtype),
            Kind::Float | Kind::Brain => self.to_f64() as i64,
        }
    }

    /// The value as an integer that has those of all integer types; else as [`to_i64`](Self::to_i64).
    ///
    /// ```
    /// use darray_core::Scalar;
    /// assert_eq!(Scalar::from(u64::MAX).to_i128(), (1 << 64) - 1);
    /// ```
    pub fn to_i128(self) -> i128 {
        match self.dtype.kind() {
            Kind::Unsigned => self.bits.into(),
            _ => self.to_i64().into(),
        }
    }

    /// Whether the value differs from zero (NaN does).
    pub fn to_bool(self) -> bool {
        if self.dtype.is_float() { self.to_f64() != 0.0 } else { self.bits != 0 }
    }

    /// Converted as the `cast` operator converts: rounding to nearest even, truncation toward zero
    /// with saturation for float to integer, the low bits for integer to integer, comparison with
    /// zero for bool.
    ///
    /// ```
    /// use darray_core::{RealType, Scalar};
    /// assert_eq!(Scalar::from(300i64).cast(RealType::U8), 44u8.into());
    /// assert_eq!(Scalar::from(300.7).cast(RealType::U8), 255u8.into());
    /// ```
    pub fn cast(self, to: RealType) -> Scalar {
        let float = self.dtype.is_float();
        match (to.kind(), to.size()) {
            _ if self.dtype == to => self,
            (Kind::Bool, _) => self.to_bool().into(),
            (Kind::Signed | Kind::Unsigned, _) if float => {
                let (least, largest) = bounds(to);
                Scalar::from_bits(to, (self.to_f64() as i128).clamp(least, largest) as u64)
            }
            (Kind::Signed | Kind::Unsigned, _) => Scalar::from_bits(to, self.to_i64() as u64),
            (Kind::Float, 2) if float => f16_from_f64(self.to_f64()).into(),
            // Not rounded twice: f32 holds every integer whose f16 is finite.
            (Kind::Float, 2) => f16_from_f32(self.to_i128() as f32).into(),
            (Kind::Brain, _) if float => bf16_from_f64(self.to_f64()).into(),
            // By way of f32, as kernels go.
            (Kind::Brain, _) => bf16_from_f32(self.to_i128() as f32).into(),
            (Kind::Float, 4) if float => (self.to_f64() as f32).into(),
            (Kind::Float, 4) => (self.to_i128() as f32).into(),
            (Kind::Float, _) => self.to_f64().into(),
        }
    }

    /// Whether this weak scalar can join arrays of type `to`: an integer is a value of an integer
    /// type, or `to` is another kind.
    ///
    /// ```
    /// use darray_core::{RealType, Scalar};
    /// assert!(Scalar::from(255i64).fits(RealType::U8) && !Scalar::from(-1i64).fits(RealType::U8));
    /// assert!(Scalar::from(300i64).fits(RealType::F32) && Scalar::from(0.5).fits(RealType::U8));
    /// ```
    pub fn fits(self, to: RealType) -> bool {
        let integers = self.dtype.is_integer() && to.is_integer();
        !integers || self.cast(to).to_i128() == self.to_i128()
    }
}

/// Bits of a scalar above the width of the type.
const fn unused(dtype: RealType) -> u32 {
    64 - 8 * dtype.size() as u32
}

/// The least and the largest value of an integer type.
const fn bounds(dtype: RealType) -> (i128, i128) {
    let end = 1 << dtype.digits();
    (if matches!(dtype.kind(), Kind::Signed) { -end } else { 0 }, end - 1)
}

/// The bits of a value, by the kind of its type. Those above its width are cleared by the caller.
macro_rules! bits_of {
    (Float, $value:expr) => {
        $value.to_bits() as u64
    };
    (Brain, $value:expr) => {
        $value.to_bits() as u64
    };
    ($integer:ident, $value:expr) => {
        $value as u64
    };
}

macro_rules! scalar_of_value {
    ($kind:ident $rust:ident $name:ident) => {
        impl From<$rust> for Scalar {
            fn from(value: $rust) -> Scalar {
                Scalar::from_bits(RealType::$name, bits_of!($kind, value))
            }
        }
    };
}

crate::each_element! { scalar_of_value }

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.dtype.kind(), self.dtype.size()) {
            (Kind::Bool, _) => write!(f, "{}", self.bits != 0),
            (Kind::Signed | Kind::Unsigned, _) => write!(f, "{}", self.to_i128()),
            (Kind::Float, 2) => write!(f, "{:?}", f32_from_f16(f16::from_bits(self.bits as u16))),
            (Kind::Brain, _) => {
                write!(f, "{:?}", f32_from_bf16(bf16::from_bits(self.bits as u16)))
            }
            (Kind::Float, 4) => write!(f, "{:?}", f32::from_bits(self.bits as u32)),
            (Kind::Float, _) => write!(f, "{:?}", f64::from_bits(self.bits)),
        }
    }
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self, self.dtype)
    }
}
