//! The worker threads that the devices of a group share.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Threads for large loops, started when first needed.
#[derive(Debug)]
pub(crate) struct Workers {
    threads: usize,
    least: usize,
    pool: OnceLock<Option<ThreadPool>>,
    shared: AtomicU64,
}

impl Workers {
    /// So many threads, the caller's included, for work of at least `least` simple operations.
    pub fn new(threads: usize, least: usize) -> Workers {
        Workers { threads: threads.max(1), least, pool: OnceLock::new(), shared: AtomicU64::new(0) }
    }

    /// Threads to use for so many simple operations (one addition of two floats, say).
    pub fn threads_for(&self, operations: usize) -> usize {
        if operations < self.least { 1 } else { self.threads }
    }

    /// Loops that other threads were woken for.
    pub fn shared(&self) -> u64 {
        self.shared.load(Ordering::Relaxed)
    }

    /// Calls `work(k)` for `k` in `1..parts` on other threads and `own()` on this one, and waits
    /// for all.
    pub fn split(&self, parts: usize, work: impl Fn(usize) + Sync, own: impl FnOnce()) {
        let start = || ThreadPoolBuilder::new().num_threads(self.threads - 1).build().ok();
        let alone = parts < 2 || self.threads < 2;
        let pool = if alone { None } else { self.pool.get_or_init(start).as_ref() };
        let Some(pool) = pool else {
            own();
            return (1..parts).for_each(work);
        };
        self.shared.fetch_add(1, Ordering::Relaxed);
        let work = &work;
        pool.in_place_scope(|scope| {
            for part in 1..parts {
                scope.spawn(move |_| work(part));
            }
            own();
        });
    }
}
