//! What is known of the order of queues, so that nothing waits twice.

use crate::driver::{Event, Stream};
use crate::error::CudaError;
use smallvec::SmallVec;
use std::sync::Arc;

/// For each queue of a group, by its place, the last of its tickets that comes before. Batches count as a
/// queue more.
///
/// ```text
/// queue 0:  ticket 1   ticket 2                     clock of ticket 2 of queue 1, which waits for
/// queue 1:                |  ticket 1   ticket 2    ticket 2 of queue 0:  (2, 2)
///                         +------------------^
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::device) struct Clock(SmallVec<[u64; 8]>);

/// A ticket that is to come, or a batch: the event behind it, and what has happened then.
#[derive(Clone, Debug)]
pub(in crate::device) struct Wait {
    pub event: Arc<Event>,
    pub clock: Clock,
}

/// What work waits for. None comes before another one of them.
#[derive(Clone, Debug, Default)]
pub(in crate::device) struct Waits(SmallVec<[Wait; 2]>);

impl Clock {
    /// Whether a ticket of the queue at this place comes before.
    pub fn covers(&self, place: usize, ticket: u64) -> bool {
        self.get(place) >= ticket
    }

    /// Whether all that comes before the other comes before this one.
    pub fn includes(&self, other: &Clock) -> bool {
        other.0.iter().enumerate().all(|(place, &ticket)| self.covers(place, ticket))
    }

    /// The last ticket of the queue at this place that comes before; 0 for none.
    pub fn get(&self, place: usize) -> u64 {
        self.0.get(place).copied().unwrap_or(0)
    }

    /// From now on a ticket comes before.
    pub fn add(&mut self, place: usize, ticket: u64) {
        if self.0.len() <= place {
            self.0.resize(place + 1, 0);
        }
        self.0[place] = self.0[place].max(ticket);
    }

    /// What comes before the other comes before this one, too.
    pub fn join(&mut self, other: &Clock) {
        other.0.iter().enumerate().for_each(|(place, &ticket)| self.add(place, ticket));
    }
}

impl Waits {
    /// Adds one, if it is to come. Of those that have the same clock, the first is waited for: such are
    /// the tickets of a batch.
    pub fn extend(&mut self, wait: Option<Wait>) {
        let Some(wait) = wait else { return };
        if !self.0.iter().any(|known| known.clock.includes(&wait.clock)) {
            self.0.retain(|known| !wait.clock.includes(&known.clock));
            self.0.push(wait);
        }
    }

    /// Those of which work that knows this much does not know.
    pub fn unknown_to(&self, known: &Clock) -> Waits {
        Waits(self.0.iter().filter(|wait| !known.includes(&wait.clock)).cloned().collect())
    }

    /// What is known behind them.
    pub fn note(&self, known: &mut Clock) {
        self.0.iter().for_each(|wait| known.join(&wait.clock));
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether work that knows this much has nothing to wait for.
    pub fn are_known_to(&self, known: &Clock) -> bool {
        self.0.iter().all(|wait| known.includes(&wait.clock))
    }

    /// What is queued on `stream` from now on runs behind them. Only what `known`, the stream's clock,
    /// is not behind already is waited for.
    pub fn queue(&self, stream: &Stream, known: &mut Clock) -> Result<(), CudaError> {
        for wait in &self.0 {
            if !known.includes(&wait.clock) {
                stream.wait(&wait.event)?;
            }
        }
        self.note(known);
        Ok(())
    }

    /// Blocks until they have come, as far as the driver can say.
    pub fn block(&self) {
        for wait in &self.0 {
            let _ = wait.event.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[test]
    fn a_clock_knows_what_it_was_told_and_nothing_later() {
        let mut clock = Clock::default();
        assert!(clock.covers(5, 0) && !clock.covers(5, 1));
        clock.add(2, 7);
        clock.add(2, 3);
        assert!(clock.covers(2, 7) && !clock.covers(2, 8) && !clock.covers(1, 1));
        let mut other = Clock::default();
        other.add(0, 4);
        assert!(!other.includes(&clock) && clock.includes(&Clock::default()));
        other.join(&clock);
        assert!(other.includes(&clock) && !clock.includes(&other));
        assert_eq!([other.get(0), other.get(1), other.get(2), other.get(3)], [4, 0, 7, 0]);
    }
}
