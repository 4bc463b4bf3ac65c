//! The values of a warp's 32 threads.

use crate::ptx::code::Register;

/// Threads of a warp.
pub const LANES: usize = 32;

/// A mask of all lanes.
pub const ALL: u32 = u32::MAX;

/// One value per thread.
pub type Lanes = [u64; LANES];

/// The lanes of a mask, from the lowest.
#[inline(always)]
pub fn each(mut mask: u32, mut visit: impl FnMut(usize)) {
    while mask != 0 {
        visit(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
}

/// Lanes that are read before any of them is written, so that a result may take the place of an operand: as many as a few vector
/// registers hold.
pub const TOGETHER: usize = 8;

/// Some lanes of a register.
#[inline(always)]
pub fn part(registers: &[Lanes], register: Register, at: usize) -> [u64; TOGETHER] {
    let l = &registers[usize::from(register)];
    // One by one: neither a copy nor a function of the place is inlined into a function as long as the interpreter.
    [l[at], l[at + 1], l[at + 2], l[at + 3], l[at + 4], l[at + 5], l[at + 6], l[at + 7]]
}

/// `to = f(a)` in the lanes of a mask.
#[inline(always)]
pub fn map1(registers: &mut [Lanes], mask: u32, to: Register, a: Register, f: impl Fn(u64) -> u64) {
    if mask == ALL {
        for at in (0..LANES).step_by(TOGETHER) {
            let a = part(registers, a, at);
            let to = &mut registers[usize::from(to)];
            for k in 0..TOGETHER {
                to[at + k] = f(a[k]);
            }
        }
    } else {
        each(mask, |lane| {
            registers[usize::from(to)][lane] = f(registers[usize::from(a)][lane]);
        });
    }
}

/// `to = f(a, b)` in the lanes of a mask.
#[inline(always)]
pub fn map2(
    registers: &mut [Lanes],
    mask: u32,
    to: Register,
    [a, b]: [Register; 2],
    f: impl Fn(u64, u64) -> u64,
) {
    if mask == ALL {
        for at in (0..LANES).step_by(TOGETHER) {
            let (a, b) = (part(registers, a, at), part(registers, b, at));
            let to = &mut registers[usize::from(to)];
            for k in 0..TOGETHER {
                to[at + k] = f(a[k], b[k]);
            }
        }
    } else {
        each(mask, |lane| {
            let (a, b) = (registers[usize::from(a)][lane], registers[usize::from(b)][lane]);
            registers[usize::from(to)][lane] = f(a, b);
        });
    }
}

/// `to = f(a, b, c)` in the lanes of a mask.
#[inline(always)]
pub fn map3(
    registers: &mut [Lanes],
    mask: u32,
    to: Register,
    [a, b, c]: [Register; 3],
    f: impl Fn(u64, u64, u64) -> u64,
) {
    if mask == ALL {
        for at in (0..LANES).step_by(TOGETHER) {
            let (a, b) = (part(registers, a, at), part(registers, b, at));
            let c = part(registers, c, at);
            let to = &mut registers[usize::from(to)];
            for k in 0..TOGETHER {
                to[at + k] = f(a[k], b[k], c[k]);
            }
        }
    } else {
        each(mask, |lane| {
            let (a, b) = (registers[usize::from(a)][lane], registers[usize::from(b)][lane]);
            registers[usize::from(to)][lane] = f(a, b, registers[usize::from(c)][lane]);
        });
    }
}

/// The lanes in which a relation of two values holds, whether or not they take part.
#[inline(always)]
pub fn holds2(registers: &[Lanes], from: [Register; 2], f: impl Fn(u64, u64) -> bool) -> u32 {
    let [a, b] = from.map(|register| &registers[usize::from(register)]);
    let mut answers = [0u32; LANES];
    for lane in 0..LANES {
        answers[lane] = u32::from(f(a[lane], b[lane])) << lane;
    }
    answers.iter().fold(0, |mask, bit| mask | bit)
}
