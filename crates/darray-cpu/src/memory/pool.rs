//! Reusable pieces of an arena.

use super::arena::Arena;
use std::collections::BTreeMap;

/// Pieces above this many bytes are spans, those below come from size classes.
const SMALL: usize = 1 << 20;
/// Granularity of spans.
const SPAN: usize = 64 << 10;
/// What is cut into small pieces at a time.
const SLAB: usize = 2 << 20;

/// A piece of an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    offset: usize,
    /// After rounding: a class size, or a multiple of [`SPAN`].
    length: usize,
}

/// Hands out pieces of an arena and takes them back.
///
/// Rules:
/// - Small pieces are rounded up to one of eight classes per power of two (at most an eighth is
///   lost), cut from slabs, and go back to the free list of their class.
/// - Large pieces are spans of 64 KiB units; free neighbours unite; the smallest span that fits is
///   used, the lowest among equals, so that a loop gets the same addresses again.
#[derive(Debug)]
pub(crate) struct Pool {
    arena: Arena,
    /// First offset never handed out.
    top: usize,
    /// Free spans by offset: (length, bytes of it that may be resident).
    spans: BTreeMap<usize, (usize, usize)>,
    /// Free small pieces by class.
    classes: Vec<Vec<usize>>,
    /// The rest of the slab being cut.
    slab: (usize, usize),
    /// Bytes of pieces handed out.
    used: usize,
    /// Bytes of free pieces that may be resident.
    idle: usize,
}

impl Pool {
    /// A pool of the whole arena.
    pub fn new(arena: Arena) -> Pool {
        Pool {
            arena,
            top: 0,
            spans: BTreeMap::new(),
            classes: Vec::new(),
            slab: (0, 0),
            used: 0,
            idle: 0,
        }
    }

    /// A piece of at least `bytes` bytes; `None` when the arena is full.
    pub fn take(&mut self, bytes: usize) -> Option<Piece> {
        let piece = if bytes <= SMALL { self.take_small(bytes) } else { self.take_span(bytes) }?;
        self.used += piece.length;
        Some(piece)
    }

    /// Takes a piece back.
    pub fn give(&mut self, piece: Piece) {
        self.used -= piece.length;
        self.idle += piece.length;
        if piece.length <= SMALL {
            self.classes[class(piece.length).0].push(piece.offset);
        } else {
            self.give_span(piece.offset, piece.length, piece.length);
        }
    }

    /// Gives the pages of free spans back to the system.
    pub fn trim(&mut self) {
        for (&offset, (length, resident)) in &mut self.spans {
            if *resident > 0 {
                self.arena.discard(offset, *length);
                self.idle -= *resident;
                *resident = 0;
            }
        }
    }

    /// The address of a piece.
    pub fn address(&self, piece: Piece) -> *mut u8 {
        self.arena.address(piece.offset)
    }

    /// Opens or closes so many bytes of a piece, whole pages of 4 KiB, from this offset in it; whether the system did.
    pub fn set_range_accessible(
        &mut self,
        piece: Piece,
        (offset, bytes): (usize, usize),
        accessible: bool,
    ) -> bool {
        self.arena.set_range_accessible(piece.offset + offset, bytes, accessible)
    }

    /// Opens or closes all pieces.
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
        (self.used + self.idle) as u64
    }

    fn take_small(&mut self, bytes: usize) -> Option<Piece> {
        let (index, length) = class(bytes);
        if self.classes.len() <= index {
            self.classes.resize_with(index + 1, Vec::new);
        }
        if let Some(offset) = self.classes[index].pop() {
            self.idle -= length;
            return Some(Piece { offset, length });
        }
        if self.slab.1 < length {
            let slab = self.take_span(SLAB)?;
            self.slab = (slab.offset, slab.length);
        }
        let offset = self.slab.0;
        self.slab = (offset + length, self.slab.1 - length);
        Some(Piece { offset, length })
    }

    fn take_span(&mut self, bytes: usize) -> Option<Piece> {
        let length = bytes.checked_next_multiple_of(SPAN)?;
        let best = self.spans.iter().filter(|(_, span)| span.0 >= length);
        let best = best.min_by_key(|&(&offset, span)| (span.0, offset)).map(|(&offset, _)| offset);
        if let Some(offset) = best {
            let (whole, resident) = self.spans.remove(&offset).expect("just found");
            let taken = resident.min(length);
            self.idle -= taken;
            if whole > length {
                self.spans.insert(offset + length, (whole - length, resident - taken));
            }
            return Some(Piece { offset, length });
        }
        // A free span that ends at the top grows upwards.
        let last = self.spans.last_key_value().map(|(&o, &s)| (o, s));
        let tail = last.filter(|&(offset, span)| offset + span.0 == self.top);
        let offset = tail.map_or(self.top, |(offset, _)| offset);
        if !self.arena.commit(offset.checked_add(length)?) {
            return None;
        }
        if let Some((offset, (_, resident))) = tail {
            self.spans.remove(&offset);
            self.idle -= resident;
        }
        self.top = offset + length;
        Some(Piece { offset, length })
    }

    fn give_span(&mut self, mut offset: usize, mut length: usize, mut resident: usize) {
        if let Some(next) = self.spans.remove(&(offset + length)) {
            length += next.0;
            resident += next.1;
        }
        let before = self.spans.range(..offset).next_back().map(|(&o, &s)| (o, s));
        if let Some((o, span)) = before.filter(|&(o, span)| o + span.0 == offset) {
            offset = o;
            length += span.0;
            resident += span.1;
        }
        self.spans.insert(offset, (length, resident));
    }
}

/// Index and length of the class for `bytes`: multiples of 64 up to 512, then eight per doubling.
fn class(bytes: usize) -> (usize, usize) {
    let units = bytes.div_ceil(64).max(1);
    if units <= 8 {
        return (units - 1, units * 64);
    }
    let shift = (units - 1).ilog2() - 3;
    let eighths = units.div_ceil(1 << shift);
    (shift as usize * 8 + eighths - 1, (eighths << shift) * 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_cover_every_size_in_order() {
        let (mut index, mut length) = class(0);
        assert_eq!((index, length), (0, 64));
        for bytes in 1..=SMALL {
            let next = class(bytes);
            assert!(next.1 >= bytes && next.1.is_multiple_of(64), "{bytes} {next:?}");
            assert!(bytes < 512 || next.1 <= bytes + bytes / 7, "{bytes} {next:?}");
            assert_eq!(class(next.1), next, "a class holds its own length");
            assert_eq!(next.0 == index, next.1 == length, "{bytes} {next:?}");
            assert!(next.0 >= index);
            (index, length) = next;
        }
    }

    #[test]
    fn free_neighbours_unite() {
        let mut pool = Pool::new(Arena::new(64 << 20));
        let pieces: Vec<Piece> = (0..4).map(|_| pool.take(2 << 20).unwrap()).collect();
        for k in [1, 3, 0, 2] {
            pool.give(pieces[k]);
        }
        assert_eq!(pool.spans.len(), 1);
        let all = pool.take(8 << 20).unwrap();
        assert_eq!(all.offset, pieces[0].offset);
    }

    #[test]
    fn trimmed_spans_are_not_held() {
        let mut pool = Pool::new(Arena::new(64 << 20));
        let piece = pool.take(8 << 20).unwrap();
        pool.give(piece);
        assert_eq!(pool.held(), 8 << 20);
        pool.trim();
        assert_eq!(pool.held(), 0);
        assert_eq!(pool.take(4 << 20).unwrap().offset, piece.offset);
        assert_eq!(pool.held(), 4 << 20);
    }
}
