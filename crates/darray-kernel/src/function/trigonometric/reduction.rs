//! An angle less the nearest multiple of pi/2, right for every double.
//!
//! Up to [`NEAR`], `n = round(x 2/pi)` and `r = x - n pi/2` with pi/2 in three parts: the first
//! product is exact within the fused multiply-add, the second is taken with its rounding error.
//!
//! Beyond, after Payne and Hanek: multiples of 4 in `x 2/pi` do not count, so only the digits of 2/pi
//! that can still matter are multiplied. With `x = 2^(32 j) y`, `y` a multiple of `2^-20` below `2^64`,
//! [`TWO_OVER_PI`] has `2^(32 j) 2/pi` less the nearest multiple of `2^22` as a sum of four doubles. The
//! double nearest to a multiple of pi/2 is `2^-61` away from it, in units of pi/2; the table is
//! good for `2^-190 y`.

use crate::function::number::pair::{ordered_sum, product, sum};
use crate::function::number::real::{Bits, Real};
use std::f64::consts::FRAC_2_PI;

/// Angles up to this are reduced with pi/2 in three parts.
pub const NEAR: f64 = 4294967296.0;
/// pi/2 in three parts.
const HALF_PI: [f64; 3] = [
    f64::from_bits(0x3ff921fb54442d18),
    f64::from_bits(0x3c91a62633145c07),
    f64::from_bits(0xb91f1976b7ed8fbc),
];
/// 1.5 * 2^52: adding it leaves the integer nearest to a small number in the low bits.
const ROUND: f64 = 6755399441055744.0;

/// An angle as `quadrant pi/2 + high + low` with `|high| <= pi/4`, but for rounding.
#[derive(Clone, Copy)]
pub struct Reduced<R: Real> {
    /// Its last two bits count.
    pub quadrant: R::Bits,
    /// The angle within the quadrant.
    pub high: R,
    /// What rounding took from `high`.
    pub low: R,
}

/// Reduces an angle `0 <= x` of 64 bits. With `ONLY_NEAR` the angle must not exceed [`NEAR`]; the
/// result is the same.
#[inline(always)]
pub fn reduce<R: Real, const ONLY_NEAR: bool>(x: R) -> Reduced<R> {
    let near = reduce_near(x);
    if ONLY_NEAR {
        return near;
    }
    let far = reduce_far(x);
    let is_near = x.le(R::literal(NEAR));
    Reduced {
        quadrant: R::Bits::select(is_near, near.quadrant, far.quadrant),
        high: R::select(is_near, near.high, far.high),
        low: R::select(is_near, near.low, far.low),
    }
}

#[inline(always)]
fn reduce_near<R: Real>(x: R) -> Reduced<R> {
    let shifted = x.mul_add(R::literal(FRAC_2_PI), R::literal(ROUND));
    let n = shifted - ROUND;
    let r = n.mul_add(R::literal(-HALF_PI[0]), x);
    let (second, second_error) = product(n, R::literal(-HALF_PI[1]));
    let (high, error) = sum(r, second);
    let low = n.mul_add(R::literal(-HALF_PI[2]), second_error) + error;
    Reduced { quadrant: shifted.to_bits(), high, low }
}

#[inline(always)]
fn reduce_far<R: Real>(x: R) -> Reduced<R> {
    // Angles near and NaN give something.
    let group = (x.to_bits().shr(52) - (1023 + 32)).shr(5) & 31;
    let y = R::from_bits(x.to_bits() - group.shl(52 + 5));
    let digits = |k| R::lookup(&TWO_OVER_PI, group.shl(2) + k);
    let (p0, e0) = product(y, digits(0));
    let (p1, e1) = product(y, digits(1));
    let (p2, e2) = product(y, digits(2));
    let last = y.mul_add(digits(3), e2);
    let (turns, t1) = sum(modulo_4(p0), modulo_4(e0));
    let (turns, t2) = sum(turns, modulo_4(p1));
    let n = turns.round();
    // Four terms, of which any two may cancel, and what rounding takes from them.
    let (t, error) = sum(t1, t2);
    let (u, u_error) = sum(e1, p2);
    let (t, t_error) = sum(t, u);
    let (high, high_error) = sum(turns - n, t);
    let (high, low) = ordered_sum(high, high_error + (t_error + (u_error + (error + last))));
    let (angle, angle_error) = product(high, R::literal(HALF_PI[0]));
    let low = low.mul_add(R::literal(HALF_PI[0]), angle_error);
    Reduced {
        quadrant: (n + ROUND).to_bits(),
        high: angle,
        low: high.mul_add(R::literal(HALF_PI[1]), low),
    }
}

/// `x` less the nearest multiple of 4.
#[inline(always)]
fn modulo_4<R: Real>(x: R) -> R {
    (x * 0.25).round().mul_add(R::literal(-4.0), x)
}

/// For each `j`, `2^(32 j) 2/pi` less the nearest multiple of `2^22`, in four parts.
static TWO_OVER_PI: [f64; 128] = from_bits([
    0x3fe45f306dc9c883,
    0xbc86b01ec5417056,
    0xb926447e493ad4ce,
    0x35ce21c820ff28b2,
    0xc119f246c6efab58,
    0xbd8ec54170565912,
    0x39eb6c52b3278872,
    0x36507f9458eaf7af,
    0x411054a7f09d5f48,
    0xbda596447e493ad5,
    0x3a393c439041fe51,
    0x36d8eaf7aef1586e,
    0xc138a82e0acb223f,
    0xbdc24eb53361de38,
    0x3a507f9458eaf7af,
    0xb6cd4f246dc8e2df,
    0xc126447e493ad4ce,
    0x3dce21c820ff28b2,
    0xba5508510ea79237,
    0x36db8e909374b802,
    0xc13d6a66c3bc6fbe,
    0xbd7ae9c5421443aa,
    0x39fb7246e3a424dd,
    0x368700324977504f,
    0x410c820ff28b1d5f,
    0xbd7443a9e48db91c,
    0xba16f6c8b47fe6db,
    0xb6b115f62e6de302,
    0x413163abdebbc562,
    0xbdd236e4716f6c8b,
    0xba71ff9b6d115f63,
    0x36f921cfe1deb1cb,
    0xc110ea79236e4717,
    0x3d826e9700324977,
    0x3a2413a32439fc3c,
    0xb6b4e34ed658c117,
    0xc13b91c5bdb22d20,
    0x3d9924bba8274648,
    0x3a3cfe1deb1cb12a,
    0xb6d63045df7282b4,
    0x412ba5c00c925dd4,
    0x3da3a32439fc3bd6,
    0x3a3cb129a73ee882,
    0x36cafa975da24275,
    0x41225dd413a3243a,
    0xbd7e214e34ed658c,
    0xb9f177dca0ad144c,
    0x369213a671c09ad1,
    0x4131921cfe1deb1d,
    0xbdd3b5963045df73,
    0x3a7f52ebb4484e9a,
    0xb70c7eca5d040df6,
    0x413deb1cb129a73f,
    0xbdb77dca0ad144bb,
    0xba5ec598e3f652e8,
    0xb6e037d8cdc538d0,
    0xc13658c1177dca0b,
    0x3dc75da24274ce38,
    0x3a435a2fbf209cc9,
    0xb6c4e33e566305b2,
    0x4101afa975da2427,
    0x3da338e04d68befd,
    0xba4f633714e33e56,
    0xb6e8c16c6f740e88,
    0xc112edec598e3f65,
    0xbda741037d8cdc54,
    0x3a4cc1a99cfa4e42,
    0x36d7e2ef7e4a0ec8,
    0x413c7026b45f7e41,
    0x3dccc8eb1cc1a99d,
    0xba26c6f740e8840e,
    0x36c41d8ffc4bffef,
    0x413f7e413991d63a,
    0xbddf2b3182d8dee8,
    0xba5d1081b5f13802,
    0x36e2fffbc0b301fe,
    0x4131d639835339f5,
    0xbdd8dee81d1081b6,
    0x3a4d8ffc4bffef03,
    0xb6d9fc04343b9d29,
    0x413339f49c845f8c,
    0xbdd081b5f13801da,
    0xb9c0fd33f8086877,
    0xb65d297d64b824b2,
    0x41117e2ef7e4a0ec,
    0x3dbff897ffde0598,
    0x3a2fde5e2316b415,
    0xb6b2e092c98130d8,
    0xc11b5f13801da001,
    0x3dbe05980fef2f12,
    0xba5d297d64b824b2,
    0xb6f8130d834f648b,
    0xc11da00087e99fc0,
    0xbdb0d0ee74a5f593,
    0x3a3f6d367ecf27cb,
    0x36a36e9e8c7ecd3d,
    0x4116603fbcbc462d,
    0x3dba0a6d1f6d367f,
    0xba486c1a7b24585d,
    0x36cfb34f2ff516bb,
    0xc130ee74a5f592e1,
    0x3ddb4d9fb3c9f2c2,
    0x3a7b74f463f669e6,
    0xb6b5d28ad8453814,
    0x4124da3eda6cfd9e,
    0x3dc3e584dba7a320,
    0xba632c3402ba515b,
    0xb6d14e050683a131,
    0xc1230261b069ec91,
    0xbdc85ce04cb0d00b,
    0x3a46ba93dd63f5f3,
    0xb6ad0985f18c10eb,
    0x4126136e9e8c7ecd,
    0x3dbe5fea2d7527bb,
    0xba4c0a0d0742617c,
    0xb6e8c10eb5ada2b3,
    0x4118fd9a797fa8b6,
    0xbda5b08a7028341d,
    0xba130be31821d6b6,
    0x36b2ea6bfb5fb120,
    0x413fea2d7527bac8,
    0xbdb41a0e84c2f8c6,
    0xba20eb5ada2b2809,
    0xb6c0277039517bd5,
    0,
    0,
    0,
    0,
]);

const fn from_bits(bits: [u64; 128]) -> [f64; 128] {
    let mut values = [0.0; 128];
    let mut k = 0;
    while k < 128 {
        values[k] = f64::from_bits(bits[k]);
        k += 1;
    }
    values
}
