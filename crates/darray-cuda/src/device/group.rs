//! The devices of a group: finding each other's memory and events.

use super::options::CudaOptions;
use super::state::clock::{Clock, Waits};
use super::state::logical::Logical;
use super::state::memory::{Located, Spare};
use super::state::physical::Physical;
use super::state::staging::{PIECE, Staging};
use super::state::timeline::Timeline;
use crate::compile::{Compiler, Nvrtc};
use crate::driver::{Context, Driver};
use crate::error::CudaError;
use crate::products::Cublas;
use darray_codegen::cuda::Math;
use darray_core::settings::CudaProducts;
use darray_device::{Block, DeviceId, Event, Fault, Rect};
use std::sync::Arc;

/// Blocks of a copy or a builtin that fill any GPU; threads then take several elements.
const MOST_BLOCKS: u32 = 4096;

/// The devices, and what they share to do work.
pub(super) struct Group {
    pub compiler: Compiler,
    pub staging: Staging,
    /// Bytes of a transfer that go together.
    pub piece: usize,
    /// Blocks of a copy or a builtin, at most.
    pub most_blocks: u32,
    /// Elements of a strided copy that are counted by 32 bits, at most.
    pub most_narrow: u32,
    pub devices: Vec<Logical>,
    pub math: Math,
    /// Pairs of GPUs, the first of which reaches the memory of the second.
    reach: Vec<(usize, usize)>,
    first: u16,
}

impl Group {
    pub fn new(options: &CudaOptions) -> Result<Group, CudaError> {
        let driver = Driver::load(options.driver.as_deref())?;
        let nvrtc = Nvrtc::load_for(driver, options.nvrtc.as_deref())?;
        let compiler = Compiler::new(nvrtc, options.kernel_cache.clone());
        let mut physical: Vec<Arc<Physical>> = Vec::new();
        for &gpu in &options.gpus {
            if !physical.iter().any(|p| p.context.card.ordinal == gpu) {
                let context = Context::retain(driver, gpu)?;
                physical.push(Arc::new(Physical::new(driver, context, &compiler)?));
            }
        }
        let testing = options.testing();
        let mut reach = Vec::new();
        for from in physical.iter().filter(|_| !testing.staged) {
            for to in &physical {
                let (near, far) = (&from.context, &to.context);
                if near.card.ordinal != far.card.ordinal && near.enable_peer(far)? {
                    reach.push((near.card.ordinal, far.card.ordinal));
                }
            }
        }
        let seen = Arc::default();
        let mut devices = Vec::new();
        for (number, &gpu) in options.gpus.iter().enumerate() {
            let own = physical.iter().find(|p| p.context.card.ordinal == gpu).expect("made above");
            let sharers = options.gpus.iter().filter(|g| **g == gpu).count() as u64;
            let limit = options.memory_limit.unwrap_or(own.context.card.memory / 10 * 9 / sharers);
            let id = DeviceId(options.first + number as u16);
            let mut device = Logical::new(id, number, &seen, own.clone(), limit)?;
            if options.products == CudaProducts::Cublas {
                device.products = Some(Box::new(Cublas::load(driver, options.cublas.as_deref())?));
            }
            let admitted = reach.iter().filter(|(_, to)| *to == gpu);
            for (from, _) in admitted {
                let peer = physical.iter().find(|p| p.context.card.ordinal == *from);
                device.memory.pool().admit(&peer.expect("made above").context)?;
            }
            devices.push(device);
        }
        let staging = Staging::default();
        let (math, first) = (options.math, options.first);
        Ok(Group {
            compiler,
            staging,
            piece: testing.piece.unwrap_or(PIECE).max(1),
            most_blocks: testing.most_blocks.unwrap_or(MOST_BLOCKS).max(1),
            most_narrow: testing.most_narrow.unwrap_or(u32::MAX),
            devices,
            math,
            reach,
            first,
        })
    }

    /// As many blocks as there are pieces of work: at least one, at most `most_blocks`.
    pub fn blocks(&self, wanted: usize) -> u32 {
        u32::try_from(wanted).unwrap_or(u32::MAX).clamp(1, self.most_blocks)
    }

    /// A device by its id.
    pub fn device(&self, id: DeviceId) -> Result<&Logical, Fault> {
        let index = (id.0 as usize).checked_sub(self.first as usize);
        index.and_then(|index| self.devices.get(index)).ok_or_else(|| {
            Fault::Execution(format!("device {} is not of this group of CUDA devices", id.0))
        })
    }

    /// The timeline of an event.
    pub fn timeline(&self, event: Event) -> Result<&Timeline, Fault> {
        self.device(event.device)?.timeline(event.queue)
    }

    /// Those of `events` that are to come. None of them is held back.
    pub fn waits<'e>(&self, events: impl IntoIterator<Item = &'e Event>) -> Result<Waits, Fault> {
        let mut waits = Waits::default();
        for event in events {
            waits.extend(self.timeline(*event)?.ticket(event.ticket)?);
        }
        Ok(waits)
    }

    /// The last tickets of a device's queues that come before a clock, as far as they are to come.
    pub fn waits_of(&self, device: &Logical, clock: &Clock) -> Result<Waits, Fault> {
        let mut waits = Waits::default();
        for timeline in device.timelines() {
            waits.extend(timeline.ticket(clock.get(timeline.place()))?);
        }
        Ok(waits)
    }

    /// A block of any device.
    pub fn locate(&self, block: Block) -> Result<Located, Fault> {
        self.device(block.device)?.memory.locate(block)
    }

    /// Whether kernels of one GPU reach the memory of the other.
    pub fn reaches(&self, from: usize, to: usize) -> bool {
        from == to || self.reach.contains(&(from, to))
    }

    /// Whether a copy of a rectangle from one device to another goes through the host's memory, by the stream that fetches.
    pub fn is_fetched(&self, from: &Rect, peer: &Logical, own: &Logical) -> bool {
        let (near, far) = (own.context().card.ordinal, peer.context().card.ordinal);
        !self.reaches(near, far) && !from.extents.contains(&0)
    }

    /// Waits until the devices of a GPU have done what was queued and memory has come back, and gives the
    /// GPU what they and their pools keep for reuse. Nothing is held back.
    pub fn settle(&self, gpu: usize) {
        for device in self.devices.iter().filter(|d| d.context().card.ordinal == gpu) {
            let spares = device.memory.surplus(0, 0);
            spares.iter().for_each(|spare| self.block_on_uses(spare));
            let _ = device.context().bind();
            let stream = device.reclaim.stream();
            spares.iter().for_each(|spare| device.memory.give_back(spare.address, stream));
            device.settle();
        }
        self.trim(gpu);
    }

    /// Blocks until whoever used memory before it was given back has ended.
    fn block_on_uses(&self, spare: &Spare) {
        let Ok(own) = self.device(spare.queue.0).and_then(|d| d.timeline(spare.queue.1)) else {
            return;
        };
        let last = Event { device: spare.queue.0, queue: spare.queue.1, ticket: own.last() };
        for events in [&spare.after[..], &[last]] {
            self.waits(events).into_iter().for_each(|waits| waits.block());
        }
        // What nobody used still lies behind its allocation.
        let _ = own.stream().synchronize();
    }

    /// Gives what the devices of a GPU, none of which holds work back, and their pools keep for reuse back to it.
    pub fn give_up(&self, gpu: usize) {
        for device in self.devices.iter().filter(|d| d.context().card.ordinal == gpu) {
            device.give_back(device.memory.surplus(0, 0));
        }
        self.trim(gpu);
    }

    /// Gives what the pools of a GPU keep for reuse back to it.
    pub fn trim(&self, gpu: usize) {
        for device in self.devices.iter().filter(|d| d.context().card.ordinal == gpu) {
            let _ = device.context().bind();
            // What cannot be given back stays in the pool.
            let _ = device.memory.pool().trim();
        }
    }
}
