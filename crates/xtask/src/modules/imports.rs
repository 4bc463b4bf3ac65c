//! The paths that a file names from its crate's root.

use crate::source::blank;
use std::collections::BTreeMap;

/// A path from the root of a crate: modules, and then perhaps an item.
pub type Path = Vec<String>;

/// What a file names.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Imports {
    /// Every path that begins with `crate`, `super` or `self`, or that `use` takes from a child.
    pub paths: Vec<Path>,
    /// The names that `use` gives to paths.
    pub names: BTreeMap<String, Path>,
}

/// What the code of a module names; `children` are its modules.
pub fn imports(module: &[String], text: &str, children: &[String]) -> Imports {
    let code = blank(text, true);
    let mut found = Imports::default();
    let bytes = code.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let starts =
            (at == 0 || !is_word(bytes[at - 1]) && bytes[at - 1] != b':') && is_word(bytes[at]);
        if !starts {
            at += 1;
            continue;
        }
        let word = word_at(&code, at);
        let after = at + word.len();
        if word == "use" {
            let end = code[after..].find(';').map_or(code.len(), |end| after + end);
            let mut tree = Tree { code: &code[after..end], at: 0 };
            for (path, name) in tree.paths(&[]) {
                let own = path.first().is_some_and(|first| children.contains(first));
                if let Some(path) = resolved(module, &path, own) {
                    // What a module in the module's file takes from here is no other name of it.
                    let is_itself = path.split_last() == Some((&name, module));
                    if !is_itself {
                        found.names.insert(name, path.clone());
                    }
                    found.paths.push(path);
                }
            }
            at = end;
            continue;
        }
        if matches!(word, "crate" | "super" | "self") && code[after..].starts_with("::") {
            let mut path = Vec::new();
            let mut end = at;
            loop {
                let word = word_at(&code, end);
                if word.is_empty() {
                    break;
                }
                path.push(word.to_string());
                end += word.len();
                if !code[end..].starts_with("::") {
                    break;
                }
                end += 2;
            }
            found.paths.extend(resolved(module, &path, false));
            at = end.max(after);
            continue;
        }
        at = after;
    }
    found
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn word_at(code: &str, at: usize) -> &str {
    let end = code[at..].bytes().position(|byte| !is_word(byte)).map_or(code.len(), |n| at + n);
    &code[at..end]
}

/// A path as the root names it, of what a module says; `own`: it begins with a child of the module.
fn resolved(module: &[String], path: &[String], own: bool) -> Option<Path> {
    let mut from = module.to_vec();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => {
            from.clear();
            rest = &rest[1..];
        }
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|word| word == "super") {
                from.pop();
                rest = &rest[1..];
            }
        }
        _ if own => {}
        _ => return None,
    }
    from.extend(rest.iter().cloned());
    Some(from)
}

/// The tree of a `use`.
struct Tree<'t> {
    code: &'t str,
    at: usize,
}

impl Tree<'_> {
    /// The paths of the tree from here on, behind a prefix, with the names that they get.
    fn paths(&mut self, prefix: &[String]) -> Vec<(Path, String)> {
        let mut path = prefix.to_vec();
        loop {
            self.skip();
            if self.takes("{") {
                let mut all = Vec::new();
                while !self.takes("}") && self.at < self.code.len() {
                    all.extend(self.paths(&path));
                    self.takes(",");
                }
                return all;
            }
            if self.takes("*") {
                return vec![(path, "*".to_string())];
            }
            let word = word_at(self.code, self.at).to_string();
            if word.is_empty() {
                // Nothing that is known; whatever it is, it is passed.
                self.at += 1;
                return Vec::new();
            }
            self.at += word.len();
            if word == "self" && !path.is_empty() {
                let name = path.last().cloned().unwrap_or_default();
                return vec![(path, name)];
            }
            path.push(word.clone());
            self.skip();
            if self.takes("::") {
                continue;
            }
            let mut name = word;
            if word_at(self.code, self.at) == "as" {
                self.at += 2;
                self.skip();
                name = word_at(self.code, self.at).to_string();
                self.at += name.len();
            }
            return vec![(path, name)];
        }
    }

    fn skip(&mut self) {
        while self.code[self.at..].starts_with(char::is_whitespace) {
            self.at += 1;
        }
    }

    fn takes(&mut self, what: &str) -> bool {
        self.skip();
        let takes = self.code[self.at..].starts_with(what);
        self.at += if takes { what.len() } else { 0 };
        takes
    }
}

#[cfg(test)]
mod tests {
    use super::imports;

    #[test]
    fn paths_are_those_from_the_root() {
        let text = "use super::{a::{self, B as C}, d};\npub use e::F;\nuse std::fmt;\n// crate::no\nfn f() { crate::g::h(self.i); super::super::j() }";
        let module = ["m", "n"].map(String::from);
        let found = imports(&module, text, &["e".to_string()]);
        let paths: Vec<String> = found.paths.iter().map(|path| path.join("::")).collect();
        assert_eq!(paths, ["m::a", "m::a::B", "m::d", "m::n::e::F", "g::h", "j"]);
        let names: Vec<&str> = found.names.keys().map(String::as_str).collect();
        assert_eq!(names, ["C", "F", "a", "d"]);
    }
}
