//! Branches, calls, and what the threads of a block do together.

use super::arithmetic::bits;
use super::function::Decoder;
use super::instruction::{exactly, width};
use super::memory::change;
use super::modifiers::Modifiers;
use super::scope::Named;
use crate::ptx::code::{Answer, Call, Condition, MatrixStep, Operation, Register, Shuffle, Vote};
use crate::ptx::tree::{Instruction, Operand};
use crate::ptx::types::Width;
use std::sync::Arc;

impl Decoder<'_> {
    /// `bra`, whose label may come later.
    pub fn branch(
        &mut self,
        guard: Option<Condition>,
        instruction: &Instruction,
        modifiers: &mut Modifiers,
    ) -> Result<(), String> {
        modifiers.ignore(&["uni", "idx"]);
        modifiers.finish()?;
        match instruction.operands.as_slice() {
            [index, Operand::Name(table)] if instruction.opcode == "brx" => {
                let labels = self.tables.get(table).cloned();
                let labels = labels.ok_or_else(|| format!("there is no table {table}"))?;
                let index = self.value(index, Width::W32)?;
                let operation = Operation::BranchTable { index, targets: Vec::new() };
                self.push_branch(guard, operation, labels, instruction.line);
                Ok(())
            }
            [Operand::Name(label)] if instruction.opcode == "bra" => {
                let labels = vec![label.clone()];
                self.push_branch(guard, Operation::Branch(0), labels, instruction.line);
                Ok(())
            }
            _ => Err("this instruction is not supported".to_string()),
        }
    }

    /// Control flow and what threads do together.
    pub fn control(
        &mut self,
        opcode: &str,
        modifiers: &mut Modifiers,
        operands: &[Operand],
    ) -> Result<Operation, String> {
        match opcode {
            "call" => {
                modifiers.ignore(&["uni"]);
                self.call(operands)
            }
            "ret" => {
                modifiers.ignore(&["uni"]);
                Ok(Operation::Return)
            }
            "exit" => Ok(Operation::Exit),
            "trap" | "brkpt" => Ok(Operation::Trap),
            "bar" | "barrier" => self.barrier(modifiers, operands),
            "shfl" => self.shuffle(modifiers, operands),
            "vote" => self.vote(modifiers, operands),
            "match" => self.matching(modifiers, operands),
            "mma" => self.multiply_matrices(modifiers, operands),
            "redux" => {
                modifiers.take("sync");
                let change = modifiers.find(change).ok_or("the operation is missing")?;
                let number = self.number(modifiers)?;
                let [to, from, members] = exactly(operands)?;
                let from = self.value(from, bits(number))?;
                let members = self.value(members, Width::W32)?;
                Ok(Operation::Reduce { change, number, to: self.destination(to)?.0, from, members })
            }
            "activemask" => {
                modifiers.kind()?;
                let [to] = exactly(operands)?;
                Ok(Operation::ActiveMask { to: self.destination(to)?.0 })
            }
            // Order between threads, hints and pauses: the machine executes in order.
            _ => {
                modifiers.ignore_prefixed("");
                Ok(Operation::Nothing)
            }
        }
    }

    fn call(&mut self, operands: &[Operand]) -> Result<Operation, String> {
        let (results, name, arguments) = match operands {
            [Operand::Name(name)] => (&[][..], name, &[][..]),
            [Operand::List(results), Operand::Name(name)] => (results.as_slice(), name, &[][..]),
            [Operand::Name(name), Operand::List(arguments)] => {
                (&[][..], name, arguments.as_slice())
            }
            [Operand::List(results), Operand::Name(name), Operand::List(arguments)] => {
                (results.as_slice(), name, arguments.as_slice())
            }
            _ => return Err("calls through a register are not supported".to_string()),
        };
        let Some(function) = self.functions.get(name.as_str()).copied() else {
            return Err(format!("the function {name} has no body"));
        };
        let places = |operands: &[Operand]| -> Result<Vec<u32>, String> {
            let place = |operand: &Operand| match operand {
                Operand::Name(name) => match self.scope.look_up(name) {
                    Some(Named::Local(offset)) => Ok(offset),
                    _ => Err(format!("{name} is no argument of a call")),
                },
                other => Err(format!("{other:?} is no argument of a call")),
            };
            operands.iter().map(place).collect()
        };
        let (arguments, results) = (places(arguments)?, places(results)?);
        Ok(Operation::Call(Arc::new(Call { function, arguments, results })))
    }

    /// `bar.sync 0`, `bar.warp.sync`, `barrier.sync 0`, `bar.red`.
    fn barrier(
        &mut self,
        modifiers: &mut Modifiers,
        operands: &[Operand],
    ) -> Result<Operation, String> {
        let warp = modifiers.take("warp");
        modifiers.ignore(&["cta", "aligned"]);
        if modifiers.take("red") {
            let answer = modifiers.find(|name| match name {
                "popc" | "and" | "or" => Some(name.as_bytes()[0]),
                _ => None,
            });
            modifiers.find(crate::ptx::types::Type::parse);
            let [to, Operand::Integer(0), by] = exactly(operands)? else {
                return Err("only barrier 0 of the whole block is supported".to_string());
            };
            let by = self.condition(by)?;
            let answer = match answer {
                Some(b'p') => Answer::Register(self.destination(to)?.0),
                Some(b'a') => Answer::All(self.predicate(to)?),
                Some(_) => Answer::Any(self.predicate(to)?),
                None => return Err("the operation is missing".to_string()),
            };
            return Ok(Operation::BarrierCount { by, answer });
        }
        if !modifiers.take("sync") {
            return Err("only barriers that wait are supported".to_string());
        }
        match operands {
            [members] if warp => {
                Ok(Operation::WarpBarrier { members: self.value(members, Width::W32)? })
            }
            [Operand::Integer(0)] => Ok(Operation::Barrier),
            _ => Err("only barrier 0 of the whole block is supported".to_string()),
        }
    }

    fn shuffle(
        &mut self,
        modifiers: &mut Modifiers,
        operands: &[Operand],
    ) -> Result<Operation, String> {
        if !modifiers.take("sync") {
            return Err("shuffles without a mask are not supported".to_string());
        }
        let kind = |name: &str| {
            Some(match name {
                "up" => Shuffle::Up,
                "down" => Shuffle::Down,
                "bfly" => Shuffle::Butterfly,
                "idx" => Shuffle::Index,
                _ => return None,
            })
        };
        let shuffle = modifiers.find(kind).ok_or("the direction is missing")?;
        modifiers.kind()?;
        let [to, from, lane, clamp, members] = exactly(operands)?;
        let (to, valid) = match to {
            Operand::Pair(to, valid) => (to.as_ref(), Some(self.predicate(valid)?)),
            to => (to, None),
        };
        Ok(Operation::Shuffle {
            shuffle,
            to: self.destination(to)?.0,
            valid,
            from: self.value(from, Width::W32)?,
            lane: self.value(lane, Width::W32)?,
            clamp: self.value(clamp, Width::W32)?,
            members: self.value(members, Width::W32)?,
        })
    }

    fn vote(
        &mut self,
        modifiers: &mut Modifiers,
        operands: &[Operand],
    ) -> Result<Operation, String> {
        if !modifiers.take("sync") {
            return Err("votes without a mask are not supported".to_string());
        }
        let kind = |name: &str| {
            Some(match name {
                "all" => Vote::All,
                "any" => Vote::Any,
                "uni" => Vote::Uniform,
                "ballot" => Vote::Ballot,
                _ => return None,
            })
        };
        let vote = modifiers.find(kind).ok_or("the question is missing")?;
        modifiers.kind()?;
        let [to, by, members] = exactly(operands)?;
        let to = match vote {
            Vote::Ballot => Answer::Register(self.destination(to)?.0),
            _ => Answer::All(self.predicate(to)?),
        };
        let by = self.condition(by)?;
        Ok(Operation::Vote { vote, to, by, members: self.value(members, Width::W32)? })
    }

    fn matching(
        &mut self,
        modifiers: &mut Modifiers,
        operands: &[Operand],
    ) -> Result<Operation, String> {
        modifiers.take("sync");
        let all = modifiers.take("all");
        modifiers.take("any");
        let width = width(modifiers.kind()?);
        let [to, from, members] = exactly(operands)?;
        let (to, valid) = match to {
            Operand::Pair(to, valid) => (to.as_ref(), Some(self.predicate(valid)?)),
            to => (to, None),
        };
        Ok(Operation::Match {
            all: all.then_some(valid),
            to: self.destination(to)?.0,
            from: self.value(from, width)?,
            members: self.value(members, Width::W32)?,
        })
    }

    fn multiply_matrices(
        &mut self,
        modifiers: &mut Modifiers,
        operands: &[Operand],
    ) -> Result<Operation, String> {
        let known = ["sync", "aligned", "m16n8k8", "row", "col", "f64", "f64", "f64", "f64"];
        if !known.iter().all(|name| modifiers.take(name)) {
            return Err("only matrices m16n8k8 of f64 are supported".to_string());
        }
        let [to, a, b, from] = exactly(operands)?;
        let mut named = [0; 4];
        for (slot, part) in named.iter_mut().zip(parts::<4>(to)?) {
            *slot = self.destination(part)?.0;
        }
        let step = Box::new(MatrixStep {
            to: named,
            a: self.values(parts(a)?)?,
            b: self.values(parts(b)?)?,
            from: self.values(parts(from)?)?,
        });
        let members = self.scope.constant(u32::MAX.into())?;
        Ok(Operation::MultiplyMatrices { step, members })
    }

    fn values<const N: usize>(&mut self, parts: &[Operand; N]) -> Result<[Register; N], String> {
        let mut registers = [0; N];
        for (slot, part) in registers.iter_mut().zip(parts) {
            *slot = self.value(part, Width::W64)?;
        }
        Ok(registers)
    }
}

/// The parts of a vector, which must be so many.
fn parts<const N: usize>(operand: &Operand) -> Result<&[Operand; N], String> {
    match operand {
        Operand::Vector(parts) => exactly(parts),
        other => Err(format!("{other:?} is no vector")),
    }
}
