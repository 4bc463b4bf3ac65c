//! The loop that executes instructions.

use super::MOST_INSTRUCTIONS;
use super::access::{self, is_within};
use super::arithmetic;
use super::block::Machine;
use super::chain::chain;
use super::collective::together;
use super::compare::{assign, compare, condition, join, test};
use super::convert::convert;
use super::fault::{Fault, Reason};
use super::float::{maximum32, maximum64, minimum32, minimum64, single, single_bits};
use super::integer;
use super::lanes::{LANES, Lanes, TOGETHER, each, map1, map3, part};
use super::warp::{Buffer, Frame, Group, Wait, Warp};
use crate::ptx::code::{Call, Number, Operation, Register};
use std::sync::Arc;

/// Where a warp stops.
pub(super) enum Step {
    /// All threads have ended.
    Done,
    /// All threads wait at a barrier of the block.
    Barrier,
}

/// Why threads of a warp do not simply go on.
enum Event {
    /// Others are further behind, or these wait or have returned.
    Switch,
    /// These lanes call a function.
    Call(Arc<Call>, u32),
    /// These lanes have ended.
    Exit(u32),
    /// A lane cannot go on.
    Fail { at: u32, lane: usize, reason: Reason },
}

impl Warp {
    /// Runs until all threads have ended or wait at a barrier.
    pub fn run(
        &mut self,
        machine: &mut Machine,
        buffers: &mut Vec<Buffer>,
    ) -> Result<Step, Box<Fault>> {
        loop {
            let Some(frame) = self.frames.last_mut() else { return Ok(Step::Done) };
            if frame.groups.is_empty() {
                self.leave(machine, buffers);
                continue;
            }
            let function = frame.function;
            let Some((group, limit)) = next_group(frame) else {
                self.last = (function, frame.groups[0].at);
                if self.is_at_barrier() {
                    return Ok(Step::Barrier);
                }
                return Err(self.fault(machine, Reason::Deadlock));
            };
            self.last = (function, group.at);
            let event = execute(machine, frame, &mut self.local, self.exited, group, limit);
            match event {
                Event::Switch => {}
                Event::Call(call, lanes) => {
                    if let Err(reason) = self.call(machine, buffers, &call, lanes) {
                        return Err(self.fault(machine, reason));
                    }
                }
                Event::Exit(lanes) => self.exit(lanes),
                Event::Fail { at, lane, reason } => {
                    self.last = (function, at);
                    return Err(self.fault_of(machine, lane, reason));
                }
            }
        }
    }
}

/// The threads that are furthest behind, taken out of their frame, and where the next ones stand.
fn next_group(frame: &mut Frame) -> Option<(Group, u32)> {
    let free = |group: &&Group| group.wait == Wait::Nothing;
    let at = frame.groups.iter().filter(free).map(|group| group.at).min()?;
    let mut lanes = 0;
    frame.groups.retain(|group| {
        let here = group.wait == Wait::Nothing && group.at == at;
        if here {
            lanes |= group.lanes;
        }
        !here
    });
    let limit = frame.groups.iter().filter(free).map(|group| group.at).min();
    Some((Group { at, lanes, wait: Wait::Nothing }, limit.unwrap_or(u32::MAX)))
}

/// Executes threads that stand together.
fn execute(
    machine: &mut Machine,
    frame: &mut Frame,
    local: &mut [Vec<u8>],
    exited: u32,
    group: Group,
    mut limit: u32,
) -> Event {
    let program = machine.launch.program;
    let instructions = program.functions[frame.function].instructions.as_slice();
    let Group { mut at, mut lanes, .. } = group;
    let mut count = 0u64;
    let event = loop {
        if at >= limit {
            frame.groups.push(Group { at, lanes, wait: Wait::Nothing });
            break Event::Switch;
        }
        let instruction = &instructions[at as usize];
        count += u64::from(lanes.count_ones());
        let active = match instruction.guard {
            None => lanes,
            Some(guard) => lanes & condition(&frame.predicates, guard),
        };
        if active == 0 {
            at += 1;
            continue;
        }
        let registers = frame.registers.as_mut_slice();
        let predicates = frame.predicates.as_mut_slice();
        match &instruction.operation {
            Operation::Nothing => {}
            Operation::Unary { operator, number, to, from } => {
                arithmetic::unary(registers, active, *operator, *number, *to, *from);
            }
            Operation::Binary { operator, number, to, from } => {
                arithmetic::binary(registers, active, *operator, *number, *to, *from);
            }
            Operation::Ternary { operator, number, to, from } => {
                arithmetic::ternary(registers, active, *operator, *number, *to, *from);
            }
            Operation::Insert { width, to, from: [what, into, place, length] } => {
                each(active, |lane| {
                    let of = |register: &Register| registers[usize::from(*register)][lane];
                    registers[usize::from(*to)][lane] =
                        integer::insert(of(what), of(into), of(place), of(length), *width);
                });
            }
            Operation::Saturate { number, register } => {
                saturate(registers, active, *number, *register);
            }
            Operation::Chain { step, number, carry, to, from } => {
                chain(registers, &mut frame.carry, active, *step, *number, *carry, *to, *from);
            }
            Operation::Convert { conversion, to, from } => {
                convert(registers, active, conversion, *to, *from);
            }
            Operation::Compare { comparison, number, to, opposite, from, join: joined } => {
                let holds = compare(registers, *comparison, *number, *from);
                let (mut yes, mut no) = (holds, !holds);
                if let Some((junction, other)) = joined {
                    let other = condition(predicates, *other);
                    (yes, no) = (join(*junction, yes, other), join(*junction, no, other));
                }
                assign(predicates, *to, active, yes);
                if let Some(opposite) = opposite {
                    assign(predicates, *opposite, active, no);
                }
            }
            Operation::Mark { comparison, number, one, to, from, join: joined } => {
                let mut holds = compare(registers, *comparison, *number, *from);
                if let Some((junction, other)) = joined {
                    holds = join(*junction, holds, condition(predicates, *other));
                }
                each(active, |lane| {
                    registers[usize::from(*to)][lane] = one * u64::from(holds >> lane & 1);
                });
            }
            Operation::Test { property, number, to, from } => {
                let holds = test(registers, *property, *number, *from);
                assign(predicates, *to, active, holds);
            }
            Operation::Select { to, from: [yes, no], by } => {
                let chosen = condition(predicates, *by);
                select(registers, active, chosen, *to, *yes, *no);
            }
            Operation::SelectBySign { number, to, from } => {
                let negative = |by: u64| match number {
                    Number::Single { .. } => single(by) < 0.0 || single(by).is_nan(),
                    _ => (by as i32) < 0,
                };
                map3(registers, active, *to, *from, |a, b, by| if negative(by) { b } else { a });
            }
            Operation::Join { junction, to, from } => {
                let [a, b] = from.map(|from| condition(predicates, from));
                assign(predicates, *to, active, join(*junction, a, b));
            }
            Operation::Assign { to, from } => {
                let value = condition(predicates, *from);
                assign(predicates, *to, active, value);
            }
            Operation::AssignConstant { to, value } => {
                assign(predicates, *to, active, if *value { u32::MAX } else { 0 });
            }
            Operation::Pack { bytes, count, to, from } => {
                let bits = 8 * u32::from(*bytes);
                let keep = u64::MAX >> (64 - bits);
                each(active, |lane| {
                    let parts = from[..usize::from(*count)].iter().rev();
                    let value = parts.fold(0, |value: u64, part| {
                        value << (bits % 64) | (registers[usize::from(*part)][lane] & keep)
                    });
                    registers[usize::from(*to)][lane] = value;
                });
            }
            Operation::Unpack { bytes, count, to, from } => {
                let bits = 8 * u32::from(*bytes);
                let keep = u64::MAX >> (64 - bits);
                let values = registers[usize::from(*from)];
                for (part, to) in to[..usize::from(*count)].iter().enumerate() {
                    each(active, |lane| {
                        registers[usize::from(*to)][lane] =
                            values[lane] >> (bits * part as u32) & keep;
                    });
                }
            }
            Operation::Address { window, generic, to, from } => match generic {
                true => map1(registers, active, *to, *from, |a| a.wrapping_add(*window)),
                false => map1(registers, active, *to, *from, |a| a.wrapping_sub(*window)),
            },
            Operation::IsWithin { reach, to, from } => {
                let mut holds = 0;
                each(active, |lane| {
                    let address = registers[usize::from(*from)][lane];
                    holds |= u32::from(is_within(address, *reach)) << lane;
                });
                assign(predicates, *to, active, holds);
            }
            Operation::Load { kind, extend, count, to, place } => {
                let loaded = access::load(
                    machine, local, registers, active, *kind, *extend, *count, *to, *place,
                );
                if let Err((lane, reason)) = loaded {
                    break Event::Fail { at, lane, reason };
                }
            }
            Operation::Store { kind, count, from, place } => {
                let stored =
                    access::store(machine, local, registers, active, *kind, *count, *from, *place);
                if let Err((lane, reason)) = stored {
                    break Event::Fail { at, lane, reason };
                }
            }
            Operation::Atomic { change, number, to, place, from } => {
                let changed = access::atomic(
                    machine, local, registers, active, *change, *number, *to, *place, *from,
                );
                if let Err((lane, reason)) = changed {
                    break Event::Fail { at, lane, reason };
                }
            }
            Operation::Branch(target) => {
                if *target <= at && machine.instructions + count > MOST_INSTRUCTIONS {
                    let lane = active.trailing_zeros() as usize;
                    break Event::Fail { at, lane, reason: Reason::TooLong };
                }
                let rest = lanes & !active;
                if rest == 0 {
                    at = *target;
                    continue;
                }
                // Those further behind go first.
                let (first, others) = match *target <= at {
                    true => ((*target, active), (at + 1, rest)),
                    false => ((at + 1, rest), (*target, active)),
                };
                let wait = Wait::Nothing;
                frame.groups.push(Group { at: others.0, lanes: others.1, wait });
                limit = limit.min(others.0);
                (at, lanes) = first;
                continue;
            }
            Operation::BranchTable { index, targets } => {
                let rest = lanes & !active;
                let wait = Wait::Nothing;
                if rest != 0 {
                    frame.groups.push(Group { at: at + 1, lanes: rest, wait });
                }
                let index = &registers[usize::from(*index)];
                each(active, |lane| {
                    // An index beyond the table is undefined; the last entry is taken.
                    let entry = (index[lane] as usize).min(targets.len() - 1);
                    frame.groups.push(Group { at: targets[entry], lanes: 1 << lane, wait });
                });
                break Event::Switch;
            }
            Operation::Call(call) => {
                frame.groups.push(Group { at: at + 1, lanes, wait: Wait::Nothing });
                break Event::Call(call.clone(), active);
            }
            Operation::Return if frame.base != 0 || !program.functions[frame.function].entry => {
                lanes &= !active;
                if lanes == 0 {
                    break Event::Switch;
                }
            }
            Operation::Return | Operation::Exit => {
                let rest = lanes & !active;
                if rest != 0 {
                    frame.groups.push(Group { at: at + 1, lanes: rest, wait: Wait::Nothing });
                }
                break Event::Exit(active);
            }
            Operation::Barrier | Operation::BarrierCount { .. } => {
                let counted = match &instruction.operation {
                    Operation::BarrierCount { by, answer } => Some((*by, *answer)),
                    _ => None,
                };
                frame.groups.push(Group { at, lanes: active, wait: Wait::Block(counted) });
                lanes &= !active;
                if lanes == 0 {
                    break Event::Switch;
                }
            }
            Operation::WarpBarrier { members }
            | Operation::Shuffle { members, .. }
            | Operation::Vote { members, .. }
            | Operation::Reduce { members, .. }
            | Operation::Match { members, .. }
            | Operation::MultiplyMatrices { members, .. } => {
                let lowest = active.trailing_zeros() as usize;
                let members = registers[usize::from(*members)][lowest] as u32;
                let expected = members & frame_lanes(&frame.groups, lanes) & !exited;
                let arrived = active | arrived_lanes(&frame.groups, at);
                if expected & !arrived != 0 {
                    frame.groups.push(Group { at, lanes: active, wait: Wait::Lanes });
                    lanes &= !active;
                    if lanes == 0 {
                        break Event::Switch;
                    }
                    at += 1;
                    continue;
                }
                frame.groups.retain(|group| group.wait != Wait::Lanes || group.at != at);
                lanes |= arrived;
                together(registers, predicates, &instruction.operation, arrived);
            }
            Operation::ActiveMask { to } => {
                map1(registers, active, *to, *to, |_| u64::from(active));
            }
            Operation::Clock { to } => {
                let now = machine.instructions + count;
                map1(registers, active, *to, *to, |_| now);
            }
            Operation::Trap => {
                let lane = active.trailing_zeros() as usize;
                break Event::Fail { at, lane, reason: Reason::Trap };
            }
        }
        at += 1;
    };
    machine.instructions += count;
    event
}

/// All lanes that are in a function.
fn frame_lanes(groups: &[Group], lanes: u32) -> u32 {
    groups.iter().fold(lanes, |lanes, group| lanes | group.lanes)
}

/// The lanes that wait for others at an instruction.
fn arrived_lanes(groups: &[Group], at: u32) -> u32 {
    let here = groups.iter().filter(|group| group.wait == Wait::Lanes && group.at == at);
    here.fold(0, |lanes, group| lanes | group.lanes)
}

fn saturate(registers: &mut [Lanes], lanes: u32, number: Number, register: Register) {
    map1(registers, lanes, register, register, |a| match number {
        Number::Double => minimum64(maximum64(f64::from_bits(a), 0.0), 1.0).to_bits(),
        _ => single_bits(minimum32(maximum32(single(a), 0.0), 1.0)),
    });
}

#[inline(always)]
fn select(
    registers: &mut [Lanes],
    lanes: u32,
    chosen: u32,
    to: Register,
    yes: Register,
    no: Register,
) {
    for at in (0..LANES).step_by(TOGETHER) {
        let (yes, no) = (part(registers, yes, at), part(registers, no, at));
        let to = &mut registers[usize::from(to)];
        for k in 0..TOGETHER {
            let value = if chosen >> (at + k) & 1 == 1 { yes[k] } else { no[k] };
            to[at + k] = if lanes >> (at + k) & 1 == 1 { value } else { to[at + k] };
        }
    }
}
