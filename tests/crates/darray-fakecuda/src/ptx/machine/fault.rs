//! What went wrong in a kernel, and where.

use crate::ptx::memory::Violation;
use std::error::Error;
use std::fmt;

/// A kernel that could not go on.
#[derive(Clone, PartialEq, Eq)]
pub struct Fault {
    /// The kernel.
    pub kernel: String,
    /// The kernel or the device function that it was in.
    pub function: String,
    /// The instruction as it is written.
    pub instruction: String,
    /// Its line in the text, from 1.
    pub line: u32,
    /// The thread within its block.
    pub thread: [u32; 3],
    /// The block.
    pub block: [u32; 3],
    /// What went wrong.
    pub reason: Reason,
}

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// An access to memory of devices or the host.
    Memory(Violation),
    /// An address that its size does not divide.
    Misaligned {
        /// The address.
        address: u64,
        /// Bytes of the access.
        bytes: u64,
    },
    /// An access beyond memory of the block, of the thread, or beyond the arguments.
    Outside {
        /// Which memory.
        memory: &'static str,
        /// The offset of the access.
        offset: u64,
        /// Bytes of the access.
        bytes: u64,
        /// Bytes of the memory.
        size: u64,
    },
    /// The kernel gave up.
    Trap,
    /// Lanes wait for lanes that never come.
    Deadlock,
    /// More instructions than a launch may execute.
    TooLong,
    /// More memory of a thread than there is: calls are nested too deeply.
    StackOverflow,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Memory(violation) => violation.fmt(f),
            Reason::Misaligned { address, bytes } => {
                write!(f, "misaligned: {bytes} bytes at {address:#x}")
            }
            Reason::Outside { memory, offset, bytes, size } => {
                write!(f, "out of bounds: {bytes} bytes at byte {offset} of {size} of {memory}")
            }
            Reason::Trap => f.write_str("the kernel trapped"),
            Reason::Deadlock => f.write_str("deadlock: threads wait for others that never come"),
            Reason::TooLong => f.write_str("the kernel executes without end"),
            Reason::StackOverflow => f.write_str("calls are nested too deeply"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { kernel, function, instruction, line, thread, block, reason } = self;
        write!(f, "kernel {kernel}")?;
        if function != kernel {
            write!(f, ", function {function}")?;
        }
        write!(
            f,
            ": {reason}; instruction `{instruction}` (line {line}), thread \
             {thread:?} of block {block:?}"
        )
    }
}

impl fmt::Debug for Fault {
    /// The text, which is what `unwrap` prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for Fault {}
