//! Places in sorted arrays, by bisection: of several values side by side, which wait for memory together, without a branch on what
//! is found.

use super::keys::{Key, infinity, ordered};
use crate::builtin::side;
use crate::builtin::walk::Walk;
use crate::level::{Level, Loop};
use crate::memory::Located;
use crate::rectangle::Side;
use crate::workers::Workers;
use darray_core::{Kind, RealType};
use darray_device::builtin::Search;
use darray_device::{Block, Fault};
use std::hint::select_unpredictable;

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
        let out = side(&call.out, &call.extents, RealType::INDEX, locate)?;
        let values = side(&call.values, &call.extents, call.dtype, locate)?;
        let sorted = side(&call.sorted, &call.sorted_extents(), call.dtype, locate)?;
        Ok(Searching { call, out, values, sorted })
    }

    /// Runs it.
    pub fn run(self, workers: &Workers, level: Level) -> Result<(), Fault> {
        match self.call.dtype.size() {
            1 => self.of_kind::<u8>(workers, level),
            2 => self.of_kind::<u16>(workers, level),
            4 => self.of_kind::<u32>(workers, level),
            _ => self.of_kind::<u64>(workers, level),
        }
        Ok(())
    }

    fn of_kind<T: Key>(&self, workers: &Workers, level: Level) {
        match (self.call.dtype.kind(), self.call.right) {
            (Kind::Bool | Kind::Unsigned, false) => self.all::<T, UNSIGNED, false>(workers, level),
            (Kind::Bool | Kind::Unsigned, true) => self.all::<T, UNSIGNED, true>(workers, level),
            (Kind::Signed, false) => self.all::<T, SIGNED, false>(workers, level),
            (Kind::Signed, true) => self.all::<T, SIGNED, true>(workers, level),
            (Kind::Float | Kind::Brain, false) => self.all::<T, FLOAT, false>(workers, level),
            (Kind::Float | Kind::Brain, true) => self.all::<T, FLOAT, true>(workers, level),
        }
    }

    fn all<T: Key, const KIND: u8, const RIGHT: bool>(&self, workers: &Workers, level: Level) {
        let (elements, bound) = (self.call.extents.iter().product::<usize>(), self.call.bound);
        let steps = bound.max(2).ilog2() as usize * STEP;
        let threads = workers.threads_for(elements.saturating_mul(steps)).min(elements.max(1));
        // One sorted array for all values becomes keys that lie side by side, if it is looked at that often.
        let outer = self.call.extents.iter().zip(&self.sorted.strides);
        let shared = outer.into_iter().all(|(&extent, &stride)| extent == 1 || stride == 0);
        let step = *self.sorted.strides.last().unwrap_or(&0);
        let mut keys: Vec<T> = Vec::new();
        if shared && elements.saturating_mul(steps) >= bound {
            keys.resize(bound, T::default());
            let (from, to) = (self.sorted.pointer.cast_const(), keys.as_mut_ptr());
            // SAFETY: the elements of the checked side, and as many keys.
            unsafe { super::keys::read(self.call.dtype, from, step as isize, to, bound, level) };
        }
        workers.split(threads, |thread| {
            let [first, end] = [thread, thread + 1].map(|k| elements * k / threads);
            let infinity = infinity(self.call.dtype);
            level.vectorized(Part::<T, KIND, RIGHT> {
                search: self,
                keys: &keys,
                infinity,
                first,
                end,
            });
        });
    }
}

/// The values of these row-major numbers, which no other part has.
struct Part<'s, T, const KIND: u8, const RIGHT: bool> {
    search: &'s Searching,
    /// Of the sorted array, if there are any.
    keys: &'s [T],
    /// The bits of infinity, of floats.
    infinity: T,
    first: usize,
    end: usize,
}

impl<T: Key, const KIND: u8, const RIGHT: bool> Loop for Part<'_, T, KIND, RIGHT> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let Searching { call, out, values, sorted } = self.search;
        let last = call.extents.len().checked_sub(1);
        let inner = |side: &Side| last.map_or(0, |last| side.strides[last]);
        let steps = [inner(out), inner(values), inner(sorted)];
        let step = *sorted.strides.last().unwrap_or(&0);
        let mut walk = Walk::new(&call.extents, self.first);
        let mut number = self.first;
        while number < self.end {
            let at = [out, values, sorted].map(|side| walk.offset(&side.strides));
            let n = walk.row(self.end - number);
            for start in (0..n).step_by(TOGETHER) {
                let at = [0, 1, 2].map(|k| at[k] + start as i64 * steps[k]);
                let some = Values { at, steps, n: TOGETHER.min(n - start) };
                // SAFETY: elements of a row of the checked sides; places are below the bound.
                unsafe {
                    if self.keys.is_empty() {
                        let base = |lane: i64| at[2] + lane * steps[2];
                        self.bisect(&some, |lane, place| {
                            read::<T, KIND>(sorted, base(lane) + place * step, self.infinity)
                        });
                    } else {
                        self.bisect(&some, |_, place| *self.keys.get_unchecked(place as usize));
                    }
                }
            }
            number += n;
        }
    }
}

/// Up to [`TOGETHER`] values of a row: offsets of the first one of result, values and sorted arrays, and from one to the next.
struct Values {
    at: [i64; 3],
    steps: [i64; 3],
    n: usize,
}

impl<T: Key, const KIND: u8, const RIGHT: bool> Part<'_, T, KIND, RIGHT> {
    /// # Safety
    /// The values lie inside the checked sides; `get` may be asked for each of them and every place below the bound.
    #[inline(always)]
    unsafe fn bisect(&self, some: &Values, get: impl Fn(i64, i64) -> T) {
        let Searching { call, out, values, .. } = self.search;
        let ([to, from, _], [to_step, from_step, _]) = (some.at, some.steps);
        // Those behind the last one are its twins.
        let lane = |k: usize| k.min(some.n - 1) as i64;
        let mut keys = [T::default(); TOGETHER];
        for (k, key) in keys.iter_mut().enumerate() {
            // SAFETY: the caller's contract.
            *key = unsafe { read::<T, KIND>(values, from + lane(k) * from_step, self.infinity) };
        }
        let mut found = [0i64; TOGETHER];
        let mut left = call.bound as i64;
        while left > 1 {
            let half = left / 2;
            for k in 0..TOGETHER {
                let next = found[k] + half;
                let other = get(lane(k), next - 1);
                let stands_before = if RIGHT { other <= keys[k] } else { other < keys[k] };
                found[k] = select_unpredictable(stands_before, next, found[k]);
            }
            left -= half;
        }
        for (k, &found) in found.iter().take(some.n).enumerate() {
            let more = left > 0 && {
                let other = get(lane(k), found);
                if RIGHT { other <= keys[k] } else { other < keys[k] }
            };
            let to = out.pointer.wrapping_offset((to + k as i64 * to_step) as isize);
            // SAFETY: the caller's contract.
            unsafe { to.cast::<i64>().write(found + i64::from(more)) };
        }
    }
}

/// The key of an element.
///
/// # Safety
/// The side has such an element.
#[inline(always)]
unsafe fn read<T: Key, const KIND: u8>(side: &Side, at: i64, infinity: T) -> T {
    // SAFETY: the caller's contract.
    let bits = unsafe { side.pointer.wrapping_offset(at as isize).cast::<T>().read() };
    ordered::<T, KIND>(bits, infinity)
}

/// Kinds of elements as [`ordered`] has them.
const UNSIGNED: u8 = 0;
const SIGNED: u8 = 1;
const FLOAT: u8 = 2;
