//! Folds of a few elements for each of many points: all of their order is one function of the points.
//!
//! ```text
//! for (i0) { fold (i1: extent 3) { %0 = load b0[i0, i1] } .. = sum %0 }
//!     r0 = a0 + a2        of element 0, 1, 2 the accesses a0, a1, a2, each with an address of its own
//!     result = r0 + a1
//! ```
//!
//! Each element is one of a lane of its own, or where these are more than there are lanes, of lane k modulo lanes, whose elements are
//! combined in pairs. What is the same
//! for all points, as the factors of a product with a vector, is loaded by the instruction.

use super::super::schedule::tuning::POINT_ELEMENTS;
use crate::jit::{Folded, can_compile};
use crate::vector::LANES;
use darray_codegen::{Code, FoldMode, Instruction, Layout, Nest, Primitive, Slot};
use darray_core::RealType;
use darray_kernel::operator::Operator;
use hashbrown::HashMap;
use smallvec::SmallVec;

/// Instructions of such a function, at most; where lanes have several elements, there is one for each of so many.
const MOST: usize = 256;
const MOST_OF_SEVERAL: usize = POINT_ELEMENTS;

/// The function for points of so many elements each, if the code of a nest can be one: its accesses are those of
/// the nest and, behind them, those of every element, the elements' places, and what items start from.
pub(in super::super) fn instructions(
    code: &Code,
    nest: &Nest,
    layout: &Layout,
    items: &[Folded],
    elements: usize,
) -> Option<Vec<Instruction>> {
    let can = |instruction: &Instruction| {
        let moves = matches!(instruction, Instruction::Iota { .. } | Instruction::Scatter { .. });
        can_compile(instruction, &layout.classes, &[]) && !moves
    };
    let combine = |fold: &Folded| if fold.reducer.has_index() { 6 } else { 1 };
    let count = (code.fold.len() + items.iter().map(combine).sum::<usize>()) * elements;
    let most = if elements > LANES { MOST_OF_SEVERAL } else { MOST };
    let of_row = elements_of_rows(code)?;
    // What combines lanes has an element for every point.
    if items.iter().any(|fold| of_row.contains_key(&fold.source.value)) {
        return None;
    }
    // What combines elements has six registers for each at most; what comes after the fold has registers of its own behind these.
    let registers = (elements + 2) * (usize::from(code.registers) + 6 * items.len());
    let accesses = (1 + elements) * (nest.accesses.len() + 1) + items.len();
    let are_numbered = registers.max(accesses) < usize::from(u16::MAX);
    let fits = code.fold.iter().all(can) && count <= most && are_numbered;
    if layout.mode != FoldMode::Kept || !fits {
        return None;
    }
    let written: Vec<Slot> = code.fold.iter().filter_map(Instruction::writes).collect();
    // What every element has of its own.
    let of_element = |slot: Slot, element: usize| match of_row.get(&slot).copied().unwrap_or(slot) {
        Slot::Access(access) => Slot::Access(access + ((1 + element) * nest.accesses.len()) as u16),
        Slot::Register(register) if written.contains(&slot) => {
            Slot::Register(register + element as u16 * code.registers)
        }
        other => other,
    };
    let mut all = Vec::with_capacity(count);
    for element in 0..elements {
        all.extend(code.fold.iter().map(|one| with_slots(one, |slot| of_element(slot, element))));
    }
    let checked = all.len();
    let starts = ((1 + elements) * nest.accesses.len() + elements) as u16;
    let mut combined = Combined { all, next: elements as u16 * code.registers, starts };
    for fold in items {
        let mut held: SmallVec<[Slot; 32]> =
            (0..elements).map(|element| of_element(fold.source.value, element)).collect();
        match fold.reducer.operator() {
            Some(operator) => {
                combined.rounds(fold, operator, &mut held);
                combined.halves(fold, operator, held);
            }
            None if elements > LANES => return None,
            None => {
                let first = ((1 + elements) * nest.accesses.len()) as u16;
                combined.places(fold, &held, |lane| Slot::Access(first + lane));
            }
        }
    }
    // Those of an element move as those that they were made of, which are in the layout.
    combined.all[checked..].iter().all(can).then_some(combined.all)
}

/// The accesses that the cells of a row are loaded from, once for all points: here a row is an element, and code loads
/// what belongs to it. None if a row computes more.
fn elements_of_rows(code: &Code) -> Option<HashMap<Slot, Slot>> {
    let loaded = |instruction: &Instruction| match *instruction {
        Instruction::Gather { access, out, .. } => Some((out, Slot::Access(access))),
        _ => None,
    };
    code.fold_row.iter().map(loaded).collect()
}

/// Such a function that also does what comes after the fold, whose results are one subtree each, and which finds the results in registers. None if that reads more than
/// results, uniform elements and accesses of its own, or indices.
pub(in super::super) fn with_after(
    code: &Code,
    layout: &Layout,
    fold: &[Instruction],
) -> Option<Vec<Instruction>> {
    if !code.after_row.is_empty() || fold.len() + code.after.len() > MOST {
        return None;
    }
    let all: Vec<Instruction> = code.after.iter().map(scattered).collect();
    let written: Vec<Slot> = all.iter().filter_map(Instruction::writes).collect();
    let is_known = |slot: &Slot| match slot {
        Slot::Register(_) => written.contains(slot),
        Slot::Kept(_) => false,
        _ => true,
    };
    let can = |instruction: &Instruction| {
        let indexed = matches!(instruction, Instruction::Iota { .. });
        can_compile(instruction, &layout.classes, &written)
            && !indexed
            && instruction.reads().iter().all(is_known)
    };
    if !all.iter().all(can) {
        return None;
    }
    let registers = |list: &[Instruction]| {
        let number = |slot: Slot| if let Slot::Register(number) = slot { number + 1 } else { 0 };
        list.iter().filter_map(Instruction::writes).map(number).max().unwrap_or(0)
    };
    let results = registers(fold);
    let first = results + 2 * code.sources.len() as u16;
    let in_fold = |slot: Slot| match slot {
        Slot::Result(item) => Slot::Register(results + 2 * item),
        Slot::ResultIndex(item) => Slot::Register(results + 2 * item + 1),
        other => other,
    };
    let behind = |slot: Slot| match slot {
        Slot::Register(register) => Slot::Register(first + register),
        other => in_fold(other),
    };
    let fold = fold.iter().map(|one| with_slots(one, in_fold));
    Some(fold.chain(all.iter().map(|one| with_slots(one, behind))).collect())
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
    /// The elements of each lane, in pairs.
    fn rounds(&mut self, fold: &Folded, operator: Operator, held: &mut SmallVec<[Slot; 32]>) {
        let mut apart = LANES;
        while apart < held.len() {
            for right in (apart..held.len()).step_by(2 * apart) {
                for lane in right..(right + LANES).min(held.len()) {
                    let out = self.register();
                    let args = [held[lane - apart], held[lane]];
                    self.apply(operator, fold.source.dtype, &args, 0, out);
                    held[lane - apart] = out;
                }
            }
            apart *= 2;
        }
        held.truncate(LANES);
    }

    /// The lower half of the lanes with the upper one, until one is left.
    fn halves(&mut self, fold: &Folded, operator: Operator, mut held: SmallVec<[Slot; 32]>) {
        if let [value] = held[..] {
            // As any leaf begins, which makes a quiet NaN of every NaN.
            let (start, out) = (Slot::Access(self.starts + fold.item), Slot::Result(fold.item));
            return self.apply(operator, fold.source.dtype, &[start, value], 0b01, out);
        }
        let mut width = LANES / 2;
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
            return self.all.push(Instruction::Fill { dtype: RealType::INDEX, value, out });
        }
        let as_good = match fold.reducer.better() {
            Some(Operator::Lt) => Operator::Ge,
            _ => Operator::Le,
        };
        let (mut value, mut index, mut uniform) = (held[0], place(0), 0b110);
        for (&other, lane) in held.iter().zip(0..).skip(1) {
            let [worse, take, number, both] = [(); 4].map(|()| self.register());
            self.apply(as_good, dtype, &[other, value], 0, worse);
            self.apply(Operator::Not, RealType::MASK, &[worse], 0, take);
            self.apply(Operator::Eq, dtype, &[value, value], 0, number);
            self.apply(Operator::And, RealType::MASK, &[take, number], 0, both);
            let is_last = usize::from(lane) + 1 == held.len();
            let [to, index_to] = match is_last {
                true => [Slot::Result(fold.item), Slot::ResultIndex(fold.item)],
                false => [(); 2].map(|()| self.register()),
            };
            self.apply(
                Operator::Select,
                RealType::INDEX,
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

    fn apply(
        &mut self,
        operator: Operator,
        dtype: RealType,
        args: &[Slot],
        uniform: u8,
        out: Slot,
    ) {
        let primitive = Primitive::Apply(operator);
        let args = SmallVec::from_slice(args);
        self.all.push(Instruction::Compute { primitive, dtype, args, uniform, out });
    }
}

/// Of a fold whose results are one subtree, that one is the result: yielded as it is stored.
fn scattered(instruction: &Instruction) -> Instruction {
    let Instruction::Yield { access, dtype, item, index } = *instruction else {
        return instruction.clone();
    };
    let value = if index { Slot::ResultIndex(item) } else { Slot::Result(item) };
    let (uniform, mask, mask_uniform) = (false, None, false);
    Instruction::Scatter { access, dtype, value, uniform, mask, mask_uniform }
}

/// An instruction with other places for what it reads and writes, but for elements of an access that it scatters to.
fn with_slots(instruction: &Instruction, slot: impl Fn(Slot) -> Slot) -> Instruction {
    let mut instruction = instruction.clone();
    match &mut instruction {
        Instruction::Compute { args, out, .. } => {
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
        Instruction::Scatter { value, mask, .. } => {
            *value = slot(*value);
            mask.iter_mut().for_each(|mask| *mask = slot(*mask));
        }
        other => unreachable!("{other} computes no value of its own"),
    }
    instruction
}
