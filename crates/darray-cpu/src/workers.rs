//! The worker threads that the devices of a group share.

mod team;

#[cfg(test)]
use crate::jit::PathCounter;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use team::Team;

/// Threads for large loops, started when first needed.
#[derive(Debug)]
pub(crate) struct Workers {
    threads: usize,
    least: usize,
    team: OnceLock<Team>,
    shared: AtomicU64,
    begin: Instant,
    /// When there was last less work than threads are woken for and nobody awake, in microseconds from the beginning, and
    /// how often in a row: the lowest eight bits.
    alone: AtomicU64,
}

/// To wake a thread takes about as long as so many times as much work as to hand parts to one that is awake.
const WAKING: usize = 8;

/// So often in a row, of which none begins so many microseconds behind the one before, there is less work than threads are
/// woken for: then they are, for what is to come.
const IN_A_ROW: u64 = 4;
const NEAR: u64 = 200;

impl Workers {
    /// So many threads, the caller's included; threads are woken for work of at least `least` simple operations.
    pub fn new(threads: usize, least: usize) -> Workers {
        let [shared, alone] = [(); 2].map(|()| AtomicU64::new(0));
        let (threads, team, begin) = (threads.max(1), OnceLock::new(), Instant::now());
        Workers { threads, least, team, shared, begin, alone }
    }

    /// Threads to use for so many simple operations (one addition of two floats, say): for few of them only those that
    /// are awake.
    pub fn threads_for(&self, operations: usize) -> usize {
        if self.threads < 2 || operations < self.least / WAKING {
            return 1;
        }
        let awake = self.team.get().map_or(0, Team::awake);
        match operations >= self.least || awake == 0 && self.is_alone_again() {
            true => self.threads,
            false => 1 + awake,
        }
    }

    /// Whether this was asked as often in a row by now, each time not long behind the one before.
    fn is_alone_again(&self) -> bool {
        let now = self.begin.elapsed().as_micros() as u64;
        let before = self.alone.load(Ordering::Relaxed);
        let (then, times) = (before >> 8, before & 0xff);
        let times = if now.saturating_sub(then) < NEAR { (times + 1).min(IN_A_ROW) } else { 1 };
        self.alone.store(now << 8 | times, Ordering::Relaxed);
        times == IN_A_ROW
    }

    /// Loops whose parts other threads could take.
    pub fn shared(&self) -> u64 {
        self.shared.load(Ordering::Relaxed)
    }

    /// Calls `work(k)` for `k` in `0..parts`, each once, on this thread and others, and waits for all.
    pub fn split(&self, parts: usize, work: impl Fn(usize) + Sync) {
        self.split_own(parts, &work, &work);
    }

    /// As [`split`](Self::split), with `own` in place of `work` on this thread.
    pub fn split_own(&self, parts: usize, work: impl Fn(usize) + Sync, mut own: impl FnMut(usize)) {
        if parts < 2 || self.threads < 2 {
            return (0..parts).for_each(own);
        }
        self.shared.fetch_add(1, Ordering::Relaxed);
        let team = self.team.get_or_init(|| Team::new(self.threads - 1));
        #[cfg(test)]
        let counted = std::sync::Mutex::new(Vec::new());
        // What other threads count is counted here.
        #[cfg(test)]
        let work = |part| {
            let ran = PathCounter::during(|| work(part));
            counted.lock().unwrap().push(ran);
        };
        team.share(parts, &work, &mut own);
        #[cfg(test)]
        counted.into_inner().unwrap().into_iter().for_each(PathCounter::add_all);
    }
}

#[cfg(test)]
mod tests {
    use super::Workers;
    use std::time::Instant;

    #[test]
    fn threads_are_woken_for_much_work_only() {
        let workers = Workers::new(3, 800);
        assert_eq!([99, 100, 799, 800].map(|n| workers.threads_for(n)), [1, 1, 1, 3]);
        assert_eq!(workers.shared(), 0);
        workers.split(3, |_| {});
        assert_eq!(workers.shared(), 1);
        // Those that are awake, while they are: other programs may have the processors for a while.
        let begin = Instant::now();
        let all_awake = (0..).take_while(|_| begin.elapsed().as_secs() < 20).any(|_| {
            workers.split(3, |_| {});
            let is_awake = workers.team.get().is_some_and(|team| team.awake() == 2);
            is_awake && workers.threads_for(100) == 3
        });
        assert!(all_awake);
        assert_eq!(workers.threads_for(99), 1);
        // Less, again and again.
        let workers = Workers::new(2, 800);
        let found = (0..100_000).find(|_| workers.threads_for(100) == 2);
        assert!(found.is_some_and(|k| k > 2), "{found:?}");
        let alone = Workers::new(1, 0);
        assert_eq!(alone.threads_for(usize::MAX), 1);
        alone.split(5, |_| {});
        assert_eq!(alone.shared(), 0);
    }
}
