//! What goes wrong between ranks.

use crate::message::{Kind, Position};
use std::fmt;
use std::time::Duration;

/// A failure between ranks. None of them leaves ranks that can go on together.
#[derive(Clone, PartialEq, Eq)]
pub enum CommError {
    /// There is no such rank.
    NoSuchRank {
        /// The number that was asked for.
        rank: usize,
        /// How many ranks there are.
        size: usize,
    },
    /// A rank stands elsewhere in the program, or has done something else on its way there.
    Diverged {
        /// Which rank.
        rank: usize,
        /// What it sent, and where it stands.
        theirs: (Kind, Position),
        /// What was expected of it, and where this rank stands.
        ours: (Kind, Position),
    },
    /// A message is not what its sender has sent, or not the one that comes next.
    Damaged {
        /// Who sent it.
        from: usize,
        /// What is wrong with it.
        what: Damage,
    },
    /// A message is longer than there is room for it.
    TooLong {
        /// Who sent it.
        from: usize,
        /// Its bytes.
        bytes: usize,
        /// The bytes that were expected, at most.
        most: usize,
    },
    /// Nothing has come from a rank for so long.
    Silent {
        /// Which rank.
        rank: usize,
        /// How long this rank has waited.
        waited: Duration,
    },
    /// A rank has ended the program.
    Ended {
        /// Which rank.
        rank: usize,
        /// With which code.
        code: i32,
    },
    /// What carries messages has failed.
    Transport {
        /// What it says.
        why: String,
    },
}

/// What is wrong with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// It is no message of this program, or of another of its runtimes.
    Foreign,
    /// So many bytes of it have come; it says that it has so many.
    Length {
        /// Those that have come.
        bytes: usize,
        /// Those that it says, or that were expected.
        expected: usize,
    },
    /// It is this one of its sender, in place of that one: one is missing, or has come twice, or out of order.
    Sequence {
        /// The number that it has.
        number: u64,
        /// The number that was expected.
        expected: u64,
    },
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::Foreign => f.write_str("it is none of this runtime"),
            Damage::Length { bytes, expected } => write!(f, "it has {bytes} of {expected} bytes"),
            Damage::Sequence { number, expected } => {
                write!(f, "it is number {number} in place of number {expected}")
            }
        }
    }
}

impl fmt::Display for CommError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommError::NoSuchRank { rank, size } => {
                write!(f, "there is no rank {rank}, only {size} ranks from 0")
            }
            CommError::Diverged { rank, theirs, ours } => {
                let (kind, position) = theirs;
                write!(
                    f,
                    "rank {rank} runs another program than this one: it sends {kind} at {position}, where this rank expects {} at {}",
                    ours.0, ours.1
                )
            }
            CommError::Damaged { from, what } => {
                write!(f, "a message of rank {from} is damaged: {what}")
            }
            CommError::TooLong { from, bytes, most } => {
                write!(
                    f,
                    "a message of rank {from} has {bytes} bytes, at most {most} were expected"
                )
            }
            CommError::Silent { rank, waited } => {
                write!(f, "nothing has come from rank {rank} for {:.1} s", waited.as_secs_f64())
            }
            CommError::Ended { rank, code } => {
                write!(f, "rank {rank} has ended the program with code {code}")
            }
            CommError::Transport { why } => write!(f, "messages between ranks fail: {why}"),
        }
    }
}

impl fmt::Debug for CommError {
    /// The text: what `unwrap` prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for CommError {}
