//! Types and constants of CUDA C.

use darray_core::{DType, Scalar};

/// The type of an element; of f16, its bits.
pub(crate) fn c_type(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::U8 => "unsigned char",
        DType::I32 => "int",
        DType::I64 => "long long",
        DType::F16 => "unsigned short",
        DType::F32 => "float",
        DType::F64 => "double",
    }
}

/// An expression with exactly this value: NaN payloads, infinities, -0.0 and denormals included.
pub(crate) fn literal(scalar: Scalar) -> String {
    let bits = scalar.bits();
    match scalar.dtype() {
        DType::Bool => (bits != 0).to_string(),
        DType::U8 => format!("(unsigned char){bits}"),
        DType::I32 if bits as i32 == i32::MIN => "(-2147483647 - 1)".to_string(),
        DType::I32 => integer(bits as i32 as i64, ""),
        DType::I64 if bits as i64 == i64::MIN => "(-9223372036854775807ll - 1)".to_string(),
        DType::I64 => integer(bits as i64, "ll"),
        DType::F16 => format!("(unsigned short){bits:#x}"),
        DType::F32 => match f32::from_bits(bits as u32) {
            value if value.is_finite() => finite(value.into(), "f"),
            _ => format!("__int_as_float({:#x})", bits as u32),
        },
        DType::F64 => match f64::from_bits(bits) {
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
        let rows: [(Scalar, &str); 18] = [
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
