//! Threads that take parts of loops, and look for the next loop for a while before they sleep.
//!
//! To wake a thread that sleeps takes 5 to 30 us, more where the machine is a virtual one, and another 5 of who wakes
//! it: as long as a loop over 10^5 elements. Loops of a program follow each other closer than that. So a
//! thread that has nothing to do looks for [`LOOKING`] before it sleeps, and who waits for the others does as well.
//!
//! Parts of a loop belong to threads in order, so that a thread has the same elements of loops of the same
//! size, some of which its caches hold. One that is done takes what is left of the others': a thread that had to be woken
//! gets less.

use crate::stack::on_page;
use smallvec::SmallVec;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// How long a thread looks for work before it sleeps.
const LOOKING: Duration = Duration::from_micros(100);

/// The threads, which end when it is gone. Nobody waits for that: in a process that was forked there are none.
#[derive(Debug)]
pub(super) struct Team {
    board: Arc<Board>,
    threads: usize,
}

/// Where loops are posted.
#[derive(Debug, Default)]
struct Board {
    /// How often something was posted: what those that look for work look at.
    news: AtomicUsize,
    /// Threads that look for work.
    awake: AtomicUsize,
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Loops whose callers wait for them.
    loops: Vec<Posted>,
    sleeping: usize,
    is_over: bool,
}

/// The address of a loop on its caller's stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Posted(*const Loop<'static>);

// SAFETY: the loop is `Sync`, as is checked here; see `Open` for how long it lives.
unsafe impl Send for Posted {}

const _: fn() = || {
    fn is_sync<T: Sync>() {}
    is_sync::<Loop<'static>>();
};

/// A loop, whose parts threads take.
struct Loop<'l> {
    work: &'l (dyn Fn(usize) + Sync),
    parts: usize,
    /// The next part of those that belong to each thread, the caller first.
    next: SmallVec<[AtomicUsize; 16]>,
    /// Threads, but the caller's, that may use this.
    helpers: AtomicUsize,
    /// What the first part that panicked did so with.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    caller: Thread,
}

impl Team {
    /// Starts so many threads, or as many as the system allows.
    pub fn new(threads: usize) -> Team {
        let board = Arc::<Board>::default();
        let start = |number: usize| {
            let board = board.clone();
            let named = thread::Builder::new().name(format!("darray-cpu-{number}"));
            named.spawn(move || board.work(number)).ok()
        };
        let threads = (1..=threads).map_while(start).count();
        Team { board, threads }
    }

    /// Threads that look for work.
    pub fn awake(&self) -> usize {
        self.board.awake.load(Ordering::Relaxed)
    }

    /// Calls `work`, on this thread `own`, with each of so many parts once, and waits for all.
    ///
    /// # Panics
    /// If one of the calls does, when all are done.
    pub fn share(&self, parts: usize, work: &(dyn Fn(usize) + Sync), own: &mut dyn FnMut(usize)) {
        let threads = (1 + self.threads).min(parts);
        let shared = Loop {
            work,
            parts,
            next: (0..threads).map(|k| AtomicUsize::new(parts * k / threads)).collect(),
            helpers: AtomicUsize::new(0),
            panic: Mutex::new(None),
            caller: thread::current(),
        };
        let open = Open::new(&self.board, &shared);
        while let Some(part) = shared.take(0) {
            own(part);
        }
        drop(open);
        let panic = shared.panic.into_inner().unwrap_or_else(|e| e.into_inner());
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        let mut state = self.board.state();
        state.is_over = true;
        // Locked: who goes to sleep has seen it or has not looked yet.
        self.board.news.fetch_add(1, Ordering::Relaxed);
        drop(state);
        self.board.wake.notify_all();
    }
}

/// A loop that is posted; nobody uses it when this is gone.
struct Open<'o> {
    board: &'o Board,
    shared: &'o Loop<'o>,
}

impl<'o> Open<'o> {
    fn new(board: &'o Board, shared: &'o Loop<'o>) -> Open<'o> {
        let open = Open { board, shared };
        let mut state = board.state();
        state.loops.push(open.posted());
        board.news.fetch_add(1, Ordering::Relaxed);
        let missing = shared.next.len() - 1;
        let woken = missing.saturating_sub(board.awake.load(Ordering::Relaxed)).min(state.sleeping);
        let all = woken == state.sleeping;
        drop(state);
        match woken {
            0 => {}
            _ if all => board.wake.notify_all(),
            _ => (0..woken).for_each(|_| board.wake.notify_one()),
        }
        open
    }

    fn posted(&self) -> Posted {
        Posted(std::ptr::from_ref(self.shared).cast())
    }
}

impl Drop for Open<'_> {
    /// Nobody finds the loop from here on; waits for those that have.
    fn drop(&mut self) {
        let posted = self.posted();
        self.board.state().loops.retain(|other| *other != posted);
        let is_done = || self.shared.helpers.load(Ordering::Acquire) == 0;
        if !look(is_done) {
            while !is_done() {
                thread::park();
            }
        }
    }
}

impl Board {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is locked.
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// What a thread of the team does until the team is gone.
    fn work(&self, number: usize) {
        loop {
            let mut state = self.state();
            let news = self.news.load(Ordering::Relaxed);
            if state.is_over {
                return;
            }
            let found = state.loops.iter().copied().find(|posted| {
                // SAFETY: a loop lives as long as it is posted, and for as long as it has helpers.
                let posted = unsafe { &*posted.0 };
                let has_parts = posted.has_parts();
                posted.helpers.fetch_add(usize::from(has_parts), Ordering::Relaxed);
                has_parts
            });
            drop(state);
            if let Some(Posted(found)) = found {
                // SAFETY: this thread is one of its helpers.
                unsafe { Loop::help(found, number) };
                continue;
            }
            self.awake.fetch_add(1, Ordering::Relaxed);
            let found = look(|| self.news.load(Ordering::Relaxed) != news);
            self.awake.fetch_sub(1, Ordering::Relaxed);
            if found {
                continue;
            }
            state = self.state();
            state.sleeping += 1;
            while self.news.load(Ordering::Relaxed) == news {
                state = self.wake.wait(state).unwrap_or_else(|e| e.into_inner());
            }
            state.sleeping -= 1;
        }
    }
}

impl Loop<'_> {
    /// Parts that belong to a thread end there.
    fn end(&self, thread: usize) -> usize {
        self.parts * (thread + 1) / self.next.len()
    }

    fn has_parts(&self) -> bool {
        (0..self.next.len())
            .any(|thread| self.next[thread].load(Ordering::Relaxed) < self.end(thread))
    }

    /// A part that nobody has: of the thread's own, else of the next one's that has any.
    fn take(&self, thread: usize) -> Option<usize> {
        let threads = self.next.len();
        (thread..thread + threads).find_map(|of| {
            let (next, end) = (&self.next[of % threads], self.end(of % threads));
            let left = next.load(Ordering::Relaxed) < end;
            let part = left.then(|| next.fetch_add(1, Ordering::Relaxed))?;
            (part < end).then_some(part)
        })
    }

    /// Does parts until there are none, on another thread than the caller's.
    ///
    /// # Safety
    /// The thread is counted as a helper, which it is no more behind this: the loop may be gone then.
    unsafe fn help(this: *const Loop<'_>, thread: usize) {
        // SAFETY: the caller's contract; the reference ends before the thread is no helper.
        let caller = unsafe {
            let own = &*this;
            own.work(thread);
            own.caller.clone()
        };
        // SAFETY: the caller's contract.
        if unsafe { (*this).helpers.fetch_sub(1, Ordering::Release) } == 1 {
            caller.unpark();
        }
    }

    /// Does parts until there are none, or one panics.
    fn work(&self, thread: usize) {
        let done = catch_unwind(AssertUnwindSafe(|| {
            while let Some(part) = self.take(thread) {
                on_page(|| (self.work)(part));
            }
        }));
        if let Err(panic) = done {
            self.panic.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(panic);
        }
    }
}

/// Looks at something until it is so, for a while; whether it is. Others that could run do.
fn look(is_so: impl Fn() -> bool) -> bool {
    const BETWEEN: usize = 16;
    let mut begin = None;
    loop {
        for _ in 0..BETWEEN {
            if is_so() {
                return true;
            }
            std::hint::spin_loop();
        }
        if begin.get_or_insert_with(Instant::now).elapsed() > LOOKING {
            return false;
        }
        thread::yield_now();
    }
}

#[cfg(test)]
mod tests;
