//! One queue: its stream, the submissions in flight, and their failures.

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
/// for them.
pub(super) struct Timeline {
    context: Arc<Context>,
    stream: Stream,
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
    /// Code that the GPU runs.
    functions: Vec<Arc<Vec<Function>>>,
    /// Its commands, for the message about a failure on the GPU.
    names: Vec<String>,
}

/// Events of other queues that a submission waits for.
#[derive(Default)]
pub(super) struct Waits(Vec<Arc<Event>>);

impl Waits {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn extend(&mut self, event: Option<Arc<Event>>) {
        self.0.extend(event);
    }

    /// What is queued on `stream` from now on runs behind the events.
    pub fn queue(&self, stream: &Stream) -> Result<(), CudaError> {
        self.0.iter().try_for_each(|event| stream.wait(event))
    }

    /// Blocks until the events have happened, as far as the driver can say.
    pub fn block(&self) {
        for event in &self.0 {
            let _ = event.wait();
        }
    }
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
    pub fn new(context: Arc<Context>, stream: Stream) -> Timeline {
        Timeline { context, stream, state: Mutex::default() }
    }

    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Queues a submission behind `waits` and gives its ticket. `fill` queues the work on the stream;
    /// what fails there is in the submission. The context is bound.
    pub fn submit(
        &self,
        waits: &Waits,
        fill: impl FnOnce(&Stream, Submission) -> Submission,
    ) -> Result<u64, Fault> {
        let mut state = lock(&self.state);
        state.advance(&self.stream);
        let event = match state.events.pop() {
            Some(event) => event,
            None => Arc::new(Event::new(&self.context).map_err(|e| e.execution())?),
        };
        waits.queue(&self.stream).map_err(|e| e.execution())?;
        let mut submission = fill(&self.stream, Submission::default());
        let event = match self.stream.record(&event) {
            Ok(()) => Some(event),
            Err(error) => {
                // Without an event nobody could know when it ends: it ends here.
                let ended = self.stream.synchronize().and(Err(error));
                submission.fault = submission.outcome(ended);
                None
            }
        };
        state.issued += 1;
        state.flight.push_back(Flying { event, submission });
        Ok(state.issued)
    }

    /// The event of a ticket; none if it is reached.
    pub fn event(&self, ticket: u64) -> Result<Option<Arc<Event>>, Fault> {
        let state = lock(&self.state);
        if ticket > state.issued {
            return Err(Fault::Execution(format!("ticket {ticket} was never given")));
        }
        let flying = ticket.checked_sub(state.reached + 1);
        let flying = flying.and_then(|at| state.flight.get(at as usize));
        Ok(flying.and_then(|f| f.event.clone()))
    }

    /// Whether a ticket is reached, and what became of it. The context is bound.
    pub fn poll(&self, ticket: u64) -> Poll<Result<(), CommandFault>> {
        let mut state = lock(&self.state);
        if ticket > state.reached {
            state.advance(&self.stream);
        }
        match ticket <= state.reached {
            true => Poll::Ready(state.outcome(ticket)),
            false => Poll::Pending,
        }
    }

    /// Blocks until a ticket is reached. The context is bound.
    pub fn wait(&self, ticket: u64) -> Result<(), CommandFault> {
        match self.event(ticket) {
            // What the wait finds wrong, the look at the event finds again.
            Ok(event) => drop(event.map(|event| event.wait())),
            Err(fault) => return Err(CommandFault { command: 0, fault }),
        }
        let mut state = lock(&self.state);
        while state.reached < ticket {
            let end = state.flight.front().and_then(|flying| flying.event.clone());
            let result = end.map_or(Ok(()), |event| event.wait());
            state.land(result, &self.stream);
        }
        state.outcome(ticket)
    }
}

impl State {
    /// Takes what has run out of flight.
    fn advance(&mut self, stream: &Stream) {
        while let Some(front) = self.flight.front() {
            let result = match &front.event {
                None => Ok(()),
                Some(event) => match event.is_reached() {
                    Ok(false) => return,
                    Ok(true) => Ok(()),
                    Err(error) => Err(error),
                },
            };
            self.land(result, stream);
        }
    }

    /// Ends the first submission in flight.
    fn land(&mut self, result: Result<(), CudaError>, stream: &Stream) {
        let Some(Flying { event, mut submission }) = self.flight.pop_front() else { return };
        self.reached += 1;
        let arrived = result.is_ok();
        // After a failure the GPU may still be at work on the host's memory.
        let quiet = arrived || stream.synchronize().is_ok();
        if let Some(fault) = submission.outcome(result) {
            self.faults.insert(self.reached, fault);
        }
        if arrived {
            submission.landings.into_iter().for_each(Landing::land);
        } else if !quiet {
            std::mem::forget(submission);
        }
        self.events.extend(event.filter(|event| Arc::strong_count(event) == 1));
    }

    fn outcome(&self, ticket: u64) -> Result<(), CommandFault> {
        self.faults.get(&ticket).map_or(Ok(()), |fault| Err(fault.clone()))
    }
}
