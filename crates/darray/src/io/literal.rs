//! The header of a `.npy` file: a Python dictionary with three known keys.
//!
//! What is read is what NumPy's `ast.literal_eval` reads: numbers may be signed, hexadecimal, octal, binary and grouped
//! (`1_000`), texts raw, with escapes and side by side, and everything in parentheses, over lines and with comments.

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

/// How deep parentheses may lie, as in Python.
const DEEPEST: usize = 200;

/// Reads `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`. The text begins at this offset of
/// the file. In `old` headers numbers may end in `L`, as Python 2 wrote long ones.
///
/// As in Python, the last of equal keys counts.
pub fn header(text: &[u8], offset: u64, old: bool) -> Result<Header, Malformed> {
    let mut reader = Reader { text, at: 0, offset, depth: 0, old };
    let mut parentheses = 0;
    while reader.take(b'(')? {
        parentheses += 1;
    }
    let (mut code, mut fortran, mut shape) = (None, None, None);
    reader.expect(b'{')?;
    while !reader.take(b'}')? {
        let start = reader.position();
        let key = reader.value()?.text(start, "a key in quotes")?;
        reader.expect(b':')?;
        reader.space()?;
        let at = reader.position();
        if key == "descr" && reader.peek() == Some(b'[') {
            return Err(Malformed::new(at, "elements with fields are not read"));
        }
        let value = reader.value()?;
        match key.as_str() {
            "descr" => code = Some((at, value.code(at)?)),
            "fortran_order" => fortran = Some(value.truth(at)?),
            "shape" => shape = Some((at, value.extents(at)?)),
            _ => return Err(Malformed::new(start, format!("unknown key '{key}'"))),
        }
        if !reader.take(b',')? && reader.peek() != Some(b'}') {
            return Err(reader.expected("`,` or `}`"));
        }
    }
    for _ in 0..parentheses {
        reader.expect(b')')?;
    }
    let end = reader.position();
    reader.space()?;
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

/// A value of the dictionary.
enum Value {
    Text(String),
    Truth(bool),
    /// A whole number behind its sign.
    Number(Option<u8>, u128),
    /// Each with its offset.
    Tuple(Vec<(u64, Value)>),
}

impl Value {
    fn text(self, at: u64, what: &str) -> Result<String, Malformed> {
        match self {
            Value::Text(text) => Ok(text),
            other => Err(other.is_not(at, what)),
        }
    }

    /// The code of plain elements; those that are arrays themselves are refused.
    fn code(self, at: u64) -> Result<String, Malformed> {
        match self {
            Value::Tuple(_) => Err(Malformed::new(at, "elements with fields are not read")),
            other => other.text(at, "an element type in quotes"),
        }
    }

    fn truth(self, at: u64) -> Result<bool, Malformed> {
        match self {
            Value::Truth(truth) => Ok(truth),
            other => Err(other.is_not(at, "True or False")),
        }
    }

    fn extents(self, at: u64) -> Result<Vec<usize>, Malformed> {
        let Value::Tuple(items) = self else { return Err(self.is_not(at, "a tuple of extents")) };
        let extent = |(at, value): (u64, Value)| match value {
            Value::Number(Some(b'-'), 1..) => Err(Malformed::new(at, "an extent below 0")),
            Value::Number(_, extent) => usize::try_from(extent)
                .map_err(|_| Malformed::new(at, "an extent that is too large")),
            other => Err(other.is_not(at, "an extent")),
        };
        items.into_iter().map(extent).collect()
    }

    fn is_not(&self, at: u64, wanted: &str) -> Malformed {
        let found = match self {
            Value::Text(_) => "a text",
            Value::Truth(_) => "True or False",
            Value::Number(..) => "a number",
            Value::Tuple(_) => "a tuple",
        };
        Malformed::new(at, format!("expected {wanted} in the header, found {found}"))
    }
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    /// Of the text in the file.
    offset: u64,
    /// Parentheses that are open.
    depth: usize,
    old: bool,
}

impl Reader<'_> {
    fn position(&self) -> u64 {
        self.offset + self.at as u64
    }

    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    /// Skips space, comments, and line ends behind a backslash.
    fn space(&mut self) -> Result<(), Malformed> {
        loop {
            match self.rest() {
                [b' ' | b'\t' | b'\n' | b'\r' | b'\x0c', ..] => self.at += 1,
                [b'#', rest @ ..] => {
                    let line = rest.iter().position(|c| matches!(c, b'\n' | b'\r'));
                    let line = line.unwrap_or(rest.len());
                    if rest[..line].contains(&0) {
                        return Err(Malformed::new(self.position(), "a comment with a byte 0"));
                    }
                    self.at += 1 + line;
                }
                [b'\\', b'\r', b'\n', _, ..] => self.at += 3,
                [b'\\', b'\n' | b'\r', _, ..] => self.at += 2,
                _ => return Ok(()),
            }
        }
    }

    /// Skips this character, and space before it, if it comes next.
    fn take(&mut self, wanted: u8) -> Result<bool, Malformed> {
        self.space()?;
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        Ok(found)
    }

    fn expect(&mut self, wanted: u8) -> Result<(), Malformed> {
        match self.take(wanted)? {
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

    fn value(&mut self) -> Result<Value, Malformed> {
        self.space()?;
        match self.peek() {
            Some(b'(') => self.parentheses(),
            Some(sign @ (b'+' | b'-')) => {
                self.at += 1;
                self.space()?;
                let start = self.position();
                if !matches!(self.peek(), Some(b'(' | b'0'..=b'9')) {
                    return Err(self.expected("a number"));
                }
                match self.value()? {
                    Value::Number(None, number) => Ok(Value::Number(Some(sign), number)),
                    other => Err(other.is_not(start, "a number without a sign")),
                }
            }
            Some(b'0'..=b'9') => Ok(Value::Number(None, self.number()?)),
            _ => match self.word() {
                b"True" => Ok(Value::Truth(true)),
                b"False" => Ok(Value::Truth(false)),
                _ => self.texts().map(Value::Text),
            },
        }
    }

    /// `()`, `(3,)`, `(3, 4)`; `(3)` is the number.
    fn parentheses(&mut self) -> Result<Value, Malformed> {
        self.expect(b'(')?;
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Malformed::new(self.position(), "too many parentheses"));
        }
        let (mut items, mut commas) = (Vec::new(), 0);
        while !self.take(b')')? {
            let at = self.position();
            items.push((at, self.value()?));
            if self.take(b',')? {
                commas += 1;
            } else if self.peek() != Some(b')') {
                return Err(self.expected("`,`"));
            }
        }
        self.depth -= 1;
        match commas == 0 && items.len() == 1 {
            true => Ok(items.remove(0).1),
            false => Ok(Value::Tuple(items)),
        }
    }

    /// Skips True or False, if that comes next.
    fn word(&mut self) -> &[u8] {
        let in_word = |c: &u8| c.is_ascii_alphanumeric() || *c == b'_' || !c.is_ascii();
        let length = self.rest().iter().position(|c| !in_word(c)).unwrap_or(self.rest().len());
        let start = self.at;
        if matches!(&self.rest()[..length], b"True" | b"False") {
            self.at += length;
        }
        &self.text[start..self.at]
    }

    fn number(&mut self) -> Result<u128, Malformed> {
        let start = self.position();
        let base = match self.rest() {
            [b'0', b'x' | b'X', ..] => 16,
            [b'0', b'o' | b'O', ..] => 8,
            [b'0', b'b' | b'B', ..] => 2,
            _ => 10,
        };
        let prefixed = base != 10;
        self.at += if prefixed { 2 } else { 0 };
        let (mut number, mut grouped, mut zeros) = (0u128, prefixed, true);
        let first = self.peek();
        loop {
            // Between digits, and behind a prefix, there may be one `_`.
            let skip = usize::from(grouped && self.peek() == Some(b'_'));
            let digit = self.rest().get(skip).and_then(|&c| (c as char).to_digit(base));
            let Some(digit) = digit else { break };
            // What is too large stays so.
            number = number.saturating_mul(base.into()).saturating_add(digit.into());
            (grouped, zeros) = (true, zeros && digit == 0);
            self.at += skip + 1;
        }
        if first.is_none_or(|c| c != b'_' && !(c as char).is_digit(base)) {
            return Err(self.expected("a digit"));
        }
        if !prefixed && first == Some(b'0') && !zeros {
            return Err(Malformed::new(start, "a number that begins with 0"));
        }
        if self.old {
            let behind = self.at;
            while matches!(self.peek(), Some(b' ' | b'\t' | b'\x0c')) {
                self.at += 1;
            }
            self.at = if self.peek() == Some(b'L') { self.at + 1 } else { behind };
        }
        let goes_on =
            |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.') || !c.is_ascii();
        match self.peek().is_some_and(goes_on) {
            true => Err(self.expected("the end of the number")),
            false => Ok(number),
        }
    }

    /// Texts in quotes, side by side.
    fn texts(&mut self) -> Result<String, Malformed> {
        let Some(mut texts) = self.quoted()? else { return Err(self.expected("a value")) };
        loop {
            self.space()?;
            match self.quoted()? {
                Some(text) => texts.push_str(&text),
                None => return Ok(texts),
            }
        }
    }

    /// The text in quotes that comes next, if one does.
    fn quoted(&mut self) -> Result<Option<String>, Malformed> {
        let prefix = matches!(self.peek(), Some(b'r' | b'R' | b'u' | b'U'));
        let raw = prefix && matches!(self.peek(), Some(b'r' | b'R'));
        let Some(&quote @ (b'\'' | b'"')) = self.rest().get(usize::from(prefix)) else {
            return Ok(None);
        };
        let start = self.position();
        self.at += usize::from(prefix);
        let triple = self.rest().starts_with(&[quote; 3]);
        let end: &[u8] = if triple { &[quote; 3] } else { &[quote] };
        self.at += end.len();
        let mut text = Vec::new();
        while !self.rest().starts_with(end) {
            match self.rest() {
                [] | [0, ..] => return Err(unended(start)),
                [b'\n' | b'\r', ..] if !triple => return Err(unended(start)),
                [b'\\', c, ..] if raw => {
                    text.extend([b'\\', *c]);
                    self.at += 2;
                }
                [b'\\', ..] => self.escape(&mut text)?,
                [c, ..] => {
                    text.push(*c);
                    self.at += 1;
                }
            }
        }
        self.at += end.len();
        Ok(Some(String::from_utf8_lossy(&text).into_owned()))
    }

    /// A character that is written as a backslash and others.
    fn escape(&mut self, text: &mut Vec<u8>) -> Result<(), Malformed> {
        let start = self.position();
        let (code, length) = match self.rest() {
            [_, b'x', ..] => (self.digits(2, 16, 2), 4),
            [_, b'u', ..] => (self.digits(2, 16, 4), 6),
            [_, b'U', ..] => (self.digits(2, 16, 8), 10),
            [_, b'0'..=b'7', rest @ ..] => {
                let more = rest.iter().take(2).take_while(|c| matches!(c, b'0'..=b'7')).count();
                (self.digits(1, 8, 1 + more), 2 + more)
            }
            [_, b'\r', b'\n', ..] => (None, 3),
            [_, b'\n' | b'\r', ..] => (None, 2),
            [_, c @ (b'\\' | b'\'' | b'"'), ..] => (Some(u32::from(*c)), 2),
            [_, b'a', ..] => (Some(7), 2),
            [_, b'b', ..] => (Some(8), 2),
            [_, b'f', ..] => (Some(12), 2),
            [_, b'n', ..] => (Some(10), 2),
            [_, b'r', ..] => (Some(13), 2),
            [_, b't', ..] => (Some(9), 2),
            [_, b'v', ..] => (Some(11), 2),
            // Other characters keep the backslash; those with names are in no header.
            [_, b'N', ..] | [_] | [] => return Err(unended(start)),
            [_, ..] => (Some(u32::from(b'\\')), 1),
        };
        match code.map(char::from_u32) {
            Some(Some(c)) => text.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
            None if matches!(self.rest(), [_, b'\n' | b'\r', ..]) => {}
            _ => return Err(unended(start)),
        }
        self.at += length;
        Ok(())
    }

    /// The number of so many digits, from so many characters on.
    fn digits(&self, skip: usize, base: u32, count: usize) -> Option<u32> {
        let digits = self.rest().get(skip..skip + count)?;
        digits
            .iter()
            .try_fold(0u32, |n, &c| Some(n.checked_mul(base)? + (c as char).to_digit(base)?))
    }
}

fn unended(at: u64) -> Malformed {
    Malformed::new(at, "a text in quotes in the header that does not end")
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
            let found = header(text.as_bytes(), 0, true).unwrap();
            assert_eq!((found.code.1.as_str(), found.fortran), ("<f8", true), "{text}");
            assert_eq!(found.shape.1, [3, 4], "{text}");
        }
    }

    /// What `tests/numpy/generate.py` compares with NumPy as well, and what must not end the stack.
    #[test]
    fn deep_values_are_refused() {
        for deep in ["(", "+", "+(", "'' ", "#\n", "\\\n", "-("] {
            let text = format!("{{'shape': {}", deep.repeat(20_000));
            assert!(header(text.as_bytes(), 0, true).is_err(), "{deep}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_offset() {
        const GOOD: &str = "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4), }";
        for (from, to, offset, reason) in [
            ("{", "[", 100, "expected `{` in the header, found `[`"),
            ("'descr'", "descr", 101, "expected a value in the header, found `d`"),
            ("'descr'", "7", 101, "expected a key in quotes in the header, found a number"),
            ("'descr':", "'descr'", 114, "expected `:` in the header, found `,`"),
            ("descr", "describe", 101, "unknown key 'describe'"),
            ("'<f8'", "[('x', '<f8')]", 110, "elements with fields are not read"),
            ("'<f8'", "8", 110, "expected an element type in quotes in the header, found a number"),
            ("True", "true", 134, "expected a value in the header, found `t`"),
            ("True", "1", 134, "expected True or False in the header, found a number"),
            ("True, ", "True ", 139, "expected `,` or `}` in the header, found `'`"),
            ("(3, 4)", "(3)", 149, "expected a tuple of extents in the header, found a number"),
            ("(3, 4)", "(3, -4)", 153, "an extent below 0"),
            ("(3, 4)", "(3, 04)", 153, "a number that begins with 0"),
            ("(3, 4)", "(3, 4.0)", 154, "expected the end of the number in the header, found `.`"),
            ("(3, 4)", "(3, True)", 153, "expected an extent in the header, found True or False"),
            ("(3, 4)", "(3 4)", 152, "expected `,` in the header, found `4`"),
            ("(3, 4)", "(3, 99999999999999999999)", 153, "an extent that is too large"),
            ("(3, 4)", "[3, 4]", 149, "expected a value in the header, found `[`"),
            ("'shape': (3, 4), ", "", 141, "the key 'shape' is missing"),
            ("}", "", 157, "expected a value in the header, found the end of the header"),
            ("}", "} x", 159, "expected nothing more in the header, found `x`"),
            ("shape': (3, 4), }", "shape", 140, "a text in quotes in the header that does not end"),
        ] {
            assert!(GOOD.contains(from), "{from}");
            let text = GOOD.replacen(from, to, 1);
            let found = header(text.as_bytes(), 100, true).unwrap_err();
            assert_eq!((found.offset, found.reason.as_str()), (offset, reason), "{text}");
        }
    }
}
