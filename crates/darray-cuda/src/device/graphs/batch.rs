//! Work that is held back to be launched as a whole: a graph without the driver.

use super::operation::Operation;
use crate::device::state::clock::Waits;
use crate::device::state::memory::Spare;
use crate::device::state::submission::Submission;
use crate::error::CudaError;
use darray_device::{CommandFault, DeviceId, Event, Queue};
use smallvec::SmallVec;

/// Numbers of nodes.
pub(in crate::device) type Nodes = SmallVec<[u32; 4]>;

/// What was submitted since the batch was begun, as nodes.
///
/// Rules: the nodes of a queue come one behind the other, and behind those of the tickets that their
/// submissions name. An edge that others imply is left out. A ticket of a batch is reached when the whole
/// batch has run.
///
/// ```text
/// queue 0:0    n0 ------> n2 ---> n4        ticket 2 of queue 0:0 stands for n2
/// queue 0:1      `-> n1 -> n3 --'           n3 waits for that ticket; n2 -> n4 is implied
/// ```
#[derive(Default)]
pub(in crate::device) struct Batch {
    pub nodes: Vec<Node>,
    pub lanes: Vec<Lane>,
    /// What it comes behind of what was queued before it.
    pub waits: Waits,
    /// Whether the last nodes are of a submission that has no ticket yet.
    pub unfinished: bool,
}

/// An operation of a device.
#[derive(Clone)]
pub(in crate::device) struct Node {
    /// Which device of the group.
    pub device: usize,
    pub operation: Operation,
    /// In rising order.
    pub after: Nodes,
    /// Which queue, and how many nodes of each come before it or are it.
    lane: usize,
    clock: SmallVec<[u32; 4]>,
}

/// A queue that takes part.
pub(in crate::device) struct Lane {
    pub device: DeviceId,
    pub queue: Queue,
    /// What is kept of its submissions.
    pub submission: Submission,
    /// What the host found wrong with some of them.
    pub faults: Vec<(u64, CommandFault)>,
    /// Nodes that its next one comes behind.
    front: Nodes,
    /// Its first ticket, and for each ticket the nodes that it stands for.
    first: u64,
    tickets: Vec<Nodes>,
    nodes: u32,
}

impl Batch {
    /// Whether no queue takes part.
    pub fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    /// The place of a queue, which takes part from now on.
    pub fn lane(&mut self, device: DeviceId, queue: Queue) -> usize {
        if let Some(known) = self.find(device, queue) {
            return known;
        }
        self.lanes.push(Lane {
            device,
            queue,
            submission: Submission::default(),
            faults: Vec::new(),
            front: Nodes::new(),
            first: 0,
            tickets: Vec::new(),
            nodes: 0,
        });
        self.lanes.len() - 1
    }

    /// Whether a ticket was given since the batch was begun.
    pub fn holds(&self, event: Event) -> bool {
        let lane = self.find(event.device, event.queue).map(|lane| &self.lanes[lane]);
        lane.is_some_and(|lane| {
            let given = lane.tickets.len() as u64;
            (lane.first..lane.first + given).contains(&event.ticket)
        })
    }

    /// What comes next on a queue comes behind a ticket of the batch.
    pub fn follow(&mut self, lane: usize, event: Event) {
        let Some(other) = self.find(event.device, event.queue).filter(|other| *other != lane)
        else {
            return;
        };
        let other = &self.lanes[other];
        let before = other.tickets[(event.ticket - other.first) as usize].clone();
        let front = &mut self.lanes[lane].front;
        for node in before {
            if !front.contains(&node) {
                front.push(node);
            }
        }
    }

    /// Appends a node to a queue.
    pub fn push(&mut self, lane: usize, device: usize, operation: Operation) {
        let front = std::mem::take(&mut self.lanes[lane].front);
        let covers = |by: u32, node: u32| {
            let node = &self.nodes[node as usize];
            let clock = &self.nodes[by as usize].clock;
            clock.get(node.lane).is_some_and(|&count| count >= node.clock[node.lane])
        };
        let implied = |node: u32| front.iter().any(|&by| by != node && covers(by, node));
        let mut after: Nodes = front.iter().copied().filter(|&node| !implied(node)).collect();
        after.sort_unstable();
        let mut clock: SmallVec<[u32; 4]> = SmallVec::from_elem(0, self.lanes.len());
        for &before in &after {
            for (own, other) in clock.iter_mut().zip(&self.nodes[before as usize].clock) {
                *own = (*own).max(*other);
            }
        }
        self.lanes[lane].nodes += 1;
        clock[lane] = self.lanes[lane].nodes;
        self.lanes[lane].front.push(self.nodes.len() as u32);
        self.nodes.push(Node { device, operation, after, lane, clock });
        self.unfinished = true;
    }

    /// Ends a submission that has this ticket.
    pub fn close(
        &mut self,
        lane: usize,
        ticket: u64,
        submission: &mut Submission,
        fault: Option<CommandFault>,
    ) {
        self.unfinished = false;
        let lane = &mut self.lanes[lane];
        if lane.tickets.is_empty() {
            lane.first = ticket;
        }
        lane.tickets.push(Nodes::from_slice(&lane.front));
        lane.submission.absorb(ticket, submission);
        lane.faults.extend(fault.map(|fault| (ticket, fault)));
    }

    /// Whether its nodes may use memory that was given back.
    pub fn may_use(&self, spare: &Spare) -> bool {
        spare.point.is_none_or(|point| self.holds(point))
            || spare.after.iter().any(|e| self.holds(*e))
    }

    fn find(&self, device: DeviceId, queue: Queue) -> Option<usize> {
        self.lanes.iter().position(|lane| (lane.device, lane.queue) == (device, queue))
    }
}

impl Lane {
    /// How many tickets were given.
    pub fn tickets(&self) -> u64 {
        self.tickets.len() as u64
    }

    /// None of its submissions has run, or nobody knows.
    pub fn fail(&mut self, error: &CudaError) {
        let failure = self.submission.failure(error);
        for ticket in self.first..self.first + self.tickets() {
            if !self.faults.iter().any(|(known, _)| *known == ticket) {
                self.faults.push((ticket, failure.clone()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::graphs::operation::Place;

    const COMPUTE: (DeviceId, Queue) = (DeviceId(0), Queue(0));
    const COPY: (DeviceId, Queue) = (DeviceId(0), Queue(1));

    /// Submits a copy of `bytes` bytes to a queue behind these tickets.
    fn submit(batch: &mut Batch, queue: (DeviceId, Queue), ticket: u64, after: &[Event]) -> Event {
        let lane = batch.lane(queue.0, queue.1);
        after.iter().for_each(|&event| batch.follow(lane, event));
        let place = Place::host(std::ptr::null_mut());
        batch.push(lane, 0, Operation::Copy { to: place, from: place, bytes: 1 });
        batch.close(lane, ticket, &mut Submission::default(), None);
        Event { device: queue.0, queue: queue.1, ticket }
    }

    fn edges(batch: &Batch) -> Vec<Vec<u32>> {
        batch.nodes.iter().map(|node| node.after.to_vec()).collect()
    }

    #[test]
    fn queues_are_in_order_and_tickets_order_queues() {
        let mut batch = Batch::default();
        let n0 = submit(&mut batch, COMPUTE, 5, &[]);
        submit(&mut batch, COPY, 9, &[]);
        let n2 = submit(&mut batch, COMPUTE, 6, &[]);
        let n3 = submit(&mut batch, COPY, 10, &[n0, n2]);
        submit(&mut batch, COMPUTE, 7, &[n3]);
        // Node 3 comes behind ticket 5 by ticket 6, node 4 behind node 2 by node 3.
        assert_eq!(edges(&batch), [vec![], vec![], vec![0], vec![1, 2], vec![3]]);
        assert!(batch.holds(n0) && batch.holds(n3));
        assert!(!batch.holds(Event { ticket: 4, ..n0 }) && !batch.holds(Event { ticket: 8, ..n0 }));
    }

    #[test]
    fn a_submission_without_commands_hands_on_what_it_comes_behind() {
        let mut batch = Batch::default();
        let n0 = submit(&mut batch, COMPUTE, 1, &[]);
        let far = batch.lane(DeviceId(1), Queue(0));
        batch.follow(far, n0);
        batch.close(far, 1, &mut Submission::default(), None);
        let joined = Event { device: DeviceId(1), queue: Queue(0), ticket: 1 };
        submit(&mut batch, COPY, 1, &[joined]);
        assert_eq!(edges(&batch), [vec![], vec![0]]);
    }
}
