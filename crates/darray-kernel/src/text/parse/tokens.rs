//! The words of a text.

use super::{ParseError, Parsed};
use std::str::FromStr;

/// A position in a text. Words are runs of letters, digits and `_`; any other character is a
/// word of its own.
pub(super) struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Tokens<'t> {
    pub fn new(text: &'t str) -> Tokens<'t> {
        Tokens { text, at: 0 }
    }

    fn rest(&self) -> &'t str {
        self.text[self.at..].trim_start()
    }

    /// The next word; empty at the end.
    fn peek(&self) -> &'t str {
        let rest = self.rest();
        let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        match rest.find(|c| !in_word(c)) {
            Some(0) => &rest[..rest.chars().next().map_or(0, char::len_utf8)],
            Some(end) => &rest[..end],
            None => rest,
        }
    }

    fn skip(&mut self, word: &str) {
        self.at = self.text.len() - self.rest().len() + word.len();
    }

    pub fn next_is(&self, word: &str) -> bool {
        self.peek() == word
    }

    /// Skips this word if it comes next.
    pub fn take(&mut self, word: &str) -> bool {
        let found = self.next_is(word);
        if found {
            self.skip(word);
        }
        found
    }

    /// Skips this word, which must come next.
    pub fn word(&mut self, word: &str) -> Parsed<()> {
        if self.take(word) { Ok(()) } else { Err(self.error(&format!("`{word}`"))) }
    }

    /// A non-negative integer that fits.
    pub fn integer<T: FromStr>(&mut self) -> Parsed<T> {
        let word = self.peek();
        let value = word.parse().map_err(|_| self.error("an integer in range"))?;
        self.skip(word);
        Ok(value)
    }

    /// A letter and its number: `p3`.
    pub fn numbered<T: FromStr>(&mut self, letter: char) -> Parsed<T> {
        let word = self.peek();
        let number = word.strip_prefix(letter).and_then(|n| n.parse().ok());
        let number = number.ok_or_else(|| self.error(&format!("`{letter}` and a number")))?;
        self.skip(word);
        Ok(number)
    }

    /// A word that `read` knows.
    pub fn named<T>(&mut self, what: &str, read: impl Fn(&str) -> Option<T>) -> Parsed<T> {
        self.known(what, self.peek(), read)
    }

    /// Everything up to white space, if `read` knows it.
    pub fn spaced<T>(&mut self, what: &str, read: impl Fn(&str) -> Option<T>) -> Parsed<T> {
        let rest = self.rest();
        self.known(what, &rest[..rest.find(char::is_whitespace).unwrap_or(rest.len())], read)
    }

    fn known<T>(&mut self, what: &str, word: &str, read: impl Fn(&str) -> Option<T>) -> Parsed<T> {
        let value = read(word).ok_or_else(|| self.error(what))?;
        self.skip(word);
        Ok(value)
    }

    /// The text must end here.
    pub fn end(&self) -> Parsed<()> {
        if self.rest().is_empty() { Ok(()) } else { Err(self.error("the end of the text")) }
    }

    /// The error that something else was expected here.
    pub fn error(&self, expected: &str) -> ParseError {
        let before = &self.text[..self.text.len() - self.rest().len()];
        let found = match self.peek() {
            "" => String::from("the end of the text"),
            word => format!("`{word}`"),
        };
        ParseError {
            line: before.matches('\n').count() + 1,
            column: before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1,
            expected: expected.to_string(),
            found,
        }
    }
}
