//! Which way keys are sorted.

use super::keys::Key;
use super::{quick, radix};
use crate::level::Level;

/// A way to sort keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Way {
    /// Of one byte: by their counts.
    Counts,
    /// In vectors.
    Quick,
    /// By the standard library.
    Comparisons,
    /// Digit by digit.
    Radix,
}

impl Way {
    /// The way for so many keys.
    pub fn of<T: Key>(n: usize, level: Level) -> Way {
        match T::BITS {
            8 => Way::Counts,
            32 | 64 if quick::has(level) => Way::Quick,
            // A pass over as many counters as a digit has is paid for by this many keys a digit.
            bits if n < 48 * bits as usize => Way::Comparisons,
            _ => Way::Radix,
        }
    }
}

/// Sorts keys that are in order already as far as they share the bits from `low` on. `spare` becomes as long as
/// the keys if that is needed.
pub(super) fn sort<T: Key>(keys: &mut [T], spare: &mut Vec<T>, low: u32, level: Level) {
    let way = Way::of::<T>(keys.len(), level);
    if matches!(way, Way::Quick | Way::Radix) && spare.len() < keys.len() {
        *spare = vec![T::default(); keys.len()];
    }
    match way {
        Way::Counts => radix::count(keys),
        // SAFETY: this machine has the level.
        Way::Quick => unsafe { quick::sort(keys, &mut spare[..]) },
        Way::Comparisons => keys.sort_unstable(),
        Way::Radix => {
            let n = keys.len();
            radix::sort(keys, &mut spare[..n], low);
        }
    }
}
