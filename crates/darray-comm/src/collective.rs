//! Messages between all ranks, each made of messages between two.
//!
//! | collective | how | messages of a rank, of `n` |
//! |---|---|---|
//! | [`agree`](Communicator::agree), [`barrier`](Communicator::barrier) | in round `k` rank `r` tells rank `r + 2^k` what it knows | `ceil(log2 n)` |
//! | [`gather`](Communicator::gather), little | in round `k` rank `r` tells rank `r - 2^k` all that it has | twice `ceil(log2 n)`, lengths first |
//! | `gather`, much | round a ring, each rank hands on what it got last | `ceil(log2 n)`, then `n - 1` |
//! | [`broadcast`](Communicator::broadcast) | a binomial tree | at most `ceil(log2 n)` |

use crate::communicator::{Communicator, Length};
use crate::error::CommError;
use crate::message::{Kind, Packet};

/// A value that ranks agree on.
pub trait Agreed: Sized + Clone {
    /// Its bytes, always as many.
    fn to_bytes(&self) -> Vec<u8>;

    /// The value with these bytes; none if there is none.
    fn from_bytes(bytes: &[u8]) -> Option<Self>;
}

impl Agreed for u64 {
    fn to_bytes(&self) -> Vec<u8> {
        self.to_le_bytes().to_vec()
    }

    fn from_bytes(bytes: &[u8]) -> Option<u64> {
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }
}

impl Agreed for () {
    fn to_bytes(&self) -> Vec<u8> {
        Vec::new()
    }

    fn from_bytes(_: &[u8]) -> Option<()> {
        Some(())
    }
}

impl Communicator {
    /// What becomes of the values of all ranks if two at a time are made one, the same on all of them.
    ///
    /// `both` is to be commutative and associative, and a value with itself is to be that value, as it is of a minimum: a rank's value may come by two ways.
    ///
    /// # Errors
    ///
    /// A rank's message is not the expected one, or does not come.
    pub fn agree<T: Agreed>(&mut self, own: T, both: impl Fn(T, T) -> T) -> Result<T, CommError> {
        let (rank, size) = (self.rank(), self.size());
        let mut known = own;
        let mut distance = 1;
        while distance < size {
            let bytes = known.to_bytes();
            self.send((rank + distance) % size, Kind::Agreement, Packet::of(&bytes))?;
            let from = (rank + size - distance) % size;
            let packet = self.receive(from, Kind::Agreement, Length::Exactly(bytes.len()))?;
            let theirs = T::from_bytes(packet.contents());
            let why = || format!("rank {from} agrees on what is no value");
            let theirs = theirs.ok_or_else(|| CommError::Transport { why: why() })?;
            known = both(known, theirs);
            distance *= 2;
        }
        Ok(known)
    }

    /// Waits until all ranks are there.
    ///
    /// # Errors
    ///
    /// One does not come, or stands elsewhere.
    pub fn barrier(&mut self) -> Result<(), CommError> {
        self.agree((), |(), ()| ())
    }

    /// The bytes of all ranks, in order of ranks; of each as many as it likes.
    ///
    /// # Errors
    ///
    /// A rank's message is not the expected one, or does not come.
    ///
    /// ```
    /// use darray_comm::{Communicator, SelfComm};
    /// let mut alone = Communicator::new(std::sync::Arc::new(SelfComm), 0);
    /// assert_eq!(alone.gather(b"all there is")?, [b"all there is"]);
    /// # Ok::<(), darray_comm::CommError>(())
    /// ```
    pub fn gather(&mut self, own: &[u8]) -> Result<Vec<Vec<u8>>, CommError> {
        let (rank, size) = (self.rank(), self.size());
        let lengths = self.rounds(&(own.len() as u64).to_le_bytes(), &vec![8; size])?;
        let length = |bytes: &Vec<u8>| {
            u64::from_le_bytes(bytes[..].try_into().expect("8 bytes of each rank")) as usize
        };
        let lengths: Vec<usize> = match self.transport().has_contents() {
            true => lengths.iter().map(length).collect(),
            // All ranks have as many bytes as this one.
            false => vec![own.len(); size],
        };
        if lengths.iter().sum::<usize>() <= self.limits.few {
            return self.rounds(own, &lengths);
        }
        let mut parts: Vec<Vec<u8>> = vec![Vec::new(); size];
        parts[rank] = own.to_vec();
        let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
        for step in 0..size - 1 {
            let (sent, got) = ((rank + size - step) % size, (before + size - step) % size);
            self.send(next, Kind::Gather, Packet::of(&parts[sent]))?;
            let packet = self.receive(before, Kind::Gather, Length::Exactly(lengths[got]))?;
            parts[got] = packet.contents().to_vec();
        }
        Ok(parts)
    }

    /// Gathers bytes, of each rank so many, in few rounds: before the round of distance `d` a rank has the parts of `d` ranks from its own on.
    fn rounds(&mut self, own: &[u8], lengths: &[usize]) -> Result<Vec<Vec<u8>>, CommError> {
        let (rank, size) = (self.rank(), self.size());
        let mut parts: Vec<Vec<u8>> = vec![own.to_vec()];
        let mut distance = 1;
        while distance < size {
            let count = distance.min(size - distance);
            let to = (rank + size - distance) % size;
            self.send(to, Kind::Gather, Packet::of(&parts[..count].concat()))?;
            let from = (rank + distance) % size;
            let each = (0..count).map(|k| lengths[(from + k) % size]);
            let each: Vec<usize> = each.collect();
            let all = Length::Exactly(each.iter().sum());
            let packet = self.receive(from, Kind::Gather, all)?;
            let mut rest = packet.contents();
            for length in each {
                let (part, behind) = rest.split_at(length);
                parts.push(part.to_vec());
                rest = behind;
            }
            distance *= 2;
        }
        parts.rotate_right(rank);
        Ok(parts)
    }

    /// The bytes of one rank on all of them. The others say how many these may be at most.
    ///
    /// # Errors
    ///
    /// A rank's message is not the expected one, or does not come.
    ///
    /// # Panics
    ///
    /// If the one rank gives none, or there is no such rank.
    ///
    /// ```
    /// use darray_comm::{Communicator, SelfComm};
    /// let mut alone = Communicator::new(std::sync::Arc::new(SelfComm), 0);
    /// assert_eq!(alone.broadcast(0, Some(b"told"), 100)?, b"told");
    /// # Ok::<(), darray_comm::CommError>(())
    /// ```
    pub fn broadcast(
        &mut self,
        from: usize,
        own: Option<&[u8]>,
        most: usize,
    ) -> Result<Vec<u8>, CommError> {
        let (rank, size) = (self.rank(), self.size());
        assert!(from < size, "there is no rank {from} of {size}");
        // Ranks as seen from the one that knows: `k` hears of it from `k` without its lowest bit.
        let seen = (rank + size - from) % size;
        let real = |seen: usize| (seen + from) % size;
        let lowest = if seen == 0 { size.next_power_of_two() } else { seen & seen.wrapping_neg() };
        let bytes = if seen == 0 {
            own.expect("the rank that tells gives its bytes").to_vec()
        } else {
            let packet =
                self.receive(real(seen - lowest), Kind::Broadcast, Length::AtMost(most))?;
            packet.contents().to_vec()
        };
        let mut distance = lowest / 2;
        while distance > 0 {
            if seen + distance < size {
                self.send(real(seen + distance), Kind::Broadcast, Packet::of(&bytes))?;
            }
            distance /= 2;
        }
        Ok(bytes)
    }
}
