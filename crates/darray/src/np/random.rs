//! Random numbers.
//!
//! ```
//! use darray::np;
//! let x = np::random::default_rng(42).random((2, 3)); // NumPy's numbers
//! assert_eq!(x.slice(darray::s![0, 0]).item(), 0.7739560485559633);
//! ```

pub use crate::creation::random::{Generator, default_rng};
