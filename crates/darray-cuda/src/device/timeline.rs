//! One queue: its stream, the submissions in flight, and their failures.

use super::builtin::Check;
use super::clock::{Clock, Wait, Waits};
use super::lock;
use super::staging::{Landing, Lease};
use crate::driver::{Context, Event, Function, Stream};
use crate::error::CudaError;
use darray_device::{Command, CommandFault, Fault};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::task::Poll;

/// A queue.
///
/// ```text
/// reached = 4     in flight:  5 (event e1)   6 (event e2)   7 (event e0)     issued = 7
/// ```
///
/// Tickets are reached in order. Events of reached tickets are used again, unless somebody still waits
/// for them. A submission waits for nothing that the queue is behind already, be it by way of others.
pub(super) struct Timeline {
    /// Of the queue among those of the group.
    place: usize,
    context: Arc<Context>,
    stream: Stream,
    /// What the stream is behind; locked while something is queued, so before `state`.
    known: Mutex<Clock>,
    /// What the host has seen happen, of the whole group.
    seen: Arc<Mutex<Clock>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    issued: u64,
    reached: u64,
    flight: VecDeque<Flying>,
    events: Vec<Arc<Event>>,
    faults: BTreeMap<u64, CommandFault>,
}

/// A submission on its way, with the event at its end; none if it has ended already.
struct Flying {
    event: Option<Arc<Event>>,
    clock: Clock,
    submission: Submission,
}

/// What must be kept of a submission until it has run.
#[derive(Default)]
pub(super) struct Submission {
    /// What the host found wrong.
    pub fault: Option<CommandFault>,
    /// Host memory that the GPU reads.
    pub keeps: Vec<Lease>,
    /// Host memory that the GPU writes, and where its bytes go then.
    pub landings: Vec<Landing>,
    /// What the GPU may have found wrong with data.
    checks: Vec<Check>,
    /// Code that the GPU runs.
    functions: Vec<Arc<Vec<Function>>>,
    /// Its commands, for the message about a failure on the GPU.
    names: Vec<String>,
}

impl Submission {
    /// Notes what a command is.
    pub fn describe(&mut self, command: &Command) {
        self.names.push(match command {
            Command::Launch { code, .. } => format!("kernel {}", code.0),
            Command::Builtin { name, .. } => name.to_string(),
            Command::Copy { from, .. } => format!("copy of {:?} {}", from.extents, from.dtype),
            Command::Upload { to, .. } => format!("upload of {:?} {}", to.extents, to.dtype),
            Command::Download { from, .. } => {
                format!("download of {:?} {}", from.extents, from.dtype)
            }
        });
    }

    /// What the GPU finds wrong with the data of the command that was described last.
    pub fn check(&mut self, from: Lease, judge: Box<dyn FnOnce(usize, i64) -> Fault + Send>) {
        let command = self.names.len().saturating_sub(1) as u32;
        self.checks.push(Check::new(command, from, judge));
    }

    /// Keeps kernels that it launches from being unloaded before they have run.
    pub fn keep(&mut self, functions: &Arc<Vec<Function>>) {
        self.functions.push(functions.clone());
    }

    /// What became of it, given what the driver says of its event.
    fn outcome(&mut self, result: Result<(), CudaError>) -> Option<CommandFault> {
        let Err(error) = result else { return self.fault.take() };
        let names = self.names.join(", ");
        let during = if names.is_empty() { "nothing".to_string() } else { names };
        let fault = Fault::Execution(format!("{error}; while this ran: {during}"));
        Some(self.fault.take().unwrap_or(CommandFault { command: 0, fault }))
    }
}

impl Timeline {
    pub fn new(
        place: usize,
        context: Arc<Context>,
        stream: Stream,
        seen: Arc<Mutex<Clock>>,
    ) -> Timeline {
        Timeline { place, context, stream, known: Mutex::default(), seen, state: Mutex::default() }
    }

    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    pub fn place(&self) -> usize {
        self.place
    }

    /// What the queue is behind.
    pub fn known(&self) -> Clock {
        lock(&self.known).clone()
    }

    /// Queues a submission behind `waits` and gives its ticket. `fill` queues the work on the stream,
    /// which is behind what the clock says; what fails there is in the submission. The context is bound.
    pub fn submit(
        &self,
        waits: &Waits,
        fill: impl FnOnce(&Stream, &Clock, Submission) -> Submission,
    ) -> Result<u64, Fault> {
        let mut known = lock(&self.known);
        let kept = {
            let mut state = lock(&self.state);
            self.advance(&mut state);
            state.events.pop()
        };
        let event = match kept {
            Some(event) => event,
            None => Arc::new(Event::new(&self.context).map_err(|e| e.execution())?),
        };
        waits.queue(&self.stream, &mut known).map_err(|e| e.execution())?;
        let mut submission = fill(&self.stream, &known, Submission::default());
        let event = match self.stream.record(&event) {
            Ok(()) => Some(event),
            Err(error) => {
                // Without an event nobody could know when it ends: it ends here.
                let ended = self.stream.synchronize().and(Err(error));
                submission.fault = submission.outcome(ended);
                None
            }
        };
        let mut state = lock(&self.state);
        state.issued += 1;
        known.add(self.place, state.issued);
        state.flight.push_back(Flying { event, clock: known.clone(), submission });
        Ok(state.issued)
    }

    /// The wait for a ticket; none if the host knows that it is reached.
    pub fn ticket(&self, ticket: u64) -> Result<Option<Wait>, Fault> {
        let state = lock(&self.state);
        if ticket > state.issued {
            return Err(Fault::Execution(format!("ticket {ticket} was never given")));
        }
        if lock(&self.seen).covers(self.place, ticket) {
            return Ok(None);
        }
        let flying = ticket.checked_sub(state.reached + 1);
        let flying = flying.and_then(|at| state.flight.get(at as usize));
        let wait = |flying: &Flying| {
            let (event, clock) = (flying.event.clone()?, flying.clock.clone());
            Some(Wait { place: self.place, ticket, event, clock })
        };
        Ok(flying.and_then(wait))
    }

    /// Whether a ticket is reached, and what became of it. The context is bound.
    pub fn poll(&self, ticket: u64) -> Poll<Result<(), CommandFault>> {
        let mut state = lock(&self.state);
        if ticket > state.reached {
            self.advance(&mut state);
        }
        match ticket <= state.reached {
            true => Poll::Ready(state.outcome(ticket)),
            false => Poll::Pending,
        }
    }

    /// Blocks until a ticket is reached. The context is bound.
    pub fn wait(&self, ticket: u64) -> Result<(), CommandFault> {
        match self.ticket(ticket) {
            // What the wait finds wrong, the look at the event finds again.
            Ok(wait) => drop(wait.map(|wait| wait.event.wait())),
            Err(fault) => return Err(CommandFault { command: 0, fault }),
        }
        let mut state = lock(&self.state);
        while state.reached < ticket {
            let end = state.flight.front().and_then(|flying| flying.event.clone());
            let result = end.map_or(Ok(()), |event| event.wait());
            self.land(&mut state, result);
        }
        state.outcome(ticket)
    }

    /// Takes what has run out of flight.
    fn advance(&self, state: &mut State) {
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
        let Some(Flying { event, clock, mut submission }) = state.flight.pop_front() else {
            return;
        };
        state.reached += 1;
        let arrived = result.is_ok();
        // After a failure the GPU may still be at work on the host's memory.
        let quiet = arrived || self.stream.synchronize().is_ok();
        if let Some(fault) = submission.outcome(result) {
            state.faults.insert(state.reached, fault);
        }
        if arrived {
            lock(&self.seen).join(&clock);
            for check in std::mem::take(&mut submission.checks) {
                let command = check.command;
                if let Some(fault) = check.outcome() {
                    state.faults.entry(state.reached).or_insert(CommandFault { command, fault });
                }
            }
            submission.landings.into_iter().for_each(Landing::land);
        } else if !quiet {
            std::mem::forget(submission);
        }
        state.events.extend(event.filter(|event| Arc::strong_count(event) == 1));
    }
}

impl State {
    fn outcome(&self, ticket: u64) -> Result<(), CommandFault> {
        self.faults.get(&ticket).map_or(Ok(()), |fault| Err(fault.clone()))
    }
}
