//! A warp: the functions that its threads are in, and where in them they stand.

use super::block::Machine;
use super::fault::{Fault, Reason};
use super::lanes::{LANES, Lanes, each};
use crate::ptx::code::{Answer, Call, Condition};
use std::sync::Arc;

/// Bytes of a thread's memory beyond which calls count as endless.
const MOST_LOCAL: u32 = 1 << 20;

/// Threads that stand at the same instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// The instruction.
    pub at: u32,
    /// Which lanes.
    pub lanes: u32,
    /// What they wait for.
    pub wait: Wait,
}

/// What threads wait for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Wait {
    /// Nothing.
    Nothing,
    /// Other lanes of the warp.
    Lanes,
    /// The other warps; with a predicate that is counted and the place of the answer.
    Block(Option<(Condition, Answer)>),
}

/// Registers of a function, kept for the next warp.
pub(super) struct Buffer {
    function: usize,
    registers: Vec<Lanes>,
    predicates: Vec<u32>,
}

/// A function that threads of a warp are in.
pub(super) struct Frame {
    pub function: usize,
    pub registers: Vec<Lanes>,
    pub predicates: Vec<u32>,
    /// The carry of long arithmetic.
    pub carry: u32,
    /// The threads, parted by where they stand.
    pub groups: Vec<Group>,
    /// Where its memory begins in the memory of a thread.
    pub base: u32,
    /// The call that it executes, and the lanes that made it.
    call: Option<(Arc<Call>, u32)>,
}

/// A warp.
pub(super) struct Warp {
    pub index: u32,
    lanes: u32,
    pub exited: u32,
    begun: bool,
    pub frames: Vec<Frame>,
    /// The memory of each thread.
    pub local: Vec<Vec<u8>>,
    /// Where it stopped last, for faults that no instruction raised.
    pub last: (usize, u32),
}

impl Warp {
    pub fn new(index: u32, lanes: u32) -> Warp {
        let local = vec![Vec::new(); LANES];
        let (frames, last) = (Vec::new(), (0, 0));
        Warp { index, lanes, exited: 0, begun: false, frames, local, last }
    }

    /// Ready for the next block.
    pub fn reset(&mut self) {
        self.exited = 0;
        self.begun = false;
        self.frames.clear();
    }

    pub fn is_done(&self) -> bool {
        self.begun && self.frames.is_empty()
    }

    /// Enters the kernel, unless it is in it.
    pub fn begin(&mut self, machine: &Machine, buffers: &mut Vec<Buffer>) {
        if !self.begun {
            self.begun = true;
            self.enter(machine, buffers, machine.launch.kernel, self.lanes, 0, None);
        }
    }

    fn enter(
        &mut self,
        machine: &Machine,
        buffers: &mut Vec<Buffer>,
        function: usize,
        lanes: u32,
        base: u32,
        call: Option<(Arc<Call>, u32)>,
    ) {
        let code = &machine.launch.program.functions[function];
        let kept = buffers.iter().rposition(|buffer| buffer.function == function);
        let Buffer { mut registers, predicates, .. } = match kept {
            Some(at) => buffers.swap_remove(at),
            None => {
                let mut registers = vec![[0; LANES]; code.registers];
                for (register, bits) in &code.constants {
                    registers[usize::from(*register)] = [*bits; LANES];
                }
                Buffer { function, registers, predicates: vec![0; code.predicates] }
            }
        };
        for (register, special) in &code.specials {
            let values = &mut registers[usize::from(*register)];
            for (lane, value) in values.iter_mut().enumerate() {
                *value = machine.special(*special, self.index, lane, base);
            }
        }
        let end = (base + code.local) as usize;
        each(lanes, |lane| {
            if self.local[lane].len() < end {
                self.local[lane].resize(end, 0xcd);
            }
        });
        let groups = vec![Group { at: 0, lanes, wait: Wait::Nothing }];
        self.frames.push(Frame { function, registers, predicates, carry: 0, groups, base, call });
    }

    /// Enters a device function with the arguments that lie in the memory of the threads.
    pub fn call(
        &mut self,
        machine: &Machine,
        buffers: &mut Vec<Buffer>,
        call: &Arc<Call>,
        lanes: u32,
    ) -> Result<(), Reason> {
        let caller = self.frames.last().expect("a call is made in a frame");
        let functions = &machine.launch.program.functions;
        let from = caller.base;
        let base = (from + functions[caller.function].local).next_multiple_of(16);
        let callee = &functions[call.function];
        if base + callee.local > MOST_LOCAL {
            return Err(Reason::StackOverflow);
        }
        self.enter(machine, buffers, call.function, lanes, base, Some((call.clone(), lanes)));
        for (place, slot) in call.arguments.iter().zip(&callee.parameters) {
            self.copy(lanes, from + place, base + slot.offset, slot.bytes);
        }
        Ok(())
    }

    /// Leaves a function that all of its threads have left.
    pub fn leave(&mut self, machine: &Machine, buffers: &mut Vec<Buffer>) {
        let Some(frame) = self.frames.pop() else { return };
        if let (Some((call, lanes)), Some(caller)) = (&frame.call, self.frames.last()) {
            let to = caller.base;
            let callee = &machine.launch.program.functions[frame.function];
            for (place, slot) in call.results.iter().zip(&callee.results) {
                self.copy(*lanes, frame.base + slot.offset, to + place, slot.bytes);
            }
        }
        let Frame { function, registers, predicates, .. } = frame;
        buffers.push(Buffer { function, registers, predicates });
    }

    fn copy(&mut self, lanes: u32, from: u32, to: u32, bytes: u32) {
        let from = from as usize..(from + bytes) as usize;
        each(lanes, |lane| self.local[lane].copy_within(from.clone(), to as usize));
    }

    /// Ends threads, in whatever function they are.
    pub fn exit(&mut self, lanes: u32) {
        self.exited |= lanes;
        for frame in &mut self.frames {
            for group in &mut frame.groups {
                group.lanes &= !lanes;
            }
            frame.groups.retain(|group| group.lanes != 0);
        }
    }

    /// How many of the waiting threads a predicate holds for, and how many there are.
    pub fn counted(&self) -> (u32, u32) {
        let Some(frame) = self.frames.last() else { return (0, 0) };
        let mut count = (0, 0);
        for group in &frame.groups {
            if let Wait::Block(Some((by, _))) = group.wait {
                let holds = super::compare::condition(&frame.predicates, by);
                count.0 += (holds & group.lanes).count_ones();
            }
            count.1 += group.lanes.count_ones();
        }
        count
    }

    /// Lets threads go on behind a barrier; false if some wait for something else.
    pub fn release(
        &mut self,
        mut answer: impl FnMut(Answer, &mut [u32], &mut [Lanes], u32),
    ) -> bool {
        let Some(frame) = self.frames.last_mut() else { return true };
        for group in &mut frame.groups {
            let Wait::Block(counted) = group.wait else { return false };
            if let Some((_, to)) = counted {
                answer(to, &mut frame.predicates, &mut frame.registers, group.lanes);
            }
            group.wait = Wait::Nothing;
            group.at += 1;
        }
        true
    }

    /// Whether all threads that have not ended wait at a barrier of the block.
    pub fn is_at_barrier(&self) -> bool {
        let Some(frame) = self.frames.last() else { return false };
        let at_barrier = |group: &Group| matches!(group.wait, Wait::Block(_));
        let lanes = frame.groups.iter().fold(0, |lanes, group| lanes | group.lanes);
        frame.groups.iter().all(at_barrier) && lanes == self.lanes & !self.exited
    }

    /// What went wrong at the last instruction, for the lowest lane that stands there.
    pub fn fault(&self, machine: &Machine, reason: Reason) -> Box<Fault> {
        let lanes = self
            .frames
            .last()
            .map_or(1, |frame| frame.groups.iter().fold(0, |lanes, group| lanes | group.lanes));
        self.fault_of(machine, lanes.trailing_zeros() as usize % LANES, reason)
    }

    /// What went wrong at the last instruction for a lane.
    pub fn fault_of(&self, machine: &Machine, lane: usize, reason: Reason) -> Box<Fault> {
        let (function, at) = self.last;
        let program = machine.launch.program;
        let code = &program.functions[function];
        let (start, end, line) = code.origins.get(at as usize).copied().unwrap_or_default();
        let text = program.text.get(start as usize..end as usize).unwrap_or("");
        Box::new(Fault {
            kernel: program.functions[machine.launch.kernel].name.clone(),
            function: code.name.clone(),
            instruction: text.split_whitespace().collect::<Vec<_>>().join(" "),
            line,
            thread: machine.thread(self.index, lane),
            block: machine.block,
            reason,
        })
    }
}
