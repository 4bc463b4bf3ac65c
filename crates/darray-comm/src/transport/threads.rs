//! Ranks that are threads of one process.

use crate::error::CommError;
use crate::transport::{Channel, Node, Request, Transport};
use hashbrown::HashMap;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A rank that is a thread: messages lie in memory that all ranks share. For tests.
pub struct ThreadComm {
    rank: usize,
    shared: Arc<Mutex<Shared>>,
}

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It arrives.
    Arrives,
    /// It never does.
    Lost,
    /// Only so many bytes of it do.
    Cut(usize),
    /// It does twice.
    Doubled,
    /// It does behind the next one of the same sender.
    Overtaken,
    /// It does once the receiver has asked for it so often.
    Delayed(u32),
}

/// From, to, on which channel.
type Line = (usize, usize, Channel);

/// Says what becomes of a message, by who sends it to whom and its bytes.
type Fates = Box<dyn FnMut(usize, usize, &[u8]) -> Fate + Send>;

#[derive(Default)]
struct Shared {
    size: usize,
    next: u64,
    arrived: HashMap<Line, VecDeque<Message>>,
    overtaken: HashMap<Line, Vec<u8>>,
    requests: HashMap<u64, Asked>,
    fates: Option<Fates>,
    aborted: Option<(usize, i32)>,
}

struct Message {
    bytes: Vec<u8>,
    /// How often it is asked for in vain.
    delay: u32,
}

enum Asked {
    Sent(Vec<u8>),
    Received(Line, usize),
}

impl ThreadComm {
    /// So many ranks, in order, each for a thread of its own.
    pub fn ranks(size: usize) -> Vec<Arc<ThreadComm>> {
        let shared = Arc::new(Mutex::new(Shared { size, ..Shared::default() }));
        (0..size).map(|rank| Arc::new(ThreadComm { rank, shared: shared.clone() })).collect()
    }

    /// The number of this rank.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Says what becomes of messages, for all ranks.
    pub fn set_fates(&self, fates: impl FnMut(usize, usize, &[u8]) -> Fate + Send + 'static) {
        self.shared().fates = Some(Box::new(fates));
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    fn request(&mut self, other: usize, asked: Asked) -> Result<Request, CommError> {
        if other >= self.size {
            return Err(CommError::NoSuchRank { rank: other, size: self.size });
        }
        self.next += 1;
        self.requests.insert(self.next, asked);
        Ok(Request(self.next))
    }

    fn deliver(&mut self, line: Line, bytes: &[u8]) {
        let (from, to, _) = line;
        let fate = self.fates.as_mut().map_or(Fate::Arrives, |fates| fates(from, to, bytes));
        let arrived = self.arrived.entry(line).or_default();
        let mut arrives = |bytes: &[u8], delay| {
            arrived.push_back(Message { bytes: bytes.to_vec(), delay });
        };
        match fate {
            Fate::Arrives => arrives(bytes, 0),
            Fate::Lost => {}
            Fate::Cut(kept) => arrives(&bytes[..kept.min(bytes.len())], 0),
            Fate::Doubled => [bytes, bytes].into_iter().for_each(|bytes| arrives(bytes, 0)),
            Fate::Delayed(delay) => arrives(bytes, delay),
            Fate::Overtaken => {
                let before = self.overtaken.insert(line, bytes.to_vec());
                before.iter().for_each(|bytes| arrives(bytes, 0));
                return;
            }
        }
        if let Some(bytes) = self.overtaken.remove(&line) {
            arrives(&bytes, 0);
        }
    }
}

impl Transport for ThreadComm {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.shared().size
    }

    fn node(&self) -> Node {
        Node { rank: self.rank, size: self.size() }
    }

    fn send(&self, to: usize, channel: Channel, bytes: Vec<u8>) -> Result<Request, CommError> {
        let mut shared = self.shared();
        if to < shared.size {
            shared.deliver((self.rank, to, channel), &bytes);
        }
        shared.request(to, Asked::Sent(bytes))
    }

    fn receive(&self, from: usize, channel: Channel, most: usize) -> Result<Request, CommError> {
        self.shared().request(from, Asked::Received((from, self.rank, channel), most))
    }

    fn test(&self, request: &Request) -> Result<Option<Vec<u8>>, CommError> {
        let mut shared = self.shared();
        if let Some((rank, code)) = shared.aborted {
            return Err(CommError::Ended { rank, code });
        }
        let (line, most) = match shared.requests.get_mut(&request.0) {
            None => return Ok(None),
            Some(Asked::Sent(bytes)) => {
                let bytes = std::mem::take(bytes);
                shared.requests.remove(&request.0);
                return Ok(Some(bytes));
            }
            Some(Asked::Received(line, most)) => (*line, *most),
        };
        let Some(first) = shared.arrived.get_mut(&line).and_then(VecDeque::front_mut) else {
            return Ok(None);
        };
        if first.delay > 0 {
            first.delay -= 1;
            return Ok(None);
        }
        let length = first.bytes.len();
        if length > most {
            return Err(CommError::TooLong { from: line.0, bytes: length, most });
        }
        shared.requests.remove(&request.0);
        let message = shared.arrived.get_mut(&line).and_then(VecDeque::pop_front);
        Ok(message.map(|message| message.bytes))
    }

    fn probe(&self, channel: Channel) -> Option<(usize, usize)> {
        let shared = self.shared();
        (0..shared.size).find_map(|from| {
            let arrived = shared.arrived.get(&(from, self.rank, channel))?;
            Some((from, arrived.front()?.bytes.len()))
        })
    }

    /// Ends this thread by a panic; other ranks get an error.
    fn abort(&self, code: i32, why: &str) -> ! {
        self.shared().aborted.get_or_insert((self.rank, code));
        panic!("rank {} ends the program with code {code}: {why}", self.rank)
    }
}
