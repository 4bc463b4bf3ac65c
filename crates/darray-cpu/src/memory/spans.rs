//! Free ranges of addresses, of any length.

use std::collections::{BTreeMap, BTreeSet};

/// A free range.
#[derive(Clone, Copy, Debug)]
struct Span {
    length: usize,
    /// Whether any of it may be resident.
    warm: bool,
}

/// Free ranges of addresses.
///
/// Rules:
/// - Neighbours unite, so that what is free serves any length.
/// - The shortest that fits is used, the lowest among equals, so that a loop gets the same addresses again.
/// - What it costs to take, give, or find one that may be resident grows with the logarithm of their number.
#[derive(Debug, Default)]
pub(super) struct Spans {
    by_address: BTreeMap<usize, Span>,
    by_length: BTreeSet<(usize, usize)>,
    warm: BTreeSet<usize>,
}

impl Spans {
    /// The address of so many bytes.
    pub fn take(&mut self, length: usize) -> Option<usize> {
        let &(_, address) = self.by_length.range((length, 0)..).next()?;
        let span = self.remove(address);
        if span.length > length {
            self.insert(address + length, Span { length: span.length - length, ..span });
        }
        Some(address)
    }

    /// Takes a range back; `warm` says whether any of it may be resident.
    pub fn give(&mut self, mut address: usize, length: usize, warm: bool) {
        let mut span = Span { length, warm };
        let unite = |span: &mut Span, other: Span| {
            span.length += other.length;
            span.warm |= other.warm;
        };
        if self.by_address.contains_key(&(address + length)) {
            let next = self.remove(address + length);
            unite(&mut span, next);
        }
        let before = self.by_address.range(..address).next_back();
        if let Some((&before, _)) = before.filter(|(before, span)| *before + span.length == address)
        {
            let other = self.remove(before);
            unite(&mut span, other);
            address = before;
        }
        self.insert(address, span);
    }

    /// Says of all that they are not resident, after a function that is told the address and the length of each that may be.
    pub fn cool(&mut self, mut discard: impl FnMut(usize, usize)) {
        for address in std::mem::take(&mut self.warm) {
            let span = self.by_address.get_mut(&address).expect("a span that is free");
            discard(address, span.length);
            span.warm = false;
        }
    }

    fn insert(&mut self, address: usize, span: Span) {
        self.by_address.insert(address, span);
        self.by_length.insert((span.length, address));
        if span.warm {
            self.warm.insert(address);
        }
    }

    fn remove(&mut self, address: usize) -> Span {
        let span = self.by_address.remove(&address).expect("a span that is free");
        self.by_length.remove(&(span.length, address));
        if span.warm {
            self.warm.remove(&address);
        }
        span
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        assert_eq!(self.by_address.len(), self.by_length.len());
        self.by_address.len()
    }
}
