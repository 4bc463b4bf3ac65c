//! Folds of a few elements for each of many points: no lane of the tree has more than one, so what remains of the
//! order is how lanes combine, and all of it is one function of the points.
//!
//! ```text
//! for (i0) { fold (i1: extent 3) { %0 = load b0[i0, i1] } .. = sum %0 }
//!     r0 = a0 + a2        of lane 0, 1, 2 the accesses a0, a1, a2, each with an address of its own
//!     result = r0 + a1
//! ```

use super::fold::FoldRun;
use crate::jit::{Folded, can_compile};
use darray_codegen::{Code, FoldMode, Instruction, Layout, Nest, Primitive, Slot};
use darray_core::DType;
use darray_kernel::ir::Reducer;
use darray_kernel::operator::Operator;
use smallvec::SmallVec;

/// Instructions of such a function, at most.
const MOST: usize = 256;

/// The function for points of `lanes` elements each, if the code of a nest can be one: its accesses are those of
/// the nest and, behind them, those of every lane, the lanes' places, and what items start from.
pub(super) fn instructions(
    code: &Code,
    nest: &Nest,
    layout: &Layout,
    items: &[Folded],
    lanes: usize,
) -> Option<Vec<Instruction>> {
    let can = |instruction: &Instruction| {
        let moves = matches!(instruction, Instruction::Iota { .. } | Instruction::Scatter { .. });
        can_compile(instruction, &layout.classes) && !moves
    };
    let combine = |fold: &Folded| if fold.reducer.has_index() { 6 } else { 1 };
    let count = (code.fold.len() + items.iter().map(combine).sum::<usize>()) * lanes;
    let fits = code.fold_row.is_empty() && code.fold.iter().all(can) && count <= MOST;
    if layout.mode != FoldMode::Kept || !fits {
        return None;
    }
    let written: Vec<Slot> = code.fold.iter().filter_map(Instruction::writes).collect();
    // What every lane has of its own.
    let of_lane = |slot: Slot, lane: usize| match slot {
        Slot::Access(access) => Slot::Access(access + ((1 + lane) * nest.accesses.len()) as u16),
        Slot::Register(register) if written.contains(&slot) => {
            Slot::Register(register + lane as u16 * code.registers)
        }
        other => other,
    };
    let mut all = Vec::with_capacity(count);
    for lane in 0..lanes {
        all.extend(code.fold.iter().map(|one| with_slots(one, |slot| of_lane(slot, lane))));
    }
    let checked = all.len();
    let starts = ((1 + lanes) * nest.accesses.len() + lanes) as u16;
    let mut combined = Combined { all, next: lanes as u16 * code.registers, starts };
    for fold in items {
        let held: SmallVec<[Slot; 32]> =
            (0..lanes).map(|lane| of_lane(fold.source.value, lane)).collect();
        match fold.reducer.operator() {
            Some(operator) => combined.halves(fold, operator, held),
            None => {
                let first = ((1 + lanes) * nest.accesses.len()) as u16;
                combined.places(fold, &held, |lane| Slot::Access(first + lane));
            }
        }
    }
    // Those of a lane move as those that they were made of, which are in the layout.
    combined.all[checked..].iter().all(can).then_some(combined.all)
}

/// Instructions to which those that combine lanes are added.
struct Combined {
    all: Vec<Instruction>,
    /// The next register.
    next: u16,
    /// The access of what the first item starts from.
    starts: u16,
}

impl Combined {
    /// The lower half of the lanes with the upper one, until one is left.
    fn halves(&mut self, fold: &Folded, operator: Operator, mut held: SmallVec<[Slot; 32]>) {
        if let [value] = held[..] {
            // As any leaf begins, which makes a quiet NaN of every NaN.
            let (start, out) = (Slot::Access(self.starts + fold.item), Slot::Result(fold.item));
            return self.apply(operator, fold.source.dtype, &[start, value], 0b01, out);
        }
        let mut width = Folded::LANES / 2;
        while width > 0 {
            for lane in 0..width.min(held.len().saturating_sub(width)) {
                let out = match width {
                    1 => Slot::Result(fold.item),
                    _ => self.register(),
                };
                let args = [held[lane], held[lane + width]];
                self.apply(operator, fold.source.dtype, &args, 0, out);
                held[lane] = out;
            }
            held.truncate(width);
            width /= 2;
        }
    }

    /// Values with their places, lane after lane: which one is found does not depend on the order, and a later one is
    /// taken where it is better or the first NaN. The place of each lane is one for all points.
    fn places(&mut self, fold: &Folded, held: &[Slot], place: impl Fn(u16) -> Slot) {
        let dtype = fold.source.dtype;
        if let [value] = held[..] {
            // The larger one of it and itself.
            self.apply(Operator::Maximum, dtype, &[value, value], 0, Slot::Result(fold.item));
            let (value, out) = (place(0), Slot::ResultIndex(fold.item));
            return self.all.push(Instruction::Fill { dtype: DType::I64, value, out });
        }
        let as_good = match fold.reducer {
            Reducer::ArgMin => Operator::Ge,
            _ => Operator::Le,
        };
        let (mut value, mut index, mut uniform) = (held[0], place(0), 0b110);
        for (&other, lane) in held.iter().zip(0..).skip(1) {
            let [worse, take, number, both] = [(); 4].map(|()| self.register());
            self.apply(as_good, dtype, &[other, value], 0, worse);
            self.apply(Operator::Not, DType::Bool, &[worse], 0, take);
            self.apply(Operator::Eq, dtype, &[value, value], 0, number);
            self.apply(Operator::And, DType::Bool, &[take, number], 0, both);
            let is_last = usize::from(lane) + 1 == held.len();
            let [to, index_to] = match is_last {
                true => [Slot::Result(fold.item), Slot::ResultIndex(fold.item)],
                false => [(); 2].map(|()| self.register()),
            };
            self.apply(
                Operator::Select,
                DType::I64,
                &[both, place(lane), index],
                uniform,
                index_to,
            );
            self.apply(Operator::Select, dtype, &[both, other, value], 0, to);
            (value, index, uniform) = (to, index_to, 0b010);
        }
    }

    fn register(&mut self) -> Slot {
        self.next += 1;
        Slot::Register(self.next - 1)
    }

    fn apply(&mut self, operator: Operator, dtype: DType, args: &[Slot], uniform: u8, out: Slot) {
        let primitive = Primitive::Apply(operator);
        let args = SmallVec::from_slice(args);
        self.all.push(Instruction::Compute { primitive, dtype, args, uniform, out });
    }
}

/// An instruction with other places for what it reads and writes; one that computes.
fn with_slots(instruction: &Instruction, slot: impl Fn(Slot) -> Slot) -> Instruction {
    let mut instruction = instruction.clone();
    match &mut instruction {
        Instruction::Compute { args, out, .. } | Instruction::Chain { args, out, .. } => {
            args.iter_mut().for_each(|arg| *arg = slot(*arg));
            *out = slot(*out);
        }
        Instruction::Fill { value, out, .. } => {
            *value = slot(*value);
            *out = slot(*out);
        }
        Instruction::Gather { access, out, .. } => {
            if let Slot::Access(other) = slot(Slot::Access(*access)) {
                *access = other;
            }
            *out = slot(*out);
        }
        other => unreachable!("{other} computes no value of its own"),
    }
    instruction
}

impl FoldRun<'_> {
    /// The function that folds all points, see [`Machine::points`](super::machine::Machine::points), and how many
    /// elements each has.
    pub(super) fn all_points(&self) -> Option<(u32, usize)> {
        let found = self.bound.specialised.machine.points;
        found.filter(|&(_, lanes)| self.fold.extents[..] == [lanes] && self.fold.products.is_none())
    }

    /// Folds `n` kept points of `lanes` elements by the function of this number.
    ///
    /// # Safety
    /// The frame is at a block of `n` points of the bound nest; [`all_points`](Self::all_points) gave number and lanes.
    pub(super) unsafe fn compiled_all_points(&mut self, number: u32, lanes: usize, n: usize) {
        let machine = &self.bound.specialised.machine;
        let table = machine.table;
        let count = self.bound.bases.len();
        let mut places: [i64; Folded::LANES] = std::array::from_fn(|lane| self.place(&[lane]));
        // SAFETY: the range is the leaf; the function's accesses are at elements of the nest, and results have room for the
        // block.
        unsafe {
            self.pack(&std::array::from_fn::<_, 1, _>(|_| 0..lanes), 0, n);
            for lane in 0..lanes {
                self.point_at(&[lane], 0);
                let pointers = &mut self.frame.pointers;
                let of_lane = table.length + lane * count;
                pointers.copy_within(table.accesses..table.accesses + count, of_lane);
            }
            let behind = &mut self.frame.pointers[table.length + lanes * count..];
            let (of_places, of_starts) = behind.split_at_mut(lanes);
            let pointers = of_places.iter_mut().zip(&mut places);
            pointers.for_each(|(pointer, place)| *pointer = (&raw mut *place).cast());
            for (pointer, item) in of_starts.iter_mut().zip(self.fold.items.iter()) {
                // Only read.
                *pointer = (&raw const item.start).cast_mut().cast();
            }
            let native = &machine.natives[number as usize];
            let row = self.bound.row_of(n).max(1);
            for first in (0..n).step_by(row) {
                if first > 0 {
                    self.next_points(lanes, row);
                }
                native.run(self.frame.pointers.as_ptr(), row);
            }
        }
        for number in 0..self.fold.items.len() {
            let results = self.memory.result(number, 0);
            self.frame.pointers[table.results + number] = results.values;
            self.frame.pointers[table.indices + number] = results.indices;
        }
    }

    /// Moves what such a function reads and writes to the next row of points.
    fn next_points(&mut self, lanes: usize, row: usize) {
        let (bound, fold) = (self.bound, self.fold);
        let table = bound.specialised.machine.table;
        let count = bound.bases.len();
        let pointers = &mut self.frame.pointers;
        for &access in &fold.accesses {
            let step = bound.to_point(access.into(), row) as isize;
            for lane in 0..lanes {
                let pointer = &mut pointers[table.length + lane * count + access as usize];
                *pointer = pointer.wrapping_offset(step);
            }
        }
        for (number, item) in fold.items.iter().enumerate() {
            let [values, indices] = [table.results, table.indices].map(|first| first + number);
            pointers[values] = pointers[values].wrapping_add(row * item.size);
            pointers[indices] = pointers[indices].wrapping_add(row * size_of::<i64>());
        }
    }
}
