//! What a message says of itself.
//!
//! ```text
//! bytes    0..4    4..8      8..12   12..16   16..24     24..32     32..40   40..48    48..
//!          magic   runtime   kind    0        sequence   operation  hash     length    contents
//! ```
//!
//! Numbers are little-endian. Ranks run the same program, so a receiver knows all of this but the contents; what is otherwise says which of them has gone
//! another way.

use crate::error::{CommError, Damage};
use std::fmt;

/// Bytes before the contents.
pub const HEADER: usize = 48;

const MAGIC: u32 = 0x6461_7272;

/// What a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Kind {
    /// Parts of arrays.
    Exchange = 1,
    /// A round of an agreement.
    Agreement,
    /// A part of what all ranks gather.
    Gather,
    /// What one rank tells all.
    Broadcast,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Exchange, Kind::Agreement, Kind::Gather, Kind::Broadcast];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Exchange => "parts of arrays",
            Kind::Agreement => "an agreement",
            Kind::Gather => "a part of a gathering",
            Kind::Broadcast => "a broadcast",
        })
    }
}

/// Where a rank stands in its program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Position {
    /// Operations that it has recorded.
    pub operation: u64,
    /// A hash of them.
    pub hash: u64,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "operation {} ({:016x})", self.operation, self.hash)
    }
}

/// A message: room for its header, then its contents.
#[derive(Clone, PartialEq, Eq)]
pub struct Packet(Vec<u8>);

impl Packet {
    /// Room for so many bytes, which are 0.
    pub fn new(bytes: usize) -> Packet {
        Packet(vec![0; HEADER + bytes])
    }

    /// These bytes.
    pub fn of(contents: &[u8]) -> Packet {
        let mut packet = Packet(Vec::with_capacity(HEADER + contents.len()));
        packet.0.resize(HEADER, 0);
        packet.0.extend_from_slice(contents);
        packet
    }

    /// The contents.
    pub fn contents(&self) -> &[u8] {
        &self.0[HEADER..]
    }

    /// The same, to be written.
    pub fn contents_mut(&mut self) -> &mut [u8] {
        &mut self.0[HEADER..]
    }

    pub(crate) fn sealed(mut self, header: &Header) -> Vec<u8> {
        self.0[..HEADER].copy_from_slice(&header.bytes());
        self.0
    }
}

impl fmt::Debug for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Packet of {} bytes", self.contents().len())
    }
}

/// What the first bytes of a message say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) runtime: u32,
    pub(crate) kind: Kind,
    pub(crate) sequence: u64,
    pub(crate) position: Position,
    /// Bytes of the contents, those of further pieces among them.
    pub(crate) length: u64,
}

impl Header {
    fn bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let words = [MAGIC, self.runtime, self.kind as u32, 0];
        for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        let Position { operation, hash } = self.position;
        let words = [self.sequence, operation, hash, self.length];
        for (place, word) in bytes[16..].chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    fn parse(bytes: &[u8]) -> Option<Header> {
        let bytes = bytes.get(..HEADER)?;
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
        let kind = Kind::ALL.into_iter().find(|&kind| kind as u32 == word(8));
        let position = Position { operation: long(24), hash: long(32) };
        let is_ours = word(0) == MAGIC && word(12) == 0;
        let header = Header {
            runtime: word(4),
            kind: kind?,
            sequence: long(16),
            position,
            length: long(40),
        };
        is_ours.then_some(header)
    }

    /// The message of a rank, and how many bytes of further pieces follow, if it is the one that is expected, of as many bytes as the header says, or fewer where
    /// that is a limit.
    pub(crate) fn open(
        &self,
        from: usize,
        bytes: Vec<u8>,
        is_limit: bool,
    ) -> Result<(Packet, u64), CommError> {
        let damaged = |what| CommError::Damaged { from, what };
        let length = bytes.len();
        if length < HEADER {
            return Err(damaged(Damage::Length { bytes: length, expected: HEADER }));
        }
        let theirs = Header::parse(&bytes).ok_or(damaged(Damage::Foreign))?;
        if theirs.runtime != self.runtime {
            return Err(damaged(Damage::Foreign));
        }
        if theirs.sequence != self.sequence {
            let (number, expected) = (theirs.sequence, self.sequence);
            return Err(damaged(Damage::Sequence { number, expected }));
        }
        if (theirs.kind, theirs.position) != (self.kind, self.position) {
            let (theirs, ours) = ((theirs.kind, theirs.position), (self.kind, self.position));
            return Err(CommError::Diverged { rank: from, theirs, ours });
        }
        let contents = (length - HEADER) as u64;
        let is_expected =
            if is_limit { theirs.length <= self.length } else { theirs.length == self.length };
        if !is_expected || contents > theirs.length {
            let (bytes, expected) = (theirs.length as usize, self.length as usize);
            return Err(damaged(Damage::Length { bytes, expected }));
        }
        Ok((Packet(bytes), theirs.length - contents))
    }
}
