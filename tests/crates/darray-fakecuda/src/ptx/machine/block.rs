//! A block: its memory, its warps, and the barriers at which they meet.

use super::access::Recent;
use super::execute::Step;
use super::fault::{Fault, Reason};
use super::lanes::LANES;
use super::warp::{Buffer, Warp};
use super::{Launch, Report};
use crate::ptx::code::{Answer, Special};
use crate::ptx::memory::Memory;

/// What all warps of a block share.
pub(super) struct Machine<'a> {
    pub launch: Launch<'a>,
    pub memory: &'a dyn Memory,
    pub recent: Recent,
    /// Whether the memory wants to know of every access.
    pub watched: bool,
    /// Which block it is.
    pub block: [u32; 3],
    /// Its memory; words, so that it is aligned.
    shared: Vec<u128>,
    pub shared_bytes: u64,
    pub instructions: u64,
}

impl Machine<'_> {
    /// The bytes of the block's memory.
    pub fn shared(&mut self) -> *mut u8 {
        self.shared.as_mut_ptr().cast()
    }

    /// Where shared memory begins whose size the launch gives.
    pub fn dynamic_shared(&self) -> u64 {
        let code = &self.launch.program.functions[self.launch.kernel];
        u64::from(code.shared).next_multiple_of(16)
    }

    /// The thread of a lane.
    pub fn thread(&self, warp: u32, lane: usize) -> [u32; 3] {
        let [x, y, z] = self.launch.block;
        let index = warp * LANES as u32 + lane as u32;
        if (y, z) == (1, 1) {
            return [index, 0, 0];
        }
        [index % x, index / x % y, index / (x * y)]
    }

    /// The value of a register that the launch or the warp fills.
    pub fn special(&self, special: Special, warp: u32, lane: usize, frame: u32) -> u64 {
        let launch = &self.launch;
        let bit = 1u32 << lane;
        let threads: u32 = launch.block.iter().product();
        match special {
            Special::Thread(axis) => self.thread(warp, lane)[usize::from(axis)].into(),
            Special::BlockExtent(axis) => launch.block[usize::from(axis)].into(),
            Special::Block(axis) => self.block[usize::from(axis)].into(),
            Special::GridExtent(axis) => launch.grid[usize::from(axis)].into(),
            Special::Lane => lane as u64,
            Special::Warp => warp.into(),
            Special::Warps => threads.div_ceil(LANES as u32).into(),
            Special::LaneMask { below, at, above } => {
                let pick = |wanted: bool, mask: u32| if wanted { mask } else { 0 };
                let under = bit - 1;
                u64::from(pick(below, under) | pick(at, bit) | pick(above, !under & !bit))
            }
            Special::Frame(offset) => u64::from(frame + offset),
            Special::DynamicShared => self.dynamic_shared(),
            Special::DynamicSharedSize => launch.dynamic_shared.into(),
            Special::SharedSize => self.shared_bytes,
        }
    }
}

/// A block and its warps, used again for every block of a launch.
pub(super) struct Block<'a> {
    pub machine: Machine<'a>,
    warps: Vec<Warp>,
    /// Registers that no warp uses at present.
    buffers: Vec<Buffer>,
    order: Vec<usize>,
    random: u64,
}

impl<'a> Block<'a> {
    pub fn new(launch: &Launch<'a>, memory: &'a dyn Memory) -> Block<'a> {
        let threads: u32 = launch.block.iter().product();
        let mut machine = Machine {
            launch: *launch,
            memory,
            recent: Recent::default(),
            watched: memory.watches(),
            block: [0; 3],
            shared: Vec::new(),
            shared_bytes: 0,
            instructions: 0,
        };
        machine.shared_bytes = machine.dynamic_shared() + u64::from(launch.dynamic_shared);
        machine.shared = vec![POISON; machine.shared_bytes.div_ceil(16) as usize];
        let count = threads.div_ceil(LANES as u32);
        let warps: Vec<Warp> = (0..count)
            .map(|index| {
                let lanes = (threads - index * LANES as u32).min(LANES as u32);
                Warp::new(index, u32::MAX >> (LANES as u32 - lanes))
            })
            .collect();
        let order = (0..warps.len()).collect();
        Block { machine, warps, buffers: Vec::new(), order, random: launch.seed }
    }

    /// Runs one block to its end.
    pub fn run(&mut self, block: [u32; 3]) -> Result<Report, Box<Fault>> {
        self.machine.block = block;
        self.machine.shared.fill(POISON);
        for warp in &mut self.warps {
            warp.reset();
        }
        loop {
            self.shuffle();
            let mut arrived = 0;
            for &at in &self.order {
                let warp = &mut self.warps[at];
                if warp.is_done() {
                    continue;
                }
                warp.begin(&self.machine, &mut self.buffers);
                match warp.run(&mut self.machine, &mut self.buffers)? {
                    Step::Done => {}
                    Step::Barrier => arrived += 1,
                }
            }
            if arrived == 0 {
                return Ok(Report { instructions: self.machine.instructions });
            }
            self.release()?;
        }
    }

    /// Lets all warps go on behind the barrier at which they wait.
    fn release(&mut self) -> Result<(), Box<Fault>> {
        let (mut count, mut threads) = (0, 0);
        for warp in self.warps.iter().filter(|warp| !warp.is_done()) {
            let (yes, all) = warp.counted();
            count += yes;
            threads += all;
        }
        for warp in self.warps.iter_mut().filter(|warp| !warp.is_done()) {
            if !warp.release(|answer, predicates, registers, lanes| match answer {
                Answer::Register(register) => {
                    super::lanes::map1(registers, lanes, register, register, |_| u64::from(count))
                }
                Answer::All(to) => assign(predicates, to, lanes, count == threads),
                Answer::Any(to) => assign(predicates, to, lanes, count > 0),
            }) {
                return Err(warp.fault(&self.machine, Reason::Deadlock));
            }
        }
        Ok(())
    }

    fn shuffle(&mut self) {
        if self.random == 0 {
            return;
        }
        for at in (1..self.order.len()).rev() {
            self.random = self.random.wrapping_mul(6364136223846793005).wrapping_add(1);
            self.order.swap(at, (self.random >> 33) as usize % (at + 1));
        }
    }
}

fn assign(predicates: &mut [u32], to: u16, lanes: u32, value: bool) {
    let slot = &mut predicates[usize::from(to)];
    *slot = if value { *slot | lanes } else { *slot & !lanes };
}

/// What memory of a block holds before it is written.
const POISON: u128 = 0xcdcd_cdcd_cdcd_cdcd_cdcd_cdcd_cdcd_cdcd;
