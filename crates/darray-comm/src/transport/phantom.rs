//! One rank of many, without the others.

use crate::error::CommError;
use crate::transport::{Channel, Node, Request, Transport};
use hashbrown::HashMap;
use std::sync::{Mutex, PoisonError};

/// Rank `rank` of `size` of a program that runs alone: what it sends is counted, what it receives is zeros. Plans, and how long planning takes, do not
/// depend on what messages hold.
pub struct PhantomComm {
    rank: usize,
    size: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    next: u64,
    /// Bytes that each request gives back: of zeros, where a message is received.
    requests: HashMap<u64, Vec<u8>>,
    sent: Vec<(usize, usize)>,
}

impl PhantomComm {
    /// Rank `rank` of `size`.
    ///
    /// # Panics
    ///
    /// If there is no such rank.
    pub fn new(rank: usize, size: usize) -> PhantomComm {
        assert!(rank < size, "there is no rank {rank} of {size}");
        PhantomComm { rank, size, state: Mutex::default() }
    }

    /// What was sent, in order: to whom, and how many bytes, those of headers among them.
    pub fn sent(&self) -> Vec<(usize, usize)> {
        self.state().sent.clone()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn request(&self, other: usize, bytes: Vec<u8>) -> Result<Request, CommError> {
        if other >= self.size {
            return Err(CommError::NoSuchRank { rank: other, size: self.size });
        }
        let mut state = self.state();
        state.next += 1;
        let number = state.next;
        state.requests.insert(number, bytes);
        Ok(Request(number))
    }
}

impl Transport for PhantomComm {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn node(&self) -> Node {
        Node { rank: 0, size: 1 }
    }

    fn send(&self, to: usize, _: Channel, bytes: Vec<u8>) -> Result<Request, CommError> {
        self.state().sent.push((to, bytes.len()));
        self.request(to, bytes)
    }

    fn receive(&self, from: usize, _: Channel, most: usize) -> Result<Request, CommError> {
        self.request(from, vec![0; most])
    }

    fn test(&self, request: &Request) -> Result<Option<Vec<u8>>, CommError> {
        Ok(self.state().requests.remove(&request.0))
    }

    fn probe(&self, _: Channel) -> Option<(usize, usize)> {
        None
    }

    fn has_contents(&self) -> bool {
        false
    }

    fn abort(&self, code: i32, why: &str) -> ! {
        eprintln!("rank {} of {}: {why}", self.rank, self.size);
        std::process::exit(code)
    }
}
