//! Reusable pieces of an arena.

use super::arena::{Arena, PAGE, SMALL_PAGE, advise};
use super::slabs::{PIECES, SMALL, Slabs, class};
use super::spans::Spans;
use super::touched::Touched;
use smallvec::SmallVec;

/// A piece of an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    address: usize,
    /// After rounding: that of a class, or whole pages.
    length: usize,
    /// The slab that it is of; [`NONE`] for a span.
    slab: u32,
}

const NONE: u32 = u32::MAX;

/// Bytes of a span that the next piece of its length may take as it is, at most; and how many such spans there are.
const RECENT: usize = 1 << 20;
const MOST: usize = 16;

/// Hands out pieces of an arena and takes them back.
///
/// Rules:
/// - Small pieces are of [slabs](Slabs), which are made of spans and become spans again; others are [spans](Spans), whole pages
///   (at most an eighth is lost). So what is free serves any size.
/// - A few spans that are not long are kept for the next piece of their length.
/// - What it costs to take or to give a piece does not depend on how many there are, but for a logarithm.
#[derive(Debug)]
pub(crate) struct Pool {
    arena: Arena,
    spans: Spans,
    slabs: Slabs,
    /// Of both: what may be resident, but for what was discarded in slabs.
    touched: Touched,
    /// Free spans, not among the others yet, the last one last: their addresses and lengths.
    recent: SmallVec<[(usize, usize); MOST]>,
    /// Bytes of pieces handed out.
    used: usize,
}

impl Pool {
    /// A pool of nothing yet.
    pub fn new() -> Pool {
        let (spans, slabs, touched, recent) = Default::default();
        Pool { arena: Arena::new(), spans, slabs, touched, recent, used: 0 }
    }

    /// A piece of at least `bytes` bytes; `None` when the system has no addresses.
    pub fn take(&mut self, bytes: usize) -> Option<Piece> {
        let piece = if bytes <= SMALL { self.take_small(bytes) } else { self.take_large(bytes) }?;
        self.used += piece.length;
        Some(piece)
    }

    /// Takes a piece back.
    pub fn give(&mut self, piece: Piece) {
        self.used -= piece.length;
        let free = match piece.slab {
            NONE if piece.length <= RECENT => self.give_recent(piece),
            NONE => Some((piece.address, piece.length)),
            slab => self.slabs.give(slab, piece.address),
        };
        if let Some((address, length)) = free {
            self.spans.give(address, length, true);
        }
    }

    /// Gives the pages of what is free back to the system, and makes it serve any size.
    pub fn trim(&mut self) {
        self.unite();
        let (arena, touched) = (&mut self.arena, &mut self.touched);
        self.spans.cool(|address, bytes| touched.remove(arena.discard(address, bytes)));
        self.slabs.cool(|address, bytes| arena.discard(address, bytes));
    }

    /// The first byte of a piece.
    pub fn pointer(&self, piece: Piece) -> *mut u8 {
        self.arena.pointer(piece.address)
    }

    /// Opens or closes so many bytes of a piece, whole pages of 4 KiB, from this offset in it; whether the system did.
    #[cfg(feature = "testing")]
    pub fn set_range_accessible(
        &mut self,
        piece: Piece,
        (offset, bytes): (usize, usize),
        accessible: bool,
    ) -> bool {
        assert!(offset + bytes <= piece.length);
        self.arena.set_range_accessible(piece.address + offset, bytes, accessible)
    }

    /// Opens or closes all pieces.
    #[cfg(feature = "testing")]
    pub fn set_accessible(&mut self, accessible: bool) {
        self.arena.set_accessible(accessible);
    }

    /// Bytes of the arena.
    pub fn reserved(&self) -> u64 {
        self.arena.reserved() as u64
    }

    /// Bytes of pieces handed out, as rounded.
    pub fn used(&self) -> u64 {
        self.used as u64
    }

    /// Bytes that may be resident: handed out or kept for reuse.
    pub fn held(&self) -> u64 {
        (self.touched.bytes() - self.slabs.discarded()) as u64
    }

    fn take_small(&mut self, bytes: usize) -> Option<Piece> {
        let (index, length) = class(bytes);
        if let Some((address, slab)) = self.slabs.take(index) {
            return Some(Piece { address, length, slab });
        }
        let address = self.take_span(PIECES * length)?;
        self.touched.add(address..address + PIECES * length);
        self.slabs.add((index, length), address);
        let (address, slab) = self.slabs.take(index)?;
        Some(Piece { address, length, slab })
    }

    fn take_large(&mut self, bytes: usize) -> Option<Piece> {
        let length = bytes.checked_next_multiple_of(SMALL_PAGE)?;
        if let Some(at) = self.recent.iter().rposition(|recent| recent.1 == length) {
            let (address, _) = self.recent.remove(at);
            return Some(Piece { address, length, slab: NONE });
        }
        let address = self.take_span(length)?;
        if self.touched.add(address..address + length) {
            advise(self.arena.pointer(address), length);
        }
        Some(Piece { address, length, slab: NONE })
    }

    /// Keeps a span for the next piece of its length; gives the oldest of too many.
    fn give_recent(&mut self, piece: Piece) -> Option<(usize, usize)> {
        let oldest = (self.recent.len() == MOST).then(|| self.recent.remove(0));
        self.recent.push((piece.address, piece.length));
        oldest
    }

    /// The address of whole pages.
    fn take_span(&mut self, length: usize) -> Option<usize> {
        if let Some(address) = self.spans.take(length) {
            return Some(address);
        }
        self.unite();
        if let Some(address) = self.spans.take(length) {
            return Some(address);
        }
        let (address, bytes) = self.arena.grow(length)?;
        self.spans.give(address, bytes, false);
        self.spans.take(length)
    }

    /// Makes slabs with nothing in use, and what was kept for pieces of its length, serve any size.
    fn unite(&mut self) {
        for (address, length) in self.recent.drain(..) {
            self.spans.give(address, length, true);
        }
        while let Some((address, length)) = self.slabs.take_empty() {
            self.spans.give(address, length, true);
        }
    }
}

/// Bytes that may be resident where so many may be in use: what rounding loses, and a huge page.
pub(super) fn most_held(limit: u64) -> u64 {
    limit.saturating_add((limit / 8).max(PAGE as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_neighbours_unite() {
        let mut pool = Pool::new();
        let first = pool.take(64 << 20).unwrap();
        pool.give(first);
        let pieces: Vec<Piece> = (0..4).map(|_| pool.take(2 << 20).unwrap()).collect();
        for k in [1, 3, 0, 2] {
            pool.give(pieces[k]);
        }
        assert_eq!(pool.spans.len(), 1);
        let all = pool.take(8 << 20).unwrap();
        assert_eq!(all.address, pieces[0].address);
    }

    #[test]
    fn trimmed_spans_are_not_held() {
        let mut pool = Pool::new();
        let piece = pool.take(8 << 20).unwrap();
        pool.give(piece);
        assert_eq!(pool.held(), 8 << 20);
        pool.trim();
        assert_eq!(pool.held(), 0);
        assert_eq!(pool.take(4 << 20).unwrap().address, piece.address);
        assert_eq!(pool.held(), 4 << 20);
    }

    #[test]
    fn addresses_are_reserved_by_need() {
        let mut pool = Pool::new();
        assert_eq!(pool.reserved(), 0);
        let small = pool.take(8).unwrap();
        assert_eq!(pool.reserved(), 1 << 20);
        let large = pool.take(100 << 20).unwrap();
        assert_eq!(pool.reserved(), 101 << 20);
        pool.give(small);
        pool.give(large);
        let pieces: Vec<Piece> = (0..100).map(|_| pool.take(1 << 20).unwrap()).collect();
        assert_eq!(pool.reserved(), 101 << 20);
        pieces.into_iter().for_each(|piece| pool.give(piece));
    }
}
