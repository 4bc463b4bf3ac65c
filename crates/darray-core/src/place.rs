//! Where in the user's source an operation was emitted.

use std::fmt;
use std::panic::Location;

/// The provenance of an operation: file, line and column of the user's call.
///
/// Every error that names an operation carries one. Not part of any canonical form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Place(&'static Location<'static>);

impl Place {
    /// The place of the caller of the nearest `#[track_caller]` function.
    #[track_caller]
    #[inline]
    pub fn caller() -> Place {
        Place(Location::caller())
    }

    /// Line in the user's source, counted from 1.
    pub fn line(self) -> u32 {
        self.0.line()
    }

    /// Column in this line, counted from 1.
    pub fn column(self) -> u32 {
        self.0.column()
    }

    /// File as the compiler was given it.
    pub fn file(self) -> &'static str {
        self.0.file()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.0.file(), self.0.line(), self.0.column())
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
