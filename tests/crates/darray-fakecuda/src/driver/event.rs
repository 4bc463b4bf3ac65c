//! Events: points in streams that others wait for.

use super::graph::CaptureState;
use super::race::Clock;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;

/// An event. Work that waits for it keeps it, also when its handle is gone.
#[derive(Debug)]
pub struct Event {
    /// The device of its context.
    pub device: usize,
    /// Whether it notes the time.
    pub timed: bool,
    /// How far it has come.
    pub state: Mutex<EventState>,
}

/// How far an event has come.
#[derive(Debug, Default)]
pub struct EventState {
    /// How often it was recorded.
    pub recorded: u64,
    /// The last record that has been executed.
    pub done: u64,
    /// When that was.
    pub time: Option<Instant>,
    /// What came before its records, by their numbers.
    pub clocks: BTreeMap<u64, Clock>,
    /// The nodes of a capture that it stands for.
    pub joined: Option<CaptureState>,
}

impl Event {
    /// An event that was never recorded.
    pub fn new(device: usize, timed: bool) -> Event {
        Event { device, timed, state: Mutex::default() }
    }

    /// Whether a record has been executed.
    pub fn is_done(&self, record: u64) -> bool {
        self.state().done >= record
    }

    /// How far it has come.
    pub fn state(&self) -> std::sync::MutexGuard<'_, EventState> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
