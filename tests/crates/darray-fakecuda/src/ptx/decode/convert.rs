//! Moves, conversions, comparisons and selections.

use super::arithmetic::bits;
use super::function::Decoder;
use super::instruction::{exactly, width};
use super::modifiers::Modifiers;
use crate::ptx::code::{
    Comparison, Condition, Conversion, Junction, Number, Operation, Property, Relation, Unary,
};
use crate::ptx::tree::Operand;
use crate::ptx::types::{Type, Width};

impl Decoder<'_> {
    /// `mov`: also of predicates, into parts and out of parts.
    pub fn move_value(
        &mut self,
        modifiers: &mut Modifiers,
        operands: &[Operand],
    ) -> Result<Operation, String> {
        let kind = modifiers.kind()?;
        let [to, from] = exactly(operands)?;
        match (to, from) {
            (to, Operand::Integer(value)) if kind == Type::Pred => {
                Ok(Operation::AssignConstant { to: self.predicate(to)?, value: *value != 0 })
            }
            (to, from) if kind == Type::Pred => {
                let from = self.condition(from)?;
                Ok(Operation::Assign { to: self.predicate(to)?, from })
            }
            (to, Operand::Vector(parts)) => {
                let bytes = (kind.bytes() / parts.len().max(1)) as u8;
                let mut from = [0; 4];
                let part = width_of_bytes(bytes)?;
                for (slot, operand) in from.iter_mut().zip(parts) {
                    *slot = self.value(operand, part)?;
                }
                let (to, _) = self.destination(to)?;
                Ok(Operation::Pack { bytes, count: parts.len() as u8, to, from })
            }
            (Operand::Vector(parts), from) => {
                let bytes = (kind.bytes() / parts.len().max(1)) as u8;
                let mut to = [0; 4];
                width_of_bytes(bytes)?;
                for (slot, operand) in to.iter_mut().zip(parts) {
                    *slot = self.destination(operand)?.0;
                }
                let from = self.value(from, width(kind))?;
                Ok(Operation::Unpack { bytes, count: parts.len() as u8, to, from })
            }
            (to, Operand::Name(name)) if is_clock(name) => {
                Ok(Operation::Clock { to: self.destination(to)?.0 })
            }
            (to, from) => {
                let from = self.value(from, width(kind))?;
                let (to, _) = self.destination(to)?;
                let number = Number::Unsigned(width(kind));
                Ok(Operation::Unary { operator: Unary::Move, number, to, from })
            }
        }
    }

    /// `cvt`.
    pub fn convert(
        &mut self,
        modifiers: &mut Modifiers,
        operands: &[Operand],
    ) -> Result<Operation, String> {
        let [to, from] = exactly(operands)?;
        let whole = modifiers.find(|name| {
            Some(match name {
                "rni" => "rn",
                "rzi" => "rz",
                "rmi" => "rm",
                "rpi" => "rp",
                _ => return None,
            })
        });
        let rounding = match whole {
            Some(name) => Modifiers::new(&[name.to_string()]).rounding(),
            None => modifiers.rounding(),
        };
        let (saturate, flush) = (modifiers.take("sat"), modifiers.take("ftz"));
        let (result, value) = (modifiers.kind()?, modifiers.kind()?);
        let (to, register) = self.destination(to)?;
        let from = self.value(from, width(value))?;
        let conversion = Conversion {
            from: value,
            to: result,
            rounding,
            whole: whole.is_some(),
            saturate,
            flush,
            register,
        };
        Ok(Operation::Convert { conversion, to, from })
    }

    /// `setp`, `set`, `selp`, `slct`, `testp`.
    pub fn comparison(
        &mut self,
        opcode: &str,
        modifiers: &mut Modifiers,
        operands: &[Operand],
    ) -> Result<Operation, String> {
        match opcode {
            "selp" => {
                let width = width(modifiers.kind()?);
                let [to, yes, no, by] = exactly(operands)?;
                let from = [self.value(yes, width)?, self.value(no, width)?];
                let by = self.condition(by)?;
                Ok(Operation::Select { to: self.destination(to)?.0, from, by })
            }
            "slct" => {
                let kept = width(modifiers.kind()?);
                let number = self.number(modifiers)?;
                let [to, a, b, by] = exactly(operands)?;
                let from =
                    [self.value(a, kept)?, self.value(b, kept)?, self.value(by, bits(number))?];
                Ok(Operation::SelectBySign { number, to: self.destination(to)?.0, from })
            }
            "testp" => {
                let property = modifiers.find(property).ok_or("the property is missing")?;
                let number = self.number(modifiers)?;
                let [to, from] = exactly(operands)?;
                let from = self.value(from, bits(number))?;
                Ok(Operation::Test { property, number, to: self.predicate(to)?, from })
            }
            _ => self.relation(opcode == "setp", modifiers, operands),
        }
    }

    fn relation(
        &mut self,
        to_predicate: bool,
        modifiers: &mut Modifiers,
        operands: &[Operand],
    ) -> Result<Operation, String> {
        let comparison = modifiers.find(comparison).ok_or("the comparison is missing")?;
        let junction = modifiers.find(junction);
        let result = if to_predicate { Type::Pred } else { modifiers.kind()? };
        let number = self.number(modifiers)?;
        let (to, a, b, joined) = match operands {
            [to, a, b] => (to, a, b, None),
            [to, a, b, joined] => (to, a, b, Some(joined)),
            _ => return Err("three or four operands are expected".to_string()),
        };
        let from = [self.value(a, bits(number))?, self.value(b, bits(number))?];
        let join: Option<(Junction, Condition)> = match (junction, joined) {
            (Some(junction), Some(operand)) => Some((junction, self.condition(operand)?)),
            (None, None) => None,
            _ => return Err("a predicate is joined by .and, .or or .xor".to_string()),
        };
        if to_predicate {
            let (to, opposite) = match to {
                Operand::Pair(to, opposite) => {
                    (self.predicate(to)?, Some(self.predicate(opposite)?))
                }
                to => (self.predicate(to)?, None),
            };
            return Ok(Operation::Compare { comparison, number, to, opposite, from, join });
        }
        let one = match result {
            Type::F32 => u64::from(1f32.to_bits()),
            _ => u64::from(u32::MAX),
        };
        Ok(Operation::Mark { comparison, number, one, to: self.destination(to)?.0, from, join })
    }
}

fn comparison(name: &str) -> Option<Comparison> {
    let (relation, unordered) = match name {
        "eq" => (Relation::Equal, false),
        "ne" => (Relation::NotEqual, false),
        "lt" | "lo" => (Relation::Less, false),
        "le" | "ls" => (Relation::LessEqual, false),
        "gt" | "hi" => (Relation::Greater, false),
        "ge" | "hs" => (Relation::GreaterEqual, false),
        "equ" => (Relation::Equal, true),
        "neu" => (Relation::NotEqual, true),
        "ltu" => (Relation::Less, true),
        "leu" => (Relation::LessEqual, true),
        "gtu" => (Relation::Greater, true),
        "geu" => (Relation::GreaterEqual, true),
        "num" => (Relation::Numbers, false),
        "nan" => (Relation::Nan, true),
        _ => return None,
    };
    Some(Comparison { relation, unordered })
}

fn junction(name: &str) -> Option<Junction> {
    Some(match name {
        "and" => Junction::And,
        "or" => Junction::Or,
        "xor" => Junction::Xor,
        _ => return None,
    })
}

fn property(name: &str) -> Option<Property> {
    Some(match name {
        "finite" => Property::Finite,
        "infinite" => Property::Infinite,
        "number" => Property::Number,
        "notanumber" => Property::NotANumber,
        "normal" => Property::Normal,
        "subnormal" => Property::Subnormal,
        _ => return None,
    })
}

fn is_clock(name: &str) -> bool {
    name.starts_with("%clock") || name.starts_with("%globaltimer")
}

fn width_of_bytes(bytes: u8) -> Result<Width, String> {
    Ok(match bytes {
        1 => Width::W8,
        2 => Width::W16,
        4 => Width::W32,
        8 => Width::W64,
        _ => return Err("the parts do not fill the whole".to_string()),
    })
}
