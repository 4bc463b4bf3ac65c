//! Loads that the instruction which needs the element does by itself.
//!
//! ```text
//! v0 = load a        v30 = v30 + [a]
//! v30 = v30 + v0
//! ```
//!
//! Where loads wait for memory, the fewer instructions stand between them, the more of them are on their way.

use super::super::instruction::{self, Instruction, Source};
use super::super::lane::{Form, Lane, Op};
use super::Allocated;
use darray_core::RealType;

/// Operations on lanes as they are in memory.
fn operations(lane: Lane) -> &'static [Op] {
    match lane.is_float() {
        true => &[Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Min, Op::Max],
        false => &[Op::Add, Op::Sub],
    }
}

impl Allocated {
    /// Lets operations take their last operand from memory, where nothing else needs it and nothing is stored or moves on
    /// before.
    pub fn load_by_operations(&mut self) {
        let mut gone = vec![false; self.code.len()];
        for (at, gone) in gone.iter_mut().enumerate() {
            let Instruction::Load { register, lane, pointer, dtype, group } = self.code[at] else {
                continue;
            };
            let behind = &self.code[at + 1..];
            let mut needed = (at + 1..).zip(behind).filter(|(_, next)| next.mentions(register));
            let Some((user, _)) = needed.next() else { continue };
            let is_loaded_next = |next: &Instruction| matches!(next, Instruction::Load { .. });
            let is_only = needed.next().is_none_or(|(_, next)| is_loaded_next(next));
            let is_stored = |next: &Instruction| {
                matches!(next, Instruction::Store { .. } | Instruction::NextRow)
            };
            let is_changed = self.code[at..user].iter().any(is_stored);
            if !is_only || is_changed || !is_plain(dtype, lane) {
                continue;
            }
            if let Instruction::Vector { opcode, first, second, mask: 0, .. } = &mut self.code[user]
                && *second == Source::Register(register)
                && *first != register
                && operations(lane).iter().any(|&op| instruction::opcode_of(op, lane).0 == *opcode)
            {
                *second = Source::Element { pointer, dtype, group };
                *gone = true;
            }
        }
        for (_, end) in &mut self.origins {
            *end -= gone[..*end as usize].iter().filter(|gone| **gone).count() as u32;
        }
        let mut gone = gone.into_iter();
        self.code.retain(|_| gone.next() == Some(false));
    }
}

/// Whether elements in memory are as lanes have them.
fn is_plain(dtype: RealType, lane: Lane) -> bool {
    Form::of(dtype) == Form::Plain && Lane::of(dtype) == lane
}

impl Instruction {
    /// Whether it reads or writes a vector register; for some that it does not, too.
    fn mentions(&self, register: u8) -> bool {
        match *self {
            Instruction::Vector { to, first, second, .. } => {
                to == register || first == register || second == Source::Register(register)
            }
            // Masks have registers of their own.
            Instruction::Load { register: r, lane, .. }
            | Instruction::Store { register: r, lane, .. } => r == register && lane != Lane::Mask,
            Instruction::Spill { register: r, .. }
            | Instruction::Rows { register: r, .. }
            | Instruction::Broadcast { register: r, .. }
            | Instruction::Position { register: r, .. }
            | Instruction::StoreHeld { register: r, .. } => r == register,
            Instruction::NextRow
            | Instruction::Mask { .. }
            | Instruction::MaskSpill { .. }
            | Instruction::MaskReload { .. }
            | Instruction::MaskUniform { .. } => false,
            Instruction::Patch { .. } => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Accumulators, allocate};
    use super::*;
    use crate::jit::lane::{Body, Value};
    use crate::jit::target::Target;

    /// Of the loads of some code, how many are left, and how many operations load.
    fn loads(code: impl Fn(&mut Body, [Value; 2])) -> (usize, usize) {
        let mut body = Body::new(0);
        let both = [0, 1].map(|k| body.add(Op::Load(k, RealType::F64, 0), Lane::F64, &[]));
        code(&mut body, both);
        let mut allocated = allocate(&body.used(), 8, Target::Avx512, Accumulators::None);
        allocated.load_by_operations();
        let count =
            |is: fn(&Instruction) -> bool| allocated.code.iter().filter(|one| is(one)).count();
        let ends = allocated.origins.last().map(|&(_, end)| end as usize);
        assert_eq!(ends, Some(allocated.code.len()));
        let by_operation = |one: &Instruction| {
            matches!(one, Instruction::Vector { second: Source::Element { .. }, .. })
        };
        (count(|one| matches!(one, Instruction::Load { .. })), count(by_operation))
    }

    /// A mask in the mask register of the same number leaves the vector register what it is.
    #[test]
    fn what_is_needed_behind_a_mask_stays_in_its_register() {
        let load = |register, lane, pointer, dtype| Instruction::Load {
            register,
            lane,
            pointer,
            dtype,
            group: 0,
        };
        let (opcode, _) = instruction::opcode_of(Op::Add, Lane::F64);
        let add = |to, first, second| Instruction::Vector {
            opcode,
            length: 64,
            to,
            first,
            second: Source::Register(second),
            mask: 0,
            zero: false,
            immediate: None,
        };
        for (lane, dtype, kept) in
            [(Lane::Mask, RealType::Bool, true), (Lane::F64, RealType::F64, false)]
        {
            let all = vec![
                load(4, Lane::F64, 0, RealType::F64),
                add(8, 0, 4),
                load(4, lane, 1, dtype),
                add(9, 8, 4),
            ];
            let mut code = Allocated { code: all, ..Allocated::default() };
            code.load_by_operations();
            let loads = |one: &&Instruction| matches!(one, Instruction::Load { pointer: 0, .. });
            assert_eq!(code.code.iter().filter(loads).count(), usize::from(kept), "{dtype}");
        }
    }

    #[test]
    fn operations_load_what_nothing_else_needs() {
        let store = |body: &mut Body, pointer, value| {
            body.add(Op::Store(pointer, RealType::F64, 0), Lane::F64, &[value]);
        };
        let add = |body: &mut Body, a, b| body.add(Op::Add, Lane::F64, &[a, b]);
        let sum = loads(|body, [a, b]| {
            let sum = add(body, a, b);
            store(body, 2, sum);
        });
        assert_eq!(sum, (1, 1));
        let needed_again = loads(|body, [a, b]| {
            let sum = add(body, a, b);
            let sum = add(body, sum, b);
            store(body, 2, sum);
        });
        assert_eq!(needed_again, (2, 0));
        let stored_before = loads(|body, [a, b]| {
            store(body, 2, a);
            let sum = add(body, a, b);
            store(body, 2, sum);
        });
        assert_eq!(stored_before, (2, 0), "what is stored may be what is loaded");
        let square = loads(|body, [a, b]| {
            let product = body.add(Op::Mul, Lane::F64, &[b, b]);
            let sum = add(body, a, product);
            store(body, 2, sum);
        });
        assert_eq!(square, (2, 0));
    }
}
