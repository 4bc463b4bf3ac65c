//! The header of a `.npy` file: a Python dictionary with three known keys.

use super::Malformed;

/// What the header says, each with the offset where it stands.
#[derive(Debug, PartialEq)]
pub struct Header {
    /// The element type's code.
    pub code: (u64, String),
    /// Whether the first index runs fastest.
    pub fortran: bool,
    /// The extents.
    pub shape: (u64, Vec<usize>),
}

/// Reads `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`. The text begins at this offset of
/// the file.
pub fn header(text: &[u8], offset: u64) -> Result<Header, Malformed> {
    let mut reader = Reader { text, at: 0, offset };
    let (mut code, mut fortran, mut shape) = (None, None, None);
    reader.expect(b'{')?;
    while !reader.take(b'}') {
        let start = reader.position();
        let key = reader.string("a key in quotes")?;
        reader.expect(b':')?;
        reader.space();
        let value = reader.position();
        let twice = match key.as_str() {
            "descr" => code.replace((value, reader.code()?)).is_some(),
            "fortran_order" => fortran.replace(reader.truth()?).is_some(),
            "shape" => shape.replace((value, reader.tuple()?)).is_some(),
            _ => return Err(Malformed::new(start, format!("unknown key '{key}'"))),
        };
        if twice {
            return Err(Malformed::new(start, format!("key '{key}' twice")));
        }
        if !reader.take(b',') && reader.peek() != Some(b'}') {
            return Err(reader.expected("`,` or `}`"));
        }
    }
    let end = reader.position();
    reader.space();
    if reader.peek().is_some() {
        return Err(reader.expected("nothing more"));
    }
    let missing = |key: &str| Malformed::new(end, format!("the key '{key}' is missing"));
    Ok(Header {
        code: code.ok_or_else(|| missing("descr"))?,
        fortran: fortran.ok_or_else(|| missing("fortran_order"))?,
        shape: shape.ok_or_else(|| missing("shape"))?,
    })
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    /// Of the text in the file.
    offset: u64,
}

impl Reader<'_> {
    fn position(&self) -> u64 {
        self.offset + self.at as u64
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|c| c.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Skips this character, and space before it, if it comes next.
    fn take(&mut self, wanted: u8) -> bool {
        self.space();
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: u8) -> Result<(), Malformed> {
        match self.take(wanted) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{}`", wanted as char))),
        }
    }

    fn expected(&self, wanted: &str) -> Malformed {
        let found = match self.peek() {
            None => "the end of the header".to_string(),
            Some(c) if c == b' ' || c.is_ascii_graphic() => format!("`{}`", c as char),
            Some(c) => format!("byte {c:#04x}"),
        };
        Malformed::new(self.position(), format!("expected {wanted} in the header, found {found}"))
    }

    fn string(&mut self, what: &str) -> Result<String, Malformed> {
        self.space();
        let quote = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => quote,
            _ => return Err(self.expected(what)),
        };
        let rest = &self.text[self.at + 1..];
        let Some(length) = rest.iter().position(|&c| c == quote) else {
            return Err(Malformed::new(self.position(), "a quote in the header that does not end"));
        };
        self.at += length + 2;
        Ok(String::from_utf8_lossy(&rest[..length]).into_owned())
    }

    /// The code of plain elements; fields of structures are refused.
    fn code(&mut self) -> Result<String, Malformed> {
        match self.peek() {
            Some(b'[' | b'(') => {
                Err(Malformed::new(self.position(), "elements with fields are not read"))
            }
            _ => self.string("an element type in quotes"),
        }
    }

    fn truth(&mut self) -> Result<bool, Malformed> {
        for (word, truth) in [("True", true), ("False", false)] {
            if self.text[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(truth);
            }
        }
        Err(self.expected("True or False"))
    }

    /// `()`, `(3,)`, `(3, 4)`.
    fn tuple(&mut self) -> Result<Vec<usize>, Malformed> {
        self.expect(b'(')?;
        let mut extents = Vec::new();
        while !self.take(b')') {
            extents.push(self.extent()?);
            // One number in parentheses is no tuple.
            if !self.take(b',') && (self.peek() != Some(b')') || extents.len() == 1) {
                return Err(self.expected("`,`"));
            }
        }
        Ok(extents)
    }

    fn extent(&mut self) -> Result<usize, Malformed> {
        let start = self.position();
        let mut extent = 0usize;
        let mut digits = 0;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            let more = extent.checked_mul(10).and_then(|n| n.checked_add((digit - b'0').into()));
            extent = more.ok_or_else(|| Malformed::new(start, "an extent that is too large"))?;
            digits += 1;
            self.at += 1;
        }
        if digits == 0 {
            return Err(self.expected("an extent"));
        }
        // As Python 2 wrote long integers.
        if self.peek() == Some(b'L') {
            self.at += 1;
        }
        Ok(extent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_in_any_order_and_spacing() {
        for text in [
            "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4), }   \n",
            "{'shape':(3,4),'fortran_order':True,'descr':'<f8'}",
            " { \"descr\" : \"<f8\" , 'shape' : ( 3L , 4L , ) , 'fortran_order' : True , } ",
        ] {
            let found = header(text.as_bytes(), 0).unwrap();
            assert_eq!((found.code.1.as_str(), found.fortran), ("<f8", true), "{text}");
            assert_eq!(found.shape.1, [3, 4], "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_offset() {
        const GOOD: &str = "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4), }";
        for (from, to, offset, reason) in [
            ("{", "[", 100, "expected `{` in the header, found `[`"),
            ("'descr'", "descr", 101, "expected a key in quotes in the header, found `d`"),
            ("'descr':", "'descr'", 109, "expected `:` in the header, found `'`"),
            ("descr", "describe", 101, "unknown key 'describe'"),
            ("'<f8'", "[('x', '<f8')]", 110, "elements with fields are not read"),
            ("'<f8'", "8", 110, "expected an element type in quotes in the header, found `8`"),
            ("True", "true", 134, "expected True or False in the header, found `t`"),
            ("True, ", "True ", 139, "expected `,` or `}` in the header, found `'`"),
            ("(3, 4)", "(3)", 151, "expected `,` in the header, found `)`"),
            ("(3, 4)", "(3, -4)", 153, "expected an extent in the header, found `-`"),
            ("(3, 4)", "(3, 99999999999999999999)", 153, "an extent that is too large"),
            ("(3, 4)", "[3, 4]", 149, "expected `(` in the header, found `[`"),
            ("'shape': (3, 4), ", "", 141, "the key 'shape' is missing"),
            ("'shape'", "'descr': '<f8', 'shape'", 140, "key 'descr' twice"),
            ("}", "", 157, "expected a key in quotes in the header, found the end of the header"),
            ("}", "} x", 159, "expected nothing more in the header, found `x`"),
            ("shape': (3, 4), }", "shape", 140, "a quote in the header that does not end"),
        ] {
            assert!(GOOD.contains(from), "{from}");
            let text = GOOD.replacen(from, to, 1);
            let found = header(text.as_bytes(), 100).unwrap_err();
            assert_eq!((found.offset, found.reason.as_str()), (offset, reason), "{text}");
        }
    }
}
