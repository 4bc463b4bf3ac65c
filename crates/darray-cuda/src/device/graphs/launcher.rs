//! Launches the work of plans that repeat as a whole.

use super::batch::{Batch, Lane, Node};
use super::operation::Operation;
use super::recordings::Recordings;
use crate::device::group::Group;
use crate::device::state::clock::{Clock, Wait};
use crate::device::state::logical::Logical;
use crate::device::state::memory::{Located, Spare};
use crate::device::state::submission::Submission;
use crate::driver::{Context, Event, Stream};
use crate::error::CudaError;
use darray_device::{Block, DeviceId, Event as Ticket, Fault, GraphStats, Queue};
use std::sync::Arc;

/// Nodes of a graph at most; more work of a plan makes further graphs.
const NODES: usize = 4096;
/// Pieces of memory that a device keeps for later, at most.
pub(in crate::device) const SPARES: usize = 256;

/// What the devices of a group share to hold work back.
///
/// Rules: every batch runs on one stream, so batches come one behind the other. A queue's own stream waits
/// for the last batch when it is next used, and a batch for the streams of its queues that were used since.
/// In a loop that only repeats, a batch therefore costs one launch and one event. For the clocks of
/// streams a batch is one submission to all of its queues: its event stands for the last ticket of each,
/// and for a ticket of the batches' own, since a batch may hold a part of a submission only.
pub(in crate::device) struct Launcher {
    context: Arc<Context>,
    stream: Stream,
    /// What the stream is behind.
    known: Clock,
    /// Of the batches among the queues of the group, and how many there were.
    place: usize,
    batches: u64,
    /// Events behind batches; those that nobody else holds are free.
    events: Vec<Arc<Event>>,
    open: Option<Open>,
    recordings: Recordings,
}

/// The work of a plan, as far as it is held back.
struct Open {
    plan: u64,
    /// How many batches of the plan have been queued.
    part: u32,
    batch: Batch,
    /// The queue on whose stream programs' own tasks queued work since the last batch: only one can have.
    apart: Option<(DeviceId, Queue)>,
    /// Why nodes were not launched whose submission has no ticket yet: it fails.
    lost: Option<CudaError>,
}

impl Launcher {
    /// The context is bound; `place` is behind those of the queues.
    pub fn new(context: &Arc<Context>, place: usize) -> Result<Launcher, CudaError> {
        Ok(Launcher {
            context: context.clone(),
            stream: Stream::new(context)?,
            known: Clock::default(),
            place,
            batches: 0,
            events: Vec::new(),
            open: None,
            recordings: Recordings::default(),
        })
    }

    /// Counters.
    pub fn stats(&self) -> GraphStats {
        self.recordings.stats
    }

    /// Holds back what follows, as work of a plan, unless work is held back already.
    pub fn begin(&mut self, plan: u64) {
        self.open.get_or_insert_with(|| Open {
            plan,
            part: 0,
            batch: Batch::default(),
            apart: None,
            lost: None,
        });
    }

    /// Queues what was held back, and holds nothing back any more.
    pub fn end(&mut self, group: &Group) {
        if self.open.is_none() {
            return;
        }
        self.queue(group);
        self.open = None;
        for device in &group.devices {
            self.give_back(group, device, device.memory.surplus(SPARES, 0));
        }
    }

    /// Whether work is held back.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether the work of a ticket is held back.
    pub fn holds(&self, ticket: Ticket) -> bool {
        self.open.as_ref().is_some_and(|open| open.batch.holds(ticket))
    }

    /// What comes next on a queue comes behind these tickets. Without a batch that is said of the
    /// queue's stream, whose context is bound.
    pub fn follow(
        &mut self,
        group: &Group,
        queue: (DeviceId, Queue),
        after: &[Ticket],
    ) -> Result<(), Fault> {
        let Some(open) = &mut self.open else {
            let waits = group.waits(after)?;
            let timeline = group.device(queue.0)?.timeline(queue.1)?;
            return timeline.follow(&waits).map_err(CudaError::execution);
        };
        let lane = open.batch.lane(queue.0, queue.1);
        for &ticket in after.iter().filter(|t| (t.device, t.queue) != queue) {
            if open.batch.holds(ticket) {
                open.batch.follow(lane, ticket);
            } else {
                open.batch.waits.extend(group.timeline(ticket)?.ticket(ticket.ticket)?);
            }
        }
        Ok(())
    }

    /// Appends a node to the open batch.
    pub fn push(&mut self, (id, queue): (DeviceId, Queue), device: &Logical, operation: Operation) {
        if let Some(open) = &mut self.open {
            let lane = open.batch.lane(id, queue);
            open.batch.push(lane, device.index, operation);
        }
    }

    /// The stream of a queue, behind all that its next submission comes behind, for a program that queues
    /// work there as part of that submission. What is held back is launched, unless the stream need not wait
    /// for it. The device's context is bound then.
    pub fn stream<'d>(
        &mut self,
        group: &Group,
        device: &'d Logical,
        queue: (DeviceId, Queue),
    ) -> Result<&'d Stream, CudaError> {
        self.recordings.stats.apart += 1;
        let unknown = |fault: Fault| CudaError::Unsupported(fault.to_string());
        let timeline = device.timeline(queue.1).map_err(unknown)?;
        if let Some(open) = &self.open {
            let alone = open.apart.is_none_or(|other| other == queue);
            if !(alone && open.batch.nodes.is_empty()) {
                self.try_queue(group)?;
            }
        }
        device.context().bind()?;
        if let Some(open) = &mut self.open {
            if !(open.apart == Some(queue) && open.batch.waits.is_empty()) {
                timeline.follow(&open.batch.waits)?;
                // The next batch comes behind the stream.
                open.batch.lane(queue.0, queue.1);
                open.apart = Some(queue);
            }
            return Ok(timeline.stream());
        }
        timeline.ordered()
    }

    /// Ends a submission to the open batch and gives its ticket.
    pub fn close(
        &mut self,
        group: &Group,
        (device, queue): (DeviceId, Queue),
        submission: &mut Submission,
    ) -> Result<u64, Fault> {
        let ticket = group.device(device)?.timeline(queue)?.issue();
        let mut fault = submission.fault.take();
        if let Some(open) = &mut self.open {
            fault = fault.or(open.lost.take().map(|error| submission.failure(&error)));
            let lane = open.batch.lane(device, queue);
            open.batch.close(lane, ticket, submission, fault);
            if open.batch.nodes.len() >= NODES {
                self.queue(group);
            }
        }
        Ok(ticket)
    }

    /// Memory of a device for what is queued later on `queue`.
    pub fn memory(
        &mut self,
        group: &Group,
        device: &Logical,
        queue: (DeviceId, Queue),
        bytes: u64,
    ) -> Result<u64, CudaError> {
        if let Some(spare) = device.memory.reuse(bytes, queue) {
            if spare.queue == queue && spare.after.is_empty() {
                return Ok(spare.address);
            }
            let Err(fault) = self.follow(group, queue, &spare.before(queue)) else {
                return Ok(spare.address);
            };
            device.memory.spare(spare);
            return Err(CudaError::Unsupported(fault.to_string()));
        }
        // While a batch is open, what it has given back is not to be counted.
        let count = if self.open.is_some() { usize::MAX } else { SPARES };
        let surplus = device.memory.surplus(count, bytes);
        if !surplus.is_empty() {
            self.queue(group);
            self.give_back(group, device, surplus);
        }
        self.fresh(device, queue, bytes).or_else(|error| {
            if !error.is_out_of_memory() {
                return Err(error);
            }
            self.queue(group);
            for other in &group.devices {
                self.give_back(group, other, other.memory.surplus(0, 0));
            }
            group.trim(device.context().card.ordinal);
            self.fresh(device, queue, bytes)
        })
    }

    /// Memory from the device's pool: on the queue's stream, or on one of the device's own.
    fn fresh(
        &mut self,
        device: &Logical,
        (id, queue): (DeviceId, Queue),
        bytes: u64,
    ) -> Result<u64, CudaError> {
        let queue = if id == device.id { queue } else { Queue(0) };
        let unknown = |fault: Fault| CudaError::Unsupported(fault.to_string());
        let timeline = device.timeline(queue).map_err(unknown)?;
        if let Some(open) = &mut self.open {
            // The batch comes behind the allocation.
            open.batch.lane(device.id, queue);
        }
        device.context().bind()?;
        device.memory.pool().allocate(bytes, timeline.ordered()?)
    }

    /// Keeps a block's memory for what comes behind these events and behind what was submitted to its
    /// queue so far, up to `last`.
    pub fn release(&mut self, device: &Logical, last: Ticket, block: Block, after: &[Ticket]) {
        let queue = (last.device, last.queue);
        let others = after.iter().copied().filter(|t| (t.device, t.queue) != queue).collect();
        device.memory.retire(block, |Located { address, bytes, since }| {
            // Without a use in between, the allocation may lie behind the last event.
            let used = (since.device, since.queue) != queue || last.ticket > since.ticket;
            Spare { address, bytes, queue, after: others, point: used.then_some(last) }
        });
    }

    /// Gives memory back to its device, behind what used it, which has been queued.
    fn give_back(&self, group: &Group, device: &Logical, spares: Vec<Spare>) {
        for Spare { address, queue, after, .. } in spares {
            let own = group.device(queue.0).and_then(|d| d.timeline(queue.1));
            let (Ok(timeline), Ok(waits)) = (own, group.waits(&after)) else { continue };
            let _ = device.context().bind();
            // A stream that cannot wait for the batch is waited for with it.
            if timeline.ordered().is_err() {
                let _ = self.stream.synchronize();
            }
            let mut stream = timeline.stream();
            if queue.0 != device.id || !waits.are_known_to(&timeline.known()) {
                let joined = device.reclaim.join(timeline);
                if joined.and_then(|()| device.reclaim.follow(&waits)).is_err() {
                    // Nothing may run on memory that is given back: wait here, if the device can.
                    waits.block();
                    let _ = stream.synchronize();
                }
                stream = device.reclaim.stream();
            }
            device.memory.give_back(address, stream);
        }
    }

    /// Queues what is held back, and waits until all batches have run.
    pub fn settle(&mut self, group: &Group) {
        self.queue(group);
        let _ = self.context.bind();
        let _ = self.stream.synchronize();
    }

    /// Queues what is held back. What follows makes another batch. If that fails, its tickets say so.
    pub fn queue(&mut self, group: &Group) {
        let _ = self.try_queue(group);
    }

    /// As [`queue`](Self::queue), for those of whose work a part is held back that has no ticket yet.
    fn try_queue(&mut self, group: &Group) -> Result<(), CudaError> {
        let Some(open) = self.open.as_mut().filter(|open| !open.batch.is_empty()) else {
            return Ok(());
        };
        let mut batch = std::mem::take(&mut open.batch);
        open.apart = None;
        let key = (open.plan, open.part);
        open.part += 1;
        let end = self.launch(group, key, &mut batch);
        if let Err(error) = &end {
            if let Some(open) = self.open.as_mut().filter(|_| batch.unfinished) {
                open.lost = Some(error.clone());
            }
            // Part of it may run.
            let _ = self.stream.synchronize();
            group.devices.iter().for_each(|device| drop(device.fetch.stream().synchronize()));
            // So may what was queued before it.
            let own = |lane: &Lane| {
                group.device(lane.device).and_then(|device| device.timeline(lane.queue)).ok()
            };
            let own = batch.lanes.iter().filter_map(own);
            own.for_each(|timeline| drop(timeline.stream().synchronize()));
        }
        let last = |lane: &Lane| {
            let timeline = group.device(lane.device).and_then(|d| d.timeline(lane.queue)).ok()?;
            (lane.tickets() > 0).then(|| (timeline.place(), timeline.last()))
        };
        if end.is_ok() {
            self.batches += 1;
            self.known.add(self.place, self.batches);
            let tickets = batch.lanes.iter().filter_map(last);
            tickets.for_each(|(place, ticket)| self.known.add(place, ticket));
        }
        let end = end.map(|event| Wait { event, clock: self.known.clone() });
        for mut lane in batch.lanes {
            let timeline = group.device(lane.device).and_then(|d| d.timeline(lane.queue));
            let Ok(timeline) = timeline else { continue };
            if let Err(error) = &end {
                lane.fail(error);
            }
            let (tickets, end) = (lane.tickets(), end.as_ref().ok().cloned());
            timeline.fly(tickets, end, lane.submission, lane.faults);
        }
        end.map(drop)
    }

    /// Launches a batch and gives the event behind it.
    fn launch(
        &mut self,
        group: &Group,
        key: (u64, u32),
        batch: &mut Batch,
    ) -> Result<Arc<Event>, CudaError> {
        let unknown = |fault: Fault| CudaError::Unsupported(fault.to_string());
        for lane in &batch.lanes {
            let timeline = group.device(lane.device).and_then(|d| d.timeline(lane.queue));
            timeline.map_err(unknown)?.fork(&self.stream, &mut self.known)?;
        }
        self.context.bind()?;
        batch.waits.queue(&self.stream, &mut self.known)?;
        let event = self.event()?;
        if !batch.nodes.is_empty() {
            self.run(group, key, batch)?;
        }
        self.stream.record(&event)?;
        Ok(event)
    }

    /// Queues the nodes of a batch: as a graph, or one by one where none can be made, or launched for want of memory.
    fn run(&mut self, group: &Group, key: (u64, u32), batch: &mut Batch) -> Result<(), CudaError> {
        let (stream, context, before) = (&self.stream, &self.context, self.recordings.stats);
        let prepared =
            self.recordings.prepare(key, &mut batch.nodes, &group.devices, &self.context);
        let queued = match prepared {
            Ok((executable, nodes)) => {
                let launched = executable.launch(stream).or_else(|error| {
                    if !error.is_out_of_memory() {
                        return Err(error);
                    }
                    make_room(stream, group, batch);
                    context.bind()?;
                    executable.launch(stream)
                });
                match launched {
                    Err(error) if error.is_out_of_memory() => one_by_one(stream, group, nodes),
                    result => return result,
                }
            }
            Err(_) => one_by_one(stream, group, &batch.nodes),
        };
        self.recordings.stats = GraphStats { single: before.single + 1, ..before };
        queued
    }

    /// An event that nobody uses.
    fn event(&mut self) -> Result<Arc<Event>, CudaError> {
        if let Some(free) = self.events.iter().find(|event| Arc::strong_count(event) == 1) {
            return Ok(free.clone());
        }
        let event = Arc::new(Event::new(&self.context)?);
        self.events.push(event.clone());
        Ok(event)
    }
}

/// Waits for all work before a batch, which is to run on `stream`, and gives the GPUs what is kept for reuse, but for
/// what the batch may use.
fn make_room(stream: &Stream, group: &Group, batch: &Batch) {
    let _ = stream.synchronize();
    group.devices.iter().for_each(Logical::settle);
    for device in &group.devices {
        let spares = device.memory.take_spares(|spare| !batch.may_use(spare));
        let _ = device.context().bind();
        let reclaim = device.reclaim.stream();
        spares.iter().for_each(|spare| device.memory.give_back(spare.address, reclaim));
        let _ = reclaim.synchronize();
        group.trim(device.context().card.ordinal);
    }
}

/// Queues nodes without a graph, each behind the one before, and all of them on `stream` as far as others see it.
fn one_by_one(stream: &Stream, group: &Group, nodes: &[Node]) -> Result<(), CudaError> {
    let mut before = stream;
    for node in nodes {
        let own = group.devices[node.device].fetch.stream();
        if !std::ptr::eq(own, before) {
            own.follow(before)?;
            before = own;
        }
        // SAFETY: as for a node of a graph.
        unsafe { node.operation.queue(own)? };
    }
    stream.follow(before)
}

impl Drop for Launcher {
    /// Waits for what runs.
    fn drop(&mut self) {
        let _ = self.context.bind();
        let _ = self.stream.synchronize();
    }
}
