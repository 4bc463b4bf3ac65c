//! The loops of the reducers.

use super::element::{InMemory, Run, one_by_one};
use crate::level::Level;
use darray_core::DType;
use darray_kernel::for_each_fold;
use darray_kernel::ir::Reducer;
use darray_kernel::reducer;
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

/// The loops of one reducer for one element type. Those that take values are portable: where machine code is made, they
/// are part of it. Those that combine are compiled for each instruction set.
///
/// All take accumulators and values that are valid for the counts given, aligned and disjoint.
#[derive(Clone, Copy)]
pub(crate) struct Folding {
    /// Folds value k of `n` into lane k mod `lanes` (a power of two); its index is
    /// `first + k * step`.
    pub lanes: unsafe fn(Accumulators, *const u8, usize, usize, i64, i64),
    /// Folds value k of `n` into accumulator k; the index of all is the same.
    pub kept: unsafe fn(Accumulators, *const u8, usize, i64),
    /// Combines accumulator k with the later accumulator k, for k below `n`.
    pub combine: unsafe fn(Accumulators, Accumulators, usize),
    /// Combines lanes, a power of two, into the first: the lower half with the upper one until one is left.
    pub halves: unsafe fn(Accumulators, usize),
}

/// The loops for a reducer, or none where it is not defined.
pub(crate) fn find_folding(reducer: Reducer, dtype: DType, level: Level) -> Option<Folding> {
    find(reducer, dtype, level)
}

/// Lanes kept in registers.
const LANES: usize = 32;
/// Accumulators combined at once.
const CHUNK: usize = 32;

/// A reducer over values with indices; reducers without pass theirs through.
trait Fold {
    type T: InMemory;
    const INDEXED: bool;
    fn combine(a: (Self::T, i64), b: (Self::T, i64)) -> (Self::T, i64);
}

/// # Safety
/// See [`Folding::lanes`].
unsafe fn fold_lanes<F: Fold>(
    into: Accumulators,
    values: *const u8,
    n: usize,
    lanes: usize,
    first: i64,
    step: i64,
) {
    let (acc, index) = (Run::<F::T>::new(into.values), Run::<i64>::new(into.indices));
    let values = Run::<F::T>::new(values);
    // SAFETY: lanes below `lanes`, values below `n`.
    unsafe {
        let get = |lane: usize| (acc.get(lane), if F::INDEXED { index.get(lane) } else { 0 });
        let place = |k: usize| first.wrapping_add(step.wrapping_mul(k as i64));
        let mut k = 0;
        if lanes == LANES && n >= LANES {
            let mut held: [(F::T, i64); LANES] = array_of!(LANES, |lane| get(lane));
            while k + LANES <= n {
                for (lane, held) in held.iter_mut().enumerate() {
                    *held = F::combine(*held, (values.get(k + lane), place(k + lane)));
                }
                k = one_by_one(k + LANES);
            }
            for (lane, held) in held.into_iter().enumerate() {
                acc.set(lane, held.0);
                if F::INDEXED {
                    index.set(lane, held.1);
                }
            }
        }
        while k < n {
            let lane = k & (lanes - 1);
            let next = F::combine(get(lane), (values.get(k), place(k)));
            acc.set(lane, next.0);
            if F::INDEXED {
                index.set(lane, next.1);
            }
            k += 1;
        }
    }
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
#[inline(always)]
unsafe fn combine_halves<F: Fold>(into: Accumulators, lanes: usize) {
    let (acc, index) = (Run::<F::T>::new(into.values), Run::<i64>::new(into.indices));
    // SAFETY: lanes below `lanes`.
    unsafe {
        let get = |lane: usize| (acc.get(lane), if F::INDEXED { index.get(lane) } else { 0 });
        let set = |lane: usize, value: (F::T, i64)| {
            acc.set(lane, value.0);
            if F::INDEXED {
                index.set(lane, value.1);
            }
        };
        if lanes == LANES {
            // Values and indices apart, as they are in vectors.
            let mut values: [F::T; LANES] = array_of!(LANES, |lane| get(lane).0);
            let mut indices: [i64; LANES] = array_of!(LANES, |lane| get(lane).1);
            combine_upper::<F, { LANES / 2 }>(&mut values, &mut indices);
            combine_upper::<F, { LANES / 4 }>(&mut values, &mut indices);
            combine_upper::<F, { LANES / 8 }>(&mut values, &mut indices);
            combine_upper::<F, { LANES / 16 }>(&mut values, &mut indices);
            combine_upper::<F, { LANES / 32 }>(&mut values, &mut indices);
            return set(0, (values[0], indices[0]));
        }
        let mut width = lanes / 2;
        while width > 0 {
            for lane in 0..width {
                set(lane, F::combine(get(lane), get(lane + width)));
            }
            width /= 2;
        }
    }
}

/// Combines the first `WIDTH` lanes with as many behind them.
#[inline(always)]
fn combine_upper<F: Fold, const WIDTH: usize>(
    values: &mut [F::T; LANES],
    indices: &mut [i64; LANES],
) {
    for lane in 0..WIDTH {
        let later = (values[lane + WIDTH], indices[lane + WIDTH]);
        (values[lane], indices[lane]) = F::combine((values[lane], indices[lane]), later);
    }
}

/// # Safety
/// See [`Folding::kept`].
unsafe fn fold_kept<F: Fold>(into: Accumulators, values: *const u8, n: usize, index: i64) {
    let values = Run::<F::T>::new(values);
    // SAFETY: the contract of `Folding::kept`.
    unsafe { combine_all::<F>(into, n, |k| (values.get(k), index)) }
}

macro_rules! define_loops {
    ($(($level:ident, $combine:ident, $halves:ident $(, $features:literal)?))+) => {
        $(
            $(#[target_feature(enable = $features)])?
            unsafe fn $halves<F: Fold>(into: Accumulators, lanes: usize) {
                // SAFETY: the contract of `Folding::halves`.
                unsafe { combine_halves::<F>(into, lanes) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn $combine<F: Fold>(into: Accumulators, later: Accumulators, n: usize) {
                let values = Run::<F::T>::new(later.values);
                let indices = Run::<i64>::new(later.indices);
                // SAFETY: the contract of `Folding::combine`.
                unsafe {
                    combine_all::<F>(into, n, |k| {
                        (values.get(k), if F::INDEXED { indices.get(k) } else { 0 })
                    })
                }
            }
        )+

        fn folding<F: Fold>(level: Level) -> Option<Folding> {
            match level {
                $(Level::$level => Some(Folding {
                    lanes: fold_lanes::<F>,
                    kept: fold_kept::<F>,
                    combine: $combine::<F>,
                    halves: $halves::<F>,
                }),)+
                #[allow(unreachable_patterns)]
                _ => None,
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
define_loops! {
    (Baseline, combine_baseline, halves_baseline)
    (Avx2, combine_avx2, halves_avx2, "avx2,fma")
    (Avx512, combine_avx512, halves_avx512,
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
}

#[cfg(not(target_arch = "x86_64"))]
define_loops! { (Baseline, combine_baseline, halves_baseline) }

/// A reducer as a type.
macro_rules! instance {
    (ArgMin, $level:ident, $element:ident, $combine:path) => {
        instance!(indexed reducer::argmin, $level, $element)
    };
    (ArgMax, $level:ident, $element:ident, $combine:path) => {
        instance!(indexed reducer::argmax, $level, $element)
    };
    (indexed $combine:path, $level:ident, $element:ident) => {{
        struct Row;
        impl Fold for Row {
            type T = $element;
            const INDEXED: bool = true;
            #[inline(always)]
            fn combine(a: ($element, i64), b: ($element, i64)) -> ($element, i64) {
                $combine(a, b)
            }
        }
        folding::<Row>($level)
    }};
    ($reducer:ident, $level:ident, $element:ident, $combine:path) => {{
        struct Row;
        impl Fold for Row {
            type T = $element;
            const INDEXED: bool = false;
            #[inline(always)]
            fn combine(a: ($element, i64), b: ($element, i64)) -> ($element, i64) {
                ($combine(a.0, b.0), 0)
            }
        }
        folding::<Row>($level)
    }};
}

macro_rules! define_find {
    ($(($reducer:ident, $element:ident, $identity:expr, $combine:path))*) => {
        fn find(reducer: Reducer, dtype: DType, level: Level) -> Option<Folding> {
            use darray_kernel::element::Element;
            $(
                if reducer == Reducer::$reducer && dtype == <$element as Element>::DTYPE {
                    return instance!($reducer, level, $element, $combine);
                }
            )*
            None
        }
    };
}

for_each_fold!(define_find);
