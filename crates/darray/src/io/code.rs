//! Element types as NumPy writes them: `<f8`, `|b1`.

use darray_core::DType;

/// Types by name, with kind and size in bytes.
const CODES: [(&str, &str); 7] = [
    ("bool", "b1"),
    ("u8", "u1"),
    ("i32", "i4"),
    ("i64", "i8"),
    ("f16", "f2"),
    ("f32", "f4"),
    ("f64", "f8"),
];

/// What kinds stand for.
const KINDS: [(char, &str); 11] = [
    ('O', "Python objects"),
    ('c', "complex numbers"),
    ('U', "text"),
    ('S', "byte strings"),
    ('a', "byte strings"),
    ('V', "raw bytes"),
    ('M', "dates"),
    ('m', "time spans"),
    ('f', "floats"),
    ('i', "signed integers"),
    ('u', "unsigned integers"),
];

/// The code of a type, in this machine's byte order.
pub fn write(dtype: DType) -> String {
    let order = match dtype.size() {
        1 => '|',
        _ if cfg!(target_endian = "big") => '>',
        _ => '<',
    };
    let code = CODES.iter().find(|(name, _)| *name == dtype.name());
    format!("{order}{}", code.map_or("", |(_, code)| code))
}

/// The type of a code, and whether its bytes are to be reversed; else what is wrong with it.
pub fn read(code: &str) -> Result<(DType, bool), String> {
    let (order, kind) = match code.chars().next() {
        Some(order @ ('<' | '>' | '=' | '|')) => (order, &code[1..]),
        _ => ('=', code),
    };
    let known = CODES.iter().find(|(_, code)| *code == kind);
    match known.and_then(|(name, _)| DType::from_name(name)) {
        Some(dtype) => {
            let other = if cfg!(target_endian = "big") { '<' } else { '>' };
            Ok((dtype, order == other))
        }
        None => Err(refusal(code, kind)),
    }
}

fn refusal(code: &str, kind: &str) -> String {
    let letter = kind.chars().next();
    let what = KINDS.iter().find(|(k, _)| Some(*k) == letter).map(|(_, what)| *what);
    let size = kind.get(1..).and_then(|size| size.parse::<u64>().ok());
    let what = match (what, size) {
        (Some(what), Some(size)) if !matches!(letter, Some('U' | 'O')) => {
            format!(" ({what} of {size} bytes)")
        }
        (Some(what), _) => format!(" ({what})"),
        (None, _) => String::new(),
    };
    let names: Vec<&str> = DType::ALL.iter().map(|dtype| dtype.name()).collect();
    format!("element type '{code}'{what} is none of {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_a_code() {
        for dtype in DType::ALL {
            let code = write(dtype);
            assert_eq!(code[2..], dtype.size().to_string(), "{dtype}");
            assert_eq!(read(&code), Ok((dtype, false)));
            assert_eq!(read(&format!("={}", &code[1..])), Ok((dtype, false)));
            assert_eq!(
                read(&format!(">{}", &code[1..])),
                Ok((dtype, cfg!(target_endian = "little")))
            );
        }
    }

    #[test]
    fn others_are_refused_by_name() {
        for (code, wanted) in [
            ("|O", "element type '|O' (Python objects) is none of bool, "),
            ("<c16", "element type '<c16' (complex numbers of 16 bytes) is none of "),
            ("<U7", "element type '<U7' (text) is none of "),
            ("|S3", "element type '|S3' (byte strings of 3 bytes) is none of "),
            ("<f16", "element type '<f16' (floats of 16 bytes) is none of "),
            (">u2", "element type '>u2' (unsigned integers of 2 bytes) is none of "),
            ("<M8[ns]", "element type '<M8[ns]' (dates) is none of "),
            ("", "element type '' is none of "),
            ("é", "element type 'é' is none of "),
        ] {
            let found = read(code).unwrap_err();
            assert!(found.starts_with(wanted), "{found}");
        }
    }
}
