//! The loops of the reducers: portable, one a reducer and element type. Where machine code is made they fold what it has computed to a
//! buffer, and the values of leaves.

use super::element::{InMemory, Run, one_by_one};
use darray_core::RealType;
use darray_kernel::element::Element;
use darray_kernel::for_each_fold;
use darray_kernel::ir::Reducer;
use std::mem::MaybeUninit;

/// Accumulators of a fold: values, and for `ArgMin` and `ArgMax` as many i64 indices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accumulators {
    /// The values.
    pub values: *mut u8,
    /// The indices; not touched by reducers without.
    pub indices: *mut u8,
}

impl Accumulators {
    /// Those of a later point, whose values have so many bytes.
    pub fn from(self, point: usize, size: usize) -> Accumulators {
        Accumulators {
            values: self.values.wrapping_add(point * size),
            indices: self.indices.wrapping_add(point * size_of::<i64>()),
        }
    }
}

/// Elements that are folded in rounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rounds {
    /// Where the first round begins.
    pub from: *const u8,
    /// Bytes from one round to the next.
    pub step: isize,
    /// Elements of a round.
    pub width: usize,
    /// Rounds that are there whole.
    pub whole: usize,
    /// Elements of the round behind them, fewer than `width`: the identity stands for the others.
    pub rest: usize,
}

/// Folds rounds, one at least, in pairs: `out` has one value for each element of a round.
pub(crate) type FoldRounds = unsafe fn(Rounds, *mut u8);

/// The same for so many points, from one to the next of which there are so many bytes, of rounds of [`LANES`] elements: lanes combine,
/// too, so that `out` has one value for each point.
pub(crate) type FoldRows = unsafe fn(Rounds, usize, isize, *mut u8);

/// The loops of one reducer for one element type.
///
/// All take accumulators and values that are valid for the counts given, aligned and disjoint.
#[derive(Clone, Copy)]
pub(crate) struct Folding {
    /// Combines accumulator k with the later accumulator k, for k below `n`.
    pub combine: unsafe fn(Accumulators, Accumulators, usize),
    /// Combines lanes, a power of two, of `n` accumulators each into the first: the lower half with the upper one until one is left.
    pub halves: unsafe fn(Accumulators, usize, usize),
    /// See [`FoldRounds`]; for reducers without indices.
    pub rounds: FoldRounds,
    /// See [`FoldRows`]; likewise.
    pub rows: FoldRows,
}

/// Rounds of a fold, at most.
const MOST_ROUNDS: usize = (1 << LEVELS) - 1;

/// Rounds that are combined at once, and elements of each.
const JAM: usize = 8;

/// Levels of pairs.
const LEVELS: usize = 16;

/// The loops for a reducer, or none where it is not defined.
pub(crate) fn find_folding(reducer: Reducer, dtype: RealType) -> Option<Folding> {
    find(reducer, dtype)
}

/// Lanes of rounds that become one value.
pub(crate) const LANES: usize = 32;
/// Accumulators combined at once.
const CHUNK: usize = 32;

/// A reducer over values with indices; reducers without pass theirs through.
trait Fold {
    type T: InMemory;
    const INDEXED: bool;
    const IDENTITY: Self::T;
    fn combine(a: (Self::T, i64), b: (Self::T, i64)) -> (Self::T, i64);
}

/// `acc[k] = combine(acc[k], other(k))`.
///
/// # Safety
/// `n` accumulators; what `other` does with `0..n` is safe.
#[inline(always)]
unsafe fn combine_all<F: Fold>(into: Accumulators, n: usize, other: impl Fn(usize) -> (F::T, i64)) {
    let (acc, index) = (Run::<F::T>::new(into.values), Run::<i64>::new(into.indices));
    // SAFETY: accumulators below `n`.
    unsafe {
        let get = |k: usize| (acc.get(k), if F::INDEXED { index.get(k) } else { 0 });
        let mut at = 0;
        while at + CHUNK <= n {
            let mut values = [MaybeUninit::uninit(); CHUNK];
            let mut indices = [0i64; CHUNK];
            for k in 0..CHUNK {
                let next = F::combine(get(at + k), other(at + k));
                values[k].write(next.0.into_raw());
                indices[k] = next.1;
            }
            acc.0.add(at).cast::<[MaybeUninit<_>; CHUNK]>().write(values);
            if F::INDEXED {
                index.set_chunk(at, indices);
            }
            at = one_by_one(at + CHUNK);
        }
        while at < n {
            let next = F::combine(get(at), other(at));
            acc.set(at, next.0);
            if F::INDEXED {
                index.set(at, next.1);
            }
            at += 1;
        }
    }
}

/// # Safety
/// See [`Folding::halves`].
unsafe fn combine_halves<F: Fold>(into: Accumulators, lanes: usize, n: usize) {
    let mut width = lanes / 2;
    while width > 0 {
        let later = into.from(width * n, size_of::<<F::T as InMemory>::Raw>());
        // SAFETY: `n` accumulators for each lane below `lanes`.
        unsafe { combine_each::<F>(into, later, width * n) };
        width /= 2;
    }
}

/// The value of all lanes.
#[inline(always)]
fn combine_lanes<F: Fold>(values: &mut [F::T; LANES]) -> F::T {
    combine_upper::<F, { LANES / 2 }>(values);
    combine_upper::<F, { LANES / 4 }>(values);
    combine_upper::<F, { LANES / 8 }>(values);
    combine_upper::<F, { LANES / 16 }>(values);
    combine_upper::<F, { LANES / 32 }>(values);
    values[0]
}

/// Combines the first `WIDTH` lanes with as many behind them.
#[inline(always)]
fn combine_upper<F: Fold, const WIDTH: usize>(values: &mut [F::T; LANES]) {
    for lane in 0..WIDTH {
        values[lane] = F::combine((values[lane], 0), (values[lane + WIDTH], 0)).0;
    }
}

impl Rounds {
    #[inline(always)]
    fn round<T: InMemory>(&self, number: usize) -> Run<T> {
        Run::new(self.from.wrapping_offset(number as isize * self.step))
    }
}

/// Values that wait for their right siblings, by their level.
type Waiting<T, const N: usize> = [MaybeUninit<[T; N]>; LEVELS];

/// Puts the value of a node of a level and a number there; it combines with the ones before as a right sibling does.
#[inline(always)]
fn push<F: Fold, const N: usize>(
    waiting: &mut Waiting<F::T, N>,
    (mut level, mut number): (usize, usize),
    mut value: [F::T; N],
) {
    while number & 1 == 1 {
        // SAFETY: the left sibling was put there.
        let left = unsafe { waiting[level].assume_init_ref() };
        for k in 0..N {
            value[k] = F::combine((left[k], 0), (value[k], 0)).0;
        }
        (level, number) = (level + 1, number / 2);
    }
    waiting[level].write(value);
}

/// The elements of all rounds from `at` on, `N` of each, in pairs.
///
/// # Safety
/// The rounds are there; there is one at least, and at most [`MOST_ROUNDS`].
#[inline(never)]
unsafe fn strip<F: Fold, const N: usize>(rounds: &Rounds, at: usize) -> [F::T; N] {
    let mut waiting: Waiting<F::T, N> = [const { MaybeUninit::uninit() }; LEVELS];
    let all = rounds.whole + usize::from(rounds.rest > 0);
    debug_assert!((1..=MOST_ROUNDS).contains(&all));
    let mut number = 0;
    while number + JAM <= rounds.whole {
        let rows: [Run<F::T>; JAM] = array_of!(JAM, |k| rounds.round(number + k));
        let mut value = [F::IDENTITY; N];
        for (k, value) in value.iter_mut().enumerate() {
            // SAFETY: rounds have these elements.
            let mut pairs: [F::T; JAM] = array_of!(JAM, |row| unsafe { rows[row].get(at + k) });
            let combine = |a: F::T, b: F::T| F::combine((a, 0), (b, 0)).0;
            pairs[0] = combine(pairs[0], pairs[1]);
            pairs[2] = combine(pairs[2], pairs[3]);
            pairs[4] = combine(pairs[4], pairs[5]);
            pairs[6] = combine(pairs[6], pairs[7]);
            pairs[0] = combine(pairs[0], pairs[2]);
            pairs[4] = combine(pairs[4], pairs[6]);
            *value = combine(pairs[0], pairs[4]);
        }
        push::<F, N>(&mut waiting, (JAM.ilog2() as usize, number / JAM), value);
        number = one_by_one(number + JAM);
    }
    while number < all {
        let row: Run<F::T> = rounds.round(number);
        let mut value = [F::IDENTITY; N];
        let there = if number < rounds.whole { N } else { rounds.rest.saturating_sub(at).min(N) };
        for (k, value) in value[..there].iter_mut().enumerate() {
            // SAFETY: rounds have these elements.
            *value = unsafe { row.get(at + k) };
        }
        push::<F, N>(&mut waiting, (0, number), value);
        number = one_by_one(number + 1);
    }
    // Nodes without right siblings, the last one first.
    let mut level = all.trailing_zeros() as usize;
    // SAFETY: there is a value for every bit of the number of rounds.
    let mut value = unsafe { waiting[level].assume_init() };
    while all >> (level + 1) > 0 {
        level += 1;
        if all >> level & 1 == 1 {
            // SAFETY: as above.
            let left = unsafe { waiting[level].assume_init_ref() };
            for k in 0..N {
                value[k] = F::combine((left[k], 0), (value[k], 0)).0;
            }
        }
    }
    value
}

/// # Safety
/// See [`FoldRounds`].
unsafe fn fold_rounds<F: Fold>(rounds: Rounds, out: *mut u8) {
    let out = Run::<F::T>::new(out);
    let mut at = 0;
    // SAFETY: the caller's rounds and values.
    unsafe {
        while at + JAM <= rounds.width {
            let values = strip::<F, JAM>(&rounds, at);
            (0..JAM).for_each(|k| out.set(at + k, values[k]));
            at = one_by_one(at + JAM);
        }
        while at < rounds.width {
            out.set(at, strip::<F, 1>(&rounds, at)[0]);
            at = one_by_one(at + 1);
        }
    }
}

/// # Safety
/// See [`FoldRows`].
unsafe fn fold_rows<F: Fold>(mut rounds: Rounds, points: usize, step: isize, out: *mut u8) {
    let out = Run::<F::T>::new(out);
    let mut point = 0;
    while point < points {
        // SAFETY: the caller's rounds and values.
        unsafe {
            let mut values = [F::IDENTITY; LANES];
            for (part, values) in values.chunks_exact_mut(JAM).enumerate() {
                values.copy_from_slice(&strip::<F, JAM>(&rounds, part * JAM));
            }
            out.set(point, combine_lanes::<F>(&mut values));
        }
        rounds.from = rounds.from.wrapping_offset(step);
        point = one_by_one(point + 1);
    }
}

/// # Safety
/// See [`Folding::combine`].
unsafe fn combine_each<F: Fold>(into: Accumulators, later: Accumulators, n: usize) {
    let values = Run::<F::T>::new(later.values);
    let indices = Run::<i64>::new(later.indices);
    // SAFETY: the caller's contract.
    unsafe {
        combine_all::<F>(into, n, |k| (values.get(k), if F::INDEXED { indices.get(k) } else { 0 }))
    }
}

fn folding<F: Fold>() -> Folding {
    Folding {
        combine: combine_each::<F>,
        halves: combine_halves::<F>,
        rounds: fold_rounds::<F>,
        rows: fold_rows::<F>,
    }
}

/// A reducer as a type.
macro_rules! instance {
    ([first $better:ident], $element:ident, $identity:expr, $combine:path) => {{
        struct Row;
        impl Fold for Row {
            type T = $element;
            const INDEXED: bool = true;
            const IDENTITY: $element = $identity.0;
            #[inline(always)]
            fn combine(a: ($element, i64), b: ($element, i64)) -> ($element, i64) {
                $combine(a, b)
            }
        }
        folding::<Row>()
    }};
    ($how:tt, $element:ident, $identity:expr, $combine:path) => {{
        struct Row;
        impl Fold for Row {
            type T = $element;
            const INDEXED: bool = false;
            const IDENTITY: $element = $identity;
            #[inline(always)]
            fn combine(a: ($element, i64), b: ($element, i64)) -> ($element, i64) {
                ($combine(a.0, b.0), 0)
            }
        }
        folding::<Row>()
    }};
}

macro_rules! define_find {
    ($(($reducer:ident, $how:tt, $element:ident, $identity:expr, $combine:path))*) => {
        fn find(reducer: Reducer, dtype: RealType) -> Option<Folding> {
            $(
                if reducer == Reducer::$reducer && dtype == <$element as Element>::DTYPE {
                    return Some(instance!($how, $element, $identity, $combine));
                }
            )*
            None
        }
    };
}

for_each_fold!(define_find);
