//! What carries messages between ranks.

pub mod alone;
pub mod phantom;
pub mod threads;

use crate::error::CommError;

/// Carries bytes between the ranks of a program. Nothing here waits.
///
/// Rules:
/// - messages from one rank to another on one channel arrive in the order in which they were sent;
/// - a message is received whole, or not at all;
/// - one thread at a time calls.
pub trait Transport: Send + Sync {
    /// The number of this rank, below [`size`](Self::size).
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn size(&self) -> usize;

    /// The ranks that share this one's machine.
    fn node(&self) -> Node;

    /// Begins to send a message. The bytes are the transport's until [`test`](Self::test) gives them back.
    ///
    /// # Errors
    ///
    /// If nothing can be sent any more.
    fn send(&self, to: usize, channel: Channel, bytes: Vec<u8>) -> Result<Request, CommError>;

    /// Begins to receive the next message of a rank, of at most so many bytes.
    ///
    /// # Errors
    ///
    /// If nothing can be received any more.
    fn receive(&self, from: usize, channel: Channel, most: usize) -> Result<Request, CommError>;

    /// The bytes of a message that has been sent or received; none as long as it has not. A request that has given its bytes is over.
    ///
    /// # Errors
    ///
    /// If the message is longer than was said, or the other rank is known to be gone.
    fn test(&self, request: &Request) -> Result<Option<Vec<u8>>, CommError>;

    /// A rank of which a message on this channel waits, and how long that is.
    fn probe(&self, channel: Channel) -> Option<(usize, usize)>;

    /// Whether messages have contents. Where they have none, what is received is zeros of the length that was asked for.
    fn has_contents(&self) -> bool {
        true
    }

    /// Ends the program on all ranks, with this code.
    fn abort(&self, code: i32, why: &str) -> !;
}

/// Streams of messages between two ranks, each in an order of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Contents of arrays, and what ranks agree on before they wait for each other.
    Data,
    /// Hashes of what ranks have recorded: nobody waits for them.
    Check,
    /// What ranks say that fail, or that ask why nothing comes.
    Control,
}

/// The ranks of one machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// The number of this rank among them.
    pub rank: usize,
    /// How many there are.
    pub size: usize,
}

/// A message on its way.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Request(pub u64);
