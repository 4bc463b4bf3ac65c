//! Devices that delay commands and run them in any legal order: what a runtime that forgets a wait
//! gets to see.

use darray_device::faults::Faults;
use darray_device::{
    Arg, Block, Code, Command, CommandFault, Describe, Device, DeviceId, DeviceStats, Event, Fault,
    Queue,
};
use darray_kernel::ir::Kernel;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Poll;

/// How the devices misbehave, within the law.
#[derive(Clone, Debug, Default)]
pub struct Adversity {
    /// Fixes every choice of order and delay.
    pub seed: u64,
    /// Submissions with these numbers (counted over all devices from 0; empty ones do not count)
    /// fail when their turn comes.
    pub fail_submissions: Range<u64>,
    /// Allocations with these numbers (counted over all devices from 0) find no room.
    pub fail_allocations: Range<u64>,
}

/// A device over another one, with two queues.
///
/// Rules: the commands of a queue run in order; a submission runs after the events that it names;
/// otherwise any queue of any device may be next, as the seed says. A block is ready when its queue
/// reaches the allocation, and gone when its queue reaches the release; a command that uses it
/// before or after that is a fault. A code is gone once every queue of its device has run what was
/// queued when it was forgotten. Only `submit` and `wait` make anything run.
///
/// ```text
/// queue 0:  allocate b1, kernel k1 -> b1, release b1 (after copy c1)
/// queue 1:  copy c1 <- b1 (after k1)              without the `after`: c1 may run first, and faults
/// ```
pub struct AdversarialDevice {
    id: DeviceId,
    describe: Describe,
    inner: Arc<dyn Device>,
    schedule: Arc<Mutex<Schedule>>,
}

/// What is queued on all devices.
struct Schedule {
    devices: Vec<Arc<dyn Device>>,
    random: u64,
    adversity: Adversity,
    queues: BTreeMap<(u16, u16), Timeline>,
    /// Blocks whose allocation has been reached, by device and handle.
    ready: BTreeSet<(u16, u64)>,
    /// Codes to forget once these have happened.
    forgotten: Vec<(u16, Code, Vec<Event>)>,
    submissions: u64,
    allocations: u64,
}

#[derive(Default)]
struct Timeline {
    work: VecDeque<Work>,
    issued: u64,
    reached: u64,
    faults: Faults,
}

struct Work {
    after: Vec<Event>,
    what: What,
}

enum What {
    Commands { commands: Vec<Command>, fails: bool },
    Allocated(Block),
    Release(Block),
}

impl AdversarialDevice {
    /// One device over each of these, under one schedule.
    pub fn set(devices: Vec<Arc<dyn Device>>, adversity: Adversity) -> Vec<Arc<dyn Device>> {
        let schedule = Arc::new(Mutex::new(Schedule {
            devices: devices.clone(),
            random: adversity.seed.wrapping_mul(2).wrapping_add(1),
            adversity,
            queues: BTreeMap::new(),
            ready: BTreeSet::new(),
            forgotten: Vec::new(),
            submissions: 0,
            allocations: 0,
        }));
        let device = |(id, inner): (usize, Arc<dyn Device>)| {
            let describe = Describe { queues: 2, ..inner.describe().clone() };
            let (id, schedule) = (DeviceId(id as u16), schedule.clone());
            Arc::new(AdversarialDevice { id, describe, inner, schedule }) as Arc<dyn Device>
        };
        devices.into_iter().enumerate().map(device).collect()
    }

    fn schedule(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(|e| e.into_inner())
    }
}

impl Device for AdversarialDevice {
    fn describe(&self) -> &Describe {
        &self.describe
    }

    fn compile(&self, kernel: &Kernel) -> Result<Code, Fault> {
        self.inner.compile(kernel)
    }

    fn forget(&self, code: Code) {
        let mut schedule = self.schedule();
        let own = schedule.queues.iter().filter(|((device, _), _)| *device == self.id.0);
        let ends = own.map(|(&(_, queue), timeline)| Event {
            device: self.id,
            queue: Queue(queue),
            ticket: timeline.issued,
        });
        let after = ends.collect();
        schedule.forgotten.push((self.id.0, code, after));
        schedule.forget();
    }

    fn allocate(&self, queue: Queue, bytes: u64) -> Result<Block, Fault> {
        let mut schedule = self.schedule();
        let number = schedule.allocations;
        schedule.allocations += 1;
        if schedule.adversity.fail_allocations.contains(&number) {
            let (limit, in_use) = (self.describe.memory_limit, self.inner.stats().bytes_in_use);
            return Err(Fault::OutOfMemory { requested: bytes, in_use, limit });
        }
        let block = self.inner.allocate(Queue(0), bytes).or_else(|_| {
            // What is queued may give memory back.
            while schedule.step() {}
            self.inner.allocate(Queue(0), bytes)
        })?;
        let what = What::Allocated(block);
        schedule.timeline(self.id, queue).work.push_back(Work { after: Vec::new(), what });
        Ok(block)
    }

    fn release(&self, queue: Queue, block: Block, after: &[Event]) {
        let (after, what) = (after.to_vec(), What::Release(block));
        self.schedule().timeline(self.id, queue).work.push_back(Work { after, what });
    }

    fn submit(&self, queue: Queue, after: &[Event], work: &[Command]) -> Result<Event, Fault> {
        let mut schedule = self.schedule();
        let number = schedule.submissions;
        schedule.submissions += !work.is_empty() as u64;
        let fails = !work.is_empty() && schedule.adversity.fail_submissions.contains(&number);
        let what = What::Commands { commands: work.to_vec(), fails };
        let timeline = schedule.timeline(self.id, queue);
        timeline.work.push_back(Work { after: after.to_vec(), what });
        timeline.issued += 1;
        let event = Event { device: self.id, queue, ticket: timeline.issued };
        for _ in 0..schedule.next(3) {
            schedule.step();
        }
        Ok(event)
    }

    fn poll(&self, event: Event) -> Poll<Result<(), CommandFault>> {
        self.schedule().hand_on(event).map_or(Poll::Pending, Poll::Ready)
    }

    fn wait(&self, event: Event) -> Result<(), CommandFault> {
        let mut schedule = self.schedule();
        loop {
            if let Some(result) = schedule.hand_on(event) {
                return result;
            }
            if !schedule.step() {
                let fault = Fault::Execution("every queue waits for another one".to_string());
                return Err(CommandFault { command: 0, fault });
            }
        }
    }

    fn enter(&self) {
        self.inner.enter();
    }

    fn leave(&self) {
        self.inner.leave();
    }

    fn is_apart(&self) -> bool {
        self.inner.is_apart()
    }

    fn settle(&self) {
        let mut schedule = self.schedule();
        while schedule.step() {}
    }

    fn stats(&self) -> DeviceStats {
        let schedule = self.schedule();
        let own = schedule.queues.iter().filter(|((device, _), _)| *device == self.id.0);
        let faults = own.map(|(_, timeline)| timeline.faults.len() as u64).sum();
        DeviceStats { faults, ..self.inner.stats() }
    }
}

impl Schedule {
    fn timeline(&mut self, device: DeviceId, queue: Queue) -> &mut Timeline {
        self.queues.entry((device.0, queue.0)).or_default()
    }

    fn has_happened(&self, event: &Event) -> bool {
        let timeline = self.queues.get(&(event.device.0, event.queue.0));
        timeline.is_some_and(|timeline| timeline.reached >= event.ticket)
    }

    /// The outcome of an event that has happened.
    fn hand_on(&mut self, event: Event) -> Option<Result<(), CommandFault>> {
        let happened = self.has_happened(&event);
        happened.then(|| self.timeline(event.device, event.queue).faults.hand_on(&event.ticket))
    }

    /// A number below `n`, by the seed.
    fn next(&mut self, n: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }

    /// Runs the first work of some queue whose waits are over; false if there is none.
    fn step(&mut self) -> bool {
        let ready = |work: &Work| work.after.iter().all(|event| self.has_happened(event));
        let runnable: Vec<(u16, u16)> = self
            .queues
            .iter()
            .filter(|(_, timeline)| timeline.work.front().is_some_and(ready))
            .map(|(key, _)| *key)
            .collect();
        if runnable.is_empty() {
            return false;
        }
        let key = runnable[self.next(runnable.len())];
        let work = self.queues.get_mut(&key).and_then(|t| t.work.pop_front());
        let Some(Work { what, .. }) = work else { return false };
        match what {
            What::Allocated(block) => {
                self.ready.insert((block.device.0, block.handle));
            }
            What::Release(block) => {
                self.ready.remove(&(block.device.0, block.handle));
                self.devices[block.device.0 as usize].release(Queue(0), block, &[]);
            }
            What::Commands { commands, fails } => {
                let result = self.run(key.0, commands, fails);
                let timeline = self.queues.entry(key).or_default();
                timeline.reached += 1;
                if let Err(fault) = result {
                    timeline.faults.add(timeline.reached, fault);
                }
                self.forget();
            }
        }
        true
    }

    /// Forgets the codes whose time has come.
    fn forget(&mut self) {
        let forgotten = std::mem::take(&mut self.forgotten);
        for (device, code, after) in forgotten {
            match after.iter().all(|event| self.has_happened(event)) {
                true => self.devices[device as usize].forget(code),
                false => self.forgotten.push((device, code, after)),
            }
        }
    }

    fn run(&self, device: u16, commands: Vec<Command>, fails: bool) -> Result<(), CommandFault> {
        let fault = |reason: &str, command: u32| {
            Err(CommandFault { command, fault: Fault::Execution(reason.to_string()) })
        };
        if fails {
            return fault("an injected failure", 0);
        }
        for (number, command) in commands.iter().enumerate() {
            let unready = |b: &Block| !self.ready.contains(&(b.device.0, b.handle));
            if blocks(command).iter().any(unready) {
                return fault("a block is used outside of its life", number as u32);
            }
        }
        let inner = &self.devices[device as usize];
        match inner.submit(Queue(0), &[], &commands) {
            Ok(event) => inner.wait(event),
            Err(fault) => Err(CommandFault { command: 0, fault }),
        }
    }
}

/// The blocks that a command uses.
fn blocks(command: &Command) -> Vec<Block> {
    match command {
        Command::Launch { args, .. } | Command::Builtin { args, .. } => {
            let block = |arg: &Arg| match arg {
                Arg::Buffer { block, .. } => Some(*block),
                Arg::Bits(_) => None,
            };
            args.iter().filter_map(block).collect()
        }
        Command::Task(call) => call.arrays.iter().map(|array| array.view().block).collect(),
        Command::Copy { from, to } => vec![from.block, to.block],
        Command::Upload { to, .. } => vec![to.block],
        Command::Download { from, .. } => vec![from.block],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReferenceDevice;
    use darray_core::RealType;
    use darray_device::Rect;
    use smallvec::smallvec;

    fn devices(count: usize, adversity: Adversity) -> Vec<Arc<dyn Device>> {
        AdversarialDevice::set(ReferenceDevice::set(count, 1 << 20), adversity)
    }

    fn rect(block: Block) -> Rect {
        Rect {
            block,
            dtype: RealType::I64,
            offset: 0,
            extents: smallvec![1],
            strides: smallvec![1],
        }
    }

    fn upload(block: Block, value: i64) -> Vec<Command> {
        vec![Command::Upload { from: Arc::new(value.to_le_bytes().to_vec()), to: rect(block) }]
    }

    /// Uploads on queue 0, copies to device 1 on its queue 1, downloads there; with or without the
    /// waits. `None` is a fault.
    fn round_trip(seed: u64, waits: bool) -> Option<i64> {
        let devices = devices(2, Adversity { seed, ..Adversity::default() });
        let (compute, copy) = (Queue(0), Queue(1));
        let near = devices[0].allocate(compute, 8).unwrap();
        let far = devices[1].allocate(copy, 8).unwrap();
        let first = devices[0].submit(compute, &[], &upload(near, 1)).unwrap();
        let second = devices[0].submit(compute, &[], &upload(near, 2)).unwrap();
        assert!(first.ticket < second.ticket);
        let after = if waits { vec![second] } else { vec![] };
        let across = [Command::Copy { from: rect(near), to: rect(far) }];
        let copied = devices[1].submit(copy, &after, &across).unwrap();
        let bytes: Arc<Mutex<Vec<u8>>> = Arc::new(Mutex::new(vec![0; 8]));
        let download = [Command::Download { from: rect(far), to: bytes.clone(), at: 0 }];
        let done = devices[1].submit(copy, &[copied], &download).unwrap();
        devices[1].wait(done).ok()?;
        devices[1].wait(copied).ok()?;
        let bytes = bytes.lock().unwrap();
        Some(i64::from_le_bytes(bytes[..].try_into().unwrap()))
    }

    #[test]
    fn with_waits_every_order_gives_the_same() {
        for seed in 0..100 {
            assert_eq!(round_trip(seed, true), Some(2), "seed {seed}");
        }
    }

    #[test]
    fn without_waits_some_order_differs() {
        let results: BTreeSet<Option<i64>> = (0..100).map(|seed| round_trip(seed, false)).collect();
        assert!(results.len() > 2, "{results:?}");
    }

    #[test]
    fn released_blocks_are_gone_and_faults_are_reported() {
        let devices = devices(1, Adversity { fail_submissions: 1..2, ..Adversity::default() });
        let block = devices[0].allocate(Queue(0), 8).unwrap();
        let good = devices[0].submit(Queue(0), &[], &upload(block, 1)).unwrap();
        let injected = devices[0].submit(Queue(0), &[], &upload(block, 1)).unwrap();
        devices[0].release(Queue(0), block, &[]);
        let late = devices[0].submit(Queue(0), &[], &upload(block, 1)).unwrap();
        assert!(devices[0].wait(late).is_err());
        assert_eq!(devices[0].wait(good), Ok(()));
        assert!(devices[0].wait(injected).unwrap_err().fault.to_string().contains("injected"));
        assert_eq!((devices[0].stats().bytes_in_use, devices[0].stats().faults), (0, 0));
    }

    #[test]
    fn allocations_fail_by_number() {
        let devices = devices(1, Adversity { fail_allocations: 1..2, ..Adversity::default() });
        let full = |block: Result<Block, Fault>| matches!(block, Err(Fault::OutOfMemory { .. }));
        let failed: Vec<bool> = (0..3).map(|_| full(devices[0].allocate(Queue(0), 8))).collect();
        assert_eq!(failed, [false, true, false]);
    }

    #[test]
    fn forgotten_code_runs_what_is_queued_and_is_then_gone() {
        let text = "kernel params=2 scalars=[]
  b0: f64 rank 1 read noalias b1: f64 rank 1 write noalias {
    for (i0: extent=p0 origin=p1 global=p0 logical=0) {
      %0 = load b0[p1 + 1*i0]
      %1 = neg.f64 %0
      store b1[p1 + 1*i0] %1
    }
  }";
        let kernel = Kernel::parse(text).unwrap();
        let mut delayed = 0;
        for seed in 0..20 {
            let devices = devices(1, Adversity { seed, ..Adversity::default() });
            let device = &devices[0];
            let code = device.compile(&kernel).unwrap();
            let block = device.allocate(Queue(0), 16).unwrap();
            device.submit(Queue(0), &[], &upload(block, 2.5f64.to_bits() as i64)).unwrap();
            let buffer = |offset| Arg::Buffer { block, offset, strides: smallvec![1] };
            let launch = || {
                let args = vec![buffer(0), buffer(1), Arg::Bits(1), Arg::Bits(0)];
                vec![Command::Launch { code, args }]
            };
            let queued = device.submit(Queue(0), &[], &launch()).unwrap();
            device.forget(code);
            delayed += device.stats().codes;
            assert_eq!(device.wait(queued), Ok(()), "seed {seed}");
            assert_eq!((device.stats().compiled, device.stats().codes), (1, 0));
            let late = device.submit(Queue(0), &[], &launch()).unwrap();
            assert!(device.wait(late).is_err());
        }
        assert!(delayed > 0, "some order leaves the launch in the queue");
    }
}
