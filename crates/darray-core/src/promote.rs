//! NumPy 2 type promotion, as rules of kind and size.
//!
//! The rules give what `numpy.result_type` and `numpy.true_divide` give; a test compares them with a
//! file written by NumPy. Scalars are *weak* (NEP 50): a scalar of kind bool, integer or float joins an
//! array without widening it, unless the array's kind cannot hold the scalar's.

use crate::{DType, Kind};

/// The type in which two arrays of these types are combined.
///
/// ```
/// use darray_core::{DType, promote};
/// assert_eq!(promote(DType::Bool, DType::F32), DType::F32);
/// assert_eq!(promote(DType::U8, DType::I32), DType::I32);
/// assert_eq!(promote(DType::I32, DType::F32), DType::F64);
/// ```
pub const fn promote(a: DType, b: DType) -> DType {
    let larger = if a.size() < b.size() { b } else { a };
    match (a.kind(), b.kind()) {
        (Kind::Bool, _) => b,
        (_, Kind::Bool) => a,
        (Kind::Signed, Kind::Unsigned) => integers(a, b),
        (Kind::Unsigned, Kind::Signed) => integers(b, a),
        (Kind::Float, Kind::Signed | Kind::Unsigned) => floats(a, b),
        (Kind::Signed | Kind::Unsigned, Kind::Float) => floats(b, a),
        _ => larger,
    }
}

/// The smallest signed type that holds both, if there is one; else f64.
const fn integers(signed: DType, unsigned: DType) -> DType {
    if signed.size() > unsigned.size() {
        return signed;
    }
    match DType::of(Kind::Signed, 2 * unsigned.size()) {
        Some(wider) => wider,
        None => DType::F64,
    }
}

/// The larger of a float and the float that is twice as wide as an integer; of 64 bits, f64.
const fn floats(float: DType, integer: DType) -> DType {
    match DType::of(Kind::Float, 2 * integer.size()) {
        Some(wider) if wider.size() > float.size() => wider,
        Some(_) => float,
        None => DType::F64,
    }
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
    match (array.kind(), scalar.kind()) {
        (Kind::Bool, Kind::Signed | Kind::Unsigned) => DType::I64,
        (Kind::Bool | Kind::Signed | Kind::Unsigned, Kind::Float) => DType::F64,
        _ => array,
    }
}

impl DType {
    /// The floating-point type in which true division and functions such as `sqrt` compute:
    /// itself for floats, else f64. (NumPy has smaller floats for the functions of small integers.)
    pub const fn real(self) -> DType {
        if self.is_float() { self } else { DType::F64 }
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
        let types = DType::ALL.len();
        assert_eq!(lines, (2 * types + 5) * types);
    }
}
