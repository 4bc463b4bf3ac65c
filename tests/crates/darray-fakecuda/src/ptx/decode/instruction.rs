//! Instructions by their opcode, and their operands.

use super::function::Decoder;
use super::modifiers::Modifiers;
use super::scope::Named;
use crate::ptx::code::{Condition, Place, Predicate, Reach, Register, Special};
use crate::ptx::tree::{Instruction, Operand, Space};
use crate::ptx::types::{Type, Width};

impl Decoder<'_> {
    /// Decodes an instruction and appends it.
    pub fn instruction(&mut self, instruction: &Instruction) -> Result<(), String> {
        let guard = match &instruction.guard {
            None => None,
            Some((name, negated)) => {
                Some(Condition { predicate: self.predicate_named(name)?, negated: *negated })
            }
        };
        let mut modifiers = Modifiers::new(&instruction.modifiers);
        let operands = instruction.operands.as_slice();
        let operation = match instruction.opcode.as_str() {
            "mov" => self.move_value(&mut modifiers, operands)?,
            "cvt" => self.convert(&mut modifiers, operands)?,
            "cvta" | "isspacep" | "ld" | "ldu" | "st" | "atom" | "red" => {
                self.memory(&instruction.opcode, &mut modifiers, operands)?
            }
            "setp" | "set" | "selp" | "slct" | "testp" => {
                self.comparison(&instruction.opcode, &mut modifiers, operands)?
            }
            "bra" | "brx" => {
                return self.branch(guard, instruction, &mut modifiers);
            }
            "call" | "ret" | "exit" | "trap" | "brkpt" | "bar" | "barrier" | "shfl" | "vote"
            | "match" | "mma" | "redux" | "activemask" | "membar" | "fence" | "nanosleep"
            | "prefetch" | "prefetchu" | "discard" | "pmevent" | "griddepcontrol" => {
                self.control(&instruction.opcode, &mut modifiers, operands)?
            }
            opcode => self.arithmetic(opcode, &mut modifiers, operands)?,
        };
        modifiers.finish()?;
        self.push(guard, operation);
        Ok(())
    }

    /// The register of a value operand; literals are cut to `width`.
    pub fn value(&mut self, operand: &Operand, width: Width) -> Result<Register, String> {
        let mask = u64::MAX >> (64 - width.bits());
        match operand {
            Operand::Integer(bits) => self.scope.constant(bits & mask),
            Operand::Float(bits) if width == Width::W64 => {
                self.scope.constant(f64::from(f32::from_bits(*bits)).to_bits())
            }
            Operand::Float(bits) => self.scope.constant(u64::from(*bits)),
            Operand::Double(bits) if width == Width::W32 => {
                self.scope.constant(u64::from((f64::from_bits(*bits) as f32).to_bits()))
            }
            Operand::Double(bits) => self.scope.constant(*bits),
            Operand::Name(name) => self.value_named(name),
            other => Err(format!("{other:?} is no value")),
        }
    }

    fn value_named(&mut self, name: &str) -> Result<Register, String> {
        if let Some(named) = self.scope.look_up(name) {
            return match named {
                Named::Register(register, _) => Ok(register),
                Named::Global(address) | Named::Shared(address) | Named::Parameter(address) => {
                    self.scope.constant(address)
                }
                Named::DynamicShared => self.scope.special(Special::DynamicShared),
                Named::Local(offset) => self.scope.special(Special::Frame(offset)),
                Named::Predicate(_) => Err(format!("{name} is a predicate")),
            };
        }
        if name == "WARP_SZ" {
            return self.scope.constant(32);
        }
        let special = special(name).ok_or_else(|| format!("{name} is unknown"))?;
        self.scope.special(special)
    }

    /// The register that an operand names as destination, and its bits.
    pub fn destination(&mut self, operand: &Operand) -> Result<(Register, Width), String> {
        match operand {
            Operand::Name(name) => match self.scope.look_up(name) {
                Some(Named::Register(register, width)) => Ok((register, width)),
                _ => Err(format!("{name} is no register")),
            },
            Operand::Sink => Ok((self.scope.register()?, Width::W64)),
            other => Err(format!("{other:?} is no register")),
        }
    }

    /// The predicate that an operand names.
    pub fn predicate(&mut self, operand: &Operand) -> Result<Predicate, String> {
        match operand {
            Operand::Name(name) => self.predicate_named(name),
            Operand::Sink => Ok(self.scope.predicate()),
            other => Err(format!("{other:?} is no predicate")),
        }
    }

    fn predicate_named(&self, name: &str) -> Result<Predicate, String> {
        match self.scope.look_up(name) {
            Some(Named::Predicate(predicate)) => Ok(predicate),
            _ => Err(format!("{name} is no predicate")),
        }
    }

    /// A predicate or its opposite.
    pub fn condition(&mut self, operand: &Operand) -> Result<Condition, String> {
        Ok(match operand {
            Operand::Not(name) => {
                Condition { predicate: self.predicate_named(name)?, negated: true }
            }
            other => Condition { predicate: self.predicate(other)?, negated: false },
        })
    }

    /// Where an access goes.
    pub fn place(&mut self, operand: &Operand, space: Space) -> Result<Place, String> {
        let Operand::Address(base, offset) = operand else {
            return Err(format!("{operand:?} is no address"));
        };
        let mut reach = match space {
            Space::Global | Space::Const => Reach::Global,
            Space::Shared => Reach::Shared,
            Space::Local => Reach::Local,
            Space::Param if self.entry => Reach::Param,
            Space::Param => Reach::Local,
            Space::Generic => Reach::Generic,
        };
        if let Operand::Name(name) = base.as_ref()
            && matches!(self.scope.look_up(name), Some(Named::Local(_)))
        {
            reach = Reach::Local;
        }
        Ok(Place { reach, register: self.value(base, Width::W64)?, offset: *offset })
    }
}

/// Bits of a register that holds a value of a type.
pub(super) fn width(kind: Type) -> Width {
    match kind {
        Type::Bits(width) | Type::Unsigned(width) | Type::Signed(width) => width,
        Type::Pred => Width::W8,
        Type::F16 => Width::W16,
        Type::F32 => Width::W32,
        Type::F64 => Width::W64,
    }
}

/// The operands, which must be so many.
pub(super) fn exactly<const N: usize>(operands: &[Operand]) -> Result<&[Operand; N], String> {
    operands.try_into().map_err(|_| format!("{N} operands are expected, found {}", operands.len()))
}

fn special(name: &str) -> Option<Special> {
    let (name, axis) = match name.split_once('.') {
        Some((name, "x")) => (name, 0),
        Some((name, "y")) => (name, 1),
        Some((name, "z")) => (name, 2),
        Some(_) => return None,
        None => (name, 0),
    };
    let mask = |below, at, above| Some(Special::LaneMask { below, at, above });
    match name {
        "%tid" => Some(Special::Thread(axis)),
        "%ntid" => Some(Special::BlockExtent(axis)),
        "%ctaid" => Some(Special::Block(axis)),
        "%nctaid" => Some(Special::GridExtent(axis)),
        "%laneid" => Some(Special::Lane),
        "%warpid" => Some(Special::Warp),
        "%nwarpid" => Some(Special::Warps),
        "%lanemask_lt" => mask(true, false, false),
        "%lanemask_le" => mask(true, true, false),
        "%lanemask_eq" => mask(false, true, false),
        "%lanemask_ge" => mask(false, true, true),
        "%lanemask_gt" => mask(false, false, true),
        "%dynamic_smem_size" => Some(Special::DynamicSharedSize),
        "%total_smem_size" => Some(Special::SharedSize),
        _ => None,
    }
}
