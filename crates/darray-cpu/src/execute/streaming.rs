//! Stores that go past the caches.
//!
//! An ordinary store of a line that is in no cache first reads it from memory. Where a nest touches more than
//! the caches keep, what it writes is gone from them before anybody reads it, so the reading is for nothing
//! and its stores go past the caches (non-temporal).
//!
//! Such stores write whole cache lines. Machine code makes them itself from where a line begins; the elements of a row
//! before that are done by themselves, and parts of lines at the ends of rows are stored element by element. What
//! machine code does not write goes the ordinary way, but for a block that is only copied.

use super::machine::{Machine, MachineOp};
use crate::jit::is_in;
use crate::vector;
use darray_codegen::{Layout, Nest, Node, Phase, Program, StrideClass};
use darray_kernel::ir::Role;
use smallvec::SmallVec;

/// When the caches do not keep what is touched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Streaming {
    /// Bytes that a nest touches, at least, where stores go past the caches. Where less than a row would do, shorter rows
    /// do too.
    pub from: usize,
    /// Bytes that a nest of a kernel by rows touches, at least, where the nests run together.
    pub together: usize,
}

#[cfg(test)]
impl Streaming {
    /// Stores go past the caches from so many bytes on.
    pub fn from(from: usize) -> Streaming {
        Streaming { from, together: super::bind::NEAR }
    }
}

/// The accesses of a nest that are written past the caches.
#[derive(Debug, Default)]
pub(super) struct Streamed {
    /// Those that machine code writes, as bits.
    by_code: u64,
    /// One of them, and the bytes of an element: all begin their lines at the same elements.
    lead: Option<(u16, usize)>,
    /// Those that blocks are copied to, as bits.
    direct: u64,
}

/// What decides it: a nest with its layout, its points, and where its accesses lie.
pub(super) struct Question<'q> {
    pub program: &'q Program,
    pub nest: &'q Nest,
    pub layout: &'q Layout,
    /// The block that every access lies in.
    pub blocks: &'q [*mut u8],
    /// The address of every access at local index 0, and its bytes per step, access by access, along each axis.
    pub bases: &'q [*mut u8],
    pub strides: &'q [i64],
    /// Whether machine code may write what comes after a fold as it folds; of what is yielded there is one subtree.
    pub stores: bool,
    /// Points of the nest, along each axis, and of a row.
    pub points: usize,
    pub extents: &'q [usize],
    pub row: usize,
}

impl Streamed {
    /// How accesses are streamed: `wanted` as bits, by the code for them.
    pub fn new(wanted: u64, question: &Question<'_>, machine: &Machine) -> Streamed {
        let mut streamed = Streamed::default();
        for access in question.accesses().filter(|&access| is_in(wanted, access)) {
            let copied = |op: &MachineOp| matches!(op, MachineOp::Scatter { access: to, step: 1.., .. } if *to == access);
            if is_in(machine.past, access) {
                streamed.by_code |= 1 << access;
                streamed.lead = Some((access, question.size(access)));
            } else if machine.before.iter().any(copied) {
                streamed.direct |= 1 << access;
            }
        }
        streamed
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_code == 0 && self.direct == 0
    }

    /// The accesses, as bits.
    pub fn accesses(&self) -> u64 {
        self.by_code | self.direct
    }

    /// Whether blocks are copied past the caches.
    pub fn has_direct(&self) -> bool {
        self.direct != 0
    }

    /// Whether machine code writes past the caches.
    pub fn is_by_code(&self) -> bool {
        self.by_code != 0
    }

    /// Whether rows so many bytes apart, access by access, begin alike in the lines that machine code writes past the
    /// caches.
    pub fn begins_alike(&self, steps: &[isize]) -> bool {
        self.lead.is_none_or(|(access, _)| steps[access as usize] % vector::LINE as isize == 0)
    }

    /// How many elements come before a line begins of what machine code writes past the caches, `columns` after
    /// where the accesses are at the `places`.
    pub fn before_line(&self, places: &[*mut u8], columns: usize) -> usize {
        let before = |(access, size): (u16, usize)| {
            let place = places[access as usize].wrapping_add(columns * size);
            // Sizes are powers of two.
            ((place as usize).wrapping_neg() % vector::LINE) >> size.trailing_zeros()
        };
        self.lead.map_or(0, before)
    }

    /// Whether blocks are copied past the caches to an access.
    pub fn is_direct(&self, access: u16) -> bool {
        is_in(self.direct, access)
    }
}

impl Question<'_> {
    /// The accesses of a nest that touches so many bytes to write past the caches, as bits.
    pub fn wanted(&self, streaming: Streaming) -> u64 {
        let in_one = self.nest.fold.is_none() || self.stores;
        if !vector::STREAMS || !in_one || self.cost() > DEAREST {
            return 0;
        }
        let shortest = SHORTEST.min(streaming.from);
        self.accesses()
            .filter(|&access| self.can_stream(access, shortest))
            .fold(0, |all, access| all | 1 << access)
    }

    /// Those of `wanted` whose stores machine code may make itself: they go through lines side by side, so that all
    /// begin one where the first does.
    pub fn in_step(&self, wanted: u64) -> u64 {
        let count = self.bases.len();
        // Where elements begin in their lines, at the start and for each step.
        let places = |access: u16| {
            let at = access as usize;
            let strides = self.strides.iter().skip(at).step_by(count).copied();
            [self.bases[at] as i64]
                .into_iter()
                .chain(strides)
                .map(|byte| byte.rem_euclid(vector::LINE as i64))
        };
        let may = |&access: &u16| {
            let size = self.size(access) as i64;
            is_in(wanted, access) && size >= 4 && places(access).all(|byte| byte % size == 0)
        };
        let Some(first) = self.accesses().find(may) else { return 0 };
        let beside = |&access: &u16| {
            self.size(access) == self.size(first) && places(access).eq(places(first))
        };
        self.accesses().filter(may).filter(beside).fold(0, |all, access| all | 1 << access)
    }

    /// How many bytes an access is behind another that goes through the same array the same way, `down` with every
    /// row.
    pub fn behind(&self, first: u16, other: u16, down: isize) -> Option<isize> {
        let count = self.bases.len();
        let strides = |access: u16| self.strides.iter().skip(access as usize).step_by(count);
        let [a, b] = [first, other].map(usize::from);
        let alike = self.blocks[a] == self.blocks[b] && strides(first).eq(strides(other));
        let behind = (self.bases[a] as isize).wrapping_sub(self.bases[b] as isize);
        (alike && down != 0).then_some(behind * down.signum())
    }

    /// Bytes per step of an access along an axis.
    pub fn stride(&self, axis: u8, access: u16) -> i64 {
        self.strides[axis as usize * self.bases.len() + access as usize]
    }

    /// Bytes of the elements that an access is at in all of the nest.
    pub fn bytes_of(&self, access: u16) -> usize {
        let moves = |&(axis, _): &(usize, &usize)| self.stride(axis as u8, access) != 0;
        let elements = self.extents.iter().enumerate().filter(moves).map(|(_, &extent)| extent);
        elements.fold(self.size(access), usize::saturating_mul)
    }

    /// The numbers of the accesses that have a bit.
    pub fn accesses(&self) -> std::ops::Range<u16> {
        0..self.nest.accesses.len().min(64) as u16
    }

    /// The accesses that are loaded from, as bits.
    pub fn loads(&self) -> u64 {
        let phases = [Phase::Before, Phase::Fold, Phase::After];
        let nodes = phases.into_iter().flat_map(|phase| self.nest.nodes(phase));
        let accesses = nodes.filter(|node| node.access().is_some());
        let is_load = |node: &Node| matches!(node, Node::Load { .. });
        (0..64).zip(accesses).filter(|(_, node)| is_load(node)).fold(0, |all, (k, _)| all | 1 << k)
    }

    /// What the operators of an element cost.
    fn cost(&self) -> u32 {
        let cost = |node: &Node| match node {
            Node::Apply { operator, .. } => operator.cost(),
            Node::Random { .. } => DEAREST,
            _ => 0,
        };
        let phases = [Phase::Before, Phase::Fold, Phase::After];
        phases.into_iter().flat_map(|phase| self.nest.nodes(phase)).map(cost).sum()
    }

    /// Bytes of the arrays that the nest moves along, each counted once.
    pub fn bytes(&self) -> usize {
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
        let stored = |node: &Node| {
            let stores = matches!(node, Node::Store { .. } | Node::Yield { .. });
            stores && node.access() == Some(number)
        };
        let mut stores = self.nest.nodes(phase).iter().filter(|node| stored(node));
        let whole =
            |node: &Node| matches!(node, Node::Store { mask: None, .. } | Node::Yield { .. });
        let written = if self.nest.fold.is_some() { Phase::After } else { Phase::Before };
        phase == written
            && matches!(self.program.buffers[buffer].role, Role::Write | Role::Partial)
            && self.layout.classes[at] == StrideClass::Unit
            && self.row * self.size(access) >= shortest
            && others.map(|(_, &block)| block).all(|block| block != self.blocks[at])
            && stores.next().is_some_and(whole)
            && stores.next().is_none()
    }

    /// Bytes of an element of an access.
    pub fn size(&self, access: u16) -> usize {
        let number = self.nest.accesses[access as usize].0;
        let buffer = self.program.accesses[number as usize].buffer;
        self.program.buffers[buffer as usize].dtype.size()
    }
}

/// Cost of an element above which memory waits for the processor anyway, in additions.
const DEAREST: u32 = 16;

/// Bytes of a row below which the parts of lines at its ends cost more than is saved.
const SHORTEST: usize = 1 << 10;

#[cfg(test)]
mod tests {
    use super::vector;
    use crate::execute::testing::{Array, with_bound};
    use crate::jit::Target;
    use crate::level::Level;

    const N: usize = 1000;

    /// How many accesses of a kernel are streamed: by machine code, and straight. It loads from
    /// `b0` and stores to `b1`, which are the same block where that is `in_place`, and to `b2`, so many elements
    /// behind the start of its block.
    fn streamed(
        body: &str,
        [in_place, jit]: [bool; 2],
        dtype: &str,
        behind: usize,
        from: usize,
    ) -> [usize; 2] {
        let text = format!(
            "kernel params=3 scalars=[] b0: f64 rank 1 read b1: f64 rank 1 write b2: {dtype} rank 1 write
             {{ for (i0: extent=p0 origin=p1 global=p0 logical=0) {{ {body} }} }}"
        );
        let arrays = [
            Array { block: 0, offset: 0, strides: &[1] },
            Array { block: usize::from(!in_place), offset: 0, strides: &[1] },
            Array { block: 2, offset: behind, strides: &[1] },
        ];
        let target = jit.then(|| Target::of(Level::detect())).flatten();
        with_bound(&text, &arrays, &[N, 0, 2], target, from, |bound| {
            let direct = (0..4).filter(|&access| bound.streamed.is_direct(access)).count();
            let by_code = bound.streamed.by_code.count_ones() as usize;
            [by_code, direct]
        })
    }

    const COPY: &str = "%0 = load b0[p1 + 1*i0] store b1[p1 + 1*i0] %0";
    const DOUBLE: &str = "%0 = load b0[p1 + 1*i0] %1 = add.f64 %0 %0 store b1[p1 + 1*i0] %1";

    #[test]
    fn long_runs_that_are_only_written_are_streamed() {
        if !vector::STREAMS {
            return;
        }
        let streamed = |body, in_place, from| streamed(body, [in_place, false], "f64", 0, from);
        let exp = "%0 = load b0[p1 + 1*i0] %1 = exp.f64 %0 store b1[p1 + 1*i0] %1";
        let every_second = "%0 = load b0[p1 + 1*i0] store b1[p1 + p2*i0] %0";
        let masked = "%0 = load b0[p1 + 1*i0] %1 = eq.f64 %0 %0 store b1[p1 + 1*i0] %0 if %1";
        assert_eq!(streamed(COPY, false, 0), [0, 1]);
        assert_eq!(streamed(DOUBLE, false, 0), [0, 0], "that is for machine code");
        let both = 16 * N;
        assert_eq!(streamed(COPY, false, both), [0, 1]);
        assert_eq!(streamed(COPY, false, both + 1), [0, 0], "it fits into the caches");
        assert_eq!(streamed(COPY, true, 0), [0, 0], "its lines are there");
        assert_eq!(streamed(exp, false, 0), [0, 0], "the processor is what it waits for");
        assert_eq!(streamed(every_second, false, 0), [0, 0]);
        assert_eq!(streamed(masked, false, 0), [0, 0], "some elements stay");
    }

    #[test]
    fn machine_code_streams_what_goes_through_lines_side_by_side() {
        if !vector::STREAMS || Target::of(Level::detect()).is_none() {
            eprintln!("this machine has no machine code");
            return;
        }
        let streamed = |body: &str, dtype: &str, behind: usize| {
            streamed(body, [false, true], dtype, behind, 0)
        };
        let two =
            |operator: &str| format!("{DOUBLE} %2 = {operator}.f64 %0 %0 store b2[p1 + 1*i0] %2");
        assert_eq!(streamed(COPY, "f64", 0), [1, 0], "it asks for lines ahead");
        assert_eq!(streamed(DOUBLE, "f64", 0), [1, 0], "an operator alone is compiled for it");
        assert_eq!(streamed(&two("mul"), "f64", 0), [2, 0]);
        assert_eq!(streamed(&two("mul"), "f64", 8), [2, 0], "a line behind");
        assert_eq!(streamed(&two("mul"), "f64", 3), [1, 0], "its lines begin elsewhere");
        assert_eq!(streamed(&two("lt"), "bool", 0), [1, 0], "no such stores of bytes");
        let again = format!("{DOUBLE} %2 = sqrt.f64 %1 store b2[p1 + 1*i0] %2");
        assert_eq!(streamed(&again, "f64", 0), [1, 0], "the first is read where it is");
    }
}
