//! Instructions to straight-line code.

mod division;
mod fold;
mod logarithms;
mod near;
mod operations;
mod operators;
mod parts;
mod remainder;
mod scaling;
mod signs;
mod trace;
mod whole;

pub(super) use fold::{combine, held_dtype, lower_fold};

use super::lane::{Args, Body, Form, Lane, Op, Value};
use super::run::{Place, Run};
use super::target::Target;
use darray_codegen::{Instruction, Primitive, Slot, StrideClass};
use darray_core::RealType;
use hashbrown::HashMap;
use operations::Operations;
use smallvec::SmallVec;

/// Whether an instruction can become straight-line code, behind those that write the slots `computed`. `classes` says how accesses
/// move. What moves an f16 without computing it cannot: in registers these are f32, and a signalling NaN would become quiet.
pub(super) fn can_lower(
    instruction: &Instruction,
    classes: &[StrideClass],
    computed: &[Slot],
) -> bool {
    match instruction {
        Instruction::Compute { primitive: Primitive::Apply(operator), dtype, .. } => {
            operators::can_lower(*operator, *dtype)
        }
        Instruction::Iota { .. } => true,
        Instruction::Fill { dtype, .. } => keeps_bits(*dtype),
        Instruction::Gather { access, dtype, .. } => {
            let class = classes[*access as usize];
            keeps_bits(*dtype) && matches!(class, StrideClass::Unit | StrideClass::Backward)
        }
        Instruction::Scatter { access, dtype, value, mask, .. } => {
            let is_computed = mask.is_none() && computed.contains(value);
            (keeps_bits(*dtype) || is_computed) && classes[*access as usize] == StrideClass::Unit
        }
        Instruction::Random { .. } | Instruction::Yield { .. } => false,
    }
}

/// Whether elements come out of lanes with the bits that they went in with.
fn keeps_bits(dtype: RealType) -> bool {
    Form::of(dtype) != Form::Half
}

/// Bytes of an element of everything that an instruction reads, in the order of [`Instruction::reads`], and of
/// what it writes.
pub(super) fn element_sizes(instruction: &Instruction) -> (SmallVec<[usize; 5]>, usize) {
    let all =
        |dtype: &RealType, count: usize| (SmallVec::from_elem(dtype.size(), count), dtype.size());
    match instruction {
        Instruction::Compute { primitive: Primitive::Apply(operator), dtype, .. } => {
            let row = operators::signature(*operator, *dtype);
            (row.inputs.iter().map(|input| input.size()).collect(), row.output.size())
        }
        Instruction::Fill { dtype, .. } => all(dtype, 1),
        Instruction::Gather { dtype, .. } | Instruction::Yield { dtype, .. } => all(dtype, 0),
        Instruction::Scatter { dtype, mask, .. } => {
            let mask = mask.map(|_| RealType::MASK.size());
            ([dtype.size()].into_iter().chain(mask).collect(), dtype.size())
        }
        Instruction::Iota { .. } => all(&RealType::INDEX, 0),
        Instruction::Random { dtype, .. } => {
            (SmallVec::from_elem(RealType::INDEX.size(), 5), dtype.size())
        }
    }
}

/// Operations of an instruction, about: one, or thirty where it is a function.
const OPERATIONS: usize = 12;

/// The code of a run of instructions. Registers that are live after it are stored.
pub(super) fn lower(run: &Run<'_>, target: Target) -> Body {
    let mut lowering = Lowering::of(run, target, false);
    let live = lowering.registers.iter().filter(|(register, _)| (run.is_live)(**register));
    let mut live: Vec<_> = live.map(|(&register, &held)| (register, held)).collect();
    live.sort_unstable();
    for (register, (value, dtype)) in live {
        let pointer = lowering.pointer(Slot::Register(register));
        let written = lowering.written(value, dtype);
        lowering.body.add(Op::Store(pointer, dtype, 0), Lane::of(dtype), &[written]);
    }
    lowering.body
}

struct Lowering<'r> {
    body: Body,
    /// What registers hold that the run has written.
    registers: HashMap<u16, (Value, RealType)>,
    /// The pointer last stored to, and the value that is there.
    stored: Option<(u16, Value)>,
    run: &'r Run<'r>,
    /// Whether an element of an access that serves for all is another one in each round.
    broadcasts: bool,
}

impl<'r> Lowering<'r> {
    /// The code of a run, without what is live after it.
    fn of(run: &'r Run<'r>, target: Target, broadcasts: bool) -> Lowering<'r> {
        let mut body = Body::new(OPERATIONS * run.instructions.len());
        body.has_avx512 = target == Target::Avx512;
        let registers = HashMap::new();
        let mut lowering = Lowering { body, registers, stored: None, run, broadcasts };
        for (number, instruction) in run.instructions.iter().enumerate() {
            lowering.body.origin = number as u16;
            lowering.instruction(instruction);
        }
        lowering.body.origin = run.instructions.len() as u16;
        lowering
    }

    fn instruction(&mut self, instruction: &Instruction) {
        match instruction {
            Instruction::Compute {
                primitive: Primitive::Apply(operator),
                dtype,
                args,
                uniform,
                out,
            } => {
                let row = operators::signature(*operator, *dtype);
                let operand = |(k, &slot): (usize, &Slot)| {
                    self.operand(slot, row.inputs[k], uniform >> k & 1 == 1)
                };
                let args = Args::of(args.iter().enumerate().map(operand));
                let value = operators::apply(&mut self.body, *operator, row, &args);
                let value = value.expect("`can_lower` was asked");
                self.write(*out, value, row.output);
            }
            Instruction::Fill { dtype, value, out } => {
                let value = self.operand(*value, *dtype, true);
                self.write(*out, value, *dtype);
            }
            Instruction::Iota { axis, out } => {
                let first = self.uniform(Place::Index(*axis), RealType::INDEX);
                let number = self.body.add(Op::Position(0), Lane::I64, &[]);
                let value = self.body.add(Op::Add, Lane::I64, &[number, first]);
                self.write(*out, value, RealType::INDEX);
            }
            Instruction::Gather { access, dtype, out } => {
                let value = self.operand(Slot::Access(*access), *dtype, false);
                self.write(*out, value, *dtype);
            }
            Instruction::Scatter { access, dtype, value, uniform, mask, mask_uniform } => {
                let mut value = self.operand(*value, *dtype, *uniform);
                if let Some(mask) = *mask {
                    // What is not chosen is written back as it was.
                    let mask = self.operand(mask, RealType::MASK, *mask_uniform);
                    let old = self.operand(Slot::Access(*access), *dtype, false);
                    value = self.body.add(Op::Select, Lane::of(*dtype), &[mask, value, old]);
                }
                self.write(Slot::Access(*access), value, *dtype);
            }
            Instruction::Random { .. } | Instruction::Yield { .. } => {
                unreachable!("not straight-line")
            }
        }
    }

    fn operand(&mut self, slot: Slot, dtype: RealType, uniform: bool) -> Value {
        let lane = Lane::of(dtype);
        if let Slot::Register(register) = slot
            && let Some(&(value, _)) = self.registers.get(&register)
        {
            return value;
        }
        let pointer = self.pointer(slot);
        if let Some((_, value)) = self.stored.filter(|&(stored, _)| stored == pointer && !uniform) {
            return value;
        }
        let op = match (uniform, slot) {
            (true, Slot::Access(_)) if self.broadcasts => Op::Broadcast(pointer, dtype),
            (true, _) => Op::Uniform(pointer, dtype),
            (false, _) => Op::Load(pointer, dtype, 0),
        };
        self.body.add(op, lane, &[])
    }

    /// An element that serves for all.
    fn uniform(&mut self, place: Place, dtype: RealType) -> Value {
        let pointer = (self.run.pointer)(place);
        self.body.add(Op::Uniform(pointer, dtype), Lane::of(dtype), &[])
    }

    /// What a store takes for a value: it rounds to f16 itself. Of small integers AVX-512 keeps the low bits, and AVX2 wants no others.
    fn written(&mut self, value: Value, dtype: RealType) -> Value {
        let node = self.body.nodes[value as usize];
        match Form::of(dtype) {
            Form::Half if node.op == Op::RoundHalf => node.args[0],
            Form::Integer { .. } => {
                let mut integers = Operations::new(&mut self.body, dtype);
                match integers.body.has_avx512 {
                    true => integers.before_narrowing(value),
                    false => integers.without_signs(value),
                }
            }
            _ => value,
        }
    }

    fn pointer(&self, slot: Slot) -> u16 {
        (self.run.pointer)(Place::Slot(slot))
    }

    fn write(&mut self, slot: Slot, value: Value, dtype: RealType) {
        if let Slot::Register(register) = slot {
            self.registers.insert(register, (value, dtype));
        } else {
            let pointer = self.pointer(slot);
            let written = self.written(value, dtype);
            self.body.add(Op::Store(pointer, dtype, 0), Lane::of(dtype), &[written]);
            self.stored = Some((pointer, value));
        }
    }
}
