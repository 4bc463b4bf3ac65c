//! Making devices.

use super::clock::{Clock, Waits};
use super::launcher::Launcher;
use super::logical::Logical;
use super::memory::{Located, Spare};
use super::physical::Physical;
use super::staging::{PIECE, Staging};
use super::timeline::Timeline;
use super::{CudaDevice, lock};
use crate::compile::{Compiler, Nvrtc};
use crate::driver::{Context, Driver};
use crate::error::CudaError;
use crate::products::Cublas;
use darray_codegen::cuda::Math;
use darray_core::settings::{CudaLaunch, CudaProducts};
use darray_device::{Block, Device, DeviceId, Event, Fault, Rect};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

/// How CUDA devices are made.
#[derive(Clone, Debug, Default)]
pub struct CudaOptions {
    /// The physical GPU of each logical device. Several may share one.
    pub gpus: Vec<usize>,
    /// Bytes that each device may allocate; none: nine tenths of the GPU, shared out evenly.
    pub memory_limit: Option<u64>,
    /// The file of the CUDA driver; none: where the system's loader finds it.
    pub driver: Option<PathBuf>,
    /// The folder of NVRTC; none: where the system's loader or the CUDA toolkit has it.
    pub nvrtc: Option<PathBuf>,
    /// Where compiled kernels are kept; none: nowhere.
    pub kernel_cache: Option<PathBuf>,
    /// Whose elementary functions kernels call.
    pub math: Math,
    /// Whether devices do not access each other's memory, but copy through the host.
    #[cfg(feature = "testing")]
    pub staged: bool,
    /// Bytes of a long transfer from or to the host, or through it, that go together; none: 16 MiB.
    #[cfg(feature = "testing")]
    pub piece: Option<usize>,
    /// Blocks of a copy or a builtin, at most; none: 4096, which fill any GPU. What is longer goes round.
    #[cfg(feature = "testing")]
    pub most_blocks: Option<u32>,
    /// Elements of a strided copy, at most, that are counted by 32 bits; none: 2³² - 1.
    #[cfg(feature = "testing")]
    pub most_narrow: Option<u32>,
    /// The id of the first device; the others follow.
    pub first: u16,
    /// How plans that repeat are launched.
    pub launch: CudaLaunch,
    /// Who multiplies matrices of floats.
    pub products: CudaProducts,
    /// The folder of cuBLAS; none: where the system's loader or the CUDA toolkit has it.
    pub cublas: Option<PathBuf>,
}

/// Blocks of a copy or a builtin that fill any GPU; threads then take several elements.
const MOST_BLOCKS: u32 = 4096;

/// Makes logical CUDA devices.
#[derive(Debug)]
pub struct CudaDevices;

impl CudaDevices {
    /// One device for each of `options.gpus`, with memories of their own, that can copy from each
    /// other.
    ///
    /// # Errors
    /// A library is absent, or a GPU, or a call of the driver fails.
    #[allow(clippy::new_ret_no_self)]
    pub fn new(options: CudaOptions) -> Result<Vec<Arc<dyn Device>>, CudaError> {
        let group = Arc::new(Group::new(options)?);
        let device =
            |index| Arc::new(CudaDevice { group: group.clone(), index }) as Arc<dyn Device>;
        Ok((0..group.devices.len()).map(device).collect())
    }
}

/// Which way transfers go, and where loops of threads end; see [`CudaOptions`].
struct Sizes {
    staged: bool,
    piece: usize,
    most_blocks: u32,
    most_narrow: u32,
}

impl Sizes {
    const STANDARD: Sizes =
        Sizes { staged: false, piece: PIECE, most_blocks: MOST_BLOCKS, most_narrow: u32::MAX };

    #[cfg(not(feature = "testing"))]
    fn of(_: &CudaOptions) -> Sizes {
        Sizes::STANDARD
    }

    #[cfg(feature = "testing")]
    fn of(options: &CudaOptions) -> Sizes {
        let Sizes { piece, most_blocks, most_narrow, .. } = Sizes::STANDARD;
        Sizes {
            staged: options.staged,
            piece: options.piece.unwrap_or(piece).max(1),
            most_blocks: options.most_blocks.unwrap_or(most_blocks).max(1),
            most_narrow: options.most_narrow.unwrap_or(most_narrow),
        }
    }
}

/// What the devices share.
pub(super) struct Group {
    /// Holds back the work of plans that repeat, if it is to be launched as graphs. Goes before the
    /// devices.
    launcher: Option<Mutex<Launcher>>,
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
    fn new(options: CudaOptions) -> Result<Group, CudaError> {
        if (options.launch, options.products) == (CudaLaunch::Graphs, CudaProducts::Cublas) {
            let why =
                "products by cuBLAS are queued on streams: they cannot be part of CUDA graphs";
            return Err(CudaError::Unsupported(why.to_string()));
        }
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
        let sizes = Sizes::of(&options);
        let mut reach = Vec::new();
        for from in physical.iter().filter(|_| !sizes.staged) {
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
        let graphs = match options.launch {
            CudaLaunch::Auto => options.products == CudaProducts::Darray,
            CudaLaunch::Streams => false,
            CudaLaunch::Graphs => true,
        };
        let launcher = match physical.first().filter(|_| graphs) {
            Some(first) => {
                first.context.bind()?;
                let queues = devices.iter().map(|device: &Logical| device.timelines().len()).sum();
                Some(Mutex::new(Launcher::new(&first.context, queues)?))
            }
            None => None,
        };
        let (math, first) = (options.math, options.first);
        let Sizes { piece, most_blocks, most_narrow, .. } = sizes;
        Ok(Group {
            launcher,
            compiler,
            staging,
            piece,
            most_blocks,
            most_narrow,
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

    /// Whether small blocks that are given back are kept for their queue. Not where there are several devices:
    /// a copy into such a block would wait for an allocation that is long past.
    pub fn keeps_small(&self) -> bool {
        self.launcher.is_none() && self.devices.len() == 1
    }

    /// Whether small blocks, or all, are kept for what comes later on their queue.
    pub fn keeps_blocks(&self) -> bool {
        self.launcher.is_some() || self.keeps_small()
    }

    /// What holds work back, for one caller at a time; none where all work goes to streams.
    pub fn launcher(&self) -> Option<MutexGuard<'_, Launcher>> {
        self.launcher.as_ref().map(lock)
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
