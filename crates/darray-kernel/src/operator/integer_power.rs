//! Powers of integers.

/// `a^b`, wrapping; `1 / a^-b` toward zero where `b` is negative, the least value for `a = 0`.
pub fn power_i64(a: i64, b: i64) -> i64 {
    if b < 0 {
        return match a {
            0 => i64::MIN,
            1 => 1,
            -1 => 1 - 2 * (b & 1),
            _ => 0,
        };
    }
    power_u64(a as u64, b as u64) as i64
}

/// `a^b`, wrapping.
pub fn power_u64(a: u64, b: u64) -> u64 {
    let (mut product, mut square, mut rest) = (1u64, a, b);
    while rest > 0 {
        if rest & 1 == 1 {
            product = product.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        rest >>= 1;
    }
    product
}

/// As [`power_i64`], in 32 bits.
pub fn power_i32(a: i32, b: i32) -> i32 {
    if a == 0 && b < 0 { i32::MIN } else { power_i64(a.into(), b.into()) as i32 }
}
