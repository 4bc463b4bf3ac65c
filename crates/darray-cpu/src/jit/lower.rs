//! Instructions to straight-line code.

mod operators;
mod trace;

use super::lane::{Body, Lane, Op, Value};
use darray_codegen::{Instruction, Link, Primitive, Slot};
use darray_core::DType;
use darray_kernel::operator::Operator;
use std::collections::HashMap;

/// Whether an instruction can become straight-line code.
pub(super) fn can_lower(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Compute { primitive: Primitive::Apply(operator), dtype, .. } => {
            operators::can_lower(*operator, *dtype)
        }
        Instruction::Chain { .. } | Instruction::Fill { .. } => true,
        _ => false,
    }
}

/// The code of a run of instructions. Registers that `is_live` after it are stored.
///
/// `pointer` is the position of a slot in the pointer table.
pub(super) fn lower(
    run: &[Instruction],
    pointer: impl Fn(Slot) -> u16,
    is_live: impl Fn(u16) -> bool,
) -> Body {
    let mut lowering =
        Lowering { body: Body::default(), registers: HashMap::new(), stored: None, pointer };
    for instruction in run {
        lowering.instruction(instruction);
    }
    let Lowering { mut body, registers, pointer, .. } = lowering;
    let mut live: Vec<_> = registers.into_iter().filter(|(r, _)| is_live(*r)).collect();
    live.sort_unstable();
    for (register, (value, dtype)) in live {
        body.add(Op::Store(pointer(Slot::Register(register)), dtype, 0), Lane::of(dtype), &[value]);
    }
    body
}

struct Lowering<P> {
    body: Body,
    /// What registers hold that the run has written.
    registers: HashMap<u16, (Value, DType)>,
    /// The pointer last stored to, and the value that is there.
    stored: Option<(u16, Value)>,
    pointer: P,
}

impl<P: Fn(Slot) -> u16> Lowering<P> {
    fn instruction(&mut self, instruction: &Instruction) {
        match instruction {
            Instruction::Compute {
                primitive: Primitive::Apply(operator),
                dtype,
                args,
                uniform,
                out,
            } => {
                let inputs = operators::inputs(*operator, *dtype);
                let result = operator.result(inputs).expect("a row of the table");
                let operand = |(k, &slot): (usize, &Slot)| {
                    self.operand(slot, inputs[k], uniform >> k & 1 == 1)
                };
                let args: Vec<Value> = args.iter().enumerate().map(operand).collect();
                let value = operators::apply(&mut self.body, *operator, inputs, &args);
                self.write(*out, value, result);
            }
            Instruction::Chain { dtype, links, args, uniform, out } => {
                let mut value = self.operand(args[0], *dtype, false);
                let mut next = 1;
                for &link in links {
                    let mut operand = value;
                    if link.has_operand() {
                        operand = self.operand(args[next], *dtype, uniform >> next & 1 == 1);
                        next += 1;
                    }
                    value = self.link(link, *dtype, value, operand);
                }
                self.write(*out, value, *dtype);
            }
            Instruction::Fill { dtype, value, out } => {
                let value = self.operand(*value, *dtype, true);
                self.write(*out, value, *dtype);
            }
            _ => unreachable!("not straight-line"),
        }
    }

    fn link(&mut self, link: Link, dtype: DType, value: Value, operand: Value) -> Value {
        let (operator, args) = match link {
            Link::Add => (Operator::Add, vec![value, operand]),
            Link::Sub => (Operator::Sub, vec![value, operand]),
            Link::SubFrom => (Operator::Sub, vec![operand, value]),
            Link::Mul => (Operator::Mul, vec![value, operand]),
            Link::Div => (Operator::Div, vec![value, operand]),
            Link::DivInto => (Operator::Div, vec![operand, value]),
            Link::Sqrt => (Operator::Sqrt, vec![value]),
            Link::Neg => (Operator::Neg, vec![value]),
            Link::Abs => (Operator::Abs, vec![value]),
        };
        operators::apply(&mut self.body, operator, &[dtype; 2][..args.len()], &args)
    }

    fn operand(&mut self, slot: Slot, dtype: DType, uniform: bool) -> Value {
        let lane = Lane::of(dtype);
        if let Slot::Register(register) = slot
            && let Some(&(value, _)) = self.registers.get(&register)
        {
            return value;
        }
        let pointer = (self.pointer)(slot);
        if let Some((_, value)) = self.stored.filter(|&(stored, _)| stored == pointer && !uniform) {
            return value;
        }
        let op = if uniform { Op::Uniform(pointer, dtype) } else { Op::Load(pointer, dtype, 0) };
        self.body.add(op, lane, &[])
    }

    fn write(&mut self, slot: Slot, value: Value, dtype: DType) {
        if let Slot::Register(register) = slot {
            self.registers.insert(register, (value, dtype));
        } else {
            let pointer = (self.pointer)(slot);
            self.body.add(Op::Store(pointer, dtype, 0), Lane::of(dtype), &[value]);
            self.stored = Some((pointer, value));
        }
    }
}
