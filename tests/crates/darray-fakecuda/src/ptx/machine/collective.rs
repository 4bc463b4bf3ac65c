//! What the lanes of a warp do together.

use super::access::changed;
use super::compare::{assign, condition};
use super::integer::mask;
use super::lanes::{LANES, Lanes, each, map1};
use crate::ptx::code::{Answer, Change, MatrixStep, Number, Operation, Register, Shuffle, Vote};
use crate::ptx::types::Width;

/// Values taken from other lanes; the result says for which lanes there was one.
fn exchange(
    registers: &mut [Lanes],
    lanes: u32,
    shuffle: Shuffle,
    to: Register,
    [from, lane, clamp]: [Register; 3],
) -> u32 {
    let values = registers[usize::from(from)];
    let distances = registers[usize::from(lane)];
    let clamps = registers[usize::from(clamp)];
    let mut valid = 0;
    each(lanes, |at| {
        let (own, distance) = (at as u32, distances[at] as u32 & 31);
        let segment = (clamps[at] as u32 >> 8) & 31;
        let clamp = clamps[at] as u32 & 31;
        let low = own & segment;
        let high = low | (clamp & !segment);
        let (source, inside) = match shuffle {
            Shuffle::Up => {
                let source = own.wrapping_sub(distance);
                (source, own >= distance && source >= high)
            }
            Shuffle::Down => (own + distance, own + distance <= high),
            Shuffle::Butterfly => (own ^ distance, own ^ distance <= high),
            Shuffle::Index => {
                let source = low | (distance & !segment);
                (source, source <= high)
            }
        };
        let source = if inside { source as usize } else { at };
        registers[usize::from(to)][at] = values[source % LANES] & mask(Width::W32);
        valid |= u32::from(inside) << at;
    });
    valid
}

/// The answer to a question, the same for all lanes: a mask for ballots, else 0 or 1.
fn answer(vote: Vote, holds: u32, lanes: u32) -> u32 {
    match vote {
        Vote::All => u32::from(holds == lanes),
        Vote::Any => u32::from(holds != 0),
        Vote::Uniform => u32::from(holds == lanes || holds == 0),
        Vote::Ballot => holds,
    }
}

/// The values of the lanes combined, given to each of them.
fn reduce(
    registers: &mut [Lanes],
    lanes: u32,
    change: Change,
    number: Number,
    to: Register,
    from: Register,
) {
    let values = registers[usize::from(from)];
    let mut total = None;
    each(lanes, |lane| {
        total = Some(match total {
            None => values[lane],
            Some(total) => changed(change, number, total, values[lane], 0),
        });
    });
    each(lanes, |lane| registers[usize::from(to)][lane] = total.unwrap_or(0));
}

/// For each lane the lanes that have the same value.
fn matching(registers: &mut [Lanes], lanes: u32, to: Register, from: Register) {
    let values = registers[usize::from(from)];
    each(lanes, |lane| {
        let mut same = 0;
        each(lanes, |other| same |= u32::from(values[other] == values[lane]) << other);
        registers[usize::from(to)][lane] = same.into();
    });
}

/// The step of a matrix product. Without all lanes it is undefined: NaN here.
fn multiply(registers: &mut [Lanes], lanes: u32, step: &MatrixStep) {
    let (mut a, mut b, mut sums) = ([[0.0; 8]; 16], [[0.0; 8]; 8], [[0.0; 8]; 16]);
    each(u32::MAX, |lane| {
        let (group, thread) = (lane / 4, lane % 4);
        let number = |register: Register| f64::from_bits(registers[usize::from(register)][lane]);
        for (i, &register) in step.a.iter().enumerate() {
            a[group + 8 * (i % 2)][thread + 4 * (i / 2)] = number(register);
        }
        for (i, &register) in step.b.iter().enumerate() {
            b[thread + 4 * i][group] = number(register);
        }
        for (i, &register) in step.from.iter().enumerate() {
            sums[group + 8 * (i / 2)][2 * thread + i % 2] = number(register);
        }
    });
    for (row, sums) in a.iter().zip(&mut sums) {
        for (left, right) in row.iter().zip(&b) {
            for (sum, right) in sums.iter_mut().zip(right) {
                *sum = left.mul_add(*right, *sum);
            }
        }
    }
    if lanes != u32::MAX {
        sums = [[f64::NAN; 8]; 16];
    }
    for (i, &register) in step.to.iter().enumerate() {
        each(u32::MAX, |lane| {
            let sum = sums[lane / 4 + 8 * (i / 2)][lane % 4 * 2 + i % 2];
            registers[usize::from(register)][lane] = sum.to_bits();
        });
    }
}

/// What lanes do that have all arrived.
#[inline(never)]
pub(super) fn together(
    registers: &mut [Lanes],
    predicates: &mut [u32],
    operation: &Operation,
    lanes: u32,
) {
    match operation {
        Operation::Shuffle { shuffle, to, valid, from, lane, clamp, .. } => {
            let inside = exchange(registers, lanes, *shuffle, *to, [*from, *lane, *clamp]);
            if let Some(valid) = valid {
                assign(predicates, *valid, lanes, inside);
            }
        }
        Operation::Vote { vote, to, by, members } => {
            let members = registers[usize::from(*members)][lanes.trailing_zeros() as usize] as u32;
            let lanes = lanes & members;
            let holds = condition(predicates, *by) & lanes;
            let found = answer(*vote, holds, lanes);
            match to {
                Answer::Register(to) => {
                    map1(registers, lanes, *to, *to, |_| u64::from(found));
                }
                Answer::All(to) | Answer::Any(to) => {
                    debug_assert!(*vote != Vote::Ballot);
                    assign(predicates, *to, lanes, found.wrapping_neg());
                }
            }
        }
        Operation::Reduce { change, number, to, from, .. } => {
            reduce(registers, lanes, *change, *number, *to, *from);
        }
        Operation::Match { all, to, from, .. } => {
            matching(registers, lanes, *to, *from);
            if let Some(valid) = all {
                let lowest = lanes.trailing_zeros() as usize;
                let same = registers[usize::from(*to)][lowest] == u64::from(lanes);
                map1(registers, lanes, *to, *to, |a| if same { a } else { 0 });
                if let Some(valid) = valid {
                    assign(predicates, *valid, lanes, if same { u32::MAX } else { 0 });
                }
            }
        }
        Operation::MultiplyMatrices { step, .. } => multiply(registers, lanes, step),
        _ => {}
    }
}
