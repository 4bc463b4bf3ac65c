//! Instructions that compute a value from values.

use super::function::Decoder;
use super::instruction::{exactly, width};
use super::modifiers::Modifiers;
use crate::ptx::code::{Binary, Chain, Junction, Number, Operation, Rounding, Ternary, Unary};
use crate::ptx::tree::Operand;
use crate::ptx::types::{Type, Width};

impl Decoder<'_> {
    /// Arithmetic, logic and shifts.
    pub fn arithmetic(
        &mut self,
        opcode: &str,
        modifiers: &mut Modifiers,
        operands: &[Operand],
    ) -> Result<Operation, String> {
        match opcode {
            "and" | "or" | "xor" | "not" | "cnot" => self.logic(opcode, modifiers, operands),
            "addc" | "subc" | "madc" => self.chain(opcode, modifiers, operands),
            "bfi" => {
                let width = width(modifiers.kind()?);
                let [to, what, into, place, length] = exactly(operands)?;
                let (to, _) = self.destination(to)?;
                let from = [
                    self.value(what, width)?,
                    self.value(into, width)?,
                    self.value(place, Width::W32)?,
                    self.value(length, Width::W32)?,
                ];
                Ok(Operation::Insert { width, to, from })
            }
            "lop3" => {
                modifiers.kind()?;
                let [to, a, b, c, table] = exactly(operands)?;
                let Operand::Integer(table) = table else {
                    return Err("the table of lop3 is no number".to_string());
                };
                let (to, _) = self.destination(to)?;
                let from = [
                    self.value(a, Width::W32)?,
                    self.value(b, Width::W32)?,
                    self.value(c, Width::W32)?,
                ];
                let number = Number::Unsigned(Width::W32);
                let operator = Ternary::Logic(*table as u8);
                Ok(Operation::Ternary { operator, number, to, from })
            }
            _ => match operands.len() {
                2 => self.unary(opcode, modifiers, operands),
                3 if opcode == "add" || opcode == "sub" => {
                    if modifiers.take("cc") {
                        return self.chain(opcode, modifiers, operands);
                    }
                    self.binary(opcode, modifiers, operands)
                }
                3 => self.binary(opcode, modifiers, operands),
                4 if opcode == "mad" && modifiers.take("cc") => {
                    self.chain(opcode, modifiers, operands)
                }
                4 => self.ternary(opcode, modifiers, operands),
                _ => Err("this instruction is not supported".to_string()),
            },
        }
    }

    fn unary(
        &mut self,
        opcode: &str,
        modifiers: &mut Modifiers,
        operands: &[Operand],
    ) -> Result<Operation, String> {
        let [to, from] = exactly(operands)?;
        let approximate = modifiers.take("approx");
        let rounding = modifiers.rounding();
        let shift = modifiers.take("shiftamt");
        let coarse = modifiers.has("ftz");
        let number = self.number(modifiers)?;
        let operator = match opcode {
            "neg" => Unary::Negate,
            "abs" => Unary::Absolute,
            "sqrt" => Unary::SquareRoot,
            "rcp" if number == Number::Double && approximate && coarse => Unary::ReciprocalCoarse,
            "rcp" => Unary::Reciprocal,
            "rsqrt" if number == Number::Double && coarse => Unary::ReciprocalRootCoarse,
            "rsqrt" => Unary::ReciprocalRoot,
            "ex2" => Unary::Exponential,
            "lg2" => Unary::Logarithm,
            "sin" => Unary::Sine,
            "cos" => Unary::Cosine,
            "tanh" => Unary::Tangent,
            "popc" => Unary::Population,
            "clz" => Unary::LeadingZeros,
            "brev" => Unary::Reverse,
            "bfind" if shift => Unary::HighestBitShift,
            "bfind" => Unary::HighestBit,
            _ => return Err("this instruction is not supported".to_string()),
        };
        if rounding != Rounding::Nearest {
            return Err("only rounding to the nearest is supported here".to_string());
        }
        let from = self.value(from, bits(number))?;
        let (to, _) = self.destination(to)?;
        Ok(Operation::Unary { operator, number, to, from })
    }

    fn binary(
        &mut self,
        opcode: &str,
        modifiers: &mut Modifiers,
        operands: &[Operand],
    ) -> Result<Operation, String> {
        let [to, a, b] = exactly(operands)?;
        modifiers.ignore(&["lo", "approx", "full"]);
        let (high, wide) = (modifiers.take("hi"), modifiers.take("wide"));
        let nan = modifiers.take("NaN");
        let rounding = modifiers.rounding();
        let number = self.number(modifiers)?;
        let float = matches!(number, Number::Single { .. } | Number::Double);
        let directed = rounding != Rounding::Nearest && float;
        let operator = match opcode {
            "add" if directed => Binary::AddRounded(rounding),
            "sub" if directed => Binary::SubtractRounded(rounding),
            "mul" if directed => Binary::MultiplyRounded(rounding),
            "div" if directed => Binary::DivideRounded(rounding),
            "add" => Binary::Add,
            "sub" => Binary::Subtract,
            "mul" if high => Binary::MultiplyHigh,
            "mul" if wide => Binary::MultiplyWide,
            "mul" => Binary::Multiply,
            "mul24" => Binary::Multiply24,
            "div" => Binary::Divide,
            "rem" => Binary::Remainder,
            "min" if nan => Binary::MinimumNan,
            "max" if nan => Binary::MaximumNan,
            "min" => Binary::Minimum,
            "max" => Binary::Maximum,
            "shl" => Binary::ShiftLeft,
            "shr" => Binary::ShiftRight,
            "copysign" => Binary::CopySign,
            _ => return Err("this instruction is not supported".to_string()),
        };
        let second = if matches!(opcode, "shl" | "shr") { Width::W32 } else { bits(number) };
        let from = [self.value(a, bits(number))?, self.value(b, second)?];
        let (to, _) = self.destination(to)?;
        self.saturated(modifiers, Operation::Binary { operator, number, to, from }, to, number)
    }

    fn ternary(
        &mut self,
        opcode: &str,
        modifiers: &mut Modifiers,
        operands: &[Operand],
    ) -> Result<Operation, String> {
        let [to, a, b, c] = exactly(operands)?;
        if opcode == "prmt" || opcode == "shf" {
            return self.permutation(opcode, modifiers, operands);
        }
        if opcode == "dp4a" || opcode == "dp2a" {
            let words = opcode == "dp2a";
            let high = words && modifiers.take("hi");
            if words && !high && !modifiers.take("lo") {
                return Err("the half is missing".to_string());
            }
            let signed = [modifiers.kind()?.is_signed(), modifiers.kind()?.is_signed()];
            let number = Number::Unsigned(Width::W32);
            let from = [
                self.value(a, Width::W32)?,
                self.value(b, Width::W32)?,
                self.value(c, Width::W32)?,
            ];
            let (to, _) = self.destination(to)?;
            return Ok(Operation::Ternary {
                operator: match words {
                    true => Ternary::DotWords { signed, high },
                    false => Ternary::DotBytes { signed },
                },
                number,
                to,
                from,
            });
        }
        modifiers.ignore(&["lo"]);
        let (high, wide) = (modifiers.take("hi"), modifiers.take("wide"));
        let rounding = modifiers.rounding();
        let number = self.number(modifiers)?;
        let float = matches!(number, Number::Single { .. } | Number::Double);
        let operator = match opcode {
            "fma" if float => Ternary::Fused(rounding),
            "mad" if float => Ternary::Fused(rounding),
            "mad" if high => Ternary::MultiplyAddHigh,
            "mad" if wide => Ternary::MultiplyAddWide,
            "mad" => Ternary::MultiplyAdd,
            "mad24" => Ternary::MultiplyAdd24,
            "bfe" => Ternary::Extract,
            "sad" => Ternary::DifferenceAdd,
            _ => return Err("this instruction is not supported".to_string()),
        };
        let width = bits(number);
        let (second, third) = match operator {
            Ternary::Extract => (Width::W32, Width::W32),
            Ternary::MultiplyAddWide => (width, twice(width)),
            _ => (width, width),
        };
        let from = [self.value(a, width)?, self.value(b, second)?, self.value(c, third)?];
        let (to, _) = self.destination(to)?;
        self.saturated(modifiers, Operation::Ternary { operator, number, to, from }, to, number)
    }

    fn permutation(
        &mut self,
        opcode: &str,
        modifiers: &mut Modifiers,
        operands: &[Operand],
    ) -> Result<Operation, String> {
        let [to, a, b, c] = exactly(operands)?;
        modifiers.kind()?;
        let operator = if opcode == "prmt" {
            Ternary::Permute
        } else {
            let wrap = modifiers.take("wrap");
            modifiers.ignore(&["clamp"]);
            match (modifiers.take("l"), modifiers.take("r")) {
                (true, false) => Ternary::FunnelLeft { wrap },
                _ => Ternary::FunnelRight { wrap },
            }
        };
        let from =
            [self.value(a, Width::W32)?, self.value(b, Width::W32)?, self.value(c, Width::W32)?];
        let (to, _) = self.destination(to)?;
        Ok(Operation::Ternary { operator, number: Number::Unsigned(Width::W32), to, from })
    }

    /// An operation whose float result may have to be held between zero and one.
    fn saturated(
        &mut self,
        modifiers: &mut Modifiers,
        operation: Operation,
        to: u16,
        number: Number,
    ) -> Result<Operation, String> {
        if !modifiers.take("sat") {
            return Ok(operation);
        }
        if !matches!(number, Number::Single { .. } | Number::Double) {
            return Err("saturating whole numbers are not supported".to_string());
        }
        self.push(None, operation);
        Ok(Operation::Saturate { number, register: to })
    }

    fn logic(
        &mut self,
        opcode: &str,
        modifiers: &mut Modifiers,
        operands: &[Operand],
    ) -> Result<Operation, String> {
        let kind = modifiers.kind()?;
        if opcode == "not" {
            let [to, from] = exactly(operands)?;
            if kind == Type::Pred {
                let mut from = self.condition(from)?;
                from.negated = !from.negated;
                return Ok(Operation::Assign { to: self.predicate(to)?, from });
            }
            let number = Number::Unsigned(width(kind));
            let from = self.value(from, width(kind))?;
            let (to, _) = self.destination(to)?;
            return Ok(Operation::Unary { operator: Unary::Not, number, to, from });
        }
        let (junction, operator) = match opcode {
            "and" => (Junction::And, Binary::And),
            "or" => (Junction::Or, Binary::Or),
            "xor" => (Junction::Xor, Binary::Xor),
            _ => return Err("this instruction is not supported".to_string()),
        };
        let [to, a, b] = exactly(operands)?;
        if kind == Type::Pred {
            let from = [self.condition(a)?, self.condition(b)?];
            return Ok(Operation::Join { junction, to: self.predicate(to)?, from });
        }
        let from = [self.value(a, width(kind))?, self.value(b, width(kind))?];
        let (to, _) = self.destination(to)?;
        Ok(Operation::Binary { operator, number: Number::Unsigned(width(kind)), to, from })
    }

    /// `add.cc`, `addc`, `mad.lo.cc`, `madc.hi.cc` and their like.
    fn chain(
        &mut self,
        opcode: &str,
        modifiers: &mut Modifiers,
        operands: &[Operand],
    ) -> Result<Operation, String> {
        let reads = opcode.ends_with('c');
        // The caller has taken the modifier of those that only write.
        let writes = !reads || modifiers.take("cc");
        let high = modifiers.take("hi");
        modifiers.ignore(&["lo"]);
        let number = self.number(modifiers)?;
        let width = bits(number);
        let step = match opcode {
            "add" | "addc" => Chain::Add,
            "sub" | "subc" => Chain::Subtract,
            _ if high => Chain::MultiplyAddHigh,
            _ => Chain::MultiplyAddLow,
        };
        let a = self.value(operands.get(1).ok_or("too few operands")?, width)?;
        let b = self.value(operands.get(2).ok_or("too few operands")?, width)?;
        let c = match operands.get(3) {
            Some(operand) => self.value(operand, width)?,
            None => a,
        };
        let (to, _) = self.destination(&operands[0])?;
        Ok(Operation::Chain { step, number, carry: [reads, writes], to, from: [a, b, c] })
    }

    /// The kind of number that the modifiers name.
    pub fn number(&mut self, modifiers: &mut Modifiers) -> Result<Number, String> {
        let flush = modifiers.take("ftz");
        Ok(match modifiers.kind()? {
            Type::Bits(width) | Type::Unsigned(width) => Number::Unsigned(width),
            Type::Signed(width) => Number::Signed(width),
            Type::F32 => Number::Single { flush },
            Type::F64 => Number::Double,
            kind => return Err(format!("arithmetic of {kind:?} is not supported")),
        })
    }
}

/// Bits of a number.
pub(super) fn bits(number: Number) -> Width {
    match number {
        Number::Unsigned(width) | Number::Signed(width) => width,
        Number::Single { .. } => Width::W32,
        Number::Double => Width::W64,
    }
}

fn twice(width: Width) -> Width {
    match width {
        Width::W8 => Width::W16,
        Width::W16 => Width::W32,
        Width::W32 | Width::W64 => Width::W64,
    }
}
