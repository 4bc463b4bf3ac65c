//! Typed scalars, kept as exact bits.

use crate::{DType, f16, f16_from_f32, f16_from_f64, f32_from_f16};
use std::fmt;

/// A value of one element type, kept as its exact bits, so that NaN payloads, -0.0 and denormals
/// survive. Bits above the type's width are zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scalar {
    dtype: DType,
    bits: u64,
}

impl Scalar {
    /// From raw bits; bits above the width of `dtype` are cleared.
    pub const fn from_bits(dtype: DType, bits: u64) -> Scalar {
        let bits = match dtype {
            DType::Bool => (bits != 0) as u64,
            DType::U8 => bits & 0xff,
            DType::F16 => bits & 0xffff,
            DType::I32 | DType::F32 => bits & 0xffff_ffff,
            DType::I64 | DType::F64 => bits,
        };
        Scalar { dtype, bits }
    }

    /// From its text, the inverse of `Display`; none where the text is no value of `dtype`.
    ///
    /// ```
    /// use darray_core::{DType, Scalar};
    /// assert_eq!(Scalar::parse(DType::U8, "255"), Some(255u8.into()));
    /// assert_eq!(Scalar::parse(DType::U8, "256"), None);
    /// ```
    pub fn parse(dtype: DType, text: &str) -> Option<Scalar> {
        fn parsed<T: std::str::FromStr + Into<Scalar>>(text: &str) -> Option<Scalar> {
            text.parse::<T>().ok().map(Into::into)
        }
        match dtype {
            DType::Bool => parsed::<bool>(text),
            DType::U8 => parsed::<u8>(text),
            DType::I32 => parsed::<i32>(text),
            DType::I64 => parsed::<i64>(text),
            // By way of f64, which is exact for every text that `Display` writes.
            DType::F16 => parsed::<f64>(text).map(|value| value.cast(DType::F16)),
            DType::F32 => parsed::<f32>(text),
            DType::F64 => parsed::<f64>(text),
        }
    }

    /// Zero (false) of `dtype`.
    pub const fn zero(dtype: DType) -> Scalar {
        Scalar { dtype, bits: 0 }
    }

    /// One (true) of `dtype`.
    pub fn one(dtype: DType) -> Scalar {
        Scalar::from(1i64).cast(dtype)
    }

    /// The element type.
    pub const fn dtype(self) -> DType {
        self.dtype
    }

    /// The exact bits.
    pub const fn bits(self) -> u64 {
        self.bits
    }

    /// The value as f64 (i64 beyond 2^53 rounds to nearest even).
    pub fn to_f64(self) -> f64 {
        match self.dtype {
            DType::Bool | DType::U8 | DType::I32 | DType::I64 => self.to_i64() as f64,
            DType::F16 => f32_from_f16(f16::from_bits(self.bits as u16)) as f64,
            DType::F32 => f32::from_bits(self.bits as u32) as f64,
            DType::F64 => f64::from_bits(self.bits),
        }
    }

    /// The value as i64; floats truncate toward zero and saturate, NaN gives 0.
    pub fn to_i64(self) -> i64 {
        match self.dtype {
            DType::Bool | DType::U8 | DType::I64 => self.bits as i64,
            DType::I32 => self.bits as i32 as i64,
            DType::F16 | DType::F32 | DType::F64 => self.to_f64() as i64,
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
    /// use darray_core::{DType, Scalar};
    /// assert_eq!(Scalar::from(300i64).cast(DType::U8), 44u8.into());
    /// assert_eq!(Scalar::from(300.7).cast(DType::U8), 255u8.into());
    /// ```
    pub fn cast(self, to: DType) -> Scalar {
        let float = self.dtype.is_float();
        match to {
            _ if self.dtype == to => self,
            DType::Bool => self.to_bool().into(),
            DType::U8 if float => (self.to_f64() as u8).into(),
            DType::U8 => (self.to_i64() as u8).into(),
            DType::I32 if float => (self.to_f64() as i32).into(),
            DType::I32 => (self.to_i64() as i32).into(),
            DType::I64 => self.to_i64().into(),
            DType::F16 if float => f16_from_f64(self.to_f64()).into(),
            // Not rounded twice: f32 holds every integer whose f16 is finite.
            DType::F16 => f16_from_f32(self.to_i64() as f32).into(),
            DType::F32 if float => (self.to_f64() as f32).into(),
            DType::F32 => (self.to_i64() as f32).into(),
            DType::F64 => self.to_f64().into(),
        }
    }

    /// Whether this weak scalar can join arrays of type `to`: an integer is a value of an integer
    /// type, or `to` is another kind.
    ///
    /// ```
    /// use darray_core::{DType, Scalar};
    /// assert!(Scalar::from(255i64).fits(DType::U8) && !Scalar::from(-1i64).fits(DType::U8));
    /// assert!(Scalar::from(300i64).fits(DType::F32) && Scalar::from(0.5).fits(DType::U8));
    /// ```
    pub fn fits(self, to: DType) -> bool {
        let integers = self.dtype.is_integer() && to.is_integer();
        !integers || self.cast(to).to_i64() == self.to_i64()
    }
}

impl From<bool> for Scalar {
    fn from(v: bool) -> Scalar {
        Scalar { dtype: DType::Bool, bits: v as u64 }
    }
}

impl From<u8> for Scalar {
    fn from(v: u8) -> Scalar {
        Scalar { dtype: DType::U8, bits: v as u64 }
    }
}

impl From<i32> for Scalar {
    fn from(v: i32) -> Scalar {
        Scalar { dtype: DType::I32, bits: v as u32 as u64 }
    }
}

impl From<i64> for Scalar {
    fn from(v: i64) -> Scalar {
        Scalar { dtype: DType::I64, bits: v as u64 }
    }
}

impl From<f16> for Scalar {
    fn from(v: f16) -> Scalar {
        Scalar { dtype: DType::F16, bits: v.to_bits() as u64 }
    }
}

impl From<f32> for Scalar {
    fn from(v: f32) -> Scalar {
        Scalar { dtype: DType::F32, bits: v.to_bits() as u64 }
    }
}

impl From<f64> for Scalar {
    fn from(v: f64) -> Scalar {
        Scalar { dtype: DType::F64, bits: v.to_bits() }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dtype {
            DType::Bool => write!(f, "{}", self.bits != 0),
            DType::U8 | DType::I32 | DType::I64 => write!(f, "{}", self.to_i64()),
            DType::F16 => write!(f, "{:?}", f32_from_f16(f16::from_bits(self.bits as u16))),
            DType::F32 => write!(f, "{:?}", f32::from_bits(self.bits as u32)),
            DType::F64 => write!(f, "{:?}", f64::from_bits(self.bits)),
        }
    }
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self, self.dtype)
    }
}
