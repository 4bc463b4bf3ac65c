//! What every part of the executor uses: allocation, submission, and the failures of work in flight.

use crate::codes::{CodeTable, KernelCodes};
use crate::device_set::{COMPUTE, DeviceSet};
use crate::fault::{CurrentOrigin, Pending, StepFault};
use crate::history::{Events, History};
use crate::idle_blocks::IdleBlocks;
use crate::instance::{Instance, Replica, Valid};
use crate::mapper::Mapper;
use crate::point_calls::PointCalls;
use crate::poison::{Poison, Versions};
use crate::recorder::Stats;
use crate::residents::Residents;
use crate::store::Store;
use darray_core::{DType, Error, Shape};
use darray_device::{
    Arg, Block, Code, Command, CommandFault, DeviceId, Event, Fault, Queue, TaskDefinition,
};
use darray_kernel::ir::Kernel;
use smallvec::SmallVec;
use std::sync::Arc;
use std::task::Poll;

/// The executing half of a runtime; used under the runtime's lock.
pub(crate) struct Engine {
    pub(crate) devices: Arc<DeviceSet>,
    pub(crate) mapper: Mapper,
    pub(crate) counters: Stats,
    /// In order of submission.
    pub(crate) pending: Vec<Pending>,
    /// How many there are when they are looked at though nobody reads.
    harvest_at: usize,
    /// Whether any store was ever poisoned: until then nobody looks.
    pub(crate) poisoned: bool,
    /// Versions that failed updates are to leave.
    pub(crate) versions: Versions,
    /// The first failure since the last `sync`.
    pub(crate) first_error: Option<Error>,
    /// The task that is being carried out, for failures of its copies.
    pub(crate) origin: CurrentOrigin,
    /// Whether replicas can go elsewhere for want of memory.
    pub(crate) tracks: bool,
    /// For eviction; kept only where there is something to gain.
    pub(crate) residents: Residents,
    /// Stores that the running step uses and that eviction leaves alone.
    pub(crate) protected: SmallVec<[u64; 8]>,
    pub(crate) codes: CodeTable,
    /// Memory of what ended in this window.
    pub(crate) idle: IdleBlocks,
    /// A small block per device, for buffers of which nothing is read.
    spare: Vec<Option<Block>>,
    /// The calls of opaque tasks of the plan that is being carried out.
    pub(crate) calls: PointCalls,
    /// Of opaque tasks of the window that is being carried out, by number.
    pub(crate) definitions: Vec<Arc<TaskDefinition>>,
    /// What calls that do not run call.
    pub(crate) nothing: Arc<TaskDefinition>,
    /// Whether a store has become one of too many parts.
    pub(crate) has_many_parts: bool,
    /// Memory for the arguments of the next launch.
    pub(crate) args: Vec<Arg>,
}

/// Work in flight that may stay without a look.
const FEW: usize = 1024;

impl Engine {
    pub(crate) fn new(devices: Arc<DeviceSet>, mapper: Mapper) -> Engine {
        let spare = vec![None; devices.len()];
        let tracks = devices.len() > 1 || devices.iter().any(|device| device.is_apart());
        Engine {
            codes: CodeTable::new(&devices),
            devices,
            mapper,
            counters: Stats::default(),
            pending: Vec::new(),
            harvest_at: FEW,
            poisoned: false,
            versions: Versions::default(),
            first_error: None,
            origin: CurrentOrigin::default(),
            tracks,
            residents: Residents::new(),
            protected: SmallVec::new(),
            idle: IdleBlocks::default(),
            spare,
            calls: PointCalls::default(),
            definitions: Vec::new(),
            nothing: Arc::new(TaskDefinition::new("nothing")),
            has_many_parts: false,
            args: Vec::new(),
        }
    }

    /// A block for `shape` elements of an array; evicts before it gives up.
    pub(crate) fn allocate(
        &mut self,
        device: usize,
        queue: Queue,
        shape: &Shape,
        dtype: DType,
    ) -> Result<(Block, History), StepFault> {
        let block = self.allocate_block(device, queue, shape, dtype)?;
        let number = self.devices.allocated(device, queue);
        Ok((block, History::new(DeviceId(device as u16), queue, number)))
    }

    fn allocate_block(
        &mut self,
        device: usize,
        queue: Queue,
        shape: &Shape,
        dtype: DType,
    ) -> Result<Block, StepFault> {
        let bytes = (shape.size() * dtype.size()).max(1) as u64;
        if let Some(block) = self.idle.take(device, bytes) {
            return Ok(block);
        }
        self.idle.give_back(&self.devices, device);
        let allocated = self.devices.device(device).allocate(queue, bytes);
        allocated.or_else(|fault| self.insist(fault, (device, queue), shape, dtype))
    }

    /// Asks again for memory, after a fault.
    #[cold]
    fn insist(
        &mut self,
        fault: Fault,
        (device, queue): (usize, Queue),
        shape: &Shape,
        dtype: DType,
    ) -> Result<Block, StepFault> {
        let bytes = (shape.size() * dtype.size()).max(1) as u64;
        let devices = self.devices.clone();
        let target = devices.device(device);
        let again = match fault {
            Fault::OutOfMemory { .. } => self.make_room(device, queue, bytes),
            _ => target.allocate(queue, bytes),
        };
        again.map_err(|fault| {
            let live = self.live(device);
            StepFault::new(fault, &target.describe().name, (shape, dtype), live)
        })
    }

    /// Gives the memory of what has ended back to its device, or to the next array of its size.
    #[inline]
    pub(crate) fn release(&mut self, instance: &Instance) {
        if !self.idle.put(&self.devices, instance.block) {
            self.devices.release_block(instance.block, &instance.history);
        }
    }

    /// Whether every step is one launch over whole stores, on one device.
    #[inline]
    pub(crate) fn is_whole(&self) -> bool {
        self.devices.len() == 1 && self.mapper.is_one()
    }

    /// For a step that [`is_whole`](Self::is_whole): memory for a store, which is there as a whole or, where the step
    /// writes it, may be overwritten. Of what is written, [it is known](WholeBlock::is_known) then.
    #[inline]
    pub(crate) fn make_whole(&mut self, store: &Arc<Store>, writes: bool) -> Result<(), StepFault> {
        let whole = store.whole();
        if whole.is_alone() || whole.is_known() && (self.devices.is_one() || !writes) {
            return Ok(());
        }
        if !writes || !whole.is_nothing() {
            return self.find_whole(store, writes);
        }
        let block = self.allocate_block(0, COMPUTE, store.shape(), store.dtype())?;
        whole.set_alone(block, self.devices.allocated(0, COMPUTE));
        self.resides(store);
        Ok(())
    }

    /// As [`make_whole`](Self::make_whole), by a look at the replicas.
    fn find_whole(&mut self, store: &Arc<Store>, writes: bool) -> Result<(), StepFault> {
        if !writes && store.whole_block().is_some() {
            return Ok(());
        }
        let mut replicas = store.replicas();
        let block = match &replicas[0].instance {
            Some(instance) => instance.block,
            None => {
                let shape = store.shape();
                let (block, history) = self.allocate(0, COMPUTE, shape, store.dtype())?;
                self.resides(store);
                // The only device gives every store its whole rectangle at once.
                replicas[0].instance = Some(Instance::whole(block, shape, history));
                block
            }
        };
        if writes {
            self.overwritten(store, &mut replicas);
            drop(replicas);
            store.whole().set_seen(block);
        }
        Ok(())
    }

    /// Notes that a step that [`is_whole`](Self::is_whole) writes a store. What is to be overwritten is read by
    /// nobody before: if the step fails, it carries the failure.
    #[inline]
    pub(crate) fn overwritten(&self, store: &Store, replicas: &mut [Replica]) {
        replicas[0].valid = Valid::Whole;
        if self.tracks {
            store.staged().clear();
        }
    }

    /// A block of which nothing is read or written.
    pub(crate) fn spare(&mut self, device: usize) -> Result<Block, StepFault> {
        if let Some(block) = self.spare[device] {
            return Ok(block);
        }
        let shape = Shape::new(&[64]);
        let (block, _) = self.allocate(device, COMPUTE, &shape, DType::MASK)?;
        self.spare[device] = Some(block);
        Ok(block)
    }

    /// The code of a kernel on a device, compiled on first use.
    pub(crate) fn code(
        &mut self,
        device: usize,
        kernel: &Kernel,
        codes: &KernelCodes,
    ) -> Result<Code, StepFault> {
        if let Some(code) = codes.get(device) {
            return Ok(code);
        }
        let code = self
            .devices
            .device(device)
            .compile(kernel)
            .map_err(|fault| StepFault::Compile(fault.to_string()))?;
        self.counters.compiled += 1;
        codes.set(device, code);
        Ok(code)
    }

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
                    let (outputs, inputs) = (cells(outputs), cells(inputs));
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

    /// Keeps these stores from eviction.
    pub(crate) fn protect(&mut self, stores: impl Iterator<Item = u64>) {
        if self.tracks {
            self.protected.extend(stores);
        }
    }

    /// Ends [`protect`](Self::protect).
    pub(crate) fn unprotect(&mut self) {
        self.protected.clear();
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

    /// Notes that a store has an instance.
    pub(crate) fn resides(&mut self, store: &Arc<Store>) {
        if self.tracks {
            self.residents.add(store);
        }
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

impl Drop for Engine {
    fn drop(&mut self) {
        for block in self.spare.iter_mut().filter_map(Option::take) {
            self.devices.device(block.device.0 as usize).release(COMPUTE, block, &[]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RuntimeOptions;
    use crate::Waits;
    use crate::fault::Origin;
    use darray_core::Place;
    use darray_cpu::{CpuDevices, CpuOptions};
    use darray_device::{Describe, Device, DeviceStats};
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
