//! NumPy 2 type promotion, as data.
//!
//! The tables are what `numpy.result_type` and `numpy.true_divide` give; a test compares them with a
//! file written by NumPy. Scalars are *weak* (NEP 50): a scalar of kind bool, integer or float joins an
//! array without widening it, unless the array's kind cannot hold the scalar's.

use crate::DType;
use DType::{Bool, F16, F32, F64, I32, I64, U8};

/// `PROMOTION[a][b]`, in the order of [`DType::ALL`].
const PROMOTION: [[DType; 7]; 7] = [
    //  bool   u8   i32  i64  f16  f32  f64
    [Bool, U8, I32, I64, F16, F32, F64], // bool
    [U8, U8, I32, I64, F16, F32, F64],   // u8
    [I32, I32, I32, I64, F64, F64, F64], // i32
    [I64, I64, I64, I64, F64, F64, F64], // i64
    [F16, F16, F64, F64, F16, F32, F64], // f16
    [F32, F32, F64, F64, F32, F32, F64], // f32
    [F64, F64, F64, F64, F64, F64, F64], // f64
];

/// The type of `array + scalar` for a weak scalar of kind bool, integer, float.
const WEAK: [[DType; 3]; 7] = [
    //  bool integer float
    [Bool, I64, F64], // bool array
    [U8, U8, F64],    // u8 array
    [I32, I32, F64],  // i32 array
    [I64, I64, F64],  // i64 array
    [F16, F16, F16],  // f16 array
    [F32, F32, F32],  // f32 array
    [F64, F64, F64],  // f64 array
];

/// The type in which two arrays of these types are combined.
///
/// ```
/// use darray_core::{DType, promote};
/// assert_eq!(promote(DType::Bool, DType::F32), DType::F32);
/// assert_eq!(promote(DType::U8, DType::I32), DType::I32);
/// assert_eq!(promote(DType::I32, DType::F32), DType::F64);
/// ```
pub const fn promote(a: DType, b: DType) -> DType {
    PROMOTION[a as usize][b as usize]
}

/// The type in which an array and a weak scalar are combined; the scalar is converted to it. Of the
/// scalar only the kind matters: bool, integer or float.
///
/// ```
/// use darray_core::{DType, promote_weak};
/// assert_eq!(promote_weak(DType::F32, DType::F64), DType::F32);
/// assert_eq!(promote_weak(DType::I64, DType::F64), DType::F64);
/// assert_eq!(promote_weak(DType::U8, DType::I64), DType::U8);
/// assert_eq!(promote_weak(DType::Bool, DType::I64), DType::I64);
/// ```
pub const fn promote_weak(array: DType, scalar: DType) -> DType {
    WEAK[array as usize][scalar.is_integer() as usize + 2 * scalar.is_float() as usize]
}

impl DType {
    /// The floating-point type in which true division and functions such as `sqrt` compute:
    /// itself for floats, else f64. (NumPy has smaller floats for the functions of small integers.)
    pub const fn real(self) -> DType {
        match self {
            F16 => F16,
            F32 => F32,
            Bool | U8 | I32 | I64 | F64 => F64,
        }
    }

    /// The type of a sum or product: itself for floats, else i64. (NumPy's is unsigned for u8.)
    pub const fn accumulator(self) -> DType {
        match self {
            Bool | U8 | I32 | I64 => I64,
            F16 => F16,
            F32 => F32,
            F64 => F64,
        }
    }

    /// The type in which kernels compute with elements of this type: f32 for f16, else itself. What an
    /// operation on f16 gives is the f32 result rounded to f16; for `+ - * /` and `sqrt` that is the
    /// correctly rounded one, because f32 has more than twice the bits of f16.
    pub const fn compute(self) -> DType {
        match self {
            F16 => F32,
            Bool | U8 | I32 | I64 | F32 | F64 => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every line of the file that `tests/numpy/generate.py` writes with NumPy.
    #[test]
    fn tables_are_numpys() {
        let mut lines = 0;
        for line in include_str!("../tests/numpy/promotion.txt").lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let ty = |i: usize| DType::from_name(words[i]).unwrap();
            let got = match words[0] {
                "promote" => promote(ty(1), ty(2)),
                "weak" => promote_weak(ty(1), ty(2)),
                "divide" => promote(ty(1), ty(2)).real(),
                "sum" => ty(1).accumulator(),
                "real" => ty(1).real(),
                other => panic!("unknown table {other}"),
            };
            assert_eq!(got, ty(words.len() - 1), "{line}");
            lines += 1;
        }
        assert_eq!(lines, 49 + 21 + 49 + 7 + 7);
    }
}
