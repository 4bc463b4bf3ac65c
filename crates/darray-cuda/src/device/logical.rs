//! The state of one logical device.

use super::launch::Codes;
use super::memory::Memory;
use super::physical::Physical;
use super::timeline::Timeline;
use crate::driver::{Context, Stream};
use crate::error::CudaError;
use darray_device::{Describe, DeviceId, Fault, Queue};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Queues of a device: compute, copy.
const QUEUES: u16 = 2;

/// A device without its group.
pub(super) struct Logical {
    pub id: DeviceId,
    /// Its place in the group.
    pub index: usize,
    pub describe: Describe,
    pub physical: Arc<Physical>,
    pub memory: Memory,
    pub codes: Codes,
    pub launches: AtomicU64,
    pub builtins: AtomicU64,
    /// Where memory is given back that other queues still use.
    pub reclaim: Stream,
    /// Where other devices fetch what they cannot reach.
    pub fetch: Stream,
    timelines: Vec<Timeline>,
}

impl Logical {
    pub fn new(
        id: DeviceId,
        index: usize,
        physical: Arc<Physical>,
        limit: u64,
    ) -> Result<Logical, CudaError> {
        let context = physical.context.clone();
        context.bind()?;
        let timelines = (0..QUEUES)
            .map(|_| Stream::new(&context).map(|stream| Timeline::new(context.clone(), stream)))
            .collect::<Result<Vec<_>, _>>()?;
        let describe = Describe {
            name: format!("cuda:{} ({} on {})", id.0, context.card.name, context.card.ordinal),
            memory_limit: limit,
            queues: QUEUES,
        };
        Ok(Logical {
            id,
            index,
            describe,
            memory: Memory::new(id, &context, limit)?,
            codes: Codes::default(),
            launches: AtomicU64::new(0),
            builtins: AtomicU64::new(0),
            reclaim: Stream::new(&context)?,
            fetch: Stream::new(&context)?,
            physical,
            timelines,
        })
    }

    pub fn context(&self) -> &Arc<Context> {
        &self.physical.context
    }

    pub fn timeline(&self, queue: Queue) -> Result<&Timeline, Fault> {
        let missing = || Fault::Execution(format!("device {} has no queue {}", self.id.0, queue.0));
        self.timelines.get(queue.0 as usize).ok_or_else(missing)
    }
}

impl Drop for Logical {
    /// Waits for what runs, and gives all memory back.
    fn drop(&mut self) {
        let _ = self.context().bind();
        for timeline in &self.timelines {
            let _ = timeline.stream().synchronize();
        }
        let _ = self.fetch.synchronize();
        self.memory.clear(&self.reclaim);
        let _ = self.reclaim.synchronize();
    }
}
