//! Typed scalars, kept as exact bits.

use crate::DType;
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
            DType::F32 => bits & 0xffff_ffff,
            DType::I64 | DType::F64 => bits,
        };
        Scalar { dtype, bits }
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
            DType::Bool => self.bits as f64,
            DType::I64 => self.bits as i64 as f64,
            DType::F32 => f32::from_bits(self.bits as u32) as f64,
            DType::F64 => f64::from_bits(self.bits),
        }
    }

    /// The value as i64; floats truncate toward zero and saturate, NaN gives 0.
    pub fn to_i64(self) -> i64 {
        match self.dtype {
            DType::Bool | DType::I64 => self.bits as i64,
            DType::F32 => f32::from_bits(self.bits as u32) as i64,
            DType::F64 => f64::from_bits(self.bits) as i64,
        }
    }

    /// Whether the value differs from zero (NaN does).
    pub fn to_bool(self) -> bool {
        match self.dtype {
            DType::Bool | DType::I64 => self.bits != 0,
            DType::F32 | DType::F64 => self.to_f64() != 0.0,
        }
    }

    /// Converted as the `cast` operator converts: rounding to nearest even, truncation toward zero
    /// with saturation for float to integer, comparison with zero for bool.
    pub fn cast(self, to: DType) -> Scalar {
        match (self.dtype, to) {
            (a, b) if a == b => self,
            (_, DType::Bool) => self.to_bool().into(),
            (_, DType::I64) => self.to_i64().into(),
            (DType::I64, DType::F32) => (self.bits as i64 as f32).into(),
            (_, DType::F32) => (self.to_f64() as f32).into(),
            (_, DType::F64) => self.to_f64().into(),
        }
    }
}

impl From<bool> for Scalar {
    fn from(v: bool) -> Scalar {
        Scalar { dtype: DType::Bool, bits: v as u64 }
    }
}

impl From<i64> for Scalar {
    fn from(v: i64) -> Scalar {
        Scalar { dtype: DType::I64, bits: v as u64 }
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
            DType::I64 => write!(f, "{}", self.bits as i64),
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
