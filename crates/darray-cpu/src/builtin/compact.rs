//! What a mask holds.
//!
//! ```text
//! mask    0 1 1 0 | 1 0 0 1 | ..      cut into parts, one for each thread, of which each counts its own
//! out     x x | x x | ..              each then writes behind what the parts before it hold
//! ```

#[cfg(target_arch = "x86_64")]
mod vectors;

use super::side;
use crate::level::Level;
use crate::memory::Located;
use crate::rectangle::Side;
use crate::vector;
use crate::workers::Workers;
use darray_core::RealType;
use darray_device::builtin::Compact;
use darray_device::{Block, Fault};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A checked compaction.
pub(crate) struct Picking {
    call: Compact,
    out: Side,
    mask: Side,
    source: Option<Side>,
}

// SAFETY: threads write disjoint elements of the output, and nothing else.
unsafe impl Sync for Picking {}

/// Elements that are looked at together.
const BLOCK: usize = 512;

/// Room for what a block holds, and for a vector behind it.
const CAPACITY: usize = BLOCK + 16;

/// Of these, elements of a word of the mask: of few that are held most words are empty.
const WORD: usize = 8;

/// Simple operations that an element takes, about.
const STEP: usize = 2;

impl Picking {
    /// Checks sizes and views.
    pub fn new(
        call: Compact,
        locate: &impl Fn(Block) -> Result<Located, Fault>,
    ) -> Result<Picking, Fault> {
        let out = side(&call.out, &[call.count], call.dtype, locate)?;
        let mask = side(&call.mask, &[call.bound], RealType::MASK, locate)?;
        let source = call.source.as_ref();
        let source =
            source.map(|view| side(view, &[call.bound], call.dtype, locate)).transpose()?;
        Ok(Picking { call, out, mask, source })
    }

    /// Runs it.
    pub fn run(self, workers: &Workers, level: Level) -> Result<(), Fault> {
        let (bound, blocks) = (self.call.bound, self.call.bound.div_ceil(BLOCK));
        let threads = workers.threads_for(bound.saturating_mul(STEP)).min(blocks).max(1);
        let part = |k: usize| {
            let [start, end] = [k, k + 1].map(|k| (blocks * k / threads * BLOCK).min(bound));
            start..end
        };
        let counts: Vec<AtomicUsize> = (0..threads).map(|_| AtomicUsize::new(0)).collect();
        if threads > 1 {
            workers.split(threads, |k| {
                let held = blocks_of(part(k)).map(|block| self.held(block)).sum();
                counts[k].store(held, Ordering::Relaxed);
            });
        }
        workers.split(threads, |k| {
            let before = counts[..k].iter().map(|count| count.load(Ordering::Relaxed)).sum();
            // SAFETY: parts of the checked sides; what they write is apart, as the parts before them hold as many.
            unsafe { self.part(part(k), before, level) }
        });
        Ok(())
    }

    /// How many of these elements, a block at most, the mask holds.
    fn held(&self, range: Range<usize>) -> usize {
        let step = self.mask.strides[0];
        if step == 1 {
            // SAFETY: elements of the checked mask, one behind the other.
            let mask = unsafe {
                std::slice::from_raw_parts(self.mask.pointer.add(range.start), range.len())
            };
            // Sixteen bits hold the count of a block.
            return mask.iter().map(|&byte| u16::from(byte != 0)).sum::<u16>().into();
        }
        range.filter(|&at| self.holds(at)).count()
    }

    /// Whether it is seen at once that the mask holds none of [`WORD`] elements.
    #[inline(always)]
    fn is_empty(&self, at: usize, end: usize) -> bool {
        if self.mask.strides[0] != 1 || at + WORD > end {
            return false;
        }
        // SAFETY: elements of the checked mask, one behind the other.
        unsafe { self.mask.pointer.add(at).cast::<u64>().read_unaligned() == 0 }
    }

    #[inline(always)]
    fn holds(&self, at: usize) -> bool {
        let offset = at as i64 * self.mask.strides[0];
        // SAFETY: an element of the checked mask.
        unsafe { self.mask.pointer.wrapping_offset(offset as isize).read() != 0 }
    }

    /// Writes what the mask holds of a part, of which the first has this number among all.
    unsafe fn part(&self, range: Range<usize>, mut number: usize, level: Level) {
        let wanted = self.call.start..self.call.start + self.call.count;
        for block in blocks_of(range) {
            let held = self.held(block.clone());
            if held > 0 && number + held > wanted.start {
                // SAFETY: a block of the checked sides.
                unsafe {
                    match (&self.source, self.call.dtype.size()) {
                        (Some(_), 1) => self.block::<u8>(block, number, level),
                        (Some(_), 2) => self.block::<u16>(block, number, level),
                        (Some(_), 4) => self.block::<u32>(block, number, level),
                        _ => self.block::<u64>(block, number, level),
                    }
                }
            }
            number += held;
            if number >= wanted.end {
                return;
            }
        }
    }

    /// Writes what the mask holds of a block, of which the first has this number.
    unsafe fn block<E: Bits>(&self, block: Range<usize>, number: usize, level: Level) {
        let mut held = [const { MaybeUninit::<E>::uninit() }; CAPACITY];
        // SAFETY: the caller's contract.
        let count = unsafe {
            match self.in_vectors(&block, &mut held, level) {
                Some(count) => count,
                None => match &self.source {
                    Some(side) => self.gather(block, &mut held, |at| read::<E>(side, at)),
                    None => self.gather(block, &mut held, |at| E::of(at as u64)),
                },
            }
        };
        let Compact { start, count: all, .. } = self.call;
        let first = start.saturating_sub(number);
        let end = count.min((start + all).saturating_sub(number));
        if first >= end {
            return;
        }
        let size = size_of::<E>();
        let to = (number + first - start) as i64 * self.out.strides[0];
        let to = self.out.pointer.wrapping_offset(to as isize);
        let from = held[first..].as_ptr().cast::<u8>();
        // SAFETY: as many were written; elements `start ..` of the result that lie in the tile.
        unsafe { vector::copy((from, size as i64), (to, self.out.strides[0]), end - first, size) };
    }

    /// What the mask holds of a block, where this machine compresses vectors and all lies side by side; gives how many.
    #[cfg(target_arch = "x86_64")]
    unsafe fn in_vectors<E: Bits>(
        &self,
        block: &Range<usize>,
        held: &mut [MaybeUninit<E>; CAPACITY],
        level: Level,
    ) -> Option<usize> {
        let size = size_of::<E>() as i64;
        let near = self.source.as_ref().is_none_or(|side| side.strides[0] == size);
        if self.mask.strides[0] != 1 || !near || size < 4 || !vectors::has(level) {
            return None;
        }
        // SAFETY: a block of the checked sides; this machine has the instructions.
        unsafe {
            let mask = std::slice::from_raw_parts(self.mask.pointer.add(block.start), block.len());
            let side = self.source.as_ref();
            let from = side.map(|side| side.pointer.cast::<E>().add(block.start).cast_const());
            Some(match (from, size) {
                (Some(from), 4) => vectors::u32s(mask, from.cast(), held.as_mut_ptr().cast()),
                (Some(from), _) => vectors::u64s(mask, from.cast(), held.as_mut_ptr().cast()),
                (None, _) => vectors::places(mask, block.start, held.as_mut_ptr().cast()),
            })
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    unsafe fn in_vectors<E: Bits>(
        &self,
        _: &Range<usize>,
        _: &mut [MaybeUninit<E>; CAPACITY],
        _: Level,
    ) -> Option<usize> {
        None
    }

    /// What the mask holds of a block, and how many that are. Without a branch on the mask, which would be as good as random: every
    /// element is written behind the last one that was held.
    #[inline(always)]
    unsafe fn gather<E: Bits>(
        &self,
        block: Range<usize>,
        held: &mut [MaybeUninit<E>; CAPACITY],
        get: impl Fn(usize) -> E,
    ) -> usize {
        let mut count = 0;
        for some in block.clone().step_by(WORD) {
            if self.is_empty(some, block.end) {
                continue;
            }
            for at in some..block.end.min(some + WORD) {
                // SAFETY: no more are held than were looked at, and a block has no more.
                unsafe { held.get_unchecked_mut(count).write(get(at)) };
                count += usize::from(self.holds(at));
            }
        }
        count
    }
}

/// Unsigned integers of an element's size.
trait Bits: Copy {
    /// The lowest bits.
    fn of(bits: u64) -> Self;
}

macro_rules! impl_bits {
    ($($bits:ty)+) => { $(
        impl Bits for $bits {
            #[inline(always)]
            fn of(bits: u64) -> $bits {
                bits as $bits
            }
        }
    )+ };
}

impl_bits! { u8 u16 u32 u64 }

/// Cut at every [`BLOCK`].
fn blocks_of(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(BLOCK).map(move |at| at..end.min(at + BLOCK))
}

/// # Safety
/// The side has such an element.
#[inline(always)]
unsafe fn read<E: Copy>(side: &Side, at: usize) -> E {
    let offset = at as i64 * side.strides[0];
    // SAFETY: the caller's contract.
    unsafe { side.pointer.wrapping_offset(offset as isize).cast::<E>().read() }
}
