//! Accumulators, and calls of the table.

use super::super::call::OPERANDS;
use super::super::instruction::{self, Instruction, Source};
use super::super::lane::{Held, Lane, Op, Value};
use super::file::set;
use super::places::NEVER;
use super::{Allocator, HeldIn};
use darray_core::RealType;
use darray_kernel::operator::Operator;

impl Allocator<'_> {
    /// What accumulators hold: where they stay in registers, there.
    pub(super) fn held(&mut self, at: Value, held: Held) {
        if let Some(stay) = self.stay(held) {
            // Not a register that may be given away.
            self.places[at as usize].register = stay.register;
            return;
        }
        unreachable!("accumulators that are read are in registers")
    }

    /// Accumulators take a value.
    pub(super) fn hold_accumulators(&mut self, held: Held, value: Value) {
        let register = self.register(value, 0);
        match self.stay(held).filter(|_| !self.merges) {
            Some(stay) if stay.register == register => {}
            Some(stay) => {
                let lane = Lane::of(held.dtype);
                let from = Source::Register(register);
                self.vector(instruction::move_from(lane), lane, stay.register, 0, from, None);
            }
            None => self.out.code.push(Instruction::StoreHeld { register, held }),
        }
    }

    /// A register for the result of a node: the accumulators' own where only they take it and what they
    /// had is not needed any more.
    #[inline(always)]
    pub(super) fn take_for(&mut self, at: Value, lane: Lane) -> u8 {
        match self.out.held.is_empty() || self.merges {
            true => self.take(lane, 0),
            false => self.take_of_accumulators(at, lane),
        }
    }

    fn take_of_accumulators(&mut self, at: Value, lane: Lane) -> u8 {
        let user = self.places[at as usize].next_use;
        if user != NEVER
            && self.following[user as usize][0] == NEVER
            && let Op::Hold(held) = self.nodes[user as usize].op
            && let Some(stay) = self.stay(held)
            && (stay.value == super::NOWHERE || self.is_over(stay.value))
        {
            return stay.register;
        }
        self.take(lane, 0)
    }

    #[inline]
    fn stay(&self, held: Held) -> Option<HeldIn> {
        self.out.held.iter().find(|stay| stay.accumulators == held).copied()
    }

    /// `to` has the second argument, and is patched where the first one says so.
    pub(super) fn patch(&mut self, at: Value, operator: Operator, dtype: RealType) {
        let args = self.nodes[at as usize].args;
        let lane = self.nodes[at as usize].lane;
        let mask = self.register(args[0], 0);
        // Where masks are vectors, theirs is not given away either.
        let from = self.register(args[1], 1 << mask);
        let mut pinned = set(&[from, mask]);
        let mut operands = [0; OPERANDS as usize];
        for (operand, &arg) in operands.iter_mut().zip(&args[2..]) {
            *operand = self.register(arg, pinned);
            pinned |= 1 << *operand;
        }
        let to = if self.dies(args[1]) && !args[2..].contains(&args[1]) {
            self.forget(args[1]);
            from
        } else {
            let copy = self.take(lane, pinned);
            let from = Source::Register(from);
            self.vector(instruction::move_from(lane), lane, copy, 0, from, None);
            copy
        };
        let held = self.out.held.iter().fold(0u32, |bits, stay| bits | 1 << stay.register);
        let vectors = (self.files[0].used | held) & !(1 << to);
        let masks = self.files[1].used as u8;
        let patch = Instruction::Patch { mask, to, operands, operator, dtype, vectors, masks };
        self.out.code.push(patch);
        self.out.has_calls = true;
        self.hold(at, to);
    }
}
