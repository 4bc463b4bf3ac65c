//! Text of PTX into tokens.

use super::PtxError;

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A name, an opcode with its modifiers (`ld.global.v2.f64`) or a register (`%rd1`, `%tid.x`).
    Word(String),
    /// A word that begins with a point: `.reg`, `.align`.
    Directive(String),
    /// A whole number: the bits of its 64-bit value.
    Integer(u64),
    /// A float written by the bits of a single-precision number.
    Float(u32),
    /// A float written by the bits of a double-precision number.
    Double(u64),
    /// A string of a directive for debuggers.
    Text,
    /// A character of punctuation.
    Punctuation(char),
}

/// A token and where it begins.
#[derive(Clone, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its first byte in the text.
    pub start: usize,
    /// Its line, from 1.
    pub line: u32,
}

/// The tokens of a text; comments and blanks are dropped.
pub fn tokens(text: &str) -> Result<Vec<Token>, PtxError> {
    let bytes = text.as_bytes();
    let (mut at, mut line) = (0, 1);
    let mut found = Vec::with_capacity(text.len() / 4);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' => line += 1,
            b' ' | b'\t' | b'\r' => {}
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += text[at..].find('\n').unwrap_or(text.len() - at);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let end = text[at..].find("*/").map_or(text.len(), |length| at + length + 2);
                line += text[at..end].matches('\n').count() as u32;
                at = end;
                continue;
            }
            _ => {
                let (kind, length) = token(&text[at..]).map_err(|why| PtxError::at(line, why))?;
                found.push(Token { kind, start: at, line });
                at += length;
                continue;
            }
        }
        at += 1;
    }
    Ok(found)
}

/// The token at the start of a text and its length.
fn token(text: &str) -> Result<(Kind, usize), String> {
    let first = text.as_bytes()[0];
    match first {
        b'"' => {
            let end = text[1..].find('"').ok_or("a string has no end")?;
            Ok((Kind::Text, end + 2))
        }
        b'0'..=b'9' => number(text),
        b'.' => {
            let length = 1 + word_length(&text[1..]);
            Ok((Kind::Directive(text[1..length].to_string()), length))
        }
        _ if is_word(first) || first == b'%' => {
            let length = 1 + word_length(&text[1..]);
            Ok((Kind::Word(text[..length].to_string()), length))
        }
        _ if first.is_ascii_punctuation() => Ok((Kind::Punctuation(first as char), 1)),
        _ => Err(format!("unexpected byte {first:#x}")),
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// Length of the rest of a word: points belong to it, and `::` between two of its letters.
fn word_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if is_word(bytes[at]) || bytes[at] == b'.' {
            at += 1;
        } else if text[at..].starts_with("::") && bytes.get(at + 2).is_some_and(|b| is_word(*b)) {
            at += 2;
        } else {
            break;
        }
    }
    at
}

fn number(text: &str) -> Result<(Kind, usize), String> {
    let length = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let word = &text[..length];
    let bad = |_| format!("{word} is no number");
    let prefix = word.get(..2).unwrap_or("");
    let digits = word.get(2..).unwrap_or("").trim_end_matches('U');
    let kind = match prefix {
        "0f" | "0F" => Kind::Float(u32::from_str_radix(digits, 16).map_err(bad)?),
        "0d" | "0D" => Kind::Double(u64::from_str_radix(digits, 16).map_err(bad)?),
        "0x" | "0X" => Kind::Integer(u64::from_str_radix(digits, 16).map_err(bad)?),
        "0b" | "0B" => Kind::Integer(u64::from_str_radix(digits, 2).map_err(bad)?),
        _ => Kind::Integer(word.trim_end_matches('U').parse().map_err(bad)?),
    };
    Ok((kind, length))
}
