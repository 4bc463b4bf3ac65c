//! Loops whose iterations vary in length.

use crate::window::end::Kind;
use crate::window::history::History;

/// Whether windows are single iterations of an outer loop.
///
/// Windows that cross from one iteration to the next come in as many kinds as the lengths of inner loops do. Where windows of tasks
/// that have all come before are planned again and again, they end with each iteration instead, as
/// if the program flushed there; until that is no better.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Varying {
    /// The last task of an iteration, if windows end with them.
    last: Option<Kind>,
    /// Before they do: for how much longer windows of known tasks were planned than others like them have run, in nanoseconds.
    behind: i64,
    /// Since then: windows that were planned, and all.
    planned: u32,
    all: u32,
    /// How often windows ended with iterations and had to be planned all the same.
    failed: u32,
}

/// After how many windows that end with iterations most must have come again.
const TRIED: u32 = 64;

impl Varying {
    /// The task that windows end with.
    pub(crate) fn last(&self) -> Option<Kind> {
        self.last
    }

    /// Grants nanoseconds to plan windows of another size.
    pub(crate) fn grant(&mut self, nanoseconds: i64) {
        self.behind = -nanoseconds;
    }

    /// Notes a full window, which has run for so many nanoseconds, about, or, if that is less than nothing, was planned; windows end with
    /// iterations if they have been planned for longer than `most`.
    pub(crate) fn note(&mut self, nanoseconds: i64, most: i64, history: &History) {
        if self.last.is_some() {
            self.all += 1;
            self.planned += u32::from(nanoseconds < 0);
            if self.all == TRIED {
                if 2 * self.planned > self.all {
                    (self.last, self.failed) = (None, self.failed + 1);
                }
                (self.all, self.planned) = (0, 0);
            }
        } else if history.is_of_pieces() {
            // What was granted is not taken back.
            self.behind = self.behind.saturating_sub(nanoseconds).max(self.behind.min(0));
            if self.behind > most << self.failed.min(16) {
                self.behind = 0;
                self.last = history.rarest();
                self.failed += u32::from(self.last.is_none());
            }
        }
    }
}
