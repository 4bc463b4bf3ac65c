//! Whole numbers against Rust's own results, bit by bit.

use super::arithmetic::Checker;
use super::bench::Random;

macro_rules! family {
    ($check:ident, $kind:ty, $prefix:literal, $values:expr) => {{
        let values: Vec<$kind> = $values;
        let bits = <$kind>::BITS - 1;
        let name = |operation: &str| format!("{}_{operation}", $prefix);
        $check.two(&name("add"), &values, |a: $kind, b| a.wrapping_add(b));
        $check.two(&name("sub"), &values, |a: $kind, b| a.wrapping_sub(b));
        $check.two(&name("mul"), &values, |a: $kind, b| a.wrapping_mul(b));
        $check.two(&name("div"), &values, |a: $kind, b| if b == 0 { 0 } else { a.wrapping_div(b) });
        $check.two(&name("rem"), &values, |a: $kind, b| if b == 0 { 0 } else { a.wrapping_rem(b) });
        $check.two(&name("min"), &values, |a: $kind, b| a.min(b));
        $check.two(&name("max"), &values, |a: $kind, b| a.max(b));
        $check.two(&name("and"), &values, |a: $kind, b| a & b);
        $check.two(&name("or"), &values, |a: $kind, b| a | b);
        $check.two(&name("xor"), &values, |a: $kind, b| a ^ b);
        $check.two(&name("shl"), &values, |a: $kind, b| a.wrapping_shl(b as u32 & bits));
        $check.two(&name("shr"), &values, |a: $kind, b| a.wrapping_shr(b as u32 & bits));
        $check.two(&name("lt"), &values, |a: $kind, b| a < b);
        $check.two(&name("eq"), &values, |a: $kind, b| a == b);
        $check.one(&name("not"), &values, |a: $kind| !a);
        $check.one(&name("neg"), &values, |a: $kind| a.wrapping_neg());
        $check.one(&name("to_f32"), &values, |a: $kind| a as f32);
        $check.one(&name("to_f64"), &values, |a: $kind| a as f64);
        $check.one(&name("to_bool"), &values, |a: $kind| a != 0);
        $check.one(&name("to_u8"), &values, |a: $kind| a as u8);
        $check.one(&name("to_i32"), &values, |a: $kind| a as i32);
        $check.one(&name("to_i64"), &values, |a: $kind| a as i64);
    }};
}

/// Bits of 64-bit numbers worth a try, of which the lower ones serve narrower types.
fn patterns() -> Vec<u64> {
    let mut values = vec![
        0,
        1,
        2,
        3,
        7,
        8,
        31,
        32,
        33,
        63,
        64,
        127,
        128,
        255,
        256,
        0x7fff,
        0x8000,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        0x1_0000_0000,
        i64::MAX as u64,
        i64::MIN as u64,
        u64::MAX,
        u64::MAX - 1,
    ];
    let mut random = Random(5);
    values.extend((0..20).map(|_| random.next()));
    values.extend((0..20).map(|_| random.next() >> 40));
    values
}

fn triples() -> Vec<[u64; 3]> {
    let values = patterns();
    let mut random = Random(6);
    let mut pick = || values[random.next() as usize % values.len()];
    (0..4000).map(|_| [pick(), pick(), pick()]).collect()
}

#[test]
fn families() {
    let mut check = Checker::new();
    family!(check, u8, "u8", patterns().iter().map(|v| *v as u8).collect());
    family!(check, i16, "i16", patterns().iter().map(|v| *v as i16).collect());
    family!(check, i32, "i32", patterns().iter().map(|v| *v as i32).collect());
    family!(check, u32, "u32", patterns().iter().map(|v| *v as u32).collect());
    family!(check, i64, "i64", patterns().iter().map(|v| *v as i64).collect());
    family!(check, u64, "u64", patterns());
}

#[test]
fn products() {
    let mut check = Checker::new();
    let i32s: Vec<i32> = patterns().iter().map(|v| *v as i32).collect();
    let u32s: Vec<u32> = patterns().iter().map(|v| *v as u32).collect();
    let i64s: Vec<i64> = patterns().iter().map(|v| *v as i64).collect();
    check.two("i32_mulhi", &i32s, |a: i32, b| ((i64::from(a) * i64::from(b)) >> 32) as i32);
    check.two("u32_mulhi", &u32s, |a: u32, b| ((u64::from(a) * u64::from(b)) >> 32) as u32);
    check.two("i64_mulhi", &i64s, |a: i64, b| ((i128::from(a) * i128::from(b)) >> 64) as i64);
    check.two("u64_mulhi", &patterns(), |a: u64, b| ((u128::from(a) * u128::from(b)) >> 64) as u64);
    check.two("i32_mulwide", &i32s, |a: i32, b| i64::from(a) * i64::from(b));
    check.two("u32_mulwide", &u32s, |a: u32, b| u64::from(a) * u64::from(b));
    let narrow: Vec<[u32; 3]> = triples().iter().map(|t| t.map(|v| v as u32)).collect();
    check.three("u32_mad", &narrow, |a: u32, b, c| a.wrapping_mul(b).wrapping_add(c));
    let wide: Vec<[i64; 3]> = triples().iter().map(|t| t.map(|v| v as i64)).collect();
    check.three("i64_mad", &wide, |a: i64, b, c| a.wrapping_mul(b).wrapping_add(c));
    check.rows("wide32", &narrow, 2, |a: u32, b, c| {
        let low = (u64::from(a) * u64::from(b)) & 0xffff_ffff;
        let carry = (low + u64::from(c)) >> 32;
        let high = ((u64::from(a) * u64::from(b)) >> 32).wrapping_add(u64::from(c)) + carry;
        vec![(low + u64::from(c)) as u32, high as u32]
    });
    check.rows("wide", &triples(), 6, |x: u64, y, z| {
        let (a, b) = (u128::from(x) << 64 | u128::from(y), u128::from(z) << 64 | u128::from(x));
        let results = [a.wrapping_mul(b), a.wrapping_add(b), a.wrapping_sub(b)];
        results.iter().flat_map(|r| [*r as u64, (*r >> 64) as u64]).collect()
    });
}

#[test]
fn bits() {
    let mut check = Checker::new();
    let u32s: Vec<u32> = patterns().iter().map(|v| *v as u32).collect();
    check.one("i32_abs", &patterns().iter().map(|v| *v as i32).collect::<Vec<_>>(), |a: i32| {
        a.wrapping_abs()
    });
    check.one("i64_abs", &patterns().iter().map(|v| *v as i64).collect::<Vec<_>>(), |a: i64| {
        a.wrapping_abs()
    });
    check.one("u32_popc", &u32s, |a: u32| a.count_ones() as i32);
    check.one("u64_popc", &patterns(), |a: u64| a.count_ones() as i32);
    check.one("u32_clz", &u32s, |a: u32| a.leading_zeros() as i32);
    check.one("u64_clz", &patterns(), |a: u64| a.leading_zeros() as i32);
    check.one("u32_brev", &u32s, |a: u32| a.reverse_bits());
    check.one("u64_brev", &patterns(), |a: u64| a.reverse_bits());
    check.one("u32_ffs", &u32s, |a: u32| if a == 0 { 0 } else { a.trailing_zeros() as i32 + 1 });
    let narrow: Vec<[u32; 3]> = triples().iter().map(|t| t.map(|v| v as u32)).collect();
    check.three("u32_lop3", &narrow, |a: u32, b, c| (a & b) ^ (!c | a));
    check.three("u32_sad", &narrow, |a: u32, b, c| a.abs_diff(b).wrapping_add(c));
    let signed: Vec<[i32; 3]> = triples().iter().map(|t| t.map(|v| v as i32)).collect();
    check.three("i32_sad", &signed, |a: i32, b, c| a.abs_diff(b).wrapping_add(c as u32));
    check.three("i32_dot", &signed, |a: i32, b, c| {
        let products = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
        products.fold(c, |sum, (x, y)| sum.wrapping_add(i32::from(x as i8) * i32::from(y as i8)))
    });
    // __funnelshift_l(low, high, distance) and __funnelshift_rc, whose distance stops at 32.
    let both = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
    check.three("u32_funnel_left", &narrow, |a: u32, b, c| ((both(a, b) << (c & 31)) >> 32) as u32);
    check.three("u32_funnel_right", &narrow, |a: u32, b, c| (both(a, b) >> c.min(32)) as u32);
    check.three("u32_permute", &narrow, |a: u32, b, c| {
        let bytes = both(a, b).to_le_bytes();
        let pick = |at: u32| bytes[(c >> (4 * at) & 7) as usize];
        u32::from_le_bytes([pick(0), pick(1), pick(2), pick(3)])
    });
}

#[test]
fn fields_of_bits() {
    let mut check = Checker::new();
    let mut random = Random(7);
    let values: Vec<[u64; 3]> =
        (0..4000).map(|_| [random.next(), random.next() % 70, random.next() % 70]).collect();
    fn extract(value: i128, place: u64, length: u64, bits: u32, signed: bool) -> i128 {
        if length == 0 {
            return 0;
        }
        let top = u64::from(bits) - 1;
        let sign = value >> (place + length - 1).min(top) & 1;
        let mut result = if signed && sign == 1 { -1i128 } else { 0 };
        for bit in 0..u64::from(bits).min(length) {
            let inside = place + bit <= top;
            let value = if inside { value >> (place + bit) & 1 } else { i128::from(signed) & sign };
            result = result & !(1 << bit) | value << bit;
        }
        result
    }
    let narrow: Vec<[u32; 3]> = values.iter().map(|t| t.map(|v| v as u32)).collect();
    check.three("u32_bfe", &narrow, |a: u32, b, c| {
        extract(a.into(), b.into(), c.into(), 32, false) as u32
    });
    let signed: Vec<[i32; 3]> = values.iter().map(|t| t.map(|v| v as i32)).collect();
    check.three("i32_bfe", &signed, |a: i32, b, c| {
        extract((a as u32).into(), b as u64, c as u64, 32, true) as i32
    });
    let wide: Vec<[i64; 3]> = values.iter().map(|t| t.map(|v| v as i64)).collect();
    check.three("i64_bfe", &wide, |a: i64, b, c| {
        extract((a as u64).into(), b as u64, c as u64, 64, true) as i64
    });
    let packed: Vec<[u32; 3]> = values
        .iter()
        .map(|[a, b, c]| [*a as u32, (a >> 32) as u32, (b % 40) as u32 | ((c % 40) as u32) << 8])
        .collect();
    check.three("u32_bfi", &packed, |a: u32, b, c| {
        let (place, length) = (u64::from(c & 255), u64::from(c >> 8 & 255));
        let field = ((1u128 << length) - 1) << place;
        ((u128::from(b) & !field) | ((u128::from(a) << place) & field)) as u32
    });
}
