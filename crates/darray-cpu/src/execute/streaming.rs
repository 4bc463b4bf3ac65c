//! Stores that go past the caches.
//!
//! An ordinary store of a line that is in no cache first reads it from memory. Where a nest touches more than
//! the caches keep, what it writes is gone from them before anybody reads it, so the reading is for nothing
//! and its stores go past the caches (non-temporal).
//!
//! Compiled code and vector loops know nothing of this: they write a block to a buffer that stays in the
//! first-level cache, and whole lines are sent from there. A block that is only copied goes straight.

use super::machine::{Machine, MachineOp};
use crate::vector;
use darray_codegen::{Layout, Nest, Node, Phase, Program, StrideClass};
use darray_kernel::ir::Role;
use smallvec::SmallVec;

/// When stores go past the caches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Streaming {
    /// Bytes that a nest touches, at least. Where less than a row would do, shorter rows do too.
    pub from: usize,
}

/// The accesses of a nest that are written past the caches.
#[derive(Debug, Default)]
pub(super) struct Streamed {
    /// Those that blocks are copied to, as bits.
    direct: u64,
    /// Those that are written by way of a buffer: their numbers and the bytes of an element.
    staged: SmallVec<[(u16, usize); 2]>,
}

/// What decides it: a nest with its layout, its points, and where its accesses lie.
pub(super) struct Question<'q> {
    pub program: &'q Program,
    pub nest: &'q Nest,
    pub layout: &'q Layout,
    pub machine: &'q Machine,
    /// The block that every access lies in.
    pub blocks: &'q [*mut u8],
    /// Points of the nest, and of a row.
    pub points: usize,
    pub row: usize,
}

impl Streamed {
    /// Which accesses to stream.
    pub fn new(streaming: Streaming, question: &Question<'_>) -> Streamed {
        let mut streamed = Streamed::default();
        let Question { nest, machine, .. } = question;
        if !vector::STREAMS
            || nest.fold.is_some()
            || question.cost() > DEAREST
            || question.bytes() < streaming.from
        {
            return streamed;
        }
        for access in 0..nest.accesses.len().min(64) as u16 {
            if !question.can_stream(access, SHORTEST.min(streaming.from)) {
                continue;
            }
            let copied = |op: &MachineOp| matches!(op, MachineOp::Scatter { access: to, step: 1.., .. } if *to == access);
            if machine.before.iter().any(copied) {
                streamed.direct |= 1 << access;
            } else {
                streamed.staged.push((access, question.size(access)));
            }
        }
        streamed
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.direct == 0 && self.staged.is_empty()
    }

    /// Whether blocks are copied past the caches to an access.
    pub fn is_direct(&self, access: u16) -> bool {
        self.direct.checked_shr(access.into()).unwrap_or(0) & 1 == 1
    }

    /// Whether an access is written past the caches.
    pub fn contains(&self, access: u16) -> bool {
        self.is_direct(access) || self.staged.iter().any(|&(staged, _)| staged == access)
    }

    /// The accesses with a buffer: number and bytes of an element.
    pub fn staged(&self) -> &[(u16, usize)] {
        &self.staged
    }

    /// Blocks of at most so many elements, so that the buffers stay near.
    pub fn shorten(&self, block: usize) -> usize {
        let per_element: usize = self.staged.iter().map(|&(_, size)| size).sum();
        let longest = STAGED.checked_div(per_element).map_or(block, |most| most / 64 * 64);
        block.min(longest.max(64))
    }
}

impl Question<'_> {
    /// What the operators of an element cost.
    fn cost(&self) -> u32 {
        let cost = |node: &Node| match node {
            Node::Apply { operator, .. } => operator.cost(),
            Node::Random { .. } => DEAREST,
            _ => 0,
        };
        self.nest.before.iter().map(cost).sum()
    }

    /// Bytes of the arrays that the nest moves along, each counted once.
    fn bytes(&self) -> usize {
        let mut seen: SmallVec<[*mut u8; 8]> = SmallVec::new();
        let mut bytes = 0usize;
        for access in 0..self.nest.accesses.len() {
            let pointer = self.blocks[access];
            if self.layout.classes[access] != StrideClass::Still && !seen.contains(&pointer) {
                seen.push(pointer);
                bytes = bytes.saturating_add(self.points.saturating_mul(self.size(access as u16)));
            }
        }
        bytes
    }

    /// Whether all that happens to an access is that long contiguous runs of it are written once: no load
    /// finds its lines in a cache, no mask leaves elements as they are.
    fn can_stream(&self, access: u16, shortest: usize) -> bool {
        let at = access as usize;
        let (number, phase) = self.nest.accesses[at];
        let buffer = self.program.accesses[number as usize].buffer as usize;
        let others = self.blocks.iter().enumerate().filter(|&(other, _)| other != at);
        let stored =
            |node: &Node| matches!(node, Node::Store { .. }) && node.access() == Some(number);
        let mut stores = self.nest.before.iter().filter(|node| stored(node));
        let whole = |node: &Node| matches!(node, Node::Store { mask: None, .. });
        phase == Phase::Before
            && self.program.buffers[buffer].role == Role::Write
            && self.layout.classes[at] == StrideClass::Unit
            && self.row * self.size(access) >= shortest
            && others.map(|(_, &block)| block).all(|block| block != self.blocks[at])
            && stores.next().is_some_and(whole)
            && stores.next().is_none()
    }

    fn size(&self, access: u16) -> usize {
        let number = self.nest.accesses[access as usize].0;
        let buffer = self.program.accesses[number as usize].buffer;
        self.program.buffers[buffer as usize].dtype.size()
    }
}

/// Bytes of all buffers of a thread. Longer blocks read and write memory by turns rather than at once.
const STAGED: usize = 8 << 10;

/// Cost of an element above which memory waits for the processor anyway, in additions.
const DEAREST: u32 = 16;

/// Bytes of a row below which the parts of lines at its ends cost more than is saved.
const SHORTEST: usize = 1 << 10;

#[cfg(test)]
mod tests {
    use super::{Streaming, vector};
    use crate::execute::arguments::Arguments;
    use crate::execute::bind::bind;
    use crate::execute::compiled::Compiled;
    use crate::level::Level;
    use crate::memory::Memory;
    use darray_device::{Arg, DeviceId};
    use darray_kernel::ir::Kernel;
    use std::sync::Arc;

    const N: u64 = 1000;

    /// How many accesses of a kernel over two vectors are streamed, straight and by way of a buffer. Its
    /// loads are of `b0`, its stores to `b1`, which are the same block where that is `in_place`.
    fn streamed(body: &str, in_place: bool, from: usize) -> [usize; 2] {
        let text = format!(
            "kernel params=3 scalars=[] b0: f64 rank 1 read b1: f64 rank 1 write
             {{ for (i0: extent=p0 origin=p1 global=p0 logical=0) {{ {body} }} }}"
        );
        let kernel = Kernel::parse(&text).unwrap();
        let compiled = Compiled::new(&kernel, Level::detect(), None, Arc::default()).unwrap();
        let mut memory = Memory::new(DeviceId(0), 1 << 20);
        let first = memory.allocate(16 * N).unwrap();
        let second = if in_place { first } else { memory.allocate(16 * N).unwrap() };
        let buffer = |block| Arg::Buffer { block, offset: 0, strides: [1].into_iter().collect() };
        let args = [buffer(first), buffer(second), Arg::Bits(N), Arg::Bits(0), Arg::Bits(2)];
        let arguments =
            Arguments::new(&compiled.program, &args, |block| memory.locate(block)).unwrap();
        let bound = bind(&compiled, 0, &arguments, Streaming { from }).unwrap().unwrap();
        let staged = bound.streamed.staged().len();
        [(0..4).filter(|&access| bound.streamed.is_direct(access)).count(), staged]
    }

    #[test]
    fn long_runs_that_are_only_written_are_streamed() {
        if !vector::STREAMS {
            return;
        }
        let copy = "%0 = load b0[p1 + 1*i0] store b1[p1 + 1*i0] %0";
        let double = "%0 = load b0[p1 + 1*i0] %1 = add.f64 %0 %0 store b1[p1 + 1*i0] %1";
        let exp = "%0 = load b0[p1 + 1*i0] %1 = exp.f64 %0 store b1[p1 + 1*i0] %1";
        let every_second = "%0 = load b0[p1 + 1*i0] store b1[p1 + p2*i0] %0";
        let masked = "%0 = load b0[p1 + 1*i0] %1 = eq.f64 %0 %0 store b1[p1 + 1*i0] %0 if %1";
        assert_eq!(streamed(copy, false, 0), [1, 0]);
        assert_eq!(streamed(double, false, 0), [0, 1]);
        let both = 16 * N as usize;
        assert_eq!(streamed(double, false, both), [0, 1]);
        assert_eq!(streamed(double, false, both + 1), [0, 0], "it fits into the caches");
        assert_eq!(streamed(double, true, 0), [0, 0], "its lines are there");
        assert_eq!(streamed(exp, false, 0), [0, 0], "the processor is what it waits for");
        assert_eq!(streamed(every_second, false, 0), [0, 0]);
        assert_eq!(streamed(masked, false, 0), [0, 0], "some elements stay");
    }
}
