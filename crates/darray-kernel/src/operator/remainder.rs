//! Floored remainder, as Python's and NumPy's `%`.

/// `a mod b`; 0 where `b` is 0.
#[inline(always)]
pub fn rem_u8(a: u8, b: u8) -> u8 {
    a % if b == 0 { 1 } else { b }
}

/// `a mod b` with the sign of `b`; 0 where `b` is 0.
#[inline(always)]
pub fn rem_i32(a: i32, b: i32) -> i32 {
    let divisor = if b == 0 { 1 } else { b };
    let truncated = a.wrapping_rem(divisor);
    if truncated != 0 && (truncated ^ divisor) < 0 { truncated + divisor } else { truncated }
}

/// As [`rem_i32`].
#[inline(always)]
pub fn rem_i64(a: i64, b: i64) -> i64 {
    let divisor = if b == 0 { 1 } else { b };
    let truncated = a.wrapping_rem(divisor);
    if truncated != 0 && (truncated ^ divisor) < 0 { truncated + divisor } else { truncated }
}

/// `a mod b` with the sign of `b`, also where the result is zero; NaN where `b` is 0 or `a` infinite.
/// The truncated remainder is exact, so the result is rounded at most once.
#[inline(always)]
pub fn rem_f32(a: f32, b: f32) -> f32 {
    let truncated = a % b;
    let floored = if (b < 0.0) != (truncated < 0.0) { truncated + b } else { truncated };
    if truncated == 0.0 { 0f32.copysign(b) } else { floored }
}

/// As [`rem_f32`].
#[inline(always)]
pub fn rem_f64(a: f64, b: f64) -> f64 {
    let truncated = a % b;
    let floored = if (b < 0.0) != (truncated < 0.0) { truncated + b } else { truncated };
    if truncated == 0.0 { 0f64.copysign(b) } else { floored }
}
