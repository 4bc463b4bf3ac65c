//! Messages between the *ranks* of a program: processes that all run the same program, each on its part of every array.
//!
//! Whoever carries messages implements [`Transport`], a few functions that send and receive bytes and never wait:
//! - [`SelfComm`]: the one rank of a program that has no other;
//! - [`ThreadComm`]: ranks are threads of one process, for tests; it can lose, cut, swap, double and delay messages;
//! - [`PhantomComm`]: rank `r` of `n` without the others, for planning: it counts, and what it receives is zeros.
//!
//! All else is written once over them, in [`Communicator`]: each message says what it is and where its sender stands in the program, so that one
//! that is not the expected one is an [error](CommError) and never a wrong value; collectives; waits that end.
//!
//! ```
//! use darray_comm::{Communicator, ThreadComm};
//!
//! // Each of three ranks learns the largest number.
//! let ranks = ThreadComm::ranks(3).into_iter().map(|transport| {
//!     std::thread::spawn(move || {
//!         let own = 10 * transport.rank() as u64;
//!         let mut ranks = Communicator::new(transport, 0);
//!         ranks.agree(own, |a, b| a.max(b))
//!     })
//! });
//! for rank in ranks.collect::<Vec<_>>() {
//!     assert_eq!(rank.join().unwrap()?, 20);
//! }
//! # Ok::<(), darray_comm::CommError>(())
//! ```
//!
//! Reading order: [`transport`] (what carries messages), [`message`] (what one says of itself), [`error`], [`communicator`] (messages between two ranks,
//! and waits), [`collective`] (between all).

pub mod collective;
pub mod communicator;
pub mod error;
pub mod message;
pub mod transport;

pub use communicator::{Communicator, Counts, Limits};
pub use error::CommError;
pub use message::{Kind, Packet, Position};
pub use transport::alone::SelfComm;
pub use transport::phantom::PhantomComm;
pub use transport::threads::{Fate, ThreadComm};
pub use transport::{Channel, Node, Request, Transport};
