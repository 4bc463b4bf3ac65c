//! The modifiers of an instruction, each of which must be understood.

use crate::ptx::code::Rounding;
use crate::ptx::types::Type;

/// What is left of an instruction's modifiers.
pub(super) struct Modifiers<'a> {
    left: Vec<&'a str>,
}

impl<'a> Modifiers<'a> {
    pub fn new(modifiers: &'a [String]) -> Modifiers<'a> {
        Modifiers { left: modifiers.iter().map(String::as_str).collect() }
    }

    /// Whether a modifier is there; it counts as understood.
    pub fn take(&mut self, name: &str) -> bool {
        let found = self.left.iter().position(|modifier| *modifier == name);
        found.map(|at| self.left.remove(at)).is_some()
    }

    /// Whether a modifier is there, left for who understands it.
    pub fn has(&self, name: &str) -> bool {
        self.left.contains(&name)
    }

    /// Drops modifiers that change nothing here.
    pub fn ignore(&mut self, names: &[&str]) {
        self.left.retain(|modifier| !names.contains(modifier));
    }

    /// Drops modifiers that begin so.
    pub fn ignore_prefixed(&mut self, prefix: &str) {
        self.left.retain(|modifier| !modifier.starts_with(prefix));
    }

    /// The first modifier that this function knows.
    pub fn find<T>(&mut self, known: impl Fn(&str) -> Option<T>) -> Option<T> {
        for (at, modifier) in self.left.iter().enumerate() {
            if let Some(found) = known(modifier) {
                self.left.remove(at);
                return Some(found);
            }
        }
        None
    }

    /// The next type.
    pub fn kind(&mut self) -> Result<Type, String> {
        self.find(Type::parse).ok_or_else(|| "the type is missing".to_string())
    }

    /// The rounding of a float, to the nearest where none is said.
    pub fn rounding(&mut self) -> Rounding {
        self.find(|name| {
            Some(match name {
                "rn" => Rounding::Nearest,
                "rz" => Rounding::Zero,
                "rm" => Rounding::Down,
                "rp" => Rounding::Up,
                _ => return None,
            })
        })
        .unwrap_or(Rounding::Nearest)
    }

    /// Nothing may be left.
    pub fn finish(&self) -> Result<(), String> {
        match self.left.first() {
            None => Ok(()),
            Some(modifier) => Err(format!("the modifier .{modifier} is not supported here")),
        }
    }
}
