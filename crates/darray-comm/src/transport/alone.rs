//! A program of one rank.

use crate::error::CommError;
use crate::transport::{Channel, Node, Request, Transport};

/// The one rank of a program that has no other. No message is ever sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct SelfComm;

impl Transport for SelfComm {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn node(&self) -> Node {
        Node { rank: 0, size: 1 }
    }

    fn send(&self, to: usize, _: Channel, _: Vec<u8>) -> Result<Request, CommError> {
        Err(CommError::NoSuchRank { rank: to, size: 1 })
    }

    fn receive(&self, from: usize, _: Channel, _: usize) -> Result<Request, CommError> {
        Err(CommError::NoSuchRank { rank: from, size: 1 })
    }

    fn test(&self, _: &Request) -> Result<Option<Vec<u8>>, CommError> {
        Ok(None)
    }

    fn probe(&self, _: Channel) -> Option<(usize, usize)> {
        None
    }

    fn abort(&self, code: i32, why: &str) -> ! {
        eprintln!("{why}");
        std::process::exit(code)
    }
}
