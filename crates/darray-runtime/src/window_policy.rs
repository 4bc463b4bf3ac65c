//! When a window is full.

use crate::options::WindowSize;

/// The size of the window, in tasks.
///
/// Adaptive: begins small, so that the first results come soon, and doubles whenever a full window
/// fused into one task, since a longer one might fuse too.
#[derive(Clone, Debug)]
pub(crate) struct WindowPolicy {
    limit: usize,
    adaptive: bool,
}

const FIRST: usize = 64;
const LARGEST: usize = 1024;

impl WindowPolicy {
    pub(crate) fn new(size: WindowSize) -> WindowPolicy {
        match size {
            WindowSize::Fixed(limit) => WindowPolicy { limit: limit.max(1), adaptive: false },
            WindowSize::Adaptive => WindowPolicy { limit: FIRST, adaptive: true },
        }
    }

    /// Tasks of a full window.
    #[inline]
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Learns from a flushed window of this many tasks and fused tasks.
    pub(crate) fn flushed(&mut self, tasks: usize, fused_tasks: usize) {
        if self.adaptive && tasks >= self.limit && fused_tasks == 1 {
            self.limit = (2 * self.limit).min(LARGEST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_grows_while_whole_windows_fuse() {
        let mut policy = WindowPolicy::new(WindowSize::Adaptive);
        let mut limits = vec![policy.limit()];
        for (tasks, fused) in [(64, 2), (10, 1), (64, 1), (128, 1), (256, 1), (512, 1), (1024, 1)] {
            policy.flushed(tasks, fused);
            limits.push(policy.limit());
        }
        assert_eq!(limits, [64, 64, 64, 128, 256, 512, 1024, 1024]);
    }

    #[test]
    fn a_fixed_window_stays() {
        let mut policy = WindowPolicy::new(WindowSize::Fixed(0));
        policy.flushed(1, 1);
        assert_eq!(policy.limit(), 1);
    }
}
