//! What every part of the execution uses: the devices, what is in flight there, and what the plan that is carried out has.
//!
//! Reading order: `origin` and `fault` (what failed), `flushed` (the window that is carried out), `versions`, `point_calls` (what is the
//! same of opaque tasks when a window comes again), this file, `in_flight` (submission, and what becomes of it).

mod fault;
mod flushed;
mod in_flight;
mod origin;
mod point_calls;
mod versions;

pub(crate) use fault::StepFault;
pub(crate) use flushed::{Flush, Version};
pub(crate) use in_flight::Pending;
pub(crate) use origin::{CurrentOrigin, Origin};
pub(crate) use point_calls::{PointCalls, PointOfTask, TaskCalls, WholeCall};
pub(crate) use versions::Versions;

use crate::devices::{COMPUTE, CodeTable, DeviceSet, IdleBlocks, KernelCodes, Mapper};
use crate::stats::Stats;
use crate::stores::{Residents, Store};
use darray_core::Error;
use darray_device::{Arg, Block, Code, TaskDefinition};
use darray_ir::StoreId;
use darray_kernel::ir::Kernel;
use smallvec::SmallVec;
use std::sync::Arc;

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
    /// Stores that failed in the window that is being carried out, each with the task that did, by its number in the program; 0 for those
    /// that had failed before.
    pub(crate) failed_by: Vec<(StoreId, u32)>,
    /// Stores that carry failures which the group that is being carried out does not inherit.
    pub(crate) passed_over: SmallVec<[u64; 2]>,
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
    pub(crate) spare: Vec<Option<Block>>,
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
            harvest_at: in_flight::FEW,
            poisoned: false,
            failed_by: Vec::new(),
            passed_over: SmallVec::new(),
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

    /// Whether every step is one launch over whole stores, on one device.
    #[inline]
    pub(crate) fn is_whole(&self) -> bool {
        self.devices.len() == 1 && self.mapper.is_one()
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

    /// Names the task that failures of the following work belong to: the last of these.
    #[inline]
    pub(crate) fn set_origin(&mut self, flush: Flush<'_>, tasks: &[u32]) {
        // Work that fails at once is named by the caller.
        if self.devices.several_queues()
            && let Some(&task) = tasks.last()
        {
            self.origin.set(flush.window, &flush.window.tasks()[task as usize]);
        }
    }

    /// As [`set_origin`](Self::set_origin), for a task whose name and arrays are as they were when this was kept.
    #[inline]
    pub(crate) fn keep_origin(
        &mut self,
        flush: Flush<'_>,
        task: u32,
        kept: &mut Option<Arc<Origin>>,
    ) {
        if self.devices.several_queues() {
            self.origin.share(flush.window, &flush.window.tasks()[task as usize], kept);
        }
    }

    /// Notes that a store has an instance.
    pub(crate) fn resides(&mut self, store: &Arc<Store>) {
        if self.tracks {
            self.residents.add(store);
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        for block in self.spare.iter_mut().filter_map(Option::take) {
            self.devices.device(block.device.0 as usize).release(COMPUTE, block, &[]);
        }
    }
}
