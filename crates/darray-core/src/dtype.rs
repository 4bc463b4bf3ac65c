//! Element types.

use std::fmt;

/// The type of the elements of a store, known at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum DType {
    /// One byte, 0 or 1.
    Bool,
    /// 8-bit unsigned integer; arithmetic wraps.
    U8,
    /// 32-bit signed integer; arithmetic wraps.
    I32,
    /// 64-bit signed integer; arithmetic wraps.
    I64,
    /// IEEE 754 binary16: how elements lie in memory; kernels compute in f32, see [`DType::compute`].
    F16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl DType {
    /// Every element type, in the order of the promotion table.
    pub const ALL: [DType; 7] =
        [DType::Bool, DType::U8, DType::I32, DType::I64, DType::F16, DType::F32, DType::F64];

    /// Bytes of one element.
    #[inline]
    pub const fn size(self) -> usize {
        match self {
            DType::Bool | DType::U8 => 1,
            DType::F16 => 2,
            DType::I32 | DType::F32 => 4,
            DType::I64 | DType::F64 => 8,
        }
    }

    /// The name used in texts: `bool`, `u8`, `i32`, `i64`, `f16`, `f32`, `f64`.
    pub const fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::U8 => "u8",
            DType::I32 => "i32",
            DType::I64 => "i64",
            DType::F16 => "f16",
            DType::F32 => "f32",
            DType::F64 => "f64",
        }
    }

    /// The type with this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<DType> {
        DType::ALL.into_iter().find(|d| d.name() == name)
    }

    /// Whether this is an integer type; `bool` is none.
    pub const fn is_integer(self) -> bool {
        matches!(self, DType::U8 | DType::I32 | DType::I64)
    }

    /// Whether this is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F16 | DType::F32 | DType::F64)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
