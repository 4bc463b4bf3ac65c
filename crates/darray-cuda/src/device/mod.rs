//! CUDA devices: logical devices over physical GPUs.

mod builtin;
mod devices;
mod graphs;
mod group;
mod options;
mod state;
mod work;

pub use devices::CudaDevices;
pub use options::CudaOptions;
#[cfg(feature = "testing")]
pub use options::CudaTesting;
pub use state::source::CudaSource;
pub use work::task::{CudaArg, CudaArray, CudaPointTask, CudaVariant};

use crate::driver;
use darray_device::{
    Block, Code, Command, CommandFault, Describe, Device, DeviceStats, Event, Fault, GraphStats,
    ProductStats, Queue,
};
use darray_kernel::ir::Kernel;
use devices::Shared;
use graphs::launcher::{Launcher, SPARES};
use group::Group;
use smallvec::SmallVec;
use state::clock::{Clock, Waits};
use state::compiled::Compiled;
use state::logical::Logical;
use state::memory::{Located, SMALL, Spare};
use state::submission::Submission;
use std::cell::RefCell;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use work::Run;
use work::route::Route;

/// One logical CUDA device.
///
/// Rules:
/// - Queue 0 computes, queue 1 copies: two streams. A submission is a stretch of its queue's stream,
///   with a CUDA event at its end.
/// - What the host finds wrong with a command (a block that was given back, an access outside) fails
///   the submission at that command. What the GPU finds wrong is known when the event is looked at; the
///   fault then names the commands that ran, and the GPU is lost to all its devices.
/// - Bytes of a download reach their host buffer when the event is looked at, but for the first ones of a long transfer, whose
///   last pieces alone are under way when `submit` returns (see `transfer`). Others wait for the lock meanwhile.
/// - Where plans that repeat are launched as graphs, what is submitted from `begin` to `end` is held back
///   in a batch (see `batch`), and launched as a whole: at the end, or when somebody waits for a part of
///   it, or when there is no memory left. Its tickets are reached together.
/// - All events that a submission waits for are of devices of the same group.
/// - A stream waits for an event only if nothing that it waited for before is behind that event.
/// - Memory goes back on a queue that is behind all uses of it, or, where there is none, on a stream that
///   waits for the uses. A device alone keeps small blocks for what comes later on such a queue; where work is
///   held back, all are kept.
struct CudaDevice {
    shared: Arc<Shared>,
    index: usize,
}

impl CudaDevice {
    fn group(&self) -> &Group {
        &self.shared.group
    }

    fn own(&self) -> &Logical {
        &self.group().devices[self.index]
    }

    /// Queues a submission on the queue's stream.
    fn submit_to_stream(
        &self,
        queue: Queue,
        after: &[Event],
        work: &[Command],
    ) -> Result<u64, Fault> {
        let own = self.own();
        let timeline = own.timeline(queue)?;
        let waits = self.group().waits(after)?;
        let (mut rest, mut apart) = (None, None);
        if let Some(peer) = self.fetched_from(work) {
            // The stream that fetches waits for what that device does, and the queue's for the stream that fetches.
            let of_peer =
                self.group().waits(after.iter().filter(|event| event.device == peer.id))?;
            rest = Some(waits.unknown_to(&peer.fetch.known_behind(&of_peer)));
            apart = Some(of_peer);
        }
        let at_once = rest.as_ref().unwrap_or(&waits);
        own.context().bind().map_err(|e| e.execution())?;
        timeline.submit((at_once, &waits), |stream, known, submission| {
            self.run_all(Route::Stream(stream), (known, apart), submission, work)
        })
    }

    /// The device out of reach from which work begins with a copy.
    fn fetched_from(&self, work: &[Command]) -> Option<&Logical> {
        let Some(Command::Copy { from, .. }) = work.first() else { return None };
        let peer = self.group().device(from.block.device).ok()?;
        self.group().is_fetched(from, peer, self.own()).then_some(peer)
    }

    /// Adds a submission to the batch.
    fn submit_to_batch(
        &self,
        launcher: &mut Launcher,
        queue: Queue,
        after: &[Event],
        work: &[Command],
    ) -> Result<u64, Fault> {
        let own = self.own();
        own.timeline(queue)?;
        launcher.follow(self.group(), (own.id, queue), after)?;
        let route = Route::Batch(RefCell::new(&mut *launcher), (own.id, queue));
        let known = Clock::default();
        let (mut submission, _) = self.run_all(route, (&known, None), Submission::default(), work);
        launcher.close(self.group(), (own.id, queue), &mut submission)
    }

    /// Queues commands up to the first that the host finds wrong; gives what the stream is behind by way of other streams then. With
    /// `apart` the first command is a copy that fetches, and has to wait for these.
    fn run_all<'r>(
        &'r self,
        route: Route<'r>,
        (known, apart): (&'r Clock, Option<Waits>),
        submission: Submission,
        work: &[Command],
    ) -> (Submission, Clock) {
        let (group, own, direct) = (self.group(), self.own(), None);
        let learned = Clock::default();
        let mut run = Run { group, own, route, direct, known, apart, learned, submission };
        for (number, command) in work.iter().enumerate() {
            run.submission.describe(command);
            if let Err(fault) = self.run(&mut run, command) {
                run.submission.fault = Some(CommandFault { command: number as u32, fault });
                break;
            }
            debug_assert!(run.apart.is_none(), "a copy from a device that is apart fetches");
        }
        (run.submission, run.learned)
    }

    /// Queues one command.
    fn run(&self, run: &mut Run<'_>, command: &Command) -> Result<(), Fault> {
        match command {
            Command::Launch { code, args } => run.launch(*code, args),
            Command::Builtin { name, args } => run.builtin(name, args),
            Command::Task(call) => run.task(call),
            Command::Copy { from, to } => run.copy(from, to),
            Command::Upload { from, to } => run.upload(from.bytes(), to),
            Command::Download { from, to, at } => run.download(from, to, *at),
        }
    }
}

impl Device for CudaDevice {
    fn describe(&self) -> &Describe {
        &self.own().describe
    }

    fn compile(&self, kernel: &Kernel) -> Result<Code, Fault> {
        self.own().codes.hold(kernel, || Compiled::new(kernel, self.group().math))
    }

    fn forget(&self, code: Code) {
        // Submissions in flight keep what they launched.
        self.own().codes.forget(code);
    }

    fn allocate(&self, queue: Queue, bytes: u64) -> Result<Block, Fault> {
        let own = self.own();
        let timeline = own.timeline(queue)?;
        let since = Event { device: own.id, queue, ticket: timeline.last() };
        if self.shared.keeps_blocks()
            && let Some(block) = own.memory.again(bytes, since)?
        {
            return Ok(block);
        }
        let launcher = self.shared.launcher();
        if launcher.as_ref().is_none_or(|launcher| !launcher.is_open()) {
            own.context().bind().map_err(|e| e.execution())?;
        }
        let Some(mut launcher) = launcher else {
            own.give_back(own.memory.surplus(SPARES, bytes));
            let stream = timeline.ordered().map_err(|e| e.execution())?;
            let trim = || self.group().give_up(own.context().card.ordinal);
            return own.memory.allocate(bytes, since, stream, trim);
        };
        own.memory.admit(bytes)?;
        match launcher.memory(self.group(), own, (own.id, queue), bytes) {
            Ok(address) => Ok(own.memory.enter(address, bytes, since)),
            Err(error) if error.is_out_of_memory() => Err(own.memory.full(bytes)),
            Err(error) => Err(error.execution()),
        }
    }

    fn release(&self, queue: Queue, block: Block, after: &[Event]) {
        let own = self.own();
        let Ok(timeline) = own.timeline(queue) else { return };
        if let Some(mut launcher) = self.shared.launcher() {
            // As below.
            if after.iter().all(|event| self.group().timeline(*event).is_ok()) {
                let last = Event { device: own.id, queue, ticket: timeline.last() };
                launcher.release(own, last, block, after);
            }
            return;
        }
        // A block that is used by nobody knows whom is kept.
        let Ok(waits) = self.group().waits(after) else { return };
        let queues = (0..own.describe.queues).map(Queue).filter(|other| *other != queue);
        let mut queues = std::iter::once(queue).chain(queues);
        let knows =
            |queue: &Queue| own.timeline(*queue).is_ok_and(|timeline| timeline.is_behind(&waits));
        if let Some(queue) = queues.find(knows) {
            let Some(Located { address, bytes, .. }) = own.memory.leave(block) else { return };
            let (queue, after) = ((own.id, queue), SmallVec::new());
            let spare = Spare { address, bytes, queue, after, point: None };
            own.give_back(match bytes <= SMALL && self.shared.keeps_small() {
                true => own.memory.keep(spare, SPARES),
                false => vec![spare],
            });
            return;
        }
        let _ = own.context().bind();
        if own.reclaim.follow(&waits).is_err() {
            // Nothing may run on memory that is given back: wait here, if the device can.
            waits.block();
        }
        own.memory.release(block, own.reclaim.stream());
    }

    fn submit(&self, queue: Queue, after: &[Event], work: &[Command]) -> Result<Event, Fault> {
        let own = self.own();
        let mut launcher = self.shared.launcher();
        let ticket = match launcher.as_deref_mut().filter(|launcher| launcher.is_open()) {
            Some(launcher) => self.submit_to_batch(launcher, queue, after, work)?,
            None => self.submit_to_stream(queue, after, work)?,
        };
        Ok(Event { device: own.id, queue, ticket })
    }

    fn poll(&self, event: Event) -> Poll<Result<(), CommandFault>> {
        let own = self.own();
        let Ok(timeline) = self.group().timeline(event) else { return Poll::Ready(unknown(event)) };
        if let Some(outcome) = timeline.outcome(event.ticket) {
            return Poll::Ready(outcome);
        }
        if self.shared.launcher().is_some_and(|launcher| launcher.holds(event)) {
            return Poll::Pending;
        }
        let _ = own.context().bind();
        timeline.poll(event.ticket)
    }

    fn known(&self, event: Event) -> Poll<Result<(), CommandFault>> {
        let Ok(timeline) = self.group().timeline(event) else { return Poll::Ready(unknown(event)) };
        timeline.outcome(event.ticket).map_or(Poll::Pending, Poll::Ready)
    }

    fn wait(&self, event: Event) -> Result<(), CommandFault> {
        let own = self.own();
        let Ok(timeline) = self.group().timeline(event) else { return unknown(event) };
        if let Some(mut launcher) = self.shared.launcher()
            && launcher.holds(event)
        {
            launcher.queue(self.group());
        }
        let _ = own.context().bind();
        timeline.wait(event.ticket)
    }

    fn begin(&self, plan: u64) -> bool {
        let Some(mut launcher) = self.shared.launcher() else { return false };
        launcher.begin(plan);
        true
    }

    fn end(&self) {
        if let Some(mut launcher) = self.shared.launcher() {
            launcher.end(self.group());
        }
    }

    fn enter(&self) {
        driver::enter();
    }

    fn leave(&self) {
        driver::leave();
    }

    fn is_apart(&self) -> bool {
        true
    }

    fn settle(&self) {
        let mut launcher = self.shared.launcher();
        if let Some(launcher) = &mut launcher {
            launcher.settle(self.group());
        }
        self.group().settle(self.own().context().card.ordinal);
    }

    fn stats(&self) -> DeviceStats {
        let own = self.own();
        let launcher = self.shared.launcher().filter(|_| self.index == 0);
        let mut stats = DeviceStats {
            launches: own.launches.load(Ordering::Relaxed),
            builtins: own.builtins.load(Ordering::Relaxed),
            products: ProductStats {
                library: own.library_products.load(Ordering::Relaxed),
                refused: own.refused_products.load(Ordering::Relaxed),
            },
            faults: own.timelines().iter().map(|timeline| timeline.faults()).sum(),
            graphs: launcher.map_or(GraphStats::default(), |launcher| launcher.stats()),
            ..DeviceStats::default()
        };
        own.codes.count(&mut stats);
        let _ = own.context().bind();
        own.memory.count(&mut stats);
        stats
    }
}

fn unknown(event: Event) -> Result<(), CommandFault> {
    let fault = Fault::Execution(format!("{event:?} is not of this group of CUDA devices"));
    Err(CommandFault { command: 0, fault })
}

/// A panic while a lock was held leaves nothing half-done that matters here.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
