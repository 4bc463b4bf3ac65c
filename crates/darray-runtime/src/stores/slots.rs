//! Which stores the window has numbered.

use darray_ir::StoreId;

/// The numbers of a window's stores among those of all windows, which are counted on: what a store was called in an
/// earlier window is less than all of them, and 0 is the number of none.
///
/// At six stores a nanosecond 64 bits last a century.
///
/// ```text
/// first window, 3 stores:  1 2 3      second window:  4 5 ..      first = 4:  5 is StoreId(1), 3 is of no use any more
/// ```
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    first: u64,
}

impl Default for Slots {
    fn default() -> Slots {
        Slots { first: 1 }
    }
}

impl Slots {
    /// As after many windows.
    #[cfg(test)]
    pub(crate) fn from(first: u64) -> Slots {
        Slots { first }
    }

    /// What says the number of a store of this window.
    #[inline]
    pub(crate) fn of(self, number: StoreId) -> u64 {
        self.first + u64::from(number.0)
    }

    /// The number in this window, if it is of this window.
    #[inline]
    pub(crate) fn number(self, slot: u64) -> Option<StoreId> {
        slot.checked_sub(self.first).map(|number| StoreId(number as u32))
    }

    /// Begins the window after one of so many stores.
    pub(crate) fn end_window(&mut self, stores: usize) {
        self.first += stores as u64;
    }
}
