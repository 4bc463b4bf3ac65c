//! NumPy 2 type promotion, as data.
//!
//! The tables are what `numpy.result_type` and `numpy.true_divide` give; a test compares them with a
//! file written by NumPy. Scalars are *weak* (NEP 50): a scalar of kind bool, i64 or f64 joins an
//! array without widening it, unless the array's kind cannot hold the scalar's.

use crate::DType;
use DType::{Bool, F32, F64, I64};

/// `PROMOTION[a][b]`, in the order of [`DType::ALL`].
const PROMOTION: [[DType; 4]; 4] = [
    //  bool  i64  f32  f64
    [Bool, I64, F32, F64], // bool
    [I64, I64, F64, F64],  // i64
    [F32, F64, F32, F64],  // f32
    [F64, F64, F64, F64],  // f64
];

/// The type of `array + scalar` for a weak scalar of kind bool, i64, (f32,) f64.
const WEAK: [[DType; 4]; 4] = [
    //  bool  i64  f32  f64
    [Bool, I64, F64, F64], // bool array
    [I64, I64, F64, F64],  // i64 array
    [F32, F32, F32, F32],  // f32 array
    [F64, F64, F64, F64],  // f64 array
];

/// The type in which two arrays of these types are combined.
///
/// ```
/// use darray_core::{DType, promote};
/// assert_eq!(promote(DType::Bool, DType::F32), DType::F32);
/// assert_eq!(promote(DType::I64, DType::F32), DType::F64);
/// ```
pub const fn promote(a: DType, b: DType) -> DType {
    PROMOTION[a as usize][b as usize]
}

/// The type in which an array and a weak scalar are combined; the scalar is converted to it.
///
/// ```
/// use darray_core::{DType, promote_weak};
/// assert_eq!(promote_weak(DType::F32, DType::F64), DType::F32);
/// assert_eq!(promote_weak(DType::I64, DType::F64), DType::F64);
/// assert_eq!(promote_weak(DType::Bool, DType::I64), DType::I64);
/// ```
pub const fn promote_weak(array: DType, scalar: DType) -> DType {
    WEAK[array as usize][scalar as usize]
}

impl DType {
    /// The floating-point type in which true division and functions such as `sqrt` compute:
    /// itself for floats, else f64.
    pub const fn real(self) -> DType {
        match self {
            F32 => F32,
            Bool | I64 | F64 => F64,
        }
    }

    /// The type of a sum or product: i64 for bool, else itself.
    pub const fn accumulator(self) -> DType {
        match self {
            Bool | I64 => I64,
            F32 => F32,
            F64 => F64,
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
                other => panic!("unknown table {other}"),
            };
            assert_eq!(got, ty(words.len() - 1), "{line}");
            lines += 1;
        }
        assert_eq!(lines, 16 + 12 + 16 + 4);
    }
}
