//! Element types: what is known of them, and what they promote to.

use crate::{AsArray, Element};
use darray_core::{DType, broadcast_shapes as broadcast, promote};

/// The type in which arrays of these types are combined: NumPy's `promote_types`.
///
/// ```
/// use darray::{DType, np};
/// assert_eq!(np::promote_types(DType::I32, DType::F32), DType::F64);
/// ```
pub fn promote_types(a: DType, b: DType) -> DType {
    promote(a, b)
}

/// The type in which arrays of all these types are combined: NumPy's `result_type`.
///
/// # Panics
///
/// If there are none.
///
/// ```
/// use darray::{DType, np};
/// assert_eq!(np::result_type(&[DType::U8, DType::I8, DType::F16]), DType::F16);
/// ```
#[track_caller]
pub fn result_type(dtypes: &[DType]) -> DType {
    try_result_type(dtypes).expect("element types to combine")
}

/// As [`result_type`]; `None` where there are no types.
///
/// ```
/// assert_eq!(darray::np::try_result_type(&[]), None);
/// ```
pub fn try_result_type(dtypes: &[DType]) -> Option<DType> {
    // Floats first, as NumPy does: u8, i8 and f16 are f16, though u8 and i8 are i16.
    let mut dtypes = dtypes.to_vec();
    dtypes.sort_by_key(|dtype| !(dtype.is_complex() || dtype.is_float()));
    dtypes.into_iter().reduce(promote)
}

/// Whether every value of a type has one of another that is equal, by NumPy's rules: `can_cast` with `casting="safe"`.
///
/// ```
/// use darray::{DType, np};
/// assert!(np::can_cast(DType::I32, DType::F64) && !np::can_cast(DType::F64, DType::F32));
/// ```
pub fn can_cast(from: DType, to: DType) -> bool {
    promote(from, to) == to
}

/// Kinds of element types, as in the array API.
///
/// ```
/// use darray::{DType, np};
/// assert!(np::isdtype(DType::I8, np::Kind::SignedInteger));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `"bool"`.
    Bool,
    /// `"signed integer"`.
    SignedInteger,
    /// `"unsigned integer"`.
    UnsignedInteger,
    /// `"integral"`: integers with and without sign.
    Integral,
    /// `"real floating"`.
    RealFloating,
    /// `"complex floating"`.
    ComplexFloating,
    /// `"numeric"`: all but `bool`.
    Numeric,
}

/// Whether an element type is of a kind.
///
/// ```
/// use darray::{DType, np};
/// assert!(np::isdtype(DType::C64, np::Kind::Numeric) && !np::isdtype(DType::Bool, np::Kind::Numeric));
/// ```
pub fn isdtype(dtype: DType, kind: Kind) -> bool {
    use darray_core::Kind as Of;
    let real = dtype.as_real().map(|real| real.kind());
    match kind {
        Kind::Bool => dtype == DType::Bool,
        Kind::SignedInteger => real == Some(Of::Signed),
        Kind::UnsignedInteger => real == Some(Of::Unsigned),
        Kind::Integral => matches!(real, Some(Of::Signed | Of::Unsigned)),
        Kind::RealFloating => real == Some(Of::Float),
        Kind::ComplexFloating => dtype.is_complex(),
        Kind::Numeric => dtype != DType::Bool,
    }
}

/// Whether elements are complex numbers, whatever their imaginary parts.
///
/// ```
/// assert!(!darray::np::iscomplexobj(&darray::DArray::from(vec![1.0])));
/// ```
pub fn iscomplexobj<T: Element>(_: impl AsArray<T>) -> bool {
    T::DTYPE.is_complex()
}

/// Whether elements are real numbers.
///
/// ```
/// assert!(darray::np::isrealobj(&darray::DArray::from(vec![1.0])));
/// ```
pub fn isrealobj<T: Element>(_: impl AsArray<T>) -> bool {
    !T::DTYPE.is_complex()
}

/// What [`finfo`] says of a float type, or of the parts of a complex one.
///
/// ```
/// assert_eq!(darray::np::finfo(darray::DType::F32).eps, f32::EPSILON as f64);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatInfo {
    /// Of an element's part.
    pub bits: usize,
    /// From 1 to the next number.
    pub eps: f64,
    /// The greatest finite number.
    pub max: f64,
    /// The least finite number.
    pub min: f64,
    /// The least positive number of full precision.
    pub smallest_normal: f64,
    /// The least positive number.
    pub smallest_subnormal: f64,
}

/// NumPy's `finfo`.
///
/// # Panics
///
/// If it is no type of floats or complex numbers.
///
/// ```
/// assert_eq!(darray::np::finfo(darray::DType::F64).max, f64::MAX);
/// ```
#[track_caller]
pub fn finfo(dtype: DType) -> FloatInfo {
    try_finfo(dtype).unwrap_or_else(|| panic!("finfo: {dtype} is no type of floats"))
}

/// As [`finfo`]; `None` for other types.
///
/// ```
/// assert_eq!(darray::np::try_finfo(darray::DType::I64), None);
/// ```
pub fn try_finfo(dtype: DType) -> Option<FloatInfo> {
    // Bits of the fraction, and the least exponent of full precision.
    let (fraction, least): (i32, i32) = match DType::from(dtype.part()) {
        DType::F16 => (10, -14),
        DType::F32 => (23, -126),
        DType::F64 => (52, -1022),
        _ => return None,
    };
    let power = |exponent: i32| 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
    let eps = power(-fraction);
    let max = (2.0 - eps) * power(1 - least);
    Some(FloatInfo {
        bits: 8 * dtype.part().size(),
        eps,
        max,
        min: -max,
        smallest_normal: power(least),
        smallest_subnormal: power(least - fraction),
    })
}

/// What [`iinfo`] says of an integer type.
///
/// ```
/// assert_eq!(darray::np::iinfo(darray::DType::I8).min, -128);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerInfo {
    /// Of an element.
    pub bits: usize,
    /// The least number.
    pub min: i128,
    /// The greatest number.
    pub max: i128,
}

/// NumPy's `iinfo`.
///
/// # Panics
///
/// If it is no integer type.
///
/// ```
/// assert_eq!(darray::np::iinfo(darray::DType::U64).max, u64::MAX as i128);
/// ```
#[track_caller]
pub fn iinfo(dtype: DType) -> IntegerInfo {
    try_iinfo(dtype).unwrap_or_else(|| panic!("iinfo: {dtype} is no integer type"))
}

/// As [`iinfo`]; `None` for other types.
///
/// ```
/// assert_eq!(darray::np::try_iinfo(darray::DType::F64), None);
/// ```
pub fn try_iinfo(dtype: DType) -> Option<IntegerInfo> {
    if !isdtype(dtype, Kind::Integral) {
        return None;
    }
    let bits = 8 * dtype.size();
    let (min, max) = match isdtype(dtype, Kind::SignedInteger) {
        true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        false => (0, (1i128 << bits) - 1),
    };
    Some(IntegerInfo { bits, min, max })
}

/// The shape that arrays of these shapes have together: NumPy's `broadcast_shapes`.
///
/// # Panics
///
/// If they do not broadcast.
///
/// ```
/// assert_eq!(darray::np::broadcast_shapes(&[&[2, 1], &[3]]), [2, 3]);
/// ```
#[track_caller]
pub fn broadcast_shapes(shapes: &[&[usize]]) -> Vec<usize> {
    try_broadcast_shapes(shapes).unwrap_or_else(|| panic!("shapes {shapes:?} do not broadcast"))
}

/// As [`broadcast_shapes`]; `None` where they do not broadcast.
///
/// ```
/// assert_eq!(darray::np::try_broadcast_shapes(&[&[2], &[3]]), None);
/// ```
pub fn try_broadcast_shapes(shapes: &[&[usize]]) -> Option<Vec<usize>> {
    let none = darray_core::Shape::scalar();
    let join = |all, shape: &&[usize]| broadcast(&all, &darray_core::Shape::new(shape)).ok();
    Some(shapes.iter().try_fold(none, join)?.to_vec())
}
