//! How accesses move along loops.

use crate::layout::StrideClass;
use smallvec::SmallVec;

/// Distinct strides of the accesses of a nest: elements per step of every kept loop, then of every
/// reduced axis. Accesses that move alike share a pattern, so that their offsets are computed once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Patterns<T> {
    /// Loops and reduced axes.
    dims: usize,
    count: usize,
    /// By pattern, then by dimension.
    entries: SmallVec<[T; 16]>,
    /// The pattern of every access of the nest.
    of_access: SmallVec<[u16; 8]>,
}

impl<T: Copy + PartialEq> Patterns<T> {
    /// No patterns yet, of so many dimensions.
    pub fn new(dims: usize) -> Patterns<T> {
        Patterns { dims, count: 0, entries: SmallVec::new(), of_access: SmallVec::new() }
    }

    /// The next access, with an entry per dimension.
    pub fn push(&mut self, entries: impl Iterator<Item = T>) {
        let first = self.entries.len();
        self.entries.extend(entries);
        debug_assert_eq!(self.entries.len(), first + self.dims);
        let known =
            (0..self.count).find(|&pattern| self.pattern(pattern) == &self.entries[first..]);
        if known.is_some() {
            self.entries.truncate(first);
        }
        self.of_access.push(known.unwrap_or(self.count) as u16);
        self.count += known.is_none() as usize;
    }

    /// How many patterns there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The entries of a pattern.
    pub fn pattern(&self, pattern: usize) -> &[T] {
        &self.entries[pattern * self.dims..][..self.dims]
    }

    /// The number of an access' pattern.
    pub fn number(&self, access: usize) -> usize {
        self.of_access[access] as usize
    }

    /// The entries of an access.
    pub fn of(&self, access: usize) -> &[T] {
        self.pattern(self.number(access))
    }
}

impl Patterns<i64> {
    /// The classes of the strides.
    pub fn classes(&self) -> Patterns<StrideClass> {
        let class = |&stride: &i64| match stride {
            0 => StrideClass::Still,
            1 => StrideClass::Unit,
            _ => StrideClass::Strided,
        };
        Patterns {
            dims: self.dims,
            count: self.count,
            entries: self.entries.iter().map(class).collect(),
            of_access: self.of_access.clone(),
        }
    }
}
