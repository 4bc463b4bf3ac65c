//! Minimum and maximum of floats: NaN wins, `-0.0 < +0.0`, so that the order of the arguments does
//! not show.
//!
//! Where the arguments are equal they have equal bits or are zeros; then `or` of the bits keeps a
//! minus sign (minimum) and `and` loses it (maximum).

/// The smaller.
#[inline(always)]
pub fn minimum_f32(a: f32, b: f32) -> f32 {
    let smaller = if a < b { a } else { b };
    let smaller = if a == b { f32::from_bits(a.to_bits() | b.to_bits()) } else { smaller };
    if a.is_nan() { a } else { smaller }
}

/// The larger.
#[inline(always)]
pub fn maximum_f32(a: f32, b: f32) -> f32 {
    let larger = if a > b { a } else { b };
    let larger = if a == b { f32::from_bits(a.to_bits() & b.to_bits()) } else { larger };
    if a.is_nan() { a } else { larger }
}

/// The smaller.
#[inline(always)]
pub fn minimum_f64(a: f64, b: f64) -> f64 {
    let smaller = if a < b { a } else { b };
    let smaller = if a == b { f64::from_bits(a.to_bits() | b.to_bits()) } else { smaller };
    if a.is_nan() { a } else { smaller }
}

/// The larger.
#[inline(always)]
pub fn maximum_f64(a: f64, b: f64) -> f64 {
    let larger = if a > b { a } else { b };
    let larger = if a == b { f64::from_bits(a.to_bits() & b.to_bits()) } else { larger };
    if a.is_nan() { a } else { larger }
}
