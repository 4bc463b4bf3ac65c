//! Pages around each block that cannot be accessed, so that a kernel that strays faults at once.
//!
//! ```text
//! closed   block ...        closed         one block begins at a page
//! closed        ... block   closed         the next one ends at a page
//! ```

use super::pool::{Piece, Pool};

/// Granularity of protection, and what is closed on either side at least.
const PAGE: usize = 4096;

/// Rules:
/// - What is in no page of a live block is closed, pieces that are free included.
/// - All of it is closed while another device works.
#[derive(Debug, Default)]
pub(super) struct Guards {
    taken: usize,
    closed: bool,
}

impl Guards {
    /// A piece with room for a block and its guards, and where the block begins in it.
    pub fn take(&mut self, pool: &mut Pool, bytes: usize) -> Option<(Piece, usize)> {
        let pages = bytes.max(1).checked_next_multiple_of(PAGE)?;
        let piece = pool.take(pages.checked_add(3 * PAGE)?)?;
        let address = pool.pointer(piece) as usize;
        let mut offset = address.next_multiple_of(PAGE) - address + PAGE;
        let is_at_end = !self.taken.is_multiple_of(2);
        if is_at_end {
            offset += pages - bytes.max(1).next_multiple_of(64);
        }
        self.taken += 1;
        if !self.closed {
            self.set_accessible(pool, (piece, offset, bytes as u64), true);
        }
        Some((piece, offset))
    }

    /// Opens or closes the pages of a block.
    pub fn set_accessible(
        &self,
        pool: &mut Pool,
        (piece, offset, bytes): (Piece, usize, u64),
        accessible: bool,
    ) {
        let first = pool.pointer(piece) as usize + offset;
        let pages = first / PAGE * PAGE..(first + (bytes as usize).max(1)).next_multiple_of(PAGE);
        let start = offset - (first - pages.start);
        let done = pool.set_range_accessible(piece, (start, pages.len()), accessible);
        assert!(done, "the system refused to change the protection of a block");
    }

    /// Opens or closes everything: whether that is a change, of all blocks.
    pub fn open(&mut self, accessible: bool) -> bool {
        std::mem::replace(&mut self.closed, !accessible) == accessible
    }
}
