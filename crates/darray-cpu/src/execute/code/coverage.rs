//! How much of a nest is machine code made for it.

use darray_device::NativeStats;

/// What became of the block lists of a nest and of its folds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Coverage {
    /// Whether anything was to be compiled.
    pub is_on: bool,
    /// Functions made.
    pub compiled: u32,
    /// Instructions that the compiler does not know.
    pub unknown: u32,
    /// Folds along lanes of another number than the compiler has.
    pub folds: u32,
    /// Functions that the system gave no memory for; then nothing is compiled.
    pub memory: u32,
}

impl Coverage {
    /// Adds the nest to counts.
    pub fn count(&self, stats: &mut NativeStats) {
        let interpreted = self.unknown + self.folds + self.memory;
        match (self.is_on, interpreted, self.compiled) {
            (false, ..) => stats.none += 1,
            (_, 0, 0) => stats.ready += 1,
            (_, 0, _) => stats.whole += 1,
            (_, _, 0) => stats.none += 1,
            _ => stats.part += 1,
        }
        if self.is_on {
            stats.unknown += u64::from(self.unknown);
            stats.folds += u64::from(self.folds);
            stats.memory += u64::from(self.memory);
        }
    }
}
