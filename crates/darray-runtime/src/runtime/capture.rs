//! The windows that a runtime keeps for reports.

use crate::runtime::Runtime;
use darray_fusion::plan::Plan;
use darray_ir::Window;
use std::collections::VecDeque;
use std::sync::Arc;

/// A flushed window with its plan.
#[derive(Clone, Debug)]
pub struct FlushedWindow {
    /// The tasks, stores, domains and maps, live bits set.
    pub window: Window,
    /// What was executed.
    pub plan: Arc<Plan>,
    /// Whether the plan was known.
    pub memo_hit: bool,
}

/// The last flushed windows, oldest first: so many, and all since a capture began that goes on.
#[derive(Debug, Default)]
pub(crate) struct Capture {
    pub(crate) limit: usize,
    pub(crate) windows: VecDeque<FlushedWindow>,
    /// Captures that go on.
    pub(crate) open: usize,
}

impl Capture {
    pub(crate) fn keep(&mut self, window: &Window, plan: &Arc<Plan>, memo_hit: bool) {
        if self.limit == 0 && self.open == 0 {
            return;
        }
        let (window, plan) = (window.clone(), plan.clone());
        self.windows.push_back(FlushedWindow { window, plan, memo_hit });
        self.trim();
    }

    /// Forgets what is neither among the last windows nor wanted by a capture that goes on.
    pub(crate) fn trim(&mut self) {
        if self.open == 0 {
            let more = self.windows.len().saturating_sub(self.limit);
            self.windows.drain(..more);
        }
    }
}

impl Runtime {
    /// The last flushed windows with their plans, oldest first; as many as
    /// [`RuntimeOptions::capture`](crate::RuntimeOptions::capture) says.
    pub fn last_windows(&self) -> Vec<FlushedWindow> {
        self.lock().capture.windows.iter().cloned().collect()
    }

    /// Keeps every window that is flushed from now on, until the result is dropped. Captures may lie
    /// inside each other, and each has all windows of its time.
    pub fn capture(&self) -> Capturing<'_> {
        let capture = &mut self.lock().capture;
        capture.open += 1;
        Capturing { runtime: self, before: capture.windows.len() }
    }
}

/// A capture that goes on; see [`Runtime::capture`].
#[must_use = "the capture ends when this is dropped"]
pub struct Capturing<'r> {
    runtime: &'r Runtime,
    /// Windows kept when it began: none of them is forgotten while it goes on.
    before: usize,
}

impl Capturing<'_> {
    /// The windows flushed since it began, oldest first.
    pub fn windows(&self) -> Vec<FlushedWindow> {
        self.runtime.lock().capture.windows.iter().skip(self.before).cloned().collect()
    }
}

impl Drop for Capturing<'_> {
    fn drop(&mut self) {
        let capture = &mut self.runtime.lock().capture;
        capture.open -= 1;
        capture.trim();
    }
}
