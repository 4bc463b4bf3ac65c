//! Operations as instructions.

use super::super::encode::Opcode;
use super::super::instruction::{self, Instruction, Source};
use super::super::lane::{Lane, Op, Value};
use super::super::target::Target;
use super::Allocator;
use super::file::set;

impl Allocator<'_> {
    /// `opcode to, a, b`, the vectors being of `of`.
    #[inline(always)]
    pub(super) fn binary(
        &mut self,
        at: Value,
        lane: Lane,
        of: Lane,
        opcode: Opcode,
        immediate: Option<u8>,
        [a, b]: [Value; 2],
    ) {
        let first = self.register(a, 0);
        let second = self.source(b, 1 << first);
        self.release_dead();
        let to = self.take_for(at, lane);
        self.vector(opcode, of, to, first, second, immediate);
        self.hold(at, to);
    }

    /// `to = a * b + c`: the result takes the place of an operand.
    pub(super) fn multiply_add(&mut self, at: Value, lane: Lane, [a, b, c]: [Value; 3]) {
        let (mut a, mut b) = (a, b);
        if self.in_memory(a) && !self.in_memory(b) {
            (a, b) = (b, a);
        }
        // At most one operand comes from memory: `c`, or else `b`.
        let ra = self.register(a, 0);
        let (form, first, second, target, target_value);
        if self.is_source(c) && !self.is_source(b) {
            let rb = self.register(b, 1 << ra);
            second = self.source(c, set(&[ra, rb]));
            // to = first * to + second
            (form, first, target, target_value) = if self.dies(b) && !self.dies(a) {
                (instruction::FMA_213, ra, rb, b)
            } else {
                (instruction::FMA_213, rb, ra, a)
            };
        } else {
            let rc = self.register(c, 1 << ra);
            second = self.source(b, set(&[ra, rc]));
            (form, first, target, target_value) = if self.dies(c) && !self.dies(a) {
                // to = first * second + to
                (instruction::FMA_231, ra, rc, c)
            } else {
                // to = to * second + first
                (instruction::FMA_132, rc, ra, a)
            };
        }
        let others_use = target_value == a && (b == a || c == a)
            || target_value == b && c == b
            || target_value == c && (a == c || b == c);
        let dies = self.dies(target_value) && !others_use;
        let to = if dies {
            self.forget(target_value);
            target
        } else {
            let mut pinned = set(&[first, target]);
            if let Source::Register(register) = second {
                pinned |= 1 << register;
            }
            let copy = self.take(lane, pinned);
            let from = Source::Register(target);
            self.vector(instruction::move_from(lane), lane, copy, 0, from, None);
            copy
        };
        self.vector(instruction::multiply_add(form, lane), lane, to, first, second, None);
        self.release_dead();
        self.hold(at, to);
    }

    /// [`Op::Ternary`], whose result takes the place of `a` or of `b`, or [`Op::Special`], of `a`.
    pub(super) fn ternary(&mut self, at: Value, lane: Lane, op: Op, [a, b, c]: [Value; 3]) {
        let ra = self.register(a, 0);
        let rb = self.register(b, 1 << ra);
        let second = self.source(c, set(&[ra, rb]));
        let (value, target, first, op) = match op {
            Op::Ternary(table) if self.dies(b) && !self.dies(a) => {
                (b, rb, ra, Op::Ternary(instruction::exchanged(table)))
            }
            _ => (a, ra, rb, op),
        };
        let to = if self.dies(value) && a != b && value != c {
            self.forget(value);
            target
        } else {
            let mut pinned = set(&[ra, rb]);
            if let Source::Register(register) = second {
                pinned |= 1 << register;
            }
            let copy = self.take(lane, pinned);
            let from = Source::Register(target);
            self.vector(instruction::move_from(lane), lane, copy, 0, from, None);
            copy
        };
        let (opcode, immediate) = instruction::opcode_of(op, lane);
        self.vector(opcode, lane, to, first, second, immediate);
        self.release_dead();
        self.hold(at, to);
    }

    /// `to = mask ? then : otherwise`.
    pub(super) fn select(&mut self, at: Value, lane: Lane, [mask, then, otherwise]: [Value; 3]) {
        if self.target == Target::Avx2 {
            return self.blend(at, lane, [mask, then, otherwise]);
        }
        let k = self.register(mask, 0);
        let zero = matches!(self.nodes[otherwise as usize].op, Op::Constant(0));
        let (opcode, first, second) = if zero {
            // Lanes without mask become zero.
            let from = self.register(then, 0);
            (instruction::move_from(lane), 0, Source::Register(from))
        } else {
            let first = self.register(otherwise, 0);
            let second = self.source(then, 1 << first);
            (instruction::opcode_of(Op::Select, lane).0, first, second)
        };
        self.release_dead();
        let to = self.take_for(at, lane);
        let length = self.length(lane);
        self.out.code.push(Instruction::Vector {
            opcode,
            length,
            to,
            first,
            second,
            mask: k,
            zero,
            immediate: None,
        });
        self.hold(at, to);
    }

    /// [`select`](Self::select) by a vector.
    fn blend(&mut self, at: Value, lane: Lane, args: [Value; 3]) {
        let [mask, then, otherwise] = args;
        let mask = self.register(mask, 0);
        let first = self.register(otherwise, 1 << mask);
        let second = self.source(then, set(&[mask, first]));
        self.release_dead();
        let to = self.take(lane, 0);
        self.vector(instruction::blend(lane), lane, to, first, second, Some(mask << 4));
        self.hold(at, to);
    }

    /// `(mask and then) or (not mask and otherwise)`, of masks.
    pub(super) fn select_mask(&mut self, at: Value, [mask, then, otherwise]: [Value; 3]) {
        let m = self.register(mask, 0);
        let t = self.register(then, 1 << m);
        let o = self.register(otherwise, set(&[m, t]));
        let to = self.take(Lane::Mask, set(&[m, t, o]));
        // otherwise ^ (mask & (then ^ otherwise))
        for (op, first, second) in [(Op::Xor, t, o), (Op::And, to, m), (Op::Xor, to, o)] {
            self.out.code.push(Instruction::Mask {
                opcode: instruction::mask(op),
                to,
                first,
                second,
            });
        }
        self.hold(at, to);
    }

    pub(super) fn mask(&mut self, at: Value, op: Op, first: u8, second: u8) {
        self.release_dead();
        let to = self.take(Lane::Mask, 0);
        self.out.code.push(Instruction::Mask { opcode: instruction::mask(op), to, first, second });
        self.hold(at, to);
    }

    pub(super) fn convert(&mut self, at: Value, from: Lane, lane: Lane, arg: Value) {
        let second = self.register(arg, 0);
        self.release_dead();
        let to = self.take(lane, 0);
        let wider = if from.size() > lane.size() { from } else { lane };
        if self.target == Target::Avx2 && (from, lane) == (Lane::I64, Lane::I32) {
            let upper = self.target.scratch();
            let (half, even) = (instruction::UPPER_HALF, instruction::SHUFFLE);
            self.vector(half, from, second, 0, Source::Register(upper), Some(1));
            self.vector(even, lane, to, second, Source::Register(upper), Some(instruction::EVEN));
            return self.hold(at, to);
        }
        let opcode = instruction::convert(from, lane);
        // Dropping the upper half is an instruction to memory in its form: the source comes first.
        if (from, lane) == (Lane::I64, Lane::I32) {
            self.vector(opcode, wider, second, 0, Source::Register(to), None);
        } else {
            self.vector(opcode, wider, to, 0, Source::Register(second), None);
        }
        self.hold(at, to);
    }
}
