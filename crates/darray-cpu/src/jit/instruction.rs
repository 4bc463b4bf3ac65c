//! Instructions with registers, before they are bytes.

use super::call::OPERANDS;
use super::encode::{Opcode, opcode};
use super::lane::{Chunk, Half, Held, Lane, Op, Relation, Rounding};
use super::target::Target;
use darray_core::RealType;
use darray_kernel::operator::Operator;

/// An instruction on registers of one group of elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Instruction {
    /// `opcode to, first, second`.
    Vector {
        opcode: Opcode,
        /// Bytes of the vector.
        length: u8,
        to: u8,
        first: u8,
        second: Source,
        /// Mask register of AVX-512, 0 for none; `zero`: lanes without it become zero.
        mask: u8,
        zero: bool,
        immediate: Option<u8>,
    },
    /// `opcode to, first, second` of mask registers.
    Mask {
        opcode: Opcode,
        to: u8,
        first: u8,
        second: u8,
    },
    /// A mask register to or from the stack.
    MaskSpill {
        register: u8,
        slot: u32,
    },
    MaskReload {
        register: u8,
        slot: u32,
    },
    /// A mask from a uniform bool: all lanes or none.
    MaskUniform {
        register: u8,
        uniform: u32,
    },
    /// A vector register to the stack.
    Spill {
        register: u8,
        slot: u32,
    },
    /// Elements of a group from memory to a register of these lanes or back.
    Load {
        register: u8,
        lane: Lane,
        pointer: u16,
        dtype: RealType,
        group: u8,
    },
    Store {
        register: u8,
        lane: Lane,
        pointer: u16,
        dtype: RealType,
        group: u8,
    },
    /// A chunk of rows from memory.
    Rows {
        register: u8,
        lane: Lane,
        chunk: Chunk,
    },
    /// The numbers of the elements of a group.
    Position {
        register: u8,
        group: u8,
    },
    /// One element in all lanes.
    Broadcast {
        register: u8,
        lane: Lane,
        pointer: u16,
        dtype: RealType,
    },
    /// Accesses move to their next row.
    NextRow,
    /// Accumulators of a group take the elements that are there.
    StoreHeld {
        register: u8,
        held: Held,
    },
    /// `to` becomes what the table's operator gives for the operands, if any lane has the mask.
    Patch {
        mask: u8,
        to: u8,
        operands: [u8; OPERANDS as usize],
        operator: Operator,
        dtype: RealType,
        /// Registers that keep what they have, a bit each.
        vectors: u32,
        masks: u8,
    },
}

/// The last operand of a vector instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Source {
    Register(u8),
    /// A spilled vector.
    Slot(u32),
    /// A constant, by its number, in every lane.
    Constant(u32),
    /// A uniform element, by its number, in every lane.
    Uniform(u32),
    /// The elements of a group in memory, which are as lanes have them.
    Element {
        pointer: u16,
        dtype: RealType,
        group: u8,
    },
}

const NONE: u8 = 0;
const P66: u8 = 1;
const PF3: u8 = 2;
const PF2: u8 = 3;

/// The opcode of an operation of two or three vectors to a vector or a mask, and its immediate.
pub(super) fn opcode_of(op: Op, lane: Lane) -> (Opcode, Option<u8>) {
    let wide = lane.size() == 8;
    // `66 W1` for doubles, no prefix and `W0` for floats.
    let float = |byte: u8| opcode(if wide { P66 } else { NONE }, 1, wide, byte);
    let plain = |opcode: Opcode| (opcode, None);
    match (op, lane.is_float()) {
        (Op::Add, true) => plain(float(0x58)),
        (Op::Mul, true) => plain(float(0x59)),
        (Op::Sub, true) => plain(float(0x5c)),
        (Op::Div, true) => plain(float(0x5e)),
        (Op::Min, _) => plain(float(0x5d)),
        (Op::Max, _) => plain(float(0x5f)),
        (Op::Sqrt, _) => plain(float(0x51)),
        (Op::Scale, _) => plain(opcode(P66, 2, wide, 0x2c)),
        (Op::Exponent, _) => plain(opcode(P66, 2, wide, 0x42)),
        // From 1 on and less than 2, with the sign of the number.
        (Op::Significand, _) => (opcode(P66, 3, wide, 0x26), Some(0)),
        // The lesser in magnitude, with the sign of the first.
        (Op::Limit, _) => (opcode(P66, 3, wide, 0x50), Some(2)),
        // Without reporting special numbers.
        (Op::Special, _) => (opcode(P66, 3, wide, 0x54), Some(0)),
        (Op::Add, false) => plain(opcode(P66, 1, wide, if wide { 0xd4 } else { 0xfe })),
        (Op::Sub, false) => plain(opcode(P66, 1, wide, if wide { 0xfb } else { 0xfa })),
        (Op::Mul, false) => plain(opcode(P66, 2, wide, 0x40)),
        (Op::MulHalves, _) => plain(opcode(P66, 1, wide, 0xf4)),
        (Op::ShiftLeftBy, _) => plain(opcode(P66, 2, wide, 0x47)),
        (Op::ShiftDownBy, _) => plain(opcode(P66, 2, wide, 0x45)),
        (Op::ShiftRightBy, _) => plain(opcode(P66, 2, wide, 0x46)),
        (Op::AndNot, _) => plain(opcode(P66, 1, wide, 0xdf)),
        (Op::And, _) => plain(opcode(P66, 1, wide, 0xdb)),
        (Op::Or, _) => plain(opcode(P66, 1, wide, 0xeb)),
        (Op::Xor, _) => plain(opcode(P66, 1, wide, 0xef)),
        (Op::Round(mode), _) => {
            // Without reporting inexact results.
            let mode = match mode {
                Rounding::Nearest => 8,
                Rounding::Down => 9,
                Rounding::Up => 10,
                Rounding::Zero => 11,
            };
            (opcode(P66, 3, wide, if wide { 0x09 } else { 0x08 }), Some(mode))
        }
        (Op::Ternary(table), _) => (opcode(P66, 3, wide, 0x25), Some(table)),
        // `to = mask ? second : first`
        (Op::Select, _) => plain(opcode(P66, 2, wide, 0x65)),
        (other, _) => unreachable!("{other:?} of {lane:?}"),
    }
}

/// The table of [`Op::Ternary`] for `b` and `a` in the place of `a` and `b`.
pub(super) fn exchanged(table: u8) -> u8 {
    table & 0b1100_0011 | (table & 0b0000_1100) << 2 | (table & 0b0011_0000) >> 2
}

/// The opcode that has elements of so many bytes of both operands in turns.
pub(super) fn interleave(bytes: u8, half: Half) -> Opcode {
    let wide = bytes == 8;
    let byte = if half == Half::Lower { 0x14 } else { 0x15 };
    opcode(if wide { P66 } else { NONE }, 1, wide, byte)
}

/// The opcode that has lanes of the last operand and those of the first one behind them, from that of a number on.
pub(super) fn align(lane: Lane) -> Opcode {
    opcode(P66, 3, lane.size() == 8, 0x03)
}

/// 16 bytes in the place of this number of those of a vector.
pub(super) const INSERT: Opcode = opcode(P66, 3, false, 0x18);

/// The opcode of a comparison to a mask, and its immediate.
///
/// # Panics
///
/// If AVX2 is to compare integers by anything but equal and greater.
pub(super) fn compare(relation: Relation, lane: Lane, target: Target) -> (Opcode, Option<u8>) {
    let wide = lane.size() == 8;
    if lane.is_float() {
        // Quiet; false with NaN.
        let predicate = match relation {
            Relation::Less => 0x11,
            Relation::LessEqual => 0x12,
            Relation::Equal => 0x00,
            Relation::Greater => 0x1e,
            Relation::GreaterEqual => 0x1d,
        };
        return (opcode(if wide { P66 } else { NONE }, 1, wide, 0xc2), Some(predicate));
    }
    if target == Target::Avx2 {
        let opcode = match (relation, wide) {
            (Relation::Equal, true) => opcode(P66, 2, false, 0x29),
            (Relation::Equal, false) => opcode(P66, 1, false, 0x76),
            (Relation::Greater, true) => opcode(P66, 2, false, 0x37),
            (Relation::Greater, false) => opcode(P66, 1, false, 0x66),
            _ => unreachable!("{relation:?} of integers"),
        };
        return (opcode, None);
    }
    let predicate = match relation {
        Relation::Less => 1,
        Relation::LessEqual => 2,
        Relation::Equal => 0,
        Relation::Greater => 6,
        Relation::GreaterEqual => 5,
    };
    (opcode(P66, 3, wide, if lane == Lane::U64 { 0x1e } else { 0x1f }), Some(predicate))
}

/// The opcode that converts lanes of one kind to another.
///
/// # Panics
///
/// If the kinds are the same size and kind.
pub(super) fn convert(from: Lane, to: Lane) -> Opcode {
    match (from, to) {
        (Lane::F32, Lane::F64) => opcode(NONE, 1, false, 0x5a),
        (Lane::F64, Lane::F32) => opcode(P66, 1, true, 0x5a),
        (Lane::I64, Lane::F64) => opcode(PF3, 1, true, 0xe6),
        (Lane::I64, Lane::F32) => opcode(NONE, 1, true, 0x5b),
        (Lane::U64, Lane::F64) => opcode(PF3, 1, true, 0x7a),
        (Lane::U64, Lane::F32) => opcode(PF2, 1, true, 0x7a),
        (Lane::F64, Lane::U64) => opcode(P66, 1, true, 0x78),
        (Lane::F32, Lane::U64) => opcode(P66, 1, false, 0x78),
        (Lane::I32, Lane::F64) => opcode(PF3, 1, false, 0xe6),
        (Lane::I32, Lane::F32) => opcode(NONE, 1, false, 0x5b),
        (Lane::F64, Lane::I64) => opcode(P66, 1, true, 0x7a),
        (Lane::F32, Lane::I64) => opcode(P66, 1, false, 0x7a),
        (Lane::F64, Lane::I32) => opcode(P66, 1, true, 0xe6),
        (Lane::F32, Lane::I32) => opcode(PF3, 1, false, 0x5b),
        (Lane::I32, Lane::I64) => opcode(P66, 2, false, 0x25),
        (Lane::I64, Lane::I32) => opcode(PF3, 2, false, 0x35),
        (from, to) => unreachable!("{from:?} to {to:?}"),
    }
}

/// `vfmadd132`, `213` and `231`: which operand is added.
pub(super) fn multiply_add(form: u8, lane: Lane) -> Opcode {
    opcode(P66, 2, lane.size() == 8, form)
}

/// `to = to * second + first`.
pub(super) const FMA_132: u8 = 0x98;
/// `to = first * to + second`.
pub(super) const FMA_213: u8 = 0xa8;
/// `to = first * second + to`.
pub(super) const FMA_231: u8 = 0xb8;

/// One element, or a vector, to a register.
pub(super) fn broadcast(lane: Lane) -> Opcode {
    let wide = lane.size() == 8;
    opcode(P66, 2, wide, if wide { 0x19 } else { 0x18 })
}

/// `to = mask ? second : first` of AVX2; the number of the mask's register is the upper half of the immediate.
pub(super) fn blend(lane: Lane) -> Opcode {
    opcode(P66, 3, false, if lane.size() == 8 { 0x4b } else { 0x4a })
}

/// Vectors from memory or registers, and to memory.
pub(super) fn move_from(lane: Lane) -> Opcode {
    let wide = lane.size() == 8;
    opcode(if wide { P66 } else { NONE }, 1, wide, 0x10)
}

/// See [`move_from`].
pub(super) fn move_to(lane: Lane) -> Opcode {
    let wide = lane.size() == 8;
    opcode(if wide { P66 } else { NONE }, 1, wide, 0x11)
}

/// Vectors to memory past the caches: a vector begins where a multiple of its bytes is.
pub(super) fn move_past(lane: Lane) -> Opcode {
    let wide = lane.size() == 8;
    opcode(if wide { P66 } else { NONE }, 1, wide, 0x2b)
}

/// Shifts by an immediate: the opcode and what stands in the place of the first register.
pub(super) fn shift(left: bool, lane: Lane) -> (Opcode, u8) {
    let wide = lane.size() == 8;
    (opcode(P66, 1, wide, if wide { 0x73 } else { 0x72 }), if left { 6 } else { 2 })
}

/// Instructions on masks of 16 bits, `NONE 0F W0`.
pub(super) fn mask(op: Op) -> Opcode {
    let byte = match op {
        Op::And => 0x41,
        Op::Not => 0x44,
        Op::Or => 0x45,
        Op::Xor => 0x47,
        other => unreachable!("{other:?} of masks"),
    };
    opcode(NONE, 1, false, byte)
}

/// Bytes to integers of 32 bits, zeros coming in.
pub(super) const WIDEN_BYTES: Opcode = widen(1, false);
/// The low bytes of integers of 32 bits.
pub(super) const NARROW_TO_BYTES: Opcode = narrow(1);

/// Integers of one or two bytes to 32 bits, signs or zeros coming in.
pub(super) const fn widen(bytes: usize, signed: bool) -> Opcode {
    let number = if bytes == 1 { 0x21 } else { 0x23 };
    opcode(P66, 2, false, if signed { number } else { number | 0x10 })
}

/// The one or two low bytes of integers of 32 bits.
pub(super) const fn narrow(bytes: usize) -> Opcode {
    opcode(PF3, 2, false, if bytes == 1 { 0x31 } else { 0x33 })
}

/// f16 to F32.
pub(super) const WIDEN_HALVES: Opcode = opcode(P66, 2, false, 0x13);
/// F32 to f16, and the immediate that has them rounded to nearest, ties to even; the first operand is the source.
pub(super) const NARROW_TO_HALVES: (Opcode, u8) = (opcode(P66, 3, false, 0x1d), 0);
/// Which integers of 32 bits have a bit in common.
pub(super) const TEST: Opcode = opcode(P66, 2, false, 0x27);
/// A mask as integers of 32 bits, all ones or zeros.
pub(super) const MASK_TO_INTEGERS: Opcode = opcode(PF3, 2, false, 0x38);
/// Masks from and to memory.
pub(super) const MASK_FROM: Opcode = opcode(NONE, 1, false, 0x90);
/// See [`MASK_FROM`].
pub(super) const MASK_TO: Opcode = opcode(NONE, 1, false, 0x91);
/// A mask from a general register.
pub(super) const MASK_FROM_GENERAL: Opcode = opcode(NONE, 1, false, 0x92);

/// Whether two vectors have no bit in common.
pub(super) const VECTOR_TEST: Opcode = opcode(P66, 2, false, 0x17);
/// Whether two masks have no bit.
pub(super) const MASK_TEST: Opcode = opcode(NONE, 1, false, 0x98);
/// A general register of 8 bytes in every lane.
pub(super) const REPEAT_GENERAL: Opcode = opcode(P66, 2, true, 0x7c);
/// The lower half of a general register in every lane of 4 bytes.
pub(super) const REPEAT_4_GENERAL: Opcode = opcode(P66, 2, false, 0x7c);

/// Lanes of the last operand, by their numbers, which the first one has.
pub(super) fn permute(lane: Lane) -> Opcode {
    opcode(P66, 2, lane.size() == 8, 0x36)
}

/// Lanes of 8 bytes of a vector of 32, and lanes of 4 bytes of each half, by two bits of the immediate each.
pub(super) const PERMUTE_8: Opcode = opcode(P66, 3, true, 0x01);
pub(super) const PERMUTE_4_OF_HALVES: Opcode = opcode(P66, 3, false, 0x04);

/// The upper half of a vector of 32 bytes, to the last operand.
pub(super) const UPPER_HALF: Opcode = opcode(P66, 3, false, 0x39);
/// What brings the upper half of the first so many bytes of a vector of `length` bytes to the lower half: the opcode, the
/// immediate, and whether it takes two vectors.
pub(super) fn upper(bytes: usize, length: usize, target: Target) -> (Opcode, u8, bool) {
    match (bytes, target) {
        // Halves are exchanged, whatever is in them.
        (64, _) => (opcode(P66, 3, true, 0x23), 0x4e, true),
        (32, Target::Avx512) if length == 64 => (opcode(P66, 3, true, 0x23), 0xb1, true),
        (32, Target::Avx512) => (opcode(P66, 3, true, 0x23), 0x01, true),
        (32, Target::Avx2) => (opcode(P66, 3, false, 0x46), 0x01, true),
        (16, _) => (opcode(P66, 1, false, 0x70), 0xee, false),
        _ => (opcode(P66, 1, false, 0x70), 0x55, false),
    }
}

/// Lanes of 32 bits of both operands, as the immediate has it.
pub(super) const SHUFFLE: Opcode = opcode(NONE, 1, false, 0xc6);
/// The even lanes of both operands of [`SHUFFLE`].
pub(super) const EVEN: u8 = 0x88;
/// Bytes to integers of 64 bits, zeros coming in.
pub(super) const WIDEN_BYTES_TWICE: Opcode = opcode(P66, 2, false, 0x32);
/// Integers of 32 bits of both operands to 16 bits, signed, at most the extremes.
pub(super) const PACK_INTEGERS: Opcode = opcode(P66, 1, false, 0x6b);
/// The same, unsigned.
pub(super) const PACK_UNSIGNED: Opcode = opcode(P66, 2, false, 0x2b);
/// Integers of 16 bits of both operands to bytes, signed, at most the extremes.
pub(super) const PACK_WORDS: Opcode = opcode(P66, 1, false, 0x63);
/// The same, unsigned.
pub(super) const PACK_WORDS_UNSIGNED: Opcode = opcode(P66, 1, false, 0x67);
/// Sizes of signed bytes.
pub(super) const SIZE_OF_BYTES: Opcode = opcode(P66, 2, false, 0x1c);
/// The lowest 4 bytes of a vector to memory.
pub(super) const MOVE_4_TO: Opcode = opcode(P66, 1, false, 0x7e);
/// The lowest 8 bytes of a vector to memory.
pub(super) const MOVE_8_TO: Opcode = opcode(P66, 1, false, 0xd6);
/// A vector from a general register of 4 bytes, and of 8.
pub(super) const MOVE_4_FROM: Opcode = opcode(P66, 1, false, 0x6e);
/// See [`MOVE_4_FROM`].
pub(super) const MOVE_8_FROM: Opcode = opcode(P66, 1, true, 0x6e);
/// An integer of 64 bits as the lowest F64; the others are those of the second operand, as below.
pub(super) const INTEGER_TO_F64: Opcode = opcode(PF2, 1, true, 0x2a);
/// The lowest 8 bytes of a vector, the first operand, to a general register.
pub(super) const LOWEST_8_TO_GENERAL: Opcode = opcode(P66, 1, true, 0x7e);
/// Of the lowest F64.
pub(super) const DIVIDE_LOWEST: Opcode = opcode(PF2, 1, true, 0x5e);
/// The lowest F64 as F32.
pub(super) const LOWEST_TO_F32: Opcode = opcode(PF2, 1, true, 0x5a);
/// The lowest number of a vector to memory.
pub(super) fn lowest_to(lane: Lane) -> Opcode {
    let wide = lane.size() == 8;
    opcode(if wide { PF2 } else { PF3 }, 1, wide, 0x11)
}
/// The lowest integer of a vector in every lane.
pub(super) fn repeat(lane: Lane) -> Opcode {
    opcode(P66, 2, false, if lane.size() == 8 { 0x59 } else { 0x58 })
}

/// Vectors from memory where a mask, the first operand, has its highest bits set; zero elsewhere.
pub(super) fn masked_from(lane: Lane) -> Opcode {
    opcode(P66, 2, false, if lane.size() == 8 { 0x2d } else { 0x2c })
}

/// Vectors to memory where a mask has its highest bits set.
pub(super) fn masked_to(lane: Lane) -> Opcode {
    opcode(P66, 2, false, if lane.size() == 8 { 0x2f } else { 0x2e })
}
