//! Arithmetic of floats given by their bits.
//!
//! Operations of single precision that yield NaN yield the one that the hardware yields; those of
//! double precision keep what the processor gives, which is what the hardware gives too.

/// The NaN of single precision.
pub const NAN: u32 = 0x7fff_ffff;

/// A single-precision number of the lower bits of a register.
#[inline(always)]
pub fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// A result of single precision as a register holds it.
#[inline(always)]
pub fn single_bits(value: f32) -> u64 {
    u64::from(if value.is_nan() { NAN } else { value.to_bits() })
}

/// A denormal as a zero of its sign.
#[inline(always)]
pub fn flushed(value: f32) -> f32 {
    if value.is_subnormal() { 0f32.copysign(value) } else { value }
}

/// The lesser; a number rather than NaN, and of zeros the negative one.
#[inline(always)]
pub fn minimum32(x: f32, y: f32) -> f32 {
    if x.is_nan() || y < x {
        y
    } else if x == y {
        f32::from_bits(x.to_bits() | y.to_bits())
    } else {
        x
    }
}

/// The greater; a number rather than NaN, and of zeros the positive one.
#[inline(always)]
pub fn maximum32(x: f32, y: f32) -> f32 {
    if x.is_nan() || y > x {
        y
    } else if x == y {
        f32::from_bits(x.to_bits() & y.to_bits())
    } else {
        x
    }
}

/// The lesser, as [`minimum32`].
#[inline(always)]
pub fn minimum64(x: f64, y: f64) -> f64 {
    if x.is_nan() || y < x {
        y
    } else if x == y {
        f64::from_bits(x.to_bits() | y.to_bits())
    } else {
        x
    }
}

/// The greater, as [`maximum32`].
#[inline(always)]
pub fn maximum64(x: f64, y: f64) -> f64 {
    if x.is_nan() || y > x {
        y
    } else if x == y {
        f64::from_bits(x.to_bits() & y.to_bits())
    } else {
        x
    }
}

/// A double whose lower half is dropped.
#[inline(always)]
pub fn upper_half(value: f64) -> f64 {
    f64::from_bits(value.to_bits() & 0xffff_ffff_0000_0000)
}
