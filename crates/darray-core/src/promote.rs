//! NumPy 2 type promotion, as rules of kind and size.
//!
//! The rules give what `numpy.result_type` and `numpy.true_divide` give; a test compares them with a
//! file written by NumPy. Scalars are *weak* (NEP 50): a scalar of kind bool, integer, float or complex joins an
//! array without widening it, unless the array's kind cannot hold the scalar's.

use crate::{DType, Kind, RealType};

/// The type in which two arrays of these types are combined.
///
/// ```
/// use darray_core::{DType, promote};
/// assert_eq!(promote(DType::Bool, DType::F32), DType::F32);
/// assert_eq!(promote(DType::U8, DType::I32), DType::I32);
/// assert_eq!(promote(DType::I32, DType::F32), DType::F64);
/// assert_eq!(promote(DType::C64, DType::I64), DType::C128);
/// ```
pub const fn promote(a: DType, b: DType) -> DType {
    let parts = promote_real(a.part(), b.part());
    if a.is_complex() || b.is_complex() { complex(parts) } else { DType::of_real(parts) }
}

/// The complex type whose parts hold numbers of a real type best: of f32 those of floats up to that.
const fn complex(real: RealType) -> DType {
    if real.is_float() && real.size() <= 4 { DType::C64 } else { DType::C128 }
}

/// As [`promote`], of real types.
pub const fn promote_real(a: RealType, b: RealType) -> RealType {
    let larger = if a.size() < b.size() { b } else { a };
    match (a.kind(), b.kind()) {
        (Kind::Bool, _) => b,
        (_, Kind::Bool) => a,
        (Kind::Signed, Kind::Unsigned) => integers(a, b),
        (Kind::Unsigned, Kind::Signed) => integers(b, a),
        (Kind::Float | Kind::Brain, Kind::Signed | Kind::Unsigned) => floats(a, b),
        (Kind::Signed | Kind::Unsigned, Kind::Float | Kind::Brain) => floats(b, a),
        // Of two bytes neither has all numbers of the other.
        (Kind::Float, Kind::Brain) | (Kind::Brain, Kind::Float) if a.size() == b.size() => {
            RealType::F32
        }
        _ => larger,
    }
}

/// The smallest signed type that holds both, if there is one; else f64.
const fn integers(signed: RealType, unsigned: RealType) -> RealType {
    if signed.size() > unsigned.size() {
        return signed;
    }
    match RealType::of(Kind::Signed, 2 * unsigned.size()) {
        Some(wider) => wider,
        None => RealType::F64,
    }
}

/// The larger of a float and the float that is twice as wide as an integer; of 64 bits, f64.
const fn floats(float: RealType, integer: RealType) -> RealType {
    match RealType::of(Kind::Float, 2 * integer.size()) {
        Some(wider) if wider.size() > float.size() => wider,
        Some(_) => float,
        None => RealType::F64,
    }
}

/// The type in which an array and a weak scalar are combined; the scalar is converted to it. Of the
/// scalar only the kind matters: bool, integer, float or complex.
///
/// ```
/// use darray_core::{DType, promote_weak};
/// assert_eq!(promote_weak(DType::F32, DType::F64), DType::F32);
/// assert_eq!(promote_weak(DType::I64, DType::F64), DType::F64);
/// assert_eq!(promote_weak(DType::U8, DType::I64), DType::U8);
/// assert_eq!(promote_weak(DType::Bool, DType::I64), DType::I64);
/// assert_eq!(promote_weak(DType::F32, DType::C128), DType::C64);
/// ```
pub const fn promote_weak(array: DType, scalar: DType) -> DType {
    if array.is_complex() {
        return array;
    }
    if scalar.is_complex() {
        return complex(array.part());
    }
    match (array.part().kind(), scalar.part().kind()) {
        (Kind::Bool, Kind::Signed | Kind::Unsigned) => DType::I64,
        (Kind::Bool | Kind::Signed | Kind::Unsigned, Kind::Float | Kind::Brain) => DType::F64,
        _ => array,
    }
}

/// The type in which functions of two arrays, such as `hypot`, compute: what both promote to if one is of floats, else what the types do
/// in which functions of either compute.
///
/// ```
/// use darray_core::{RealType, promote_function};
/// assert_eq!(promote_function(RealType::I8, RealType::U8), RealType::F16);
/// assert_eq!(promote_function(RealType::I8, RealType::BF16), RealType::BF16);
/// ```
pub const fn promote_function(a: RealType, b: RealType) -> RealType {
    match a.is_float() || b.is_float() {
        true => promote_real(a, b),
        false => promote_real(a.function(), b.function()),
    }
}

impl RealType {
    /// The floating-point type in which true division and means compute: itself for floats, else f64.
    pub const fn inexact(self) -> RealType {
        if self.is_float() { self } else { RealType::F64 }
    }

    /// The floating-point type in which functions such as `sqrt` compute: itself for floats; of bool and integers of one byte f16, of
    /// two bytes f32, else f64. Of two operands see [`promote_function`].
    ///
    /// ```
    /// use darray_core::RealType;
    /// assert_eq!([RealType::U8, RealType::I16, RealType::I32].map(RealType::function), [RealType::F16, RealType::F32, RealType::F64]);
    /// ```
    pub const fn function(self) -> RealType {
        if self.is_float() {
            return self;
        }
        match self.size() {
            1 => RealType::F16,
            2 => RealType::F32,
            _ => RealType::F64,
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
                "divide" => promote(ty(1), ty(2)).inexact(),
                "sum" => ty(1).accumulator(),
                "function" if words.len() == 3 => ty(1).function(),
                "function" => promote_function(ty(1).part(), ty(2).part()).into(),
                "mean" => ty(1).inexact(),
                other => panic!("unknown table {other}"),
            };
            assert_eq!(got, ty(words.len() - 1), "{line}");
            lines += 1;
        }
        let (types, real) = (DType::ALL.len(), RealType::ALL.len());
        assert_eq!(lines, (2 * types + 7) * types + real * real);
    }
}
