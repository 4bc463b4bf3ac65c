//! Types and constants of CUDA C.

use darray_core::{Kind, RealType, Scalar};

/// The type of an element; of f16 and bf16, its bits.
pub(crate) fn c_type(dtype: RealType) -> &'static str {
    match (dtype.kind(), dtype.size()) {
        (Kind::Bool, _) => "bool",
        (Kind::Signed, 1) => "signed char",
        (Kind::Unsigned, 1) => "unsigned char",
        (Kind::Signed, 2) => "short",
        (Kind::Unsigned, 2) => "unsigned short",
        (Kind::Signed, 4) => "int",
        (Kind::Unsigned, 4) => "unsigned int",
        (Kind::Signed, 8) => "long long",
        (Kind::Unsigned, 8) => "unsigned long long",
        (Kind::Float | Kind::Brain, 2) => "unsigned short",
        (Kind::Float, 4) => "float",
        (Kind::Float, 8) => "double",
        _ => unreachable!("CUDA C has no type for {dtype}"),
    }
}

/// An expression with exactly this value: NaN payloads, infinities, -0.0 and denormals included.
pub(crate) fn literal(scalar: Scalar) -> String {
    let (dtype, bits) = (scalar.dtype(), scalar.bits());
    match (dtype.kind(), dtype.size()) {
        (Kind::Bool, _) => (bits != 0).to_string(),
        (Kind::Unsigned, 8) => format!("{bits}ull"),
        (Kind::Signed | Kind::Unsigned, bytes @ (4 | 8)) => {
            let (value, suffix) = (scalar.to_i64(), if bytes == 8 { "ll" } else { "" });
            let is_least = dtype.kind() == Kind::Signed && bits == 1 << (8 * bytes - 1);
            // C knows no negative literals: the least value has no opposite to be one of.
            match is_least {
                true => format!("({}{suffix} - 1)", value + 1),
                false => integer(value, suffix),
            }
        }
        (Kind::Signed | Kind::Unsigned, _) => format!("({}){}", c_type(dtype), scalar.to_i64()),
        (Kind::Float, 2) | (Kind::Brain, _) => format!("({}){bits:#x}", c_type(dtype)),
        (Kind::Float, 4) => match f32::from_bits(bits as u32) {
            value if value.is_finite() => finite(value.into(), "f"),
            _ => format!("__int_as_float({:#x})", bits as u32),
        },
        (Kind::Float, _) => match f64::from_bits(bits) {
            value if value.is_finite() => finite(value, ""),
            _ => format!("__longlong_as_double({bits:#x}ll)"),
        },
    }
}

fn integer(value: i64, suffix: &str) -> String {
    if value < 0 { format!("({value}{suffix})") } else { format!("{value}{suffix}") }
}

/// In decimals where these are few, else in hexadecimals; in parentheses where negative.
fn finite(value: f64, suffix: &str) -> String {
    let size = value.abs();
    let text = if size == 0.0 || (size < 1e6 && (size * 1024.0).fract() == 0.0) {
        format!("{size:?}")
    } else {
        hexadecimal(size)
    };
    if value.is_sign_negative() { format!("(-{text}{suffix})") } else { format!("{text}{suffix}") }
}

/// `0x1.8p+1`, of a positive finite number.
fn hexadecimal(value: f64) -> String {
    let bits = value.to_bits();
    let (exponent, mantissa) = ((bits >> 52) as i32, bits & ((1 << 52) - 1));
    let (lead, exponent) = if exponent == 0 { (0, -1022) } else { (1, exponent - 1023) };
    let digits = format!("{mantissa:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x{lead}{point}{digits}p{exponent:+}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use darray_core::f16;

    #[test]
    fn literals_are_exact() {
        let rows: [(Scalar, &str); 19] = [
            (1.5.into(), "1.5"),
            ((-0.0).into(), "(-0.0)"),
            (0.1.into(), "0x1.999999999999ap-4"),
            (1e300.into(), "0x1.7e43c8800759cp+996"),
            (5e-324.into(), "0x0.0000000000001p-1022"),
            (f64::INFINITY.into(), "__longlong_as_double(0x7ff0000000000000ll)"),
            (
                f64::from_bits(0xfff8_0000_0000_0123).into(),
                "__longlong_as_double(0xfff8000000000123ll)",
            ),
            (0.1f32.into(), "0x1.99999ap-4f"),
            ((-2.0f32).into(), "(-2.0f)"),
            (f32::from_bits(1).into(), "0x1p-149f"),
            (f32::NEG_INFINITY.into(), "__int_as_float(0xff800000)"),
            (f32::from_bits(0x7fc0_0001).into(), "__int_as_float(0x7fc00001)"),
            ((-3i64).into(), "(-3ll)"),
            (i64::MIN.into(), "(-9223372036854775807ll - 1)"),
            (u64::MAX.into(), "18446744073709551615ull"),
            (7u8.into(), "(unsigned char)7"),
            (f16::ONE.into(), "(unsigned short)0x3c00"),
            (f16::NEG_INFINITY.into(), "(unsigned short)0xfc00"),
            (true.into(), "true"),
        ];
        for (scalar, text) in rows {
            assert_eq!(literal(scalar), text, "{scalar:?}");
        }
    }
}
