//! What a machine can do at most: how fast memory is read and written, and how fast a kernel is that was
//! written by hand. Results of the library are reported as fractions of these limits.
//!
//! ```
//! use darray_benches::stream::{Pattern, bandwidth};
//! // On one thread, with 6 MiB in use, for about a hundredth of a second.
//! let copy = bandwidth(Pattern::Copy, 6 << 20, 1, 0.01);
//! assert!(copy.bytes_per_s > 1e8);
//! println!("{:.1} GB/s by {} copies", copy.bytes_per_s / 1e9, copy.form);
//! ```

pub mod black_scholes;
pub mod memory;
pub mod stream;
pub mod timing;
