//! One queue: its stream, the submissions in flight, and their failures.

use super::lock;
use super::staging::{Landing, Lease};
use crate::driver::{Context, Event, Stream};
use crate::error::CudaError;
use darray_core::DType;
use darray_device::{Command, CommandFault, Fault};
use smallvec::SmallVec;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex};
use std::task::Poll;

/// A queue.
///
/// ```text
/// reached = 4     in flight:  5 (event e1)   6, 7, 8 (a batch, event g)   9 (event e0)     issued = 9
/// ```
///
/// Tickets are reached in order. Events of reached tickets are used again, unless somebody still waits
/// for them. A batch runs on another stream: the queue's own stream waits for it when it is next used.
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
    /// The batch that the stream has still to wait for.
    behind: Option<Arc<Event>>,
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
    submission: Submission,
    /// Whether it runs on another stream.
    batch: bool,
}

/// What stands for a ticket.
pub(super) enum Point {
    /// It is reached.
    Reached,
    /// The event on the queue's stream.
    Event(Arc<Event>),
    /// The event behind a batch.
    Batch(Arc<Event>),
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
    /// Its commands, for the message about a failure on the GPU.
    names: Vec<Name>,
}

/// What a command is.
enum Name {
    Kernel(u32),
    Builtin(&'static str),
    Transfer(&'static str, SmallVec<[usize; 4]>, DType),
}

/// Events of other queues that a submission waits for.
#[derive(Default)]
pub(super) struct Waits(Vec<Arc<Event>>);

impl Waits {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn add(&mut self, event: Arc<Event>) {
        self.0.push(event);
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

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Kernel(code) => write!(f, "kernel {code}"),
            Name::Builtin(name) => f.write_str(name),
            Name::Transfer(what, extents, dtype) => write!(f, "{what} of {extents:?} {dtype}"),
        }
    }
}

impl Submission {
    /// Notes what a command is.
    pub fn describe(&mut self, command: &Command) {
        let transfer = |what, rect: &darray_device::Rect| {
            Name::Transfer(what, rect.extents.clone(), rect.dtype)
        };
        self.names.push(match command {
            Command::Launch { code, .. } => Name::Kernel(code.0),
            Command::Builtin { name, .. } => Name::Builtin(name),
            Command::Copy { from, .. } => transfer("copy", from),
            Command::Upload { to, .. } => transfer("upload", to),
            Command::Download { from, .. } => transfer("download", from),
        });
    }

    /// Takes over what must be kept of another one, which runs with it.
    pub fn absorb(&mut self, other: Submission) {
        self.keeps.extend(other.keeps);
        self.landings.extend(other.landings);
        self.names.extend(other.names);
    }

    /// What a failure on the GPU means for it.
    pub fn failure(&self, error: &CudaError) -> CommandFault {
        /// More names are of no use to a reader.
        const NAMES: usize = 16;
        let names: Vec<String> = self.names.iter().take(NAMES).map(Name::to_string).collect();
        let mut during = if names.is_empty() { "nothing".to_string() } else { names.join(", ") };
        if let Some(more) = self.names.len().checked_sub(NAMES + 1) {
            during += &format!(" and {} more", more + 1);
        }
        let fault = Fault::Execution(format!("{error}; while this ran: {during}"));
        CommandFault { command: 0, fault }
    }
}

impl Timeline {
    pub fn new(context: Arc<Context>, stream: Stream) -> Timeline {
        Timeline { context, stream, state: Mutex::default() }
    }

    /// The stream, for those who wait for what is queued there.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The stream, behind all that the queue was given so far, for those who queue something there.
    pub fn ordered(&self) -> Result<&Stream, CudaError> {
        lock(&self.state).order(&self.stream)?;
        Ok(&self.stream)
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
        state.order(&self.stream).map_err(|e| e.execution())?;
        waits.queue(&self.stream).map_err(|e| e.execution())?;
        let mut submission = fill(&self.stream, Submission::default());
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
        state.issued += 1;
        let last = state.issued;
        state.flight.push_back(Flying { last, event, submission, batch: false });
        Ok(state.issued)
    }

    /// The last ticket.
    pub fn last(&self) -> u64 {
        lock(&self.state).issued
    }

    /// The ticket of a submission that a batch holds back.
    pub fn issue(&self) -> u64 {
        let mut state = lock(&self.state);
        state.issued += 1;
        state.issued
    }

    /// The next tickets, which `issue` gave, belong to a batch that ends at `event`; without one it has
    /// ended already. Faults of single tickets are known.
    pub fn fly(
        &self,
        tickets: u64,
        event: Option<Arc<Event>>,
        submission: Submission,
        faults: Vec<(u64, CommandFault)>,
    ) {
        /// Batches in flight before somebody looks which of them have run.
        const LOOK: usize = 16;
        let mut state = lock(&self.state);
        if tickets > 0 {
            state.faults.extend(faults);
            let before = state.flight.back().map_or(state.reached, |flying| flying.last);
            let last = before + tickets;
            let flying = Flying { last, event: event.clone(), submission, batch: true };
            state.flight.push_back(flying);
        }
        if event.is_some() {
            state.behind = event;
        }
        if state.flight.len().is_multiple_of(LOOK) {
            state.advance(&self.stream);
        }
    }

    /// What is queued on `other` from now on runs behind what is queued on this stream. That stream's
    /// context is not bound then.
    pub fn fork(&self, other: &Stream) -> Result<(), CudaError> {
        let mut state = lock(&self.state);
        if !state.used {
            return Ok(());
        }
        self.context.bind()?;
        let fork = match &mut state.fork {
            Some(fork) => fork,
            none => none.insert(Event::new(&self.context)?),
        };
        self.stream.record(fork)?;
        other.wait(fork)?;
        state.used = false;
        Ok(())
    }

    /// What stands for a ticket that is in no open batch.
    pub fn point(&self, ticket: u64) -> Result<Point, Fault> {
        let state = lock(&self.state);
        if ticket > state.issued {
            return Err(Fault::Execution(format!("ticket {ticket} was never given")));
        }
        let at = state.flight.partition_point(|flying| flying.last < ticket);
        let flying = state.flight.get(at).filter(|_| ticket > state.reached);
        let event = flying.and_then(|flying| flying.event.clone().map(|e| (e, flying.batch)));
        Ok(match event {
            None => Point::Reached,
            Some((event, false)) => Point::Event(event),
            Some((event, true)) => Point::Batch(event),
        })
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

    /// Blocks until a ticket, which is in no open batch, is reached. The context is bound.
    pub fn wait(&self, ticket: u64) -> Result<(), CommandFault> {
        match self.point(ticket) {
            // What the wait finds wrong, the look at the event finds again.
            Ok(Point::Event(event) | Point::Batch(event)) => drop(event.wait()),
            Ok(Point::Reached) => {}
            Err(fault) => return Err(CommandFault { command: 0, fault }),
        }
        let mut state = lock(&self.state);
        while state.reached < ticket && !state.flight.is_empty() {
            let end = state.flight.front().and_then(|flying| flying.event.clone());
            let result = end.map_or(Ok(()), |event| event.wait());
            state.land(result, &self.stream);
        }
        state.outcome(ticket)
    }
}

impl State {
    /// Lets the stream wait for the batch before what is queued on it now.
    fn order(&mut self, stream: &Stream) -> Result<(), CudaError> {
        if let Some(batch) = &self.behind {
            stream.wait(batch)?;
            self.behind = None;
        }
        self.used = true;
        Ok(())
    }

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
        let Some(flying) = self.flight.pop_front() else { return };
        let Flying { last, event, mut submission, batch } = flying;
        let tickets = self.reached + 1..=last;
        self.reached = last;
        let arrived = result.is_ok();
        // After a failure the GPU may still be at work on the host's memory.
        let quiet = arrived
            || match &event {
                Some(event) if batch => event.wait().is_ok(),
                _ => stream.synchronize().is_ok(),
            };
        if let Some(fault) = submission.fault.take() {
            self.faults.insert(last, fault);
        }
        if let Err(error) = result {
            let failure = submission.failure(&error);
            for ticket in tickets {
                self.faults.entry(ticket).or_insert_with(|| failure.clone());
            }
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
