//! Angles in degrees and radians: one product with a constant of the format.

use crate::function::number::real::Real;

/// Degrees in radians.
#[inline(always)]
pub fn to_radians_f64<R: Real>(x: R) -> R {
    x * (std::f64::consts::PI / 180.0)
}

/// Degrees in radians.
#[inline(always)]
pub fn to_radians_f32<R: Real>(x: R) -> R {
    x * f64::from(std::f32::consts::PI / 180.0)
}

/// Radians in degrees.
#[inline(always)]
pub fn to_degrees_f64<R: Real>(x: R) -> R {
    x * (180.0 / std::f64::consts::PI)
}

/// Radians in degrees.
#[inline(always)]
pub fn to_degrees_f32<R: Real>(x: R) -> R {
    x * f64::from(180.0 / std::f32::consts::PI)
}
