//! Small pieces, many of one length in a range of addresses.

use std::ops::Range;

/// Pieces of more bytes are spans.
pub(super) const SMALL: usize = 32 << 10;
/// Pieces of a slab. All lengths are multiples of 64 bytes, so that a slab is whole pages.
pub(super) const PIECES: usize = 64;

/// Slabs.
///
/// Rules:
/// - All pieces of a slab have one of eight lengths per power of two (at most an eighth is lost).
/// - A slab with nothing in use is handed back, but for one of each length: an array that comes and goes makes none.
///
/// ```text
/// class 9 (640 bytes):  slab 3  x.xx...x x....x..   x: in use
///                       slab 7  ........ ........   empty, the next one is handed back
/// ```
#[derive(Debug, Default)]
pub(super) struct Slabs {
    slabs: Vec<Slab>,
    vacant: Vec<u32>,
    classes: Vec<Class>,
    /// Slabs where something became free since free pieces were last discarded; each once.
    changed: Vec<u32>,
    /// Bytes of free pieces that were discarded.
    discarded: usize,
}

/// Slabs of one length of pieces.
#[derive(Debug, Default)]
struct Class {
    /// Those with a free piece.
    free: Vec<u32>,
    /// One with nothing else.
    empty: Option<u32>,
}

#[derive(Debug)]
struct Slab {
    address: usize,
    /// Of a piece.
    length: u32,
    class: u32,
    /// Where it is among those of the class that have a free piece.
    place: u32,
    /// A bit for each piece.
    free: u64,
    /// Those that may be resident, in part.
    resident: u64,
    /// Whether it is among the changed ones.
    changed: bool,
}

/// Index and length of the class for `bytes`: multiples of 64 up to 512, then eight per doubling.
pub(super) fn class(bytes: usize) -> (usize, usize) {
    let units = bytes.div_ceil(64).max(1);
    if units <= 8 {
        return (units - 1, units * 64);
    }
    let shift = (units - 1).ilog2() - 3;
    let eighths = units.div_ceil(1 << shift);
    (shift as usize * 8 + eighths - 1, (eighths << shift) * 64)
}

impl Slabs {
    /// Bytes of free pieces that were discarded.
    pub fn discarded(&self) -> usize {
        self.discarded
    }

    /// A free piece of this class: its address and its slab.
    pub fn take(&mut self, class: usize) -> Option<(usize, u32)> {
        let class = self.classes.get_mut(class)?;
        let &number = class.free.last()?;
        let slab = &mut self.slabs[number as usize];
        if class.empty == Some(number) {
            class.empty = None;
        }
        let piece = slab.free.trailing_zeros();
        let bit = 1 << piece;
        slab.free &= !bit;
        if slab.free == 0 {
            class.free.pop();
        }
        if slab.resident & bit == 0 {
            self.discarded -= slab.length as usize;
        }
        slab.resident |= bit;
        Some((slab.address + piece as usize * slab.length as usize, number))
    }

    /// Makes a slab of pieces of a class. With huge pages all of it may become resident by one piece.
    pub fn add(&mut self, (class, length): (usize, usize), address: usize) {
        if self.classes.len() <= class {
            self.classes.resize_with(class + 1, Class::default);
        }
        let number = self.vacant.pop().unwrap_or(self.slabs.len() as u32);
        let known = self.slabs.get(number as usize);
        let slab = Slab {
            address,
            length: length as u32,
            class: class as u32,
            place: self.classes[class].free.len() as u32,
            free: u64::MAX,
            resident: u64::MAX,
            changed: known.is_some_and(|slab| slab.changed),
        };
        match known {
            Some(_) => self.slabs[number as usize] = slab,
            None => self.slabs.push(slab),
        }
        self.classes[class].free.push(number);
        self.change(number);
    }

    /// Takes a piece back. What is no slab any more, if anything: its address and length.
    pub fn give(&mut self, number: u32, address: usize) -> Option<(usize, usize)> {
        let slab = &mut self.slabs[number as usize];
        let class = &mut self.classes[slab.class as usize];
        if slab.free == 0 {
            slab.place = class.free.len() as u32;
            class.free.push(number);
        }
        slab.free |= 1 << ((address - slab.address) / slab.length as usize);
        let is_empty = slab.free == u64::MAX;
        self.change(number);
        if !is_empty {
            return None;
        }
        let class = &mut self.classes[self.slabs[number as usize].class as usize];
        match class.empty {
            Some(_) => Some(self.remove(number)),
            None => {
                class.empty = Some(number);
                None
            }
        }
    }

    /// Hands back a slab with nothing in use, if there is one: its address and length.
    pub fn take_empty(&mut self) -> Option<(usize, usize)> {
        let number = self.classes.iter_mut().find_map(|class| class.empty.take())?;
        Some(self.remove(number))
    }

    /// Discards free pieces where something became free, by a function that is told the address and the length of
    /// neighbours, and gives the addresses that are not resident any more.
    pub fn cool(&mut self, mut discard: impl FnMut(usize, usize) -> Range<usize>) {
        for number in std::mem::take(&mut self.changed) {
            let slab = &mut self.slabs[number as usize];
            slab.changed = false;
            let (length, mut first) = (slab.length as usize, 0);
            while first < PIECES && slab.free >> first != 0 {
                first += (slab.free >> first).trailing_zeros() as usize;
                let end = first + (slab.free >> first).trailing_ones() as usize;
                let run = (u64::MAX >> (PIECES - (end - first))) << first;
                let discarded = match slab.resident & run {
                    0 => 0..0,
                    _ => discard(slab.address + first * length, (end - first) * length),
                };
                for piece in first..end {
                    let address = slab.address + piece * length;
                    let is_gone = discarded.start <= address && address + length <= discarded.end;
                    if is_gone && slab.resident >> piece & 1 != 0 {
                        slab.resident &= !(1 << piece);
                        self.discarded += length;
                    }
                }
                first = end;
            }
        }
    }

    fn change(&mut self, number: u32) {
        let slab = &mut self.slabs[number as usize];
        if !std::mem::replace(&mut slab.changed, true) {
            self.changed.push(number);
        }
    }

    /// Ends a slab with nothing in use. Its number stays among the changed ones, for the next one of this number.
    fn remove(&mut self, number: u32) -> (usize, usize) {
        let slab = &mut self.slabs[number as usize];
        let (address, length, place) = (slab.address, slab.length as usize, slab.place);
        self.discarded -= slab.resident.count_zeros() as usize * length;
        slab.free = 0;
        let class = &mut self.classes[slab.class as usize];
        class.free.swap_remove(place as usize);
        if let Some(&moved) = class.free.get(place as usize) {
            self.slabs[moved as usize].place = place;
        }
        self.vacant.push(number);
        (address, PIECES * length)
    }
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
    fn pieces_are_apart_and_an_empty_slab_goes_but_for_one() {
        let mut slabs = Slabs::default();
        let (index, length) = class(600);
        assert_eq!(slabs.take(index), None);
        let mut pieces = Vec::new();
        for address in [1 << 20, 1 << 21] {
            slabs.add((index, length), address);
            pieces.extend((0..PIECES).map(|_| slabs.take(index).unwrap()));
            assert_eq!(slabs.take(index), None);
        }
        let mut addresses: Vec<usize> = pieces.iter().map(|piece| piece.0).collect();
        addresses.sort();
        assert!(addresses.windows(2).all(|pair| pair[0] + length <= pair[1]));
        let gone: Vec<_> = pieces.iter().filter_map(|p| slabs.give(p.1, p.0)).collect();
        assert_eq!(gone, [(1 << 21, 64 * length)], "one stays");
        assert_eq!(slabs.take_empty(), Some((1 << 20, 64 * length)));
        assert_eq!((slabs.take_empty(), slabs.take(index)), (None, None));
    }

    #[test]
    fn free_pieces_are_discarded_once_and_those_in_use_are_not() {
        let mut slabs = Slabs::default();
        let (index, length) = class(4096);
        slabs.add((index, length), 1 << 20);
        let pieces: Vec<_> = (0..PIECES).map(|_| slabs.take(index).unwrap()).collect();
        for piece in &pieces[3..10] {
            slabs.give(piece.1, piece.0);
        }
        let mut found = Vec::new();
        for _ in 0..2 {
            slabs.cool(|address, bytes| {
                found.push((address, bytes));
                address..address + bytes
            });
        }
        assert_eq!(found, [(pieces[3].0, 7 * 4096)]);
        assert_eq!(slabs.discarded(), 7 * 4096);
        let (address, slab) = slabs.take(index).unwrap();
        slabs.give(slab, address);
        assert_eq!(slabs.discarded(), 6 * 4096, "it was in use");
        let rest = pieces.iter().filter(|piece| piece.0 < pieces[3].0 || pieces[9].0 < piece.0);
        rest.for_each(|piece| assert_eq!(slabs.give(piece.1, piece.0), None));
        assert_eq!(slabs.take_empty(), Some((1 << 20, 64 * 4096)));
        assert_eq!(slabs.discarded(), 0);
    }
}
