//! Programs that run out of memory.

use darray::{Error, ErrorKind, Mode, Runtime};

/// Runs a program with so many bytes, in each mode, in windows of one task and in large ones; nothing is left of it.
pub fn in_every_mode(bytes: u64, program: impl Fn(&Runtime)) {
    for mode in [Mode::Fused, Mode::Task, Mode::Unfused] {
        for window in [1, 1000] {
            let builder = Runtime::builder().mode(mode).window(window).memory_limit(bytes);
            let runtime = builder.build().unwrap();
            runtime.scope(|| program(&runtime));
            assert_eq!(runtime.stats().bytes_in_use, 0, "{mode:?} {window}");
        }
    }
}

pub fn assert_out_of_memory(error: &Error) {
    assert!(matches!(error.kind(), ErrorKind::OutOfMemory { .. }), "{error}");
}
