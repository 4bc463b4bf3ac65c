//! Places in sorted arrays, by bisection: of several values side by side, which wait for memory together, without a branch on what
//! is found.

use super::keys::{Key, ordered};
use crate::builtin::side;
use crate::builtin::walk::Walk;
use crate::level::Level;
use crate::memory::Located;
use crate::rectangle::Side;
use crate::workers::Workers;
use darray_core::{DType, Kind};
use darray_device::builtin::Search;
use darray_device::{Block, Fault};

/// A checked search.
pub(crate) struct Searching {
    call: Search,
    out: Side,
    values: Side,
    sorted: Side,
}

// SAFETY: threads write disjoint elements of the output, and nothing else.
unsafe impl Sync for Searching {}

/// Values that are looked for together.
const TOGETHER: usize = 16;

/// Simple operations that a step of a bisection takes, about.
const STEP: usize = 4;

impl Searching {
    /// Checks sizes and views.
    pub fn new(
        call: Search,
        locate: &impl Fn(Block) -> Result<Located, Fault>,
    ) -> Result<Searching, Fault> {
        let out = side(&call.out, &call.extents, DType::INDEX, locate)?;
        let values = side(&call.values, &call.extents, call.dtype, locate)?;
        let sorted = side(&call.sorted, &call.sorted_extents(), call.dtype, locate)?;
        Ok(Searching { call, out, values, sorted })
    }

    /// Runs it.
    pub fn run(self, workers: &Workers, _: Level) -> Result<(), Fault> {
        let elements: usize = self.call.extents.iter().product();
        let steps = self.call.bound.max(2).ilog2() as usize * STEP;
        let threads = workers.threads_for(elements.saturating_mul(steps)).min(elements.max(1));
        workers.split(threads, |thread| {
            let [first, end] = [thread, thread + 1].map(|k| elements * k / threads);
            // SAFETY: the range lies inside the extents, for which the sides were checked, and the ranges of threads are disjoint.
            unsafe {
                match self.call.dtype.size() {
                    1 => self.of_kind::<u8>(first, end),
                    2 => self.of_kind::<u16>(first, end),
                    4 => self.of_kind::<u32>(first, end),
                    _ => self.of_kind::<u64>(first, end),
                }
            }
        });
        Ok(())
    }

    unsafe fn of_kind<T: Key>(&self, first: usize, end: usize) {
        // SAFETY: the caller's contract.
        unsafe {
            match (self.call.dtype.kind(), self.call.right) {
                (Kind::Bool | Kind::Unsigned, false) => self.part::<T, UNSIGNED, false>(first, end),
                (Kind::Bool | Kind::Unsigned, true) => self.part::<T, UNSIGNED, true>(first, end),
                (Kind::Signed, false) => self.part::<T, SIGNED, false>(first, end),
                (Kind::Signed, true) => self.part::<T, SIGNED, true>(first, end),
                (Kind::Float, false) => self.part::<T, FLOAT, false>(first, end),
                (Kind::Float, true) => self.part::<T, FLOAT, true>(first, end),
            }
        }
    }

    /// The elements of these row-major numbers, row by row.
    unsafe fn part<T: Key, const KIND: u8, const RIGHT: bool>(&self, first: usize, end: usize) {
        let Searching { call, out, values, sorted } = self;
        let last = call.extents.len().checked_sub(1);
        let inner = |side: &Side| last.map_or(0, |last| side.strides[last]);
        let steps = [inner(out), inner(values), inner(sorted)];
        let mut walk = Walk::new(&call.extents, first);
        let mut number = first;
        while number < end {
            let at = [out, values, sorted].map(|side| walk.offset(&side.strides));
            let n = walk.row(end - number);
            for start in (0..n).step_by(TOGETHER) {
                let at = [0, 1, 2].map(|k| at[k] + start as i64 * steps[k]);
                // SAFETY: elements of a row of the checked sides.
                unsafe { self.some::<T, KIND, RIGHT>(at, steps, TOGETHER.min(n - start)) };
            }
            number += n;
        }
    }

    /// Up to [`TOGETHER`] values of a row, from these offsets on.
    unsafe fn some<T: Key, const KIND: u8, const RIGHT: bool>(
        &self,
        [to, from, base]: [i64; 3],
        [to_step, from_step, base_step]: [i64; 3],
        n: usize,
    ) {
        let step = *self.sorted.strides.last().unwrap_or(&0);
        let read = |side: &Side, at: i64| {
            // SAFETY: the caller's contract; places are below the bound.
            let bits = unsafe { side.pointer.wrapping_offset(at as isize).cast::<T>().read() };
            ordered::<T, KIND>(bits)
        };
        // Those behind the last one are its twins.
        let lane = |k: usize| k.min(n - 1) as i64;
        let keys: [T; TOGETHER] =
            std::array::from_fn(|k| read(&self.values, from + lane(k) * from_step));
        let bases: [i64; TOGETHER] = std::array::from_fn(|k| base + lane(k) * base_step);
        let mut found = [0i64; TOGETHER];
        let stands_before = |k: usize, place: i64| {
            let other = read(&self.sorted, bases[k] + place * step);
            if RIGHT { other <= keys[k] } else { other < keys[k] }
        };
        let mut left = self.call.bound as i64;
        while left > 1 {
            let half = left / 2;
            for (k, found) in found.iter_mut().enumerate() {
                *found += half * i64::from(stands_before(k, *found + half - 1));
            }
            left -= half;
        }
        for (k, &found) in found.iter().take(n).enumerate() {
            let more = left > 0 && stands_before(k, found);
            let to = self.out.pointer.wrapping_offset((to + k as i64 * to_step) as isize);
            // SAFETY: the caller's contract.
            unsafe { to.cast::<i64>().write(found + i64::from(more)) };
        }
    }
}

/// Kinds of elements as [`ordered`] has them.
const UNSIGNED: u8 = 0;
const SIGNED: u8 = 1;
const FLOAT: u8 = 2;
