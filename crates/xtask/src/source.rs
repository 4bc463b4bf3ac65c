//! Rust text without what is not code.

/// `text` with comments blanked; with `strings`, the insides of string literals too. Line breaks
/// stay, so line numbers do.
pub fn blank(text: &str, strings: bool) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let (end, blanked) = match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => (line_end(bytes, at), true),
            b'/' if bytes.get(at + 1) == Some(&b'*') => (comment_end(bytes, at), true),
            b'"' => (string_end(bytes, at), strings),
            b'r' if !follows_word(bytes, at) => match raw_string_end(bytes, at) {
                Some(end) => (end, strings),
                None => (at + 1, false),
            },
            b'\'' => (character_end(bytes, at), strings),
            _ => (at + 1, false),
        };
        if blanked {
            out[at..end].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
        }
        at = end;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The 1-based lines of `text` in which `word` stands alone (no identifier character beside it).
pub fn lines_with_word(text: &str, word: &str) -> Vec<usize> {
    let has = |line: &str| {
        line.match_indices(word).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let after = line[at + word.len()..].chars().next();
            !before.is_some_and(in_word) && !after.is_some_and(in_word)
        })
    };
    text.lines().enumerate().filter(|(_, line)| has(line)).map(|(i, _)| i + 1).collect()
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn follows_word(bytes: &[u8], at: usize) -> bool {
    // `br"..."` is a string, `for"..."` is not Rust.
    at > 0 && in_word(bytes[at - 1] as char) && bytes[at - 1] != b'b'
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |n| at + n)
}

fn comment_end(bytes: &[u8], at: usize) -> usize {
    let (mut depth, mut i) = (0usize, at);
    while i + 1 < bytes.len() {
        match &bytes[i..i + 2] {
            b"/*" => (depth, i) = (depth + 1, i + 2),
            b"*/" => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            return i;
        }
    }
    bytes.len()
}

fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut i = at + 1;
    while i < bytes.len() {
        match bytes[i] {
            b'\\' => i += 2,
            b'"' => return i + 1,
            _ => i += 1,
        }
    }
    bytes.len()
}

fn raw_string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let hashes = bytes[at + 1..].iter().take_while(|&&b| b == b'#').count();
    if bytes.get(at + 1 + hashes) != Some(&b'"') {
        return None;
    }
    let mut close = vec![b'"'];
    close.resize(1 + hashes, b'#');
    let body = at + 2 + hashes;
    let length = bytes[body..].windows(close.len()).position(|w| w == close)?;
    Some(body + length + close.len())
}

/// The end of a character literal, or of the quote alone where it begins a lifetime.
fn character_end(bytes: &[u8], at: usize) -> usize {
    let text = String::from_utf8_lossy(&bytes[at + 1..bytes.len().min(at + 12)]).into_owned();
    let mut characters = text.chars();
    match characters.next() {
        Some('\\') => {
            at + 3 + bytes[at + 3..].iter().position(|&b| b == b'\'').map_or(0, |n| n + 1)
        }
        Some(c) if characters.next() == Some('\'') => at + 2 + c.len_utf8(),
        _ => at + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::{blank, lines_with_word};

    #[test]
    fn comments_and_strings_are_blanked_and_lines_stay() {
        let text =
            "a /* b /* c */\n d */ \"e // f\" 'g' // h\nr#\"i \" j\"# 'k: '\\'' l b\"m\\\"n\" o";
        let code = blank(text, true);
        assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["a", "k:", "l", "b", "o"]);
        assert_eq!(code.lines().count(), text.lines().count());
        assert!(blank(text, false).contains("e // f"));
        assert!(!blank(text, false).contains('h'));
    }

    #[test]
    fn words_stand_alone() {
        assert_eq!(lines_with_word("unsafe {\nunsafe_code\n  x(unsafe)", "unsafe"), [1, 3]);
    }
}
