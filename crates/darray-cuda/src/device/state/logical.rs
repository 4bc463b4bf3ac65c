//! The state of one logical device.

use super::clock::{Clock, Waits};
use super::compiled::Compiled;
use super::memory::{Memory, Spare};
use super::physical::Physical;
use super::timeline::Timeline;
use crate::device::lock;
use crate::driver::{Context, Stream};
use crate::error::CudaError;
use crate::products::Products;
use darray_device::codes::Codes;
use darray_device::{Describe, DeviceId, Fault, LaunchCosts, Queue};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

/// A launch takes 1 us (docs/gpu.md), in which 4 MB go between memory and processors.
const LAUNCHES: LaunchCosts =
    LaunchCosts { small: darray_codegen::cuda::SMALL, launch: 4_000_000, next_nest: 1_000_000 };

/// Queues of a device: compute, copy.
const QUEUES: u16 = 2;

/// A device without its group.
pub(in crate::device) struct Logical {
    pub id: DeviceId,
    /// Its place in the group.
    pub index: usize,
    pub describe: Describe,
    /// What multiplies matrices of floats before darray's kernels are asked; goes before the context.
    pub products: Option<Box<dyn Products>>,
    pub physical: Arc<Physical>,
    pub memory: Memory,
    pub codes: Codes<Compiled>,
    pub launches: AtomicU64,
    pub builtins: AtomicU64,
    /// Products that it made, and those that it did not take.
    pub library_products: AtomicU64,
    pub refused_products: AtomicU64,
    /// Where memory is given back that no queue is behind all uses of.
    pub reclaim: Side,
    /// Where other devices fetch what they cannot reach.
    pub fetch: Side,
    timelines: Vec<Timeline>,
}

/// A stream without tickets, beside the queues.
pub(in crate::device) struct Side {
    stream: Stream,
    known: Mutex<Clock>,
}

impl Side {
    fn new(context: &Arc<Context>) -> Result<Side, CudaError> {
        Ok(Side { stream: Stream::new(context)?, known: Mutex::default() })
    }

    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// What is queued from now on runs behind `waits`; gives what the stream is behind then.
    pub fn follow(&self, waits: &Waits) -> Result<Clock, CudaError> {
        let mut known = lock(&self.known);
        waits.queue(&self.stream, &mut known)?;
        Ok(known.clone())
    }

    /// What the stream is behind, and will be behind `waits`.
    pub fn known_behind(&self, waits: &Waits) -> Clock {
        let mut known = lock(&self.known).clone();
        waits.note(&mut known);
        known
    }

    /// What is queued from now on runs behind what is queued on the stream of a queue.
    pub fn join(&self, timeline: &Timeline) -> Result<(), CudaError> {
        self.stream.follow(timeline.stream())?;
        lock(&self.known).join(&timeline.known());
        Ok(())
    }
}

impl Logical {
    /// The device at this place of its group, of which the host has seen so much happen.
    pub fn new(
        id: DeviceId,
        index: usize,
        seen: &Arc<Mutex<Clock>>,
        physical: Arc<Physical>,
        limit: u64,
    ) -> Result<Logical, CudaError> {
        let context = physical.context.clone();
        context.bind()?;
        let timeline = |queue| {
            let place = index * QUEUES as usize + queue as usize;
            let stream = Stream::new(&context)?;
            Ok(Timeline::new(place, context.clone(), stream, seen.clone()))
        };
        let timelines = (0..QUEUES).map(timeline).collect::<Result<Vec<_>, CudaError>>()?;
        let describe = Describe {
            name: format!("cuda:{} ({} on {})", id.0, context.card.name, context.card.ordinal),
            memory_limit: limit,
            queues: QUEUES,
            launches: LAUNCHES,
        };
        Ok(Logical {
            id,
            index,
            describe,
            memory: Memory::new(id, &context, limit)?,
            codes: Codes::default(),
            launches: AtomicU64::new(0),
            builtins: AtomicU64::new(0),
            products: None,
            library_products: AtomicU64::new(0),
            refused_products: AtomicU64::new(0),
            reclaim: Side::new(&context)?,
            fetch: Side::new(&context)?,
            physical,
            timelines,
        })
    }

    pub fn context(&self) -> &Arc<Context> {
        &self.physical.context
    }

    pub fn timelines(&self) -> &[Timeline] {
        &self.timelines
    }

    /// Gives memory back to the pool, each piece behind what is queued on its queue, which is one of these.
    pub fn give_back(&self, spares: Vec<Spare>) {
        if spares.is_empty() || self.context().bind().is_err() {
            // What is not given back goes with the pool.
            return;
        }
        for Spare { address, queue, .. } in spares {
            if let Ok(timeline) = self.timeline(queue.1) {
                self.memory.give_back(address, timeline.stream());
            }
        }
    }

    /// Waits for what is queued, as far as the driver can say.
    pub fn settle(&self) {
        let _ = self.context().bind();
        for timeline in &self.timelines {
            let _ = timeline.stream().synchronize();
        }
        let _ = self.fetch.stream().synchronize();
        let _ = self.reclaim.stream().synchronize();
    }

    pub fn timeline(&self, queue: Queue) -> Result<&Timeline, Fault> {
        let missing = || Fault::Execution(format!("device {} has no queue {}", self.id.0, queue.0));
        self.timelines.get(queue.0 as usize).ok_or_else(missing)
    }
}

impl Drop for Logical {
    /// Waits for what runs, and gives all memory back.
    fn drop(&mut self) {
        self.settle();
        self.memory.clear(self.reclaim.stream());
        let _ = self.reclaim.stream().synchronize();
    }
}
