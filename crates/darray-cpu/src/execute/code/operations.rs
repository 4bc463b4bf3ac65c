//! Operations with their functions found and their operands numbered.

use crate::vector::Compute;
use darray_core::RealType;
use darray_kernel::random::BitGenerator;

/// An operand: a position in the pointer table of a [`Frame`](crate::execute::run::frame::Frame).
pub(in super::super) type Pointer = u16;

/// One instruction, ready to run.
#[derive(Clone, Copy)]
pub(in super::super) enum MachineOp {
    Compute {
        run: Compute,
        args: [Pointer; 4],
        /// Bit k: operand k is one element for all.
        uniform: u8,
        out: Pointer,
    },
    Gather {
        access: u16,
        from: Pointer,
        out: Pointer,
        size: u8,
    },
    Scatter {
        access: u16,
        to: Pointer,
        value: Pointer,
        step: u8,
        size: u8,
    },
    Blend {
        access: u16,
        to: Pointer,
        value: Pointer,
        step: u8,
        mask: Pointer,
        mask_step: u8,
        size: u8,
    },
    Fill {
        value: Pointer,
        out: Pointer,
        size: u8,
    },
    Iota {
        axis: u8,
        out: Pointer,
    },
    Random {
        generator: BitGenerator,
        dtype: RealType,
        key: [Pointer; 4],
        counter: Pointer,
        out: Pointer,
    },
    /// A compiled run of instructions, by its number in [`Machine::natives`].
    Native {
        number: u32,
    },
    Yield {
        to: Pointer,
        access: u16,
        item: u16,
        index: bool,
        size: u8,
    },
}

/// The function that folds points of a few elements. The accesses of one element of a point after the other stand behind the table, the
/// elements' places, and what items start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Points {
    /// Its number.
    pub number: u32,
    /// Elements of a point.
    pub elements: usize,
    /// Whether it does what comes after the fold, too.
    pub stores: bool,
}
