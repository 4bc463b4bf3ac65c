//! Work in flight: it is submitted, looked at later, and where it failed, what it writes carries the failure.

use crate::devices::{COMPUTE, Events};
use crate::engine::{Engine, Origin, StepFault};
use crate::stores::{Poison, Store};
use darray_core::Error;
use darray_device::{Command, CommandFault, DeviceId, Event, Fault, Queue};
use smallvec::SmallVec;
use std::sync::Arc;
use std::task::Poll;

/// Work whose event was not reached when it was submitted.
pub(crate) struct Pending {
    pub(crate) event: Event,
    pub(crate) origin: Arc<Origin>,
    pub(crate) outputs: SmallVec<[Arc<Poison>; 2]>,
    pub(crate) inputs: SmallVec<[Arc<Poison>; 4]>,
}

/// Work in flight that may stay without a look.
pub(super) const FEW: usize = 1024;

impl Engine {
    /// Submits one command. `outputs` are poisoned if it fails later; they inherit the failures of
    /// `inputs` that are still to come.
    pub(crate) fn submit(
        &mut self,
        device: usize,
        queue: Queue,
        after: &Events,
        command: &Command,
        outputs: &[&Arc<Store>],
        inputs: &[&Arc<Store>],
    ) -> Result<Event, StepFault> {
        let submitted = self.submit_looked(device, queue, after, command, outputs, inputs);
        submitted.map(|(event, _)| event)
    }

    /// As [`submit`](Self::submit), and says whether the event has happened.
    pub(crate) fn submit_looked(
        &mut self,
        device: usize,
        queue: Queue,
        after: &Events,
        command: &Command,
        outputs: &[&Arc<Store>],
        inputs: &[&Arc<Store>],
    ) -> Result<(Event, bool), StepFault> {
        let execution = |fault: Fault| StepFault::Execution(fault.to_string());
        let work = std::slice::from_ref(command);
        let event = self.devices.submit(device, queue, after, work).map_err(execution)?;
        let target = self.devices.device(device);
        // What is apart has hardly begun: a look at it would be for nothing.
        let looked = if target.is_apart() { Poll::Pending } else { target.poll(event) };
        match looked {
            // With nothing in flight before it, it can inherit no failure either.
            Poll::Ready(Ok(())) if self.pending.is_empty() => {}
            Poll::Ready(Err(fault)) => return Err(execution(fault.fault)),
            Poll::Ready(Ok(())) | Poll::Pending => {
                if let Some(origin) = self.origin.get() {
                    // A failure that the group does not inherit is none of the work's, either.
                    let is_input = |store: &&&Arc<Store>| !self.passed_over.contains(&store.id());
                    let inputs: SmallVec<[&Arc<Store>; 8]> =
                        inputs.iter().filter(is_input).copied().collect();
                    let (outputs, inputs) = (cells(outputs), cells(&inputs));
                    self.pending.push(Pending { event, origin, outputs, inputs });
                }
            }
        }
        Ok((event, looked.is_ready()))
    }

    /// An event at the end of each queue in use.
    pub(crate) fn ends(&self) -> Vec<Event> {
        let mut ends = Vec::new();
        for number in 0..self.devices.len() {
            let mut queues = vec![COMPUTE, self.devices.copy_queue(number)];
            queues.dedup();
            let end = |queue| self.devices.submit(number, queue, &[], &[]).ok();
            ends.extend(queues.into_iter().filter_map(end));
        }
        ends
    }

    /// Looks at work in flight where it has become much: a loop that reads nothing keeps none of it.
    pub(crate) fn harvest_much(&mut self) {
        if self.pending.len() >= self.harvest_at {
            self.harvest();
            self.harvest_at = FEW.max(2 * self.pending.len());
        }
    }

    /// Looks at work in flight: failures poison what the work writes, and what depends on it.
    pub(crate) fn harvest(&mut self) {
        let polled = self.look();
        if !self.poisoned && polled.iter().all(|polled| *polled == Poll::Ready(Ok(()))) {
            self.pending.clear();
            return;
        }
        let pending = std::mem::take(&mut self.pending);
        for (work, polled) in pending.into_iter().zip(polled.into_iter().rev()) {
            let error = match polled {
                Poll::Pending => {
                    self.pending.push(work);
                    continue;
                }
                Poll::Ready(Err(fault)) => {
                    Some(StepFault::Execution(fault.fault.to_string()).error(&work.origin))
                }
                Poll::Ready(Ok(())) => work.inputs.iter().find_map(|cell| cell.error().cloned()),
            };
            if let Some(error) = error {
                self.failed(&error);
                work.outputs.iter().for_each(|cell| self.fail(cell, &error));
            }
        }
    }

    /// What became of work in flight, the last first: of what has ended in time to be seen, all that it depends on is
    /// seen to have ended. A queue is looked at once, and again only after others were seen to have got further.
    fn look(&self) -> Vec<Poll<Result<(), CommandFault>>> {
        let mut looked: SmallVec<[(DeviceId, Queue); 4]> = SmallVec::new();
        let look = |work: &Pending| {
            let (event, queue) = (work.event, (work.event.device, work.event.queue));
            let device = self.devices.device(event.device.0 as usize);
            let known = looked.contains(&queue);
            let polled = if known { device.known(event) } else { device.poll(event) };
            match polled {
                Poll::Ready(_) => looked.retain(|other| *other == queue),
                Poll::Pending if !known => looked.push(queue),
                Poll::Pending => {}
            }
            polled
        };
        self.pending.iter().rev().map(look).collect()
    }

    /// Poisons a store.
    pub(crate) fn poison(&mut self, store: &Store, error: &Error) {
        self.failed(error);
        self.fail(store.poison_cell(), error);
    }

    /// Notes a failure of what a store holds from now on. What is in flight was submitted before: it does not
    /// inherit the failure, though it may use the store.
    fn fail(&mut self, cell: &Arc<Poison>, error: &Error) {
        if cell.set(error) {
            for earlier in &mut self.pending {
                earlier.inputs.retain(|input| !Arc::ptr_eq(input, cell));
            }
        }
    }

    pub(crate) fn failed(&mut self, error: &Error) {
        self.poisoned = true;
        self.first_error.get_or_insert_with(|| error.clone());
    }
}

/// The cells of stores, for their failures.
fn cells<const N: usize>(stores: &[&Arc<Store>]) -> SmallVec<[Arc<Poison>; N]> {
    let mut cells = SmallVec::new();
    for store in stores {
        cells.push(store.poison_cell().clone());
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devices::{COMPUTE, DeviceSet, Mapper};
    use crate::{RuntimeOptions, Waits};
    use darray_core::Place;
    use darray_cpu::{CpuDevices, CpuOptions};
    use darray_device::{Block, Code, Describe, Device, DeviceStats};
    use darray_kernel::ir::Kernel;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A device on which nothing that was submitted happens, and how often somebody looked.
    struct Stuck(Arc<dyn Device>, AtomicU64);

    impl Device for Stuck {
        fn describe(&self) -> &Describe {
            self.0.describe()
        }
        fn compile(&self, kernel: &Kernel) -> Result<Code, Fault> {
            self.0.compile(kernel)
        }
        fn forget(&self, code: Code) {
            self.0.forget(code);
        }
        fn allocate(&self, queue: Queue, bytes: u64) -> Result<Block, Fault> {
            self.0.allocate(queue, bytes)
        }
        fn release(&self, queue: Queue, block: Block, after: &[Event]) {
            self.0.release(queue, block, after);
        }
        fn submit(&self, queue: Queue, after: &[Event], work: &[Command]) -> Result<Event, Fault> {
            self.0.submit(queue, after, work)
        }
        fn poll(&self, _: Event) -> Poll<Result<(), CommandFault>> {
            self.1.fetch_add(1, Ordering::Relaxed);
            Poll::Pending
        }
        fn known(&self, _: Event) -> Poll<Result<(), CommandFault>> {
            Poll::Pending
        }
        fn wait(&self, event: Event) -> Result<(), CommandFault> {
            self.0.wait(event)
        }
        fn stats(&self) -> DeviceStats {
            self.0.stats()
        }
    }

    #[test]
    fn work_in_flight_is_looked_at_by_queue() {
        let cpus = CpuDevices::new(2, CpuOptions::default()).into_iter();
        let stuck: Vec<_> = cpus.map(|cpu| Arc::new(Stuck(cpu, AtomicU64::new(0)))).collect();
        let devices = stuck.iter().map(|device| device.clone() as Arc<dyn Device>).collect();
        let options = RuntimeOptions::default();
        let mapper = Mapper::new(options.grid(2), 2, options.tree_rule);
        let mut engine = Engine::new(Arc::new(DeviceSet::new(devices, Waits::default())), mapper);
        let (shapes, dtypes) = (SmallVec::new(), SmallVec::new());
        let origin = Origin { operation: "test", place: Place::caller(), shapes, dtypes };
        let origin = Arc::new(origin);
        for number in 0..100 {
            let event = engine.devices.submit(number % 2, COMPUTE, &[], &[]).expect("no fault");
            let (outputs, inputs) = (SmallVec::new(), SmallVec::new());
            engine.pending.push(Pending { event, origin: origin.clone(), outputs, inputs });
        }
        engine.harvest();
        assert_eq!(engine.pending.len(), 100, "all of it is in flight");
        let looks = stuck.iter().map(|device| device.1.load(Ordering::Relaxed));
        assert_eq!(looks.collect::<Vec<_>>(), [1, 1]);
    }
}
