//! Working memory of products, and sums that wait in it.

use crate::memory::Storage;
use std::cell::Cell;

thread_local! {
    /// A thread keeps its room for its next product: fresh pages for the packed blocks of 200 rows cost as much as two thirds
    /// of the product.
    static STRIPS: Cell<Storage> = Cell::default();
}

/// The thread's working memory, which it has again after this is dropped.
pub(super) struct Strips(Storage);

impl Strips {
    /// A thread that ends has none any more.
    pub fn take() -> Strips {
        Strips(STRIPS.try_with(Cell::take).unwrap_or_default())
    }

    /// So many numbers, which hold anything.
    pub fn reserve<T>(&mut self, count: usize) -> *mut T {
        self.0.reserve(count * size_of::<T>()).cast()
    }
}

impl Drop for Strips {
    fn drop(&mut self) {
        let storage = std::mem::take(&mut self.0);
        let _ = STRIPS.try_with(|kept| kept.set(storage));
    }
}

/// Where sums of blocks of k wait, at every level those of as many elements.
#[derive(Clone, Copy)]
pub(super) struct Deferred<T> {
    /// The first one of the lowest level.
    pub at: *mut T,
    /// Elements from one level to the next.
    pub level: usize,
}

impl<T: Copy> Deferred<T> {
    /// Those of a level.
    pub fn level(self, number: usize) -> *mut T {
        self.at.wrapping_add(number * self.level)
    }

    /// Those of the elements from one on.
    pub fn from(self, element: usize) -> Deferred<T> {
        Deferred { at: self.at.wrapping_add(element), ..self }
    }
}
