//! Messages between two ranks, and waits for them.

use crate::error::{CommError, Damage};
use crate::message::{HEADER, Header, Kind, Packet, Position};
use crate::transport::{Channel, Request, Transport};
use hashbrown::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long and how large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long a rank waits for another one.
    pub silence: Duration,
    /// Bytes of the contents of a message, at most; what is more goes in pieces.
    pub piece: usize,
    /// Bytes of all ranks together up to which what they gather goes in few rounds, and not along a ring.
    pub few: usize,
}

impl Default for Limits {
    /// A minute, 256 MiB, 64 KiB.
    fn default() -> Limits {
        Limits { silence: Duration::from_secs(60), piece: 1 << 28, few: 1 << 16 }
    }
}

/// What a rank has sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages.
    pub messages: u64,
    /// Bytes of their contents.
    pub bytes: u64,
}

/// A rank's side of the messages of one runtime.
///
/// Rules:
/// - all ranks call the same functions in the same order, at the same [positions](Self::set_position);
/// - after an error a communicator is of no further use.
pub struct Communicator {
    transport: Arc<dyn Transport>,
    runtime: u32,
    pub(crate) limits: Limits,
    position: Position,
    /// Messages to and from each rank, so far.
    sent: HashMap<usize, u64>,
    received: HashMap<usize, u64>,
    /// To whom, and what is not known to have gone.
    in_flight: Vec<(usize, Request)>,
    counts: Counts,
}

/// How long a message is that is received.
#[derive(Clone, Copy)]
pub(crate) enum Length {
    Exactly(usize),
    AtMost(usize),
}

impl Communicator {
    /// That of the runtime with this number, which is the same on all ranks.
    pub fn new(transport: Arc<dyn Transport>, runtime: u32) -> Communicator {
        Communicator::with_limits(transport, runtime, Limits::default())
    }

    /// The same with limits, which are the same on all ranks.
    ///
    /// # Panics
    ///
    /// If pieces have no bytes.
    pub fn with_limits(transport: Arc<dyn Transport>, runtime: u32, limits: Limits) -> Self {
        assert!(limits.piece > 0, "a piece of a message has at least a byte");
        let (position, sent, received, in_flight, counts) = Default::default();
        Communicator { transport, runtime, limits, position, sent, received, in_flight, counts }
    }

    /// The number of this rank.
    pub fn rank(&self) -> usize {
        self.transport.rank()
    }

    /// How many ranks there are.
    pub fn size(&self) -> usize {
        self.transport.size()
    }

    /// What carries the messages.
    pub fn transport(&self) -> &Arc<dyn Transport> {
        &self.transport
    }

    /// Says where this rank stands in its program, for the messages from now on.
    pub fn set_position(&mut self, position: Position) {
        self.position = position;
    }

    /// What was sent so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Sends messages to other ranks and receives others, of so many bytes each, in this order. Nobody waits for what is sent.
    ///
    /// # Errors
    ///
    /// A rank's message is not the expected one, or does not come.
    ///
    /// ```
    /// use darray_comm::{Communicator, Packet, ThreadComm};
    ///
    /// // Two ranks tell each other their numbers.
    /// let ranks = ThreadComm::ranks(2).into_iter().map(|transport| {
    ///     std::thread::spawn(move || {
    ///         let other = 1 - transport.rank();
    ///         let own = Packet::of(&[transport.rank() as u8]);
    ///         let mut ranks = Communicator::new(transport, 0);
    ///         let received = ranks.exchange(vec![(other, own)], &[(other, 1)])?;
    ///         Ok::<_, darray_comm::CommError>(received[0].contents().to_vec())
    ///     })
    /// });
    /// let received: Vec<_> = ranks.collect::<Vec<_>>().into_iter().map(|r| r.join().unwrap()).collect();
    /// assert_eq!(received, [Ok(vec![1]), Ok(vec![0])]);
    /// ```
    pub fn exchange(
        &mut self,
        sends: Vec<(usize, Packet)>,
        receives: &[(usize, usize)],
    ) -> Result<Vec<Packet>, CommError> {
        for (to, packet) in sends {
            self.send(to, Kind::Exchange, packet)?;
        }
        let receive = |&(from, bytes): &(usize, usize)| {
            self.receive(from, Kind::Exchange, Length::Exactly(bytes))
        };
        receives.iter().map(receive).collect()
    }

    pub(crate) fn send(&mut self, to: usize, kind: Kind, packet: Packet) -> Result<(), CommError> {
        let length = packet.contents().len();
        self.counts.bytes += length as u64;
        if length <= self.limits.piece {
            self.post(to, kind, packet, length)?;
        } else {
            let mut rest = length;
            for piece in packet.contents().chunks(self.limits.piece) {
                self.post(to, kind, Packet::of(piece), rest)?;
                rest -= piece.len();
            }
        }
        self.collect()
    }

    /// Sends a piece, from which on so many bytes are left, itself among them.
    fn post(&mut self, to: usize, kind: Kind, piece: Packet, left: usize) -> Result<(), CommError> {
        let number = self.sent.entry(to).or_default();
        let sequence = *number;
        *number += 1;
        self.counts.messages += 1;
        let header = self.header(kind, sequence, left);
        let request = self.transport.send(to, Channel::Data, piece.sealed(&header))?;
        self.in_flight.push((to, request));
        Ok(())
    }

    pub(crate) fn receive(
        &mut self,
        from: usize,
        kind: Kind,
        length: Length,
    ) -> Result<Packet, CommError> {
        let (Length::Exactly(most) | Length::AtMost(most)) = length;
        let is_limit = matches!(length, Length::AtMost(_));
        let (first, mut rest) = self.piece(from, kind, (most, is_limit))?;
        if rest == 0 {
            return Ok(first);
        }
        let mut contents = first.contents().to_vec();
        while rest > 0 {
            let (piece, left) = self.piece(from, kind, (rest as usize, false))?;
            // A piece without contents would be waited for again and again.
            if piece.contents().is_empty() {
                let what = Damage::Length { bytes: contents.len(), expected: most };
                return Err(CommError::Damaged { from, what });
            }
            contents.extend_from_slice(piece.contents());
            rest = left;
        }
        Ok(Packet::of(&contents))
    }

    /// The next message of a rank, and how many bytes of it follow in further ones.
    fn piece(
        &mut self,
        from: usize,
        kind: Kind,
        (length, is_limit): (usize, bool),
    ) -> Result<(Packet, u64), CommError> {
        let number = self.received.entry(from).or_default();
        let sequence = *number;
        *number += 1;
        let header = self.header(kind, sequence, length);
        let contents = length.min(self.limits.piece);
        let request = self.transport.receive(from, Channel::Data, HEADER + contents)?;
        let bytes = self.wait(from, &request)?;
        if !self.transport.has_contents() {
            return Ok((Packet::new(contents), (length - contents) as u64));
        }
        let (packet, rest) = header.open(from, bytes, is_limit)?;
        // All pieces but the last one are full.
        let bytes = packet.contents().len();
        if rest > 0 && bytes != self.limits.piece {
            let what = Damage::Length { bytes, expected: self.limits.piece };
            return Err(CommError::Damaged { from, what });
        }
        Ok((packet, rest))
    }

    fn header(&self, kind: Kind, sequence: u64, length: usize) -> Header {
        let (runtime, position, length) = (self.runtime, self.position, length as u64);
        Header { runtime, kind, sequence, position, length }
    }

    /// Takes back the memory of what has gone.
    fn collect(&mut self) -> Result<(), CommError> {
        let mut failed = None;
        self.in_flight.retain(|(_, request)| match self.transport.test(request) {
            Ok(gone) => gone.is_none(),
            Err(error) => {
                failed.get_or_insert(error);
                false
            }
        });
        failed.map_or(Ok(()), Err)
    }

    /// Waits until all that was sent has gone.
    ///
    /// # Errors
    ///
    /// It does not go.
    pub fn finish(&mut self) -> Result<(), CommError> {
        for (to, request) in std::mem::take(&mut self.in_flight) {
            self.wait(to, &request)?;
        }
        Ok(())
    }

    /// Waits for a message to or from a rank: a short while it looks again and again, then others may work meanwhile.
    fn wait(&mut self, rank: usize, request: &Request) -> Result<Vec<u8>, CommError> {
        if let Some(bytes) = self.transport.test(request)? {
            return Ok(bytes);
        }
        let begin = Instant::now();
        loop {
            self.collect()?;
            if let Some(bytes) = self.transport.test(request)? {
                return Ok(bytes);
            }
            let waited = begin.elapsed();
            match waited {
                _ if waited >= self.limits.silence => {
                    return Err(CommError::Silent { rank, waited });
                }
                _ if waited < SPIN => std::hint::spin_loop(),
                _ if waited < YIELD => std::thread::yield_now(),
                _ => std::thread::sleep(NAP),
            }
        }
    }
}

/// How long a wait looks without a pause, and until when it only lets others go first; then it sleeps so long at a time.
const SPIN: Duration = Duration::from_micros(20);
const YIELD: Duration = Duration::from_micros(200);
const NAP: Duration = Duration::from_micros(50);
