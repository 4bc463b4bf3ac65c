//! Loads, stores, atomic operations and addresses.

use super::arithmetic::bits;
use super::function::Decoder;
use super::instruction::{exactly, width};
use super::modifiers::Modifiers;
use crate::ptx::code::{Change, Number, Operation, Reach, Registers};
use crate::ptx::memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW};
use crate::ptx::tree::{Operand, Space};
use crate::ptx::types::{Type, Width};

/// Modifiers that say how memory is cached, ordered or shared between threads: the machine has
/// one memory and executes in order.
const ORDERS: [&str; 22] = [
    "nc", "ca", "cg", "cs", "cv", "lu", "wb", "wt", "volatile", "weak", "relaxed", "acquire",
    "release", "acq_rel", "sc", "cta", "cluster", "gpu", "sys", "mmio", "noftz", "uni",
];

impl Decoder<'_> {
    /// Instructions that deal with memory and addresses.
    pub fn memory(
        &mut self,
        opcode: &str,
        modifiers: &mut Modifiers,
        operands: &[Operand],
    ) -> Result<Operation, String> {
        match opcode {
            "cvta" => return self.address(modifiers, operands),
            "isspacep" => {
                let space = modifiers.find(space).ok_or("the space is missing")?;
                let [to, from] = exactly(operands)?;
                let reach = match space {
                    Space::Shared => Reach::Shared,
                    Space::Local => Reach::Local,
                    Space::Param => Reach::Param,
                    _ => Reach::Global,
                };
                let from = self.value(from, Width::W64)?;
                return Ok(Operation::IsWithin { reach, to: self.predicate(to)?, from });
            }
            _ => {}
        }
        modifiers.ignore_prefixed("L1::");
        modifiers.ignore_prefixed("L2::");
        let space = modifiers.find(space).unwrap_or(Space::Generic);
        modifiers.ignore(&ORDERS);
        match opcode {
            "st" => {
                let count = vector(modifiers);
                let kind = modifiers.kind()?;
                let [address, value] = exactly(operands)?;
                let place = self.place(address, space)?;
                let mut from = Registers::default();
                for (slot, operand) in from.iter_mut().zip(parts(value, count)?) {
                    *slot = self.value(operand, width(kind))?;
                }
                Ok(Operation::Store { kind, count, from, place })
            }
            "ld" | "ldu" => {
                let count = vector(modifiers);
                let kind = modifiers.kind()?;
                let [value, address] = exactly(operands)?;
                let place = self.place(address, space)?;
                let mut to = Registers::default();
                let mut extend = None;
                for (slot, operand) in to.iter_mut().zip(parts(value, count)?) {
                    let (register, width) = self.destination(operand)?;
                    *slot = register;
                    extend = kind.is_signed().then_some(width);
                }
                Ok(Operation::Load { kind, extend, count, to, place })
            }
            _ => self.atomic(opcode == "atom", space, modifiers, operands),
        }
    }

    fn atomic(
        &mut self,
        returns: bool,
        space: Space,
        modifiers: &mut Modifiers,
        operands: &[Operand],
    ) -> Result<Operation, String> {
        let change = modifiers.find(change).ok_or("the operation is missing")?;
        let number = self.number(modifiers)?;
        let (to, operands) = match (returns, operands) {
            (true, [to, rest @ ..]) => (Some(self.destination(to)?.0), rest),
            (_, rest) => (None, rest),
        };
        let (address, value, other) = match operands {
            [address, value] => (address, value, value),
            [address, value, other] => (address, value, other),
            _ => return Err("an address and one or two values are expected".to_string()),
        };
        let from = [self.value(value, bits(number))?, self.value(other, bits(number))?];
        Ok(Operation::Atomic { change, number, to, place: self.place(address, space)?, from })
    }

    /// `cvta`.
    fn address(
        &mut self,
        modifiers: &mut Modifiers,
        operands: &[Operand],
    ) -> Result<Operation, String> {
        let generic = !modifiers.take("to");
        let window = match modifiers.find(space).ok_or("the space is missing")? {
            Space::Shared => SHARED_WINDOW,
            Space::Local => LOCAL_WINDOW,
            Space::Param if self.entry => PARAM_WINDOW,
            Space::Param => LOCAL_WINDOW,
            Space::Global | Space::Const | Space::Generic => 0,
        };
        modifiers.kind()?;
        let [to, from] = exactly(operands)?;
        let from = self.value(from, Width::W64)?;
        Ok(Operation::Address { window, generic, to: self.destination(to)?.0, from })
    }
}

/// The operation of `atom`, `red` and `redux`.
pub(super) fn change(name: &str) -> Option<Change> {
    Some(match name {
        "add" => Change::Add,
        "min" => Change::Minimum,
        "max" => Change::Maximum,
        "and" => Change::And,
        "or" => Change::Or,
        "xor" => Change::Xor,
        "exch" => Change::Exchange,
        "cas" => Change::CompareExchange,
        "inc" => Change::Increment,
        "dec" => Change::Decrement,
        _ => return None,
    })
}

fn space(name: &str) -> Option<Space> {
    Some(match name {
        "global" => Space::Global,
        "const" => Space::Const,
        "shared" | "shared::cta" => Space::Shared,
        "local" => Space::Local,
        "param" | "param::entry" | "param::func" => Space::Param,
        _ => return None,
    })
}

fn vector(modifiers: &mut Modifiers) -> u8 {
    let count = |name: &str| match name {
        "v2" => Some(2),
        "v4" => Some(4),
        _ => None,
    };
    modifiers.find(count).unwrap_or(1)
}

fn parts(operand: &Operand, count: u8) -> Result<&[Operand], String> {
    let parts = match operand {
        Operand::Vector(parts) => parts.as_slice(),
        single => std::slice::from_ref(single),
    };
    match parts.len() == usize::from(count) {
        true => Ok(parts),
        false => Err(format!("{} registers for {count} values", parts.len())),
    }
}

/// What a number looks like in memory.
pub(crate) fn memory_type(number: Number) -> Type {
    match number {
        Number::Unsigned(width) => Type::Unsigned(width),
        Number::Signed(width) => Type::Signed(width),
        Number::Single { .. } => Type::F32,
        Number::Double => Type::F64,
    }
}
