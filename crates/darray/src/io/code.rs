//! Element types as NumPy writes them: `<f8`, `|b1`, `<c16`.

use darray_core::DType;

/// How NumPy names a kind.
struct Names {
    dtype: DType,
    /// Before the size in bytes.
    letter: char,
    /// Alone, as C's types have them.
    characters: &'static str,
    /// As a whole.
    words: &'static [&'static str],
}

const fn names(
    dtype: DType,
    letter: char,
    characters: &'static str,
    words: &'static [&'static str],
) -> Names {
    Names { dtype, letter, characters, words }
}

/// The names of all kinds, on a machine whose C `long` has 64 bits.
const NAMES: [Names; 15] = [
    names(DType::Bool, 'b', "?", &["bool", "bool_"]),
    names(DType::I8, 'i', "b", &["int8", "byte"]),
    names(DType::U8, 'u', "B", &["uint8", "ubyte"]),
    names(DType::I16, 'i', "h", &["int16", "short"]),
    names(DType::U16, 'u', "H", &["uint16", "ushort"]),
    names(DType::I32, 'i', "i", &["int32", "intc"]),
    names(DType::U32, 'u', "I", &["uint32", "uintc"]),
    names(DType::I64, 'i', "lnpq", &["int64", "int", "int_", "intp", "long", "longlong"]),
    names(DType::U64, 'u', "LNPQ", &["uint64", "uint", "uintp", "ulong", "ulonglong"]),
    names(DType::F16, 'f', "e", &["float16", "half"]),
    // NumPy has no code for it: what `ml_dtypes` adds is written as raw bytes.
    names(DType::BF16, 'V', "", &["bfloat16"]),
    names(DType::F32, 'f', "f", &["float32", "single"]),
    names(DType::F64, 'f', "d", &["float64", "double", "float"]),
    names(DType::C64, 'c', "F", &["complex64", "csingle"]),
    names(DType::C128, 'c', "D", &["complex128", "cdouble", "complex"]),
];

impl Names {
    /// Whether the kind has this name: a character, or a letter and a size.
    fn has(&self, name: &str) -> bool {
        let mut characters = name.chars();
        match (characters.next(), characters.as_str()) {
            (Some(character), "") => self.characters.contains(character),
            (Some(letter), size) => {
                letter == self.letter && number(size) == Some(self.dtype.size())
            }
            (None, _) => false,
        }
    }
}

/// The size in a name, as C's `strtol` reads it.
fn number(text: &str) -> Option<usize> {
    let text = text.trim_start_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']);
    text.parse().ok()
}

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

/// The code of elements, in this machine's byte order.
pub fn write(dtype: DType) -> String {
    let order = match dtype.size() {
        1 => '|',
        _ if cfg!(target_endian = "big") => '>',
        _ => '<',
    };
    let names = NAMES.iter().find(|names| names.dtype == dtype);
    names.map_or(String::new(), |names| format!("{order}{}{}", names.letter, dtype.size()))
}

/// The elements of a code, and whether the bytes of their parts are to be reversed; else what is wrong with it. What NumPy's
/// `dtype` takes for a kind is its code, but lists of kinds, and arrays of one.
pub fn read(code: &str) -> Result<(DType, bool), String> {
    if let Some(names) = NAMES.iter().find(|names| names.words.contains(&code)) {
        return Ok((names.dtype, false));
    }
    let (order, name) = match code.chars().next() {
        Some(order @ ('<' | '>' | '=' | '|')) => (order, &code[1..]),
        _ => ('=', code),
    };
    match NAMES.iter().find(|names| names.has(name)) {
        Some(names) => {
            let other = if cfg!(target_endian = "big") { '<' } else { '>' };
            Ok((names.dtype, order == other))
        }
        None => Err(refusal(code, name)),
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
    let names: Vec<String> = NAMES.iter().map(|names| names.dtype.to_string()).collect();
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
            let names = NAMES.iter().find(|names| names.dtype == dtype).unwrap();
            let characters = names.characters.chars().map(String::from);
            for name in characters.chain(names.words.iter().map(|word| word.to_string())) {
                assert_eq!(read(&name), Ok((dtype, false)), "{name}");
            }
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
            (
                "<c32",
                "element type '<c32' (complex numbers of 32 bytes) is none of bool, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, complex64, complex128",
            ),
            ("<U7", "element type '<U7' (text) is none of "),
            ("|S3", "element type '|S3' (byte strings of 3 bytes) is none of "),
            ("<f16", "element type '<f16' (floats of 16 bytes) is none of "),
            (">u16", "element type '>u16' (unsigned integers of 16 bytes) is none of "),
            ("<M8[ns]", "element type '<M8[ns]' (dates) is none of "),
            ("", "element type '' is none of "),
            ("<float64", "element type '<float64' (floats) is none of "),
            ("?1", "element type '?1' is none of "),
            ("d8", "element type 'd8' is none of "),
            ("f-8", "element type 'f-8' (floats) is none of "),
            ("f8 ", "element type 'f8 ' (floats) is none of "),
            ("é", "element type 'é' is none of "),
        ] {
            let found = read(code).unwrap_err();
            assert!(found.starts_with(wanted), "{found}");
        }
    }
}
