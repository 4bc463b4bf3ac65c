//! One queue: its stream, the submissions in flight, and their failures.

use super::clock::{Clock, Wait, Waits};
use super::staging::Landing;
use super::submission::Submission;
use crate::device::lock;
use crate::driver::{Context, Event, Stream};
use crate::error::CudaError;
use darray_device::faults::Faults;
use darray_device::{CommandFault, Fault};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;

/// A queue.
///
/// ```text
/// reached = 4     in flight:  5 (event e1)   6, 7, 8 (a batch, event g)   9 (event e0)     issued = 9
/// ```
///
/// Tickets are reached in order. Events of reached tickets are used again, unless somebody still waits
/// for them. A submission waits for nothing that the queue is behind already, be it by way of others. A
/// batch runs on another stream: the queue's own stream waits for it when it is next used.
pub(in crate::device) struct Timeline {
    /// Of the queue among those of the group.
    place: usize,
    context: Arc<Context>,
    stream: Stream,
    /// Locked while something is queued, so before `state`.
    front: Mutex<Front>,
    /// What the host has seen happen, of the whole group.
    seen: Arc<Mutex<Clock>>,
    state: Mutex<State>,
    /// The last ticket.
    issued: AtomicU64,
}

#[derive(Default)]
struct State {
    reached: u64,
    flight: VecDeque<Flying>,
    events: Vec<Arc<Event>>,
    faults: Faults,
}

/// Where the stream stands.
#[derive(Default)]
struct Front {
    /// What it is behind.
    known: Clock,
    /// The batch that it has still to wait for.
    behind: Option<Wait>,
    /// Whether the stream was used since a batch last came behind it.
    used: bool,
    /// Where the stream stands when a batch comes behind it.
    fork: Option<Event>,
}

/// A submission on its way, or those of a batch, with the event at the end; none if it has ended
/// already.
struct Flying {
    /// Its last ticket.
    last: u64,
    event: Option<Arc<Event>>,
    clock: Clock,
    submission: Submission,
    /// Whether it runs on another stream.
    batch: bool,
}

/// Submissions or batches from one look at which of them have run to the next.
const LOOK: usize = 16;

impl Timeline {
    pub fn new(
        place: usize,
        context: Arc<Context>,
        stream: Stream,
        seen: Arc<Mutex<Clock>>,
    ) -> Timeline {
        let (front, state, issued) = Default::default();
        Timeline { place, context, stream, front, seen, state, issued }
    }

    pub fn place(&self) -> usize {
        self.place
    }

    /// Whether the stream is behind these.
    pub fn is_behind(&self, waits: &Waits) -> bool {
        waits.are_known_to(&lock(&self.front).known)
    }

    /// What became of a ticket, if the host knows that it is reached. A failure is handed on.
    pub fn outcome(&self, ticket: u64) -> Option<Result<(), CommandFault>> {
        let mut state = lock(&self.state);
        (ticket <= state.reached).then(|| state.faults.hand_on(&ticket))
    }

    /// Failures that nobody was told of yet.
    pub fn faults(&self) -> u64 {
        lock(&self.state).faults.len() as u64
    }

    /// What the stream is behind.
    pub fn known(&self) -> Clock {
        lock(&self.front).known.clone()
    }

    /// The stream, for those who wait for what is queued there.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The stream, behind all that the queue was given so far, for those who queue something there.
    pub fn ordered(&self) -> Result<&Stream, CudaError> {
        self.follow(&Waits::default())?;
        Ok(&self.stream)
    }

    /// What is queued on the stream from now on runs behind all that the queue was given so far, and
    /// behind `waits`.
    pub fn follow(&self, waits: &Waits) -> Result<(), CudaError> {
        lock(&self.front).follow(waits, &self.stream)
    }

    /// Queues a submission behind `waits`, and gives its ticket. `fill` queues the work on the stream,
    /// which is behind what the clock says; what fails there is in the submission. Of the waits only
    /// `at_once` comes before: the rest comes with what `fill` has the stream follow first, whose clock it
    /// gives, or without it afterwards. The context is bound.
    pub fn submit(
        &self,
        (at_once, waits): (&Waits, &Waits),
        fill: impl FnOnce(&Stream, &Clock, Submission) -> (Submission, Clock),
    ) -> Result<u64, Fault> {
        let mut front = lock(&self.front);
        let kept = {
            let mut state = lock(&self.state);
            if state.flight.len().is_multiple_of(LOOK) {
                self.look(&mut state);
            }
            state.events.pop()
        };
        let event = match kept {
            Some(event) => event,
            None => Arc::new(Event::new(&self.context).map_err(|e| e.execution())?),
        };
        front.follow(at_once, &self.stream).map_err(|e| e.execution())?;
        let (mut submission, learned) = fill(&self.stream, &front.known, Submission::default());
        front.known.join(&learned);
        if waits.queue(&self.stream, &mut front.known).is_err() {
            waits.block();
            waits.note(&mut front.known);
        }
        let event = match self.stream.record(&event) {
            Ok(()) => Some(event),
            Err(error) => {
                // Without an event nobody could know when it ends: it ends here.
                let error = self.stream.synchronize().err().unwrap_or(error);
                let failure = submission.failure(&error);
                submission.fault.get_or_insert(failure);
                None
            }
        };
        let mut state = lock(&self.state);
        let last = self.issue();
        submission.issue(last);
        front.known.add(self.place, last);
        let clock = front.known.clone();
        if submission.host.is_some() {
            // What was kept for those before goes, or grows no further.
            self.look(&mut state);
        }
        state.flight.push_back(Flying { last, event, clock, submission, batch: false });
        Ok(last)
    }

    /// The last ticket.
    pub fn last(&self) -> u64 {
        self.issued.load(Ordering::Relaxed)
    }

    /// The next ticket, such as that of a submission that a batch holds back.
    pub fn issue(&self) -> u64 {
        self.issued.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The next tickets, which `issue` gave, belong to a batch that ends so; without an end it has ended
    /// already. Faults of single tickets are known.
    pub fn fly(
        &self,
        tickets: u64,
        end: Option<Wait>,
        submission: Submission,
        faults: Vec<(u64, CommandFault)>,
    ) {
        let mut front = lock(&self.front);
        let mut state = lock(&self.state);
        if tickets > 0 {
            faults.into_iter().for_each(|(ticket, fault)| state.faults.add(ticket, fault));
            let last = state.flight.back().map_or(state.reached, |flying| flying.last) + tickets;
            let (event, clock) = match end.clone() {
                Some(end) => (Some(end.event), end.clock),
                None => {
                    front.known.add(self.place, last);
                    (None, front.known.clone())
                }
            };
            if state.flight.len().is_multiple_of(LOOK) {
                self.look(&mut state);
            }
            state.flight.push_back(Flying { last, event, clock, submission, batch: true });
        }
        if end.is_some() {
            front.behind = end;
        }
    }

    /// What is queued on `other`, whose clock is `known`, from now on runs behind what is queued on this
    /// stream. That stream's context is not bound then.
    pub fn fork(&self, other: &Stream, known: &mut Clock) -> Result<(), CudaError> {
        let mut front = lock(&self.front);
        if !front.used {
            return Ok(());
        }
        self.context.bind()?;
        let fork = match &mut front.fork {
            Some(fork) => fork,
            none => none.insert(Event::new(&self.context)?),
        };
        self.stream.record(fork)?;
        other.wait(fork)?;
        known.join(&front.known);
        front.used = false;
        Ok(())
    }

    /// The wait for a ticket that is not held back; none if the host knows that it is reached.
    pub fn ticket(&self, ticket: u64) -> Result<Option<Wait>, Fault> {
        let state = lock(&self.state);
        if ticket > self.last() {
            return Err(Fault::Execution(format!("ticket {ticket} was never given")));
        }
        if ticket <= state.reached || lock(&self.seen).covers(self.place, ticket) {
            return Ok(None);
        }
        let at = state.flight.partition_point(|flying| flying.last < ticket);
        let wait = |flying: &Flying| {
            let (event, clock) = (flying.event.clone()?, flying.clock.clone());
            Some(Wait { event, clock })
        };
        Ok(state.flight.get(at).and_then(wait))
    }

    /// Whether a ticket is reached, and what became of it. The context is bound.
    pub fn poll(&self, ticket: u64) -> Poll<Result<(), CommandFault>> {
        let mut state = lock(&self.state);
        if ticket > state.reached {
            let at = state.flight.partition_point(|flying| flying.last < ticket);
            if !self.look_at(&mut state, at) {
                self.advance(&mut state);
            }
        }
        match ticket <= state.reached {
            true => Poll::Ready(state.faults.hand_on(&ticket)),
            false => Poll::Pending,
        }
    }

    /// Blocks until a ticket, which is in no open batch, is reached. The context is bound.
    pub fn wait(&self, ticket: u64) -> Result<(), CommandFault> {
        let wait = self.ticket(ticket).map_err(|fault| CommandFault { command: 0, fault })?;
        let waited = wait.map(|wait| wait.event.wait());
        let mut state = lock(&self.state);
        if state.reached < ticket {
            match waited {
                // The end of it is the end of those before.
                Some(Ok(())) => {
                    let before = state.flight.partition_point(|flying| flying.last < ticket);
                    self.arrive(&mut state, before + 1);
                }
                // What the wait finds wrong, the look at the event finds again.
                _ => self.advance(&mut state),
            }
        }
        while state.reached < ticket && !state.flight.is_empty() {
            let end = state.flight.front().and_then(|flying| flying.event.clone());
            let result = end.map_or(Ok(()), |event| event.wait());
            self.land(&mut state, result);
        }
        state.faults.hand_on(&ticket)
    }

    /// One look: if more than half of what is in flight has run, that is taken out. So there is about twice as much as there
    /// must be, and what came since the last look.
    fn look(&self, state: &mut State) {
        let middle = state.flight.len() / 2;
        self.look_at(state, middle);
    }

    /// Whether a submission in flight has run; then takes it and those before out of flight.
    fn look_at(&self, state: &mut State, at: usize) -> bool {
        let reached = at < state.flight.len() && state.has_run(at) == Ok(true);
        if reached {
            self.arrive(state, at + 1);
        }
        reached
    }

    /// Ends the first submissions in flight, which have run.
    fn arrive(&self, state: &mut State, count: usize) {
        (0..count).for_each(|_| self.land(state, Ok(())));
    }

    /// Takes what has run out of flight. It runs in order: a look at one submission tells of those before. The looks
    /// double their way to one that has not run, then halve what is between: what runs meanwhile is not run after.
    fn advance(&self, state: &mut State) {
        let (mut reached, mut pending) = (0, state.flight.len());
        let (mut step, mut missed, mut failed) = (1, false, false);
        while reached < pending {
            let at = if missed { (reached + pending) / 2 } else { reached + step - 1 };
            let at = at.min(pending - 1);
            let looked = state.has_run(at);
            failed |= looked.is_err();
            if looked == Ok(true) {
                (reached, step) = (at + 1, 2 * step);
            } else {
                (pending, missed) = (at, true);
            }
        }
        self.arrive(state, reached);
        if failed {
            self.advance_by_one(state);
        }
    }

    /// Takes what has run out of flight, one by one: what failed first is to be named.
    fn advance_by_one(&self, state: &mut State) {
        while let Some(front) = state.flight.front() {
            let result = match &front.event {
                None => Ok(()),
                Some(event) => match event.is_reached() {
                    Ok(false) => return,
                    Ok(true) => Ok(()),
                    Err(error) => Err(error),
                },
            };
            self.land(state, result);
        }
    }

    /// Ends the first submission in flight.
    fn land(&self, state: &mut State, result: Result<(), CudaError>) {
        let Some(flying) = state.flight.pop_front() else { return };
        let Flying { last, event, clock, mut submission, batch } = flying;
        let tickets = state.reached + 1..=last;
        state.reached = last;
        let arrived = result.is_ok();
        // After a failure the GPU may still be at work on the host's memory.
        let quiet = arrived
            || match &event {
                Some(event) if batch => event.wait().is_ok(),
                _ => self.stream.synchronize().is_ok(),
            };
        if let Some(fault) = submission.fault.take() {
            state.faults.add(last, fault);
        }
        if let Err(error) = result {
            let failure = submission.failure(&error);
            for ticket in tickets {
                state.faults.add(ticket, failure.clone());
            }
        }
        if arrived {
            lock(&self.seen).join(&clock);
            if let Some(host) = submission.host.take() {
                for check in host.checks {
                    let (ticket, command) = (check.ticket, check.command);
                    if let Some(fault) = check.outcome() {
                        state.faults.add(ticket, CommandFault { command, fault });
                    }
                }
                host.landings.into_iter().for_each(Landing::land);
            }
        } else if !quiet {
            std::mem::forget(submission);
        }
        state.events.extend(event.filter(|event| Arc::strong_count(event) == 1));
    }
}

impl Front {
    /// What is queued on the stream from now on runs behind the batch and `waits`.
    fn follow(&mut self, waits: &Waits, stream: &Stream) -> Result<(), CudaError> {
        self.used = true;
        match &self.behind {
            None => waits.queue(stream, &mut self.known)?,
            Some(batch) => {
                let mut waits = waits.clone();
                waits.extend(Some(batch.clone()));
                waits.queue(stream, &mut self.known)?;
            }
        }
        self.behind = None;
        Ok(())
    }
}

impl State {
    /// Whether a submission in flight has run, and all before it. Without an event it ended when it was submitted, which says
    /// nothing of those before: the last event up to there does.
    fn has_run(&self, at: usize) -> Result<bool, CudaError> {
        let event = self.flight.range(..=at).rev().find_map(|flying| flying.event.as_ref());
        event.map_or(Ok(true), |event| event.is_reached())
    }
}
