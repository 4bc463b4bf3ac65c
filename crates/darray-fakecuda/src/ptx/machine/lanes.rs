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

/// `to = f(a)` in the lanes of a mask.
#[inline(always)]
pub fn map1(registers: &mut [Lanes], mask: u32, to: Register, a: Register, f: impl Fn(u64) -> u64) {
    let a = registers[usize::from(a)];
    let to = &mut registers[usize::from(to)];
    if mask == ALL {
        for lane in 0..LANES {
            to[lane] = f(a[lane]);
        }
    } else {
        each(mask, |lane| to[lane] = f(a[lane]));
    }
}

/// `to = f(a, b)` in the lanes of a mask.
#[inline(always)]
pub fn map2(
    registers: &mut [Lanes],
    mask: u32,
    to: Register,
    from: [Register; 2],
    f: impl Fn(u64, u64) -> u64,
) {
    let [a, b] = from.map(|register| registers[usize::from(register)]);
    let to = &mut registers[usize::from(to)];
    if mask == ALL {
        for lane in 0..LANES {
            to[lane] = f(a[lane], b[lane]);
        }
    } else {
        each(mask, |lane| to[lane] = f(a[lane], b[lane]));
    }
}

/// `to = f(a, b, c)` in the lanes of a mask.
#[inline(always)]
pub fn map3(
    registers: &mut [Lanes],
    mask: u32,
    to: Register,
    from: [Register; 3],
    f: impl Fn(u64, u64, u64) -> u64,
) {
    let [a, b, c] = from.map(|register| registers[usize::from(register)]);
    let to = &mut registers[usize::from(to)];
    if mask == ALL {
        for lane in 0..LANES {
            to[lane] = f(a[lane], b[lane], c[lane]);
        }
    } else {
        each(mask, |lane| to[lane] = f(a[lane], b[lane], c[lane]));
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
