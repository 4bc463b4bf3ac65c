//! Working memory of one thread, kept between launches.

use crate::memory::Storage;
use smallvec::SmallVec;
use std::cell::RefCell;

/// Pointer table and memory behind it.
#[derive(Debug, Default)]
pub(in super::super) struct Frame {
    /// See [`Table`](super::super::code::table::Table).
    pub pointers: Vec<*mut u8>,
    /// Address of each access at the current block of kept points.
    pub kept: Vec<*mut u8>,
    /// The same at the begin of the row.
    pub row: Vec<*mut u8>,
    /// Cells of the launch and of the row.
    pub cells: Storage,
    /// Registers, accumulators, stacks, results.
    pub blocks: Storage,
    /// What is [packed](crate::execute::bind::panels::Panels), and points of folds that are [copied](crate::execute::run::fold).
    pub packed: Storage,
    /// Current global index of every axis.
    pub index: Vec<i64>,
    /// Odometer of the outer loops.
    pub odometer: Vec<usize>,
}

/// The cells of a launch, for threads that have not made it.
pub(in super::super) struct LaunchCells(SmallVec<[u64; 32]>);

impl LaunchCells {
    /// The first `count` cells of the frame of the thread that launches, which hold those of the launch.
    pub fn new(frame: &mut Frame, count: usize) -> LaunchCells {
        let launch = frame.cells.reserve(count * 8);
        let mut cells: SmallVec<[u64; 32]> = SmallVec::from_elem(0, count);
        // SAFETY: both have room for so many cells.
        unsafe { std::ptr::copy(launch, cells.as_mut_ptr().cast(), count * 8) };
        LaunchCells(cells)
    }

    /// Lays them into a thread's frame.
    pub fn lay(&self, frame: &mut Frame) {
        let bytes = size_of_val(&self.0[..]);
        let own = frame.cells.reserve(bytes);
        // SAFETY: room for so many cells was reserved.
        unsafe { std::ptr::copy(self.0.as_ptr().cast(), own, bytes) };
    }
}

thread_local! {
    static FRAME: RefCell<Frame> = RefCell::default();
}

/// Runs `work` with this thread's frame; with a fresh one where the thread is inside a launch
/// already, or ends and has none any more.
pub(in super::super) fn with_frame<R>(work: impl FnOnce(&mut Frame) -> R) -> R {
    let mut work = Some(work);
    let mut with = |frame: &mut Frame| work.take().map(|work| work(frame));
    let done = FRAME.try_with(|frame| frame.try_borrow_mut().ok().and_then(|mut it| with(&mut it)));
    let done = done.ok().flatten().or_else(|| with(&mut Frame::default()));
    done.expect("one of both has run")
}
